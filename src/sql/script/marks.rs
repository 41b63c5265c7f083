//! The comments and file names by which runners and query compilers are known.

use super::{Expects, Section, SectionKind, Surroundings};
use crate::span::SqlSpan;

/// A comment that says something about who runs what follows.
pub(super) struct Mark {
    pub(super) kind: MarkKind,
    /// Byte offset of the comment.
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// A section begins, run in the given way.
    Section { runner: &'static str, name: &'static str, surroundings: Surroundings },
    /// The whole file is run in the given way, whatever the order of marks.
    File { runner: &'static str, surroundings: Surroundings },
    /// A named query begins.
    Query { name: String, expects: Expects },
}

const OPTED_OUT: Surroundings = Surroundings::Autocommit { evident: true };

/// What a comment, with its marks, says.
pub(super) fn read(comment: &str) -> Option<MarkKind> {
    let body = comment
        .strip_prefix("--")
        .or_else(|| comment.strip_prefix("/*").map(|rest| rest.strip_suffix("*/").unwrap_or(rest)))?
        .trim();
    let lower = body.to_ascii_lowercase();
    goose(&lower)
        .or_else(|| dbmate(&lower))
        .or_else(|| liquibase(&lower))
        .or_else(|| others(comment, &lower))
        .or_else(|| query(body, &lower))
}

fn goose(body: &str) -> Option<MarkKind> {
    // sql-migrate writes `+migrate` and its opt-out on the same line.
    if let Some(rest) = body.strip_prefix("+migrate") {
        let surroundings = if rest.contains("notransaction") { OPTED_OUT } else { Surroundings::Runner };
        return direction(rest.trim()).map(|name| MarkKind::Section { runner: "sql-migrate", name, surroundings });
    }
    let rest = body.strip_prefix("+goose")?.trim();
    if rest == "no transaction" {
        return Some(MarkKind::File { runner: "goose", surroundings: OPTED_OUT });
    }
    direction(rest).map(|name| MarkKind::Section { runner: "goose", name, surroundings: Surroundings::Runner })
}

fn direction(rest: &str) -> Option<&'static str> {
    match rest.split_ascii_whitespace().next() {
        Some("up") => Some("up"),
        Some("down") => Some("down"),
        _ => None,
    }
}

fn dbmate(body: &str) -> Option<MarkKind> {
    let rest = body.strip_prefix("migrate:")?;
    let name = direction(rest)?;
    // Without its transaction dbmate still sends the section as one string.
    let surroundings = if rest.contains("transaction:false") { Surroundings::OneString } else { Surroundings::Runner };
    Some(MarkKind::Section { runner: "dbmate", name, surroundings })
}

fn liquibase(body: &str) -> Option<MarkKind> {
    if body.strip_prefix("liquibase").is_some_and(|rest| rest.trim_start().starts_with("formatted sql")) {
        return Some(MarkKind::File { runner: "Liquibase", surroundings: Surroundings::Runner });
    }
    let rest = body.strip_prefix("changeset ")?;
    let surroundings = if rest.contains("runintransaction:false") { OPTED_OUT } else { Surroundings::Runner };
    rest.contains(':').then_some(MarkKind::Section { runner: "Liquibase", name: "changeset", surroundings })
}

fn others(comment: &str, body: &str) -> Option<MarkKind> {
    let file = |runner, surroundings| Some(MarkKind::File { runner, surroundings });
    match body {
        // sqlx sends the file as one string either way.
        "no-transaction" => file("sqlx", Surroundings::OneString),
        "atlas:txmode none" => file("Atlas", OPTED_OUT),
        "atlas:txmode file" | "atlas:txmode all" => file("Atlas", Surroundings::Runner),
        "up migration" | "down migration" => Some(MarkKind::Section {
            runner: "node-pg-migrate",
            name: if body.starts_with("up") { "up" } else { "down" },
            surroundings: Surroundings::Runner,
        }),
        "rambler up" | "rambler down" => Some(MarkKind::Section {
            runner: "Rambler",
            name: if body.ends_with("up") { "up" } else { "down" },
            surroundings: Surroundings::Unknown,
        }),
        _ if comment.starts_with("----") => match body.trim_matches(|c| c == '-' || c == ' ') {
            "create above / drop below" => {
                Some(MarkKind::Section { runner: "tern", name: "down", surroundings: Surroundings::Runner })
            }
            "tern: disable-tx" => file("tern", OPTED_OUT),
            _ => None,
        },
        _ => None,
    }
}

