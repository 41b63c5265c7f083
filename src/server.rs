//! `locklint server`: the language server protocol over standard input and output. One thread reads messages, another
//! keeps the documents and answers; what is typed meanwhile is taken together, so that a slow answer is given once.

mod answer;
#[cfg(test)]
mod tests;
mod text;
mod transport;
mod workspace;

use crate::error::Error;
use crate::finding::{Edit, FileId, Finding, Report};
use crate::fix;
use crate::language::{Language, globs};
use crate::settings::FILE_NAME;
use answer::Found;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability, Diagnostic, DiagnosticSeverity,
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWatchedFilesRegistrationOptions,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, FileChangeType,
    FileSystemWatcher, GlobPattern, HoverParams, HoverProviderCapability, InitializeParams, InitializeResult,
    MessageType, Position, PublishDiagnosticsParams, Range, Registration, RegistrationParams, SaveOptions,
    ServerCapabilities, ServerInfo, ShowMessageParams, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use text::Encoding;
use transport::Incoming;
use workspace::{Home, Workspace};

/// How many messages may wait to be handled.
const WAITING: usize = 1024;

/// An open document.
#[derive(Debug)]
struct Document {
    uri: Uri,
    version: i32,
    text: String,
    home: Home,
}

/// What was found in a workspace when it was last looked at.
#[derive(Debug)]
struct Seen {
    report: Report,
    /// The documents, by their paths relative to the root.
    files: BTreeMap<String, FileId>,
}

/// The state of a session.
struct Server<'o> {
    output: &'o mut dyn Write,
    rules: &'o [&'o str],
    phase: Phase,
    encoding: Encoding,
    /// Whether the client tells which files change on disk.
    watches: bool,
    documents: BTreeMap<PathBuf, Document>,
    workspaces: BTreeMap<Home, Workspace>,
    seen: BTreeMap<Home, Seen>,
    /// The workspaces to look at again.
    stale: BTreeSet<Home>,
    /// The configuration file of each workspace that cannot be used, as it was told.
    refused: BTreeMap<Home, Option<Uri>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Before,
    Running,
    ShutDown,
    /// The client said `exit`; whether it said `shutdown` before.
    Over {
        polite: bool,
    },
}

/// What became of a file on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// It is new, or nobody knows.
    New,
    /// Its content is other.
    Content,
    /// It is gone.
    Gone,
}

/// Serves until the client says `exit` or goes; whether it said `shutdown` before. `rules` are the names of all rules.
///
/// # Errors
/// Where the streams fail.
pub fn serve(input: impl BufRead + Send + 'static, output: &mut dyn Write, rules: &[&str]) -> Result<bool, Error> {
    let (sender, messages) = mpsc::sync_channel(WAITING);
    std::thread::spawn(move || read(input, &sender));
    let mut server = Server::new(output, rules);
    loop {
        let Ok(first) = messages.recv() else { return Ok(false) };
        let mut next = Some(first);
        while let Some(incoming) = next {
            match incoming? {
                Incoming::Message(message) => guarded(|| server.handle(message)).unwrap_or(Ok(()))?,
                Incoming::Broken(why) => transport::refuse(&mut server.output, &why)?,
                Incoming::End => return Ok(server.phase == Phase::ShutDown),
            }
            if let Phase::Over { polite } = server.phase {
                return Ok(polite);
            }
            next = messages.try_recv().ok();
        }
        guarded(|| server.publish()).unwrap_or(Ok(()))?;
    }
}

/// What `work` comes to; nothing where it panics: a fault of the linter is no reason to leave the editor alone.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn read(mut input: impl BufRead, sender: &mpsc::SyncSender<io::Result<Incoming>>) {
    loop {
        let incoming = transport::receive(&mut input);
        let last = matches!(incoming, Err(_) | Ok(Incoming::End));
        if sender.send(incoming).is_err() || last {
            return;
        }
    }
}

impl<'o> Server<'o> {
    fn new(output: &'o mut dyn Write, rules: &'o [&'o str]) -> Self {
        Self {
            output,
            rules,
            phase: Phase::Before,
            encoding: Encoding::Utf16,
            watches: false,
            documents: BTreeMap::new(),
            workspaces: BTreeMap::new(),
            seen: BTreeMap::new(),
            stale: BTreeSet::new(),
            refused: BTreeMap::new(),
        }
    }

    fn handle(&mut self, message: Message) -> io::Result<()> {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => self.notification(notification),
            Message::Response(_) => Ok(()),
        }
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        transport::send(&mut self.output, message)
    }

