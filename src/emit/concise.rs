//! One line per finding.

use super::View;
use std::io;

pub(super) fn emit(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in &view.report.findings {
        writeln!(out, "{}", view.line(finding))?;
    }
    Ok(())
}
