//! The documented contract for programs. `schema` counts its incompatible changes.

use super::position::Position;
use super::{View, page};
use crate::finding::{Finding, Place};
use crate::span::Span;
use serde::Serialize;
use std::borrow::Cow;
use std::io;

const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Output<'o> {
    schema: u32,
    tool: Tool,
    diagnostics: Vec<Diagnostic<'o>>,
    summary: Summary,
}

#[derive(Serialize)]
pub(super) struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    /// This program.
    pub(super) const fn this() -> Self {
        Self { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") }
    }
}

#[derive(Serialize)]
struct Diagnostic<'o> {
    rule: &'static str,
    level: &'static str,
    message: &'o str,
    path: Cow<'o, str>,
    start: Position,
    end: Position,
    related: Vec<Related<'o>>,
    help: Option<&'o str>,
    url: String,
    fingerprint: &'o str,
    fix: Option<Fix<'o>>,
}

#[derive(Serialize)]
struct Related<'o> {
    path: Cow<'o, str>,
    start: Position,
    end: Position,
    message: &'o str,
}

#[derive(Serialize)]
struct Fix<'o> {
    safe: bool,
    edits: Vec<Edit<'o>>,
}

#[derive(Serialize)]
struct Edit<'o> {
    start: Position,
    end: Position,
    text: &'o str,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    lock_sites: usize,
    understood: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
}

pub(super) fn emit(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let figures = view.report.summary;
    let output = Output {
        schema: SCHEMA,
        tool: Tool::this(),
        diagnostics: view.report.findings.iter().map(|finding| diagnostic(view, finding)).collect(),
        summary: Summary {
            files: figures.files,
            lock_sites: figures.lock_sites,
            understood: figures.understood,
            errors: figures.errors,
            warnings: figures.warnings,
            notes: figures.notes,
        },
    };
    serde_json::to_writer_pretty(&mut *out, &output)?;
    writeln!(out)
}

fn diagnostic<'o>(view: &'o View<'_>, finding: &'o Finding) -> Diagnostic<'o> {
    let inside = |span: Span| Place::new(finding.at.file, span);
    Diagnostic {
        rule: finding.rule,
        level: finding.level.as_str(),
        message: &finding.message,
        path: view.shown(finding.at),
        start: view.start(finding.at),
        end: view.end(finding.at),
        related: finding
            .related
            .iter()
            .map(|one| Related {
                path: view.shown(one.at),
                start: view.start(one.at),
                end: view.end(one.at),
                message: &one.message,
            })
            .collect(),
        help: finding.help.as_deref(),
        url: page(finding.rule),
        fingerprint: &finding.fingerprint,
        fix: finding.fix.as_ref().map(|fix| Fix {
            safe: fix.safe,
            edits: fix
                .edits
                .iter()
                .map(|edit| Edit {
                    start: view.start(inside(edit.span)),
                    end: view.end(inside(edit.span)),
                    text: &edit.text,
                })
                .collect(),
        }),
    }
}