/// sqlc and its kin: `name: GetX :one`; aiosql: `name: get-x^`; HugSQL: `:name get-x :? :1`; PgTyped: `@name GetX`.
fn query(body: &str, lower: &str) -> Option<MarkKind> {
    let rest = if lower.starts_with("name:") {
        &body["name:".len()..]
    } else if lower.starts_with(":name ") {
        &body[":name ".len()..]
    } else if lower.starts_with("@name ") {
        &body["@name ".len()..]
    } else {
        return None;
    };
    let mut words = rest.split_ascii_whitespace();
    let name = words.next()?;
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let mut expects = match name.chars().last() {
        Some('^' | '$') => Expects::One,
        Some('!') => Expects::Nothing,
        _ => Expects::Unknown,
    };
    for word in words {
        expects = match word {
            ":one" | ":batchone" | ":1" => Expects::One,
            ":many" | ":batchmany" | ":*" => Expects::Many,
            ":exec" | ":execrows" | ":execresult" | ":execlastid" | ":batchexec" | ":!" | ":n" => Expects::Nothing,
            _ => expects,
        };
    }
    let name = name.trim_end_matches(['^', '$', '!', '<', '*', '#']).to_owned();
    Some(MarkKind::Query { name, expects })
}

/// Runners known by the names of their files.
pub(super) fn layout(path: &str) -> Option<Section> {
    let mut parts = path.rsplit('/');
    let name = parts.next()?;
    let parent = parts.next().unwrap_or_default();
    let grandparent = parts.next().unwrap_or_default();
    let section = |runner, name: &str, surroundings| {
        Some(Section {
            kind: SectionKind::Script { runner: Some(runner) },
            name: name.to_owned(),
            span: SqlSpan::new(0, 0),
            surroundings,
        })
    };
    if name == "migration.sql" && grandparent == "migrations" {
        return section("Prisma", "", Surroundings::OneString);
    }
    if matches!(name, "up.sql" | "down.sql") && grandparent == "migrations" {
        return section("Diesel", name.trim_end_matches(".sql"), Surroundings::Runner);
    }
    if is_versioned(name) {
        return section("Flyway", "", Surroundings::Runner);
    }
    let stem = name.strip_suffix(".sql")?;
    for direction in ["up", "down"] {
        if let Some(stem) = stem.strip_suffix(direction).and_then(|stem| stem.strip_suffix('.'))
            && stem.starts_with(|c: char| c.is_ascii_digit())
        {
            // golang-migrate and sqlx name their files alike, and both send each as one string.
            return section("golang-migrate", direction, Surroundings::OneString);
        }
    }
    (parent == "migrations" && grandparent == "supabase")
        .then(|| section("Supabase", "", Surroundings::OneString))
        .flatten()
}

/// `V1.2__add_table.sql`, `R__views.sql`, `U1__undo.sql`: Flyway and refinery.
fn is_versioned(name: &str) -> bool {
    let Some((version, _)) = name.split_once("__") else {
        return false;
    };
    if !name.ends_with(".sql") {
        return false;
    }
    match version.as_bytes() {
        [b'R'] => true,
        [b'V' | b'U' | b'B', rest @ ..] => {
            rest.first().is_some_and(u8::is_ascii_digit)
                && rest.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'_'))
        }
        _ => false,
    }
}

/// Cuts a text of `len` bytes at its marks; what stands before the first mark is run as the file's layout says.
pub(super) fn cut(marks: &[Mark], base: Section, len: usize) -> Vec<Section> {
    let mut whole = base;
    for mark in marks {
        if let MarkKind::File { runner, surroundings } = mark.kind {
            whole.kind = SectionKind::Script { runner: Some(runner) };
            whole.surroundings = surroundings;
        }
    }
    let opted_out = marks.iter().any(|mark| matches!(mark.kind, MarkKind::File { surroundings: OPTED_OUT, .. }));
    let tern = marks.iter().any(|mark| matches!(mark.kind, MarkKind::Section { runner: "tern", .. }));
    if tern && !opted_out {
        whole.kind = SectionKind::Script { runner: Some("tern") };
        whole.surroundings = Surroundings::Runner;
    }
    let mut sections = vec![whole];
    for mark in marks {
        let next = match &mark.kind {
            MarkKind::File { .. } => continue,
            MarkKind::Section { runner, name, surroundings } => Section {
                kind: SectionKind::Script { runner: Some(runner) },
                name: (*name).to_owned(),
                span: SqlSpan::new(mark.at, len),
                surroundings: if opted_out { OPTED_OUT } else { *surroundings },
            },
            MarkKind::Query { name, expects } => Section {
                kind: SectionKind::Query { expects: *expects },
                name: name.clone(),
                span: SqlSpan::new(mark.at, len),
                surroundings: Surroundings::Unknown,
            },
        };
        if let Some(last) = sections.last_mut() {
            last.span.end = mark.at;
        }
        sections.push(next);
    }
    if let Some(last) = sections.last_mut() {
        last.span.end = len;
    }
    sections.retain(|section| !section.span.is_empty());
    sections
}
