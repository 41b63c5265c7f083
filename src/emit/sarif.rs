//! SARIF 2.1.0, with what GitHub's code scanning reads of it. The key that GitHub computes itself
//! (`primaryLocationLineHash`) is left to it.

use super::{View, page_text};
use crate::finding::{Finding, Level, Place};
use crate::rule::Rule;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn emit(view: &View<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let report = view.report;
    let notifications: Vec<Value> = report
        .notices
        .iter()
        .map(|notice| {
            let mut message = json!({
                "level": if notice.trouble { "error" } else { "note" },
                "message": { "text": notice.message },
            });
            if !notice.path.is_empty() {
                let path = view.options.paths.in_repository(&notice.path);
                message["locations"] = json!([{ "physicalLocation": { "artifactLocation": { "uri": uri(&path) } } }]);
            }
            message
        })
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": view.options.rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !report.notices.iter().any(|notice| notice.trouble),
                "toolExecutionNotifications": notifications,
            }],
            "results": report.findings.iter().map(|finding| result(view, finding)).collect::<Vec<_>>(),
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn descriptor(rule: &Rule) -> Value {
    // What "level" says is how sure a rule is; code scanning has a word for that, and one for how bad it is.
    let (severity, precision) = match rule.level {
        Level::Error => ("error", "very-high"),
        Level::Warning => ("warning", "high"),
        Level::Note => ("recommendation", "medium"),
    };
    let page = page_text(rule);
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.summary() },
        "fullDescription": { "text": rule.summary() },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": rule.level.as_str() },
        "properties": {
            "tags": ["postgresql", "locking"],
            "precision": precision,
            "problem.severity": severity,
        },
    })
}

fn result(view: &View<'_>, finding: &Finding) -> Value {
    let mut text = finding.message.clone();
    if let Some(help) = &finding.help {
        let _ = write!(text, "\n\n{help}");
    }
    let mut result = json!({
        "ruleId": finding.rule,
        "level": finding.level.as_str(),
        "message": { "text": text },
        "locations": [location(view, finding.at)],
        "relatedLocations": finding.related.iter().enumerate().map(|(index, one)| {
            let mut related = location(view, one.at);
            related["id"] = json!(index + 1);
            related["message"] = json!({ "text": one.message });
            related
        }).collect::<Vec<_>>(),
        "partialFingerprints": { "locklint/v1": finding.fingerprint },
    });
    if let Some(index) = view.options.rules.iter().position(|rule| rule.name == finding.rule) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(fix) = &finding.fix {
        let inside = |span| Place::new(finding.at.file, span);
        result["fixes"] = json!([{
            "description": { "text": fix.title },
            "artifactChanges": [{
                "artifactLocation": { "uri": uri(&view.in_repository(finding.at)) },
                "replacements": fix.edits.iter().map(|edit| json!({
                    "deletedRegion": region(view, inside(edit.span)),
                    "insertedContent": { "text": edit.text },
                })).collect::<Vec<_>>(),
            }],
        }]);
    }
    result
}

fn location(view: &View<'_>, at: Place) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&view.in_repository(at)) },
        "region": region(view, at),
    } })
}

/// `endColumn` is the column after the end.
fn region(view: &View<'_>, at: Place) -> Value {
    let (start, end) = (view.start(at), view.end(at));
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

/// A path as a relative URI reference; a colon, too, is escaped, since the first one would end a scheme.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
