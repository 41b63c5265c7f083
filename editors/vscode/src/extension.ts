// Starts `locklint server` and lets VS Code talk to it. What the server finds is a matter of locklint.toml; the only setting
// here is where the program is.
import { commands, type ExtensionContext, workspace } from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

/** The languages that locklint reads, by VS Code's names. */
export const LANGUAGES = [
  "sql",
  "python",
  "javascript",
  "javascriptreact",
  "typescript",
  "typescriptreact",
  "go",
  "rust",
  "java",
  "kotlin",
  "csharp",
  "ruby",
  "php",
  "elixir",
  "scala",
];

let client: LanguageClient | undefined;

async function start(): Promise<void> {
  const command = workspace.getConfiguration("locklint").get<string>("path") || "locklint";
  const server: ServerOptions = { command, args: ["server"] };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
  };
  client = new LanguageClient("locklint", "locklint", server, options);
  await client.start();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Called by VS Code when a document of one of the languages is opened. */
export async function activate(context: ExtensionContext): Promise<void> {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    commands.registerCommand("locklint.restart", restart),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("locklint.path")) await restart();
    }),
  );
  await start();
}

/** Called by VS Code at its end. */
export function deactivate(): Promise<void> {
  return stop();
}
