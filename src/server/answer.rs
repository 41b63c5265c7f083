//! What the editor is told about a document: diagnostics, actions, the page of a rule.

use super::text::{Encoding, Text, uri};
use super::workspace::Workspace;
use crate::emit::page_text;
use crate::finding::{Edit, FileId, Finding, Level, Place, Report};
use crate::fix;
use crate::language::{HostLanguage, Language};
use crate::rules::rule;
use crate::source::Source;
use crate::span::Span;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    Hover, HoverContents, Location, MarkupContent, MarkupKind, NumberOrString, Range, TextEdit, Uri, WorkspaceEdit,
};
use std::collections::HashMap;

/// The kind of action that makes every safe fix of a document.
const FIX_ALL: &str = "source.fixAll.locklint";

/// A document and what was found in its tree.
pub(super) struct Found<'f> {
    pub(super) workspace: &'f Workspace,
    pub(super) report: &'f Report,
    pub(super) file: FileId,
    pub(super) uri: &'f Uri,
    pub(super) encoding: Encoding,
}

impl Found<'_> {
    fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.report.findings.iter().filter(|finding| finding.at.file == self.file)
    }

    /// The findings whose primary span meets the range.
    fn within(&self, range: Range) -> impl Iterator<Item = &Finding> {
        self.findings().filter(move |finding| {
            let own = self.range(finding.at);
            own.start <= range.end && range.start <= own.end
        })
    }

    fn range(&self, at: Place) -> Range {
        let source = self.report.source(at);
        Text::new(source.file_text(), source.lines(), self.encoding).range(at.span)
    }

    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.findings().map(|finding| self.diagnostic(finding)).collect()
    }

    fn diagnostic(&self, finding: &Finding) -> Diagnostic {
        let related = finding.related.iter().filter_map(|one| {
            let path = self.workspace.absolute(self.report.source(one.at).path());
            let location = Location::new(uri(&path)?, self.range(one.at));
            Some(DiagnosticRelatedInformation { location, message: one.message.clone() })
        });
        let help = finding.help.as_ref().map_or_else(String::new, |help| format!("\nhelp: {help}"));
        Diagnostic {
            range: self.range(finding.at),
            severity: Some(match finding.level {
                Level::Error => DiagnosticSeverity::ERROR,
                Level::Warning => DiagnosticSeverity::WARNING,
                Level::Note => DiagnosticSeverity::INFORMATION,
            }),
            code: Some(NumberOrString::String(finding.rule.to_owned())),
            source: Some("locklint".to_owned()),
            message: format!("{}{help}", finding.message),
            related_information: Some(related.collect()),
            ..Diagnostic::default()
        }
    }

    /// The pages of the rules that report something there.
    pub(super) fn hover(&self, range: Range) -> Option<Hover> {
        let mut names: Vec<&str> = self.within(range).map(|finding| finding.rule).collect();
        names.dedup();
        let pages: Vec<String> = names.iter().filter_map(|name| rule(name)).map(page_text).collect();
        let value = (!pages.is_empty()).then(|| pages.join("\n---\n\n"))?;
        let at = self.within(range).next().map(|finding| self.range(finding.at));
        Some(Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range: at })
    }

    /// What can be done about the findings in the range. `silences` tells whether an edit makes a finding, and nothing
    /// else, go.
    pub(super) fn actions(&self, range: Range, silences: &dyn Fn(&Finding, &Edit) -> bool) -> Vec<CodeActionOrCommand> {
        let mut actions = Vec::new();
        for finding in self.within(range) {
            let mut offer = |title: String, preferred: bool, edits: Vec<&Edit>| {
                actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                    title,
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![self.diagnostic(finding)]),
                    edit: Some(self.edit(edits)),
                    is_preferred: Some(preferred),
                    ..CodeAction::default()
                }));
            };
            if let Some(fix) = &finding.fix {
                let title = if fix.safe { fix.title.clone() } else { format!("{} (look at it)", fix.title) };
                offer(title, fix.safe, fix.edits.iter().collect());
            }
            if let Some(edit) = self.comments(finding).iter().find(|edit| silences(finding, edit)) {
                offer(format!("Silence {} for this statement", finding.rule), false, vec![edit]);
            }
        }
        let safe = self.findings().filter_map(|finding| finding.fix.as_ref()).filter(|fix| fix.safe);
        let (edits, count) = fix::choose(self.length(), safe);
        if count > 0 {
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: "Make every safe fix of locklint".to_owned(),
                kind: Some(CodeActionKind::new(FIX_ALL)),
                edit: Some(self.edit(edits)),
                ..CodeAction::default()
            }));
        }
        actions
    }

    /// Length of the document's text in bytes.
    fn length(&self) -> usize {
        self.report.sources.get(&self.file).map_or(0, |source| source.file_text().len())
    }

    fn edit(&self, edits: Vec<&Edit>) -> WorkspaceEdit {
        let edits = edits.into_iter().map(|edit| {
            let range = self.range(Place::new(self.file, edit.span));
            TextEdit { range, new_text: edit.text.clone() }
        });
        // Of no use to change annotations, `documentChanges` would need a version that may be old by now. A URI is no key
        // that changes.
        #[expect(clippy::mutable_key_type, reason = "the type of the protocol")]
        let changes = HashMap::from([(self.uri.clone(), edits.collect())]);
        WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
    }

    /// Comments that may silence a finding: on a line of its own before the statement, or at the end of its last line.
    fn comments(&self, finding: &Finding) -> Vec<Edit> {
        let source = self.report.source(finding.at);
        // A line of a notebook is a string of JSON.
        if source.is_notebook() {
            return Vec::new();
        }
        let mark = match source.language() {
            Language::Host(HostLanguage::Python | HostLanguage::Ruby | HostLanguage::Elixir) => "#",
            Language::Host(_) => "//",
            Language::Sql | Language::Markdown | Language::Config(_) | Language::Prisma | Language::Expected => "--",
        };
        let comment = format!("{mark} locklint: ignore[{}]", finding.rule);
        let (start, end) = (line(source, finding.statement.start), line(source, finding.statement.end));
        let text = source.file_slice(start);
        let indent = &text[..text.len() - text.trim_start_matches([' ', '\t']).len()];
        let ending = if source.file_text().contains("\r\n") { "\r\n" } else { "\n" };
        let insert = |at: usize, text: String| Edit { span: Span::new(at, at), text };
        vec![insert(start.start, format!("{indent}{comment}{ending}")), insert(end.end, format!(" {comment}"))]
    }
}

/// The line that a byte is on, without its end.
fn line(source: &Source, offset: usize) -> Span {
    let lines = source.lines();
    let line = lines.line(offset);
    let start = lines.start(line).unwrap_or_default().max(if line == 0 { source.bom() } else { 0 });
    let end = lines.start(line + 1).unwrap_or(source.file_text().len());
    let text = source.file_slice(Span::new(start, end));
    Span::new(start, start + text.trim_end_matches(['\n', '\r']).len())
}
