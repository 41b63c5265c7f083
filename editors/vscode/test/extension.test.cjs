// The extension with stand-ins for VS Code and its client: which program it starts, for which documents, and when again.
const assert = require("node:assert");
const Module = require("node:module");
const { test } = require("node:test");

const started = [];
let settings = { path: "" };
let changed;
const commands = new Map();
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, running: false });
  }
  async start() {
    this.running = true;
    started.push(this);
  }
  async stop() {
    this.running = false;
  }
}
const stand = {
  vscode: {
    commands: { registerCommand: (name, run) => commands.set(name, run) },
    workspace: {
      getConfiguration: () => ({ get: (key) => settings[key] }),
      onDidChangeConfiguration: (listener) => (changed = listener),
    },
  },
  "vscode-languageclient/node": { LanguageClient },
};
const load = Module._load;
Module._load = (name, ...rest) => stand[name] ?? load(name, ...rest);
const extension = require("../out/extension.js");

test("the server runs while the extension does", async () => {
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(started[0].server, { command: "locklint", args: ["server"] });
  settings = { path: "/opt/locklint" };
  await changed({ affectsConfiguration: (name) => name === "locklint.path" });
  await changed({ affectsConfiguration: () => false });
  await commands.get("locklint.restart")();
  assert.strictEqual(started.length, 3);
  assert.strictEqual(started[1].server.command, "/opt/locklint");
  assert.deepStrictEqual(started.map((one) => one.running), [false, false, true]);
  await extension.deactivate();
  assert.ok(started.every((one) => !one.running));
});

test("it wakes up for the documents that it looks at", () => {
  const { activationEvents, version } = require("../package.json");
  const documents = started[0].options.documentSelector;
  assert.deepStrictEqual(documents.map((one) => `onLanguage:${one.language}`), activationEvents);
  assert.ok(documents.every((one) => one.scheme === "file"));
  assert.match(version, /^\d+\.\d+\.\d+$/);
});
