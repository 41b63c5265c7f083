// Reads literals of JavaScript and TypeScript as JavaScript does: lines of JSON, as a literal stands and as it was read.
const fs = require("fs");
const vm = require("vm");

let failed = false;
for (const file of process.argv.slice(2)) {
  let agreed = 0;
  let other = 0;
  const wrong = [];
  const context = vm.createContext(Object.create(null));
  for (const line of fs.readFileSync(file, "utf8").split("\n").filter(Boolean)) {
    const [stands, text] = JSON.parse(line);
    let value;
    try {
      value = vm.runInContext(`(${stands})`, context, { timeout: 1000 });
    } catch {
      // An attribute of JSX, octal escapes in strict code.
    }
    // A template has no CR where the file has CR LF; here it is kept, being white space either way.
    const lines = (it) => (stands.includes("\r") ? it.replace(/[\r\n]+/g, "\n") : it);
    // What is put in there is the program's.
    const filled = /(?:^|[^\\])(?:\\\\)*\$\{/.test(stands);
    if (typeof value !== "string" || filled || /[\ud800-\udfff]/u.test(value)) other++;
    else if (lines(value) === lines(text)) agreed++;
    else wrong.push([stands, text, value]);
  }
  console.log(`Node ${process.version}, ${file.split("/").pop()}: ${agreed} agreed, ${wrong.length} did not, ${other} are no literals of their own`);
  for (const it of wrong.slice(0, 10)) console.log("  " + it.map((part) => JSON.stringify(part)).join(" | "));
  failed ||= wrong.length > 0 || agreed === 0;
}
process.exitCode = failed ? 1 : 0;
