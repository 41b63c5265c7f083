//! GitLab's code quality report. It drops what shares a fingerprint, so each is made unique.

use super::View;
use crate::finding::Level;
use serde::Serialize;
use std::collections::HashMap;
use std::io;

#[derive(Serialize)]
struct Issue<'o> {
    description: &'o str,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}

pub(super) fn emit(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let issues: Vec<Issue<'_>> = view
        .report
        .findings
        .iter()
        .map(|finding| {
            let count = seen.entry(&finding.fingerprint).or_default();
            *count += 1;
            Issue {
                description: &finding.message,
                check_name: finding.rule,
                fingerprint: if *count == 1 {
                    finding.fingerprint.clone()
                } else {
                    format!("{}-{count}", finding.fingerprint)
                },
                severity: match finding.level {
                    Level::Error => "major",
                    Level::Warning => "minor",
                    Level::Note => "info",
                },
                location: Location {
                    path: view.in_repository(finding.at),
                    lines: Lines { begin: view.start(finding.at).line, end: view.end(finding.at).line },
                },
            }
        })
        .collect();
    serde_json::to_writer_pretty(&mut *out, &issues)?;
    writeln!(out)
}