    fn notify(&mut self, method: &str, params: impl serde::Serialize) -> io::Result<()> {
        self.send(Notification::new(method.to_owned(), params).into())
    }

    fn request(&mut self, Request { id, method, params }: Request) -> io::Result<()> {
        let refuse = |code: ErrorCode, why: &str| Response::new_err(id.clone(), code as i32, why.to_owned());
        let response = match (self.phase, method.as_str()) {
            (Phase::Before, "initialize") => match parse::<InitializeParams>(params) {
                Ok(params) => Response::new_ok(id, self.initialize(&params)),
                Err(why) => refuse(ErrorCode::InvalidParams, &why),
            },
            (Phase::Before, _) => refuse(ErrorCode::ServerNotInitialized, "`initialize` comes first"),
            (Phase::ShutDown | Phase::Over { .. }, _) => refuse(ErrorCode::InvalidRequest, "the server is shut down"),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                Response::new_ok(id, Value::Null)
            }
            (Phase::Running, "textDocument/hover") => self.answer(id, params, Self::hover)?,
            (Phase::Running, "textDocument/codeAction") => self.answer(id, params, Self::actions)?,
            (Phase::Running, _) => refuse(ErrorCode::MethodNotFound, &format!("`{method}` is not known")),
        };
        self.send(response.into())
    }

    /// Answers a request about a document as it is now.
    fn answer<P: DeserializeOwned>(
        &mut self,
        id: RequestId,
        params: Value,
        answer: fn(&Self, P) -> Value,
    ) -> io::Result<Response> {
        self.publish()?;
        Ok(match parse::<P>(params) {
            Ok(params) => match guarded(|| answer(self, params)) {
                Some(answer) => Response::new_ok(id, answer),
                None => Response::new_err(id, ErrorCode::InternalError as i32, "a fault of locklint".to_owned()),
            },
            Err(why) => Response::new_err(id, ErrorCode::InvalidParams as i32, why),
        })
    }

    fn notification(&mut self, Notification { method, params }: Notification) -> io::Result<()> {
        match (self.phase, method.as_str()) {
            (phase, "exit") => {
                self.phase = Phase::Over { polite: phase == Phase::ShutDown };
                return Ok(());
            }
            (Phase::Running, "initialized") => return self.watch(),
            (Phase::Running, _) => {}
            _ => return Ok(()),
        }
        // What cannot be read is about nothing that is known.
        match method.as_str() {
            "textDocument/didOpen" => parse(params).map(|params| self.opened(params)).unwrap_or(()),
            "textDocument/didChange" => parse(params).map(|params| self.changed(params)).unwrap_or(()),
            "textDocument/didSave" => parse(params).map(|params| self.saved(&params)).unwrap_or(()),
            "textDocument/didClose" => {
                return parse(params).map_or(Ok(()), |params| self.closed(&params));
            }
            "workspace/didChangeWatchedFiles" => parse(params).map(|params| self.moved(&params)).unwrap_or(()),
            _ => {}
        }
        Ok(())
    }

    fn initialize(&mut self, params: &InitializeParams) -> InitializeResult {
        self.phase = Phase::Running;
        let general = params.capabilities.general.as_ref();
        self.encoding = Encoding::agree(general.and_then(|one| one.position_encodings.as_deref()).unwrap_or_default());
        let watched = params.capabilities.workspace.as_ref().and_then(|one| one.did_change_watched_files.as_ref());
        self.watches = watched.is_some_and(|one| one.dynamic_registration == Some(true));
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        };
        let actions = CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::SOURCE_FIX_ALL]),
            ..CodeActionOptions::default()
        };
        InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(self.encoding.kind()),
                text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
                hover_provider: Some(HoverProviderCapability::Simple(true)),
                code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        }
    }

    /// Asks to be told which files change on disk.
    fn watch(&mut self) -> io::Result<()> {
        if !self.watches {
            return Ok(());
        }
        let globs = globs().into_iter().chain([format!("**/{FILE_NAME}")]);
        let watchers = globs.map(|glob| FileSystemWatcher { glob_pattern: GlobPattern::String(glob), kind: None });
        let options = DidChangeWatchedFilesRegistrationOptions { watchers: watchers.collect() };
        let registration = Registration {
            id: "files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        self.send(
            Request::new(RequestId::from("files".to_owned()), "client/registerCapability".to_owned(), params).into(),
        )
    }

    fn opened(&mut self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let Some(path) = text::path(&document.uri) else { return };
        if Language::of(&path.to_string_lossy()).is_none_or(|language| !language.is_linted()) {
            return;
        }
        let home = Home::of(&path);
        self.stale.insert(home.clone());
        let opened = Document { uri: document.uri, version: document.version, text: document.text, home };
        self.documents.insert(path, opened);
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let path = text::path(&params.text_document.uri);
        let Some(document) = path.and_then(|path| self.documents.get_mut(&path)) else { return };
        text::change(&mut document.text, params.content_changes, self.encoding);
        document.version = params.text_document.version;
        self.stale.insert(document.home.clone());
    }

    fn saved(&mut self, params: &DidSaveTextDocumentParams) {
        let Some(path) = text::path(&params.text_document.uri) else { return };
        // Without watching, a save is when to look again at what else may have changed.
        self.touched(&path, if self.watches { Change::Content } else { Change::New });
    }

    fn closed(&mut self, params: &DidCloseTextDocumentParams) -> io::Result<()> {
        let Some(document) = text::path(&params.text_document.uri).and_then(|path| self.documents.remove(&path)) else {
            return Ok(());
        };
        if self.documents.values().all(|other| other.home != document.home) {
            self.workspaces.remove(&document.home);
            self.seen.remove(&document.home);
        }
        self.stale.insert(document.home);
        self.show(document.uri, None, Vec::new())
    }

    fn moved(&mut self, params: &DidChangeWatchedFilesParams) {
        for change in &params.changes {
            let Some(path) = text::path(&change.uri) else { continue };
            let what = match change.typ {
                FileChangeType::CHANGED => Change::Content,
                FileChangeType::DELETED => Change::Gone,
                _ => Change::New,
            };
            self.touched(&path, what);
        }
    }

    /// A file is other on disk.
    fn touched(&mut self, path: &Path, change: Change) {
        let configures = path.file_name().is_some_and(|name| name == FILE_NAME);
        let homes: BTreeSet<Home> = self.documents.values().map(|document| document.home.clone()).collect();
        for home in homes.into_iter().filter(|home| path.starts_with(home.path())) {
            let known = self.workspaces.get_mut(&home).map(|workspace| workspace.forget(path));
            // What is no file of the tree, an ignored one, is none with another content, and none when it is gone.
            if known == Some(false) && change != Change::New && !configures {
                continue;
            }
            if change != Change::Content || configures {
                self.workspaces.remove(&home);
            }
            self.stale.insert(home);
        }
    }

    /// Looks at the stale workspaces, and tells what is found in their documents.
    fn publish(&mut self) -> io::Result<()> {
        for home in std::mem::take(&mut self.stale) {
            if let Err(error) = self.look(&home) {
                self.refuse(&home, &error)?;
                continue;
            }
            if let Some(Some(uri)) = self.refused.remove(&home) {
                self.show(uri, None, Vec::new())?;
            }
            let mine: Vec<PathBuf> = self.documents_of(&home).map(|(path, _)| path.clone()).collect();
            for path in mine {
                let Some(document) = self.documents.get(&path) else { continue };
                let diagnostics = self.found(&path).map(|found| found.diagnostics()).unwrap_or_default();
                self.show(document.uri.clone(), Some(document.version), diagnostics)?;
            }
        }
        Ok(())
    }

    fn documents_of<'s>(&'s self, home: &'s Home) -> impl Iterator<Item = (&'s PathBuf, &'s Document)> {
        self.documents.iter().filter(move |(_, document)| document.home == *home)
    }

    /// The open documents of a workspace, by their relative paths.
    fn texts<'s>(&'s self, home: &'s Home, workspace: &'s Workspace) -> BTreeMap<String, &'s str> {
        let text = |(path, document): (&PathBuf, &'s Document)| Some((workspace.relative(path)?, &*document.text));
        self.documents_of(home).filter_map(text).collect()
    }

    fn show(&mut self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) -> io::Result<()> {
        self.notify("textDocument/publishDiagnostics", PublishDiagnosticsParams { uri, diagnostics, version })
    }

    /// Lints the documents of a workspace.
    fn look(&mut self, home: &Home) -> Result<(), Error> {
        if self.documents_of(home).next().is_none() {
            return Ok(());
        }
        if !self.workspaces.contains_key(home) {
            let read = guarded(|| match home {
                Home::Tree(root) => Workspace::read(root, self.rules),
                Home::File(file) => Workspace::alone(file, self.rules),
            });
            let Some(workspace) = read.transpose()? else { return Ok(()) };
            self.workspaces.insert(home.clone(), workspace);
        }
        let Some(workspace) = self.workspaces.get(home) else { return Ok(()) };
        let documents = self.texts(home, workspace);
        match guarded(|| workspace.lint(&documents)) {
            Some((report, files)) => self.seen.insert(home.clone(), Seen { report, files }),
            None => self.seen.remove(home),
        };
        Ok(())
    }

    /// Tells, once, why a workspace cannot be looked at.
    fn refuse(&mut self, home: &Home, error: &Error) -> io::Result<()> {
        self.seen.remove(home);
        let uri = match error {
            Error::Config(config) => text::uri(&home.path().join(&config.path)),
            _ => None,
        };
        if let (Error::Config(config), Some(uri)) = (error, uri.clone()) {
            let lines = crate::source::LineIndex::new(&config.text);
            let view = text::Text::new(&config.text, &lines, self.encoding);
            let help = config.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
            let diagnostic = Diagnostic {
                range: Range::new(view.position(config.span.start), view.position(config.span.end)),
                severity: Some(DiagnosticSeverity::ERROR),
                source: Some("locklint".to_owned()),
                message: format!("{}{help}", config.message),
                ..Diagnostic::default()
            };
            self.show(uri, None, vec![diagnostic])?;
        }
        if self.refused.insert(home.clone(), uri).is_none() {
            let message = format!("locklint: {error}");
            self.notify("window/showMessage", ShowMessageParams { typ: MessageType::ERROR, message })?;
        }
        Ok(())
    }

    fn found(&self, path: &Path) -> Option<Found<'_>> {
        let document = self.documents.get(path)?;
        let (workspace, seen) = (self.workspaces.get(&document.home)?, self.seen.get(&document.home)?);
        let file = *seen.files.get(&workspace.relative(path)?)?;
        Some(Found { workspace, report: &seen.report, file, uri: &document.uri, encoding: self.encoding })
    }

    fn hover(&self, params: HoverParams) -> Value {
        let at = params.text_document_position_params;
        let range = |position: Position| Range::new(position, position);
        let found = text::path(&at.text_document.uri).and_then(|path| self.found(&path)?.hover(range(at.position)));
        json!(found)
    }

    fn actions(&self, params: CodeActionParams) -> Value {
        let Some(path) = text::path(&params.text_document.uri) else { return json!([]) };
        let Some(found) = self.found(&path) else { return json!([]) };
        let silences = |finding: &Finding, edit: &Edit| self.silences(&path, finding, edit);
        let mut actions = found.actions(params.range, &silences);
        if let Some(only) = &params.context.only {
            let wanted = |kind: &CodeActionKind| {
                only.iter().any(|one| kind == one || kind.as_str().starts_with(&format!("{}.", one.as_str())))
            };
            actions.retain(|action| match action {
                lsp_types::CodeActionOrCommand::CodeAction(action) => action.kind.as_ref().is_some_and(&wanted),
                lsp_types::CodeActionOrCommand::Command(_) => false,
            });
        }
        json!(actions)
    }

    /// Whether an edit of a document makes a finding go, and nothing come.
    fn silences(&self, path: &Path, finding: &Finding, edit: &Edit) -> bool {
        let Some(document) = self.documents.get(path) else { return false };
        let Some(workspace) = self.workspaces.get(&document.home) else { return false };
        let Some(relative) = workspace.relative(path) else { return false };
        let Some(seen) = self.seen.get(&document.home) else { return false };
        let bytes = fix::apply(document.text.as_bytes(), [edit]);
        let Ok(text) = String::from_utf8(bytes) else { return false };
        let mut texts = self.texts(&document.home, workspace);
        texts.insert(relative.clone(), &text);
        let (report, files) = workspace.lint(&texts);
        let count = |report: &Report, file: Option<&FileId>, rule: Option<&str>| {
            let mine = report.findings.iter().filter(|one| Some(&one.at.file) == file);
            mine.filter(|one| rule.is_none_or(|rule| rule == one.rule)).count()
        };
        let (now, before) = (files.get(&relative), seen.files.get(&relative));
        count(&report, now, Some(finding.rule)) < count(&seen.report, before, Some(finding.rule))
            && count(&report, now, None) < count(&seen.report, before, None)
    }
}

fn parse<P: DeserializeOwned>(params: Value) -> Result<P, String> {
    serde_json::from_value(params).map_err(|error| error.to_string())
}
