//! For people: the lines in question, the rest of the story, what to write instead.

use super::snippet::{self, Mark, severity};
use super::{View, page, visible};
use std::io;

pub(super) fn emit(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in &view.report.findings {
        let mark = |at, message| Mark {
            name: view.shown(at),
            source: view.report.source(at),
            span: at.span,
            start: view.start(at),
            message,
        };
        let mut marks = vec![mark(finding.at, "")];
        marks.extend(finding.related.iter().map(|one| mark(one.at, &one.message)));
        let mut notes = Vec::new();
        notes.extend(finding.help.iter().map(|help| format!("help: {}", visible(help))));
        notes.push(format!("see {} or `locklint explain {}`", page(finding.rule), finding.rule));
        snippet::write(
            (severity(finding.level), Some(finding.rule)),
            &finding.message,
            &marks,
            notes,
            view.options.color,
            out,
        )?;
    }
    if view.options.quiet {
        return Ok(());
    }
    writeln!(out, "{}", view.summary())
}
