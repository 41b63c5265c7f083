//! The comments by which runners and query compilers are known.

use super::{Expects, OPTED_OUT, Runner, Section, SectionKind, Surroundings};
use crate::span::SqlSpan;
use crate::sql::lex::{Token, TokenKind};

/// A comment that says something about who runs what follows.
pub(super) struct Mark {
    kind: MarkKind,
    /// Byte offset of the comment.
    at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum MarkKind {
    /// A section begins, run in the given way.
    Section { runner: Runner, name: &'static str, surroundings: Surroundings },
    /// The whole file is run in the given way, whatever the order of marks.
    File { runner: Runner, surroundings: Surroundings },
    /// The section in which it stands is run in the given way.
    Here { runner: Runner, surroundings: Surroundings },
    /// A named query begins.
    Query { name: String, expects: Expects },
    /// What the query above it gives back.
    Expects(Expects),
}

/// Where a comment stands.
#[derive(Clone, Copy)]
struct Place {
    /// Byte offset of the comment.
    at: usize,
    /// Nothing but white space stands before it on its line.
    starts_line: bool,
    /// No statement stands before it.
    leads: bool,
    /// It stands in the file's first line.
    first_line: bool,
    /// It belongs to the comment that a blank line cuts off from the first statement.
    detached: bool,
}

/// The marks of a text, in order.
pub(super) fn all(text: &str, tokens: &[Token]) -> Vec<Mark> {
    let code = tokens.iter().find(|token| !token.kind.is_trivia()).map_or(text.len(), |t| t.span().start);
    let first_line = text.find('\n').unwrap_or(text.len());
    let detached = detached(text);
    tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Comment)
        .filter_map(|token| {
            let at = token.span().start;
            let before = text[..at].trim_end_matches([' ', '\t']);
            let place = Place {
                at,
                starts_line: before.is_empty() || before.ends_with(['\n', '\r']),
                leads: at < code,
                first_line: at <= first_line,
                detached: at < detached,
            };
            read(text[token.span().range()].trim_end(), place).map(|kind| Mark { kind, at })
        })
        .collect()
}

/// The length of the comment lines that begin the text, if a blank line or the end follows them.
fn detached(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        if !line.starts_with("--") && !line.starts_with('#') {
            return if line.trim().is_empty() { length } else { 0 };
        }
        length += line.len();
    }
    length
}

/// What a comment, with its marks, says.
fn read(comment: &str, place: Place) -> Option<MarkKind> {
    // Drizzle's stands behind the statement that it ends.
    if comment.starts_with("--> statement-breakpoint") {
        return Some(MarkKind::File { runner: Runner::Drizzle, surroundings: Surroundings::Runner });
    }
    if !place.starts_line {
        return None;
    }
    let block = comment.strip_prefix("/*").map(|rest| rest.strip_suffix("*/").unwrap_or(rest).trim());
    let Some(line) = comment.strip_prefix("--") else {
        return block.and_then(|body| query(body, true));
    };
    let body = line.trim();
    let lower = body.to_ascii_lowercase();
    directions(&lower)
        .or_else(|| liquibase(&lower))
        .or_else(|| node_pg_migrate(&lower))
        .or_else(|| exact(comment, place))
        .or_else(|| graphile_migrate(line, place))
        .or_else(|| settings(&lower, place))
        .or_else(|| query(body, false))
}

/// The runners that begin a section with a word of their own and `up` or `down`.
fn directions(body: &str) -> Option<MarkKind> {
    let mut words = body.split_ascii_whitespace();
    let section = |runner, word: Option<&str>, surroundings| {
        let name = match word? {
            "up" => "up",
            "down" => "down",
            _ => return None,
        };
        Some(MarkKind::Section { runner, name, surroundings })
    };
    match words.next()? {
        "+goose" => match (words.next(), words.next(), words.next()) {
            (Some("no"), Some("transaction"), None) => {
                Some(MarkKind::File { runner: Runner::Goose, surroundings: OPTED_OUT })
            }
            (word, None, None) => section(Runner::Goose, word, Surroundings::Runner),
            _ => None,
        },
        "+migrate" => {
            let word = words.next();
            let opted_out = words.any(|option| option == "notransaction");
            section(Runner::SqlMigrate, word, if opted_out { OPTED_OUT } else { Surroundings::Runner })
        }
        // A section may come several times, each of them one string.
        "rambler" => {
            let word = words.next();
            words.next().is_none().then(|| section(Runner::Rambler, word, Surroundings::OneString)).flatten()
        }
        first => {
            let word = first.strip_prefix("migrate:").filter(|word| !word.is_empty());
            // Without its transaction dbmate still sends the section as one string.
            let opted_out = words.any(|option| option == "transaction:false");
            let surroundings = if opted_out { Surroundings::OneString } else { Surroundings::Runner };
            section(Runner::Dbmate, word, surroundings)
        }
    }
}

fn liquibase(body: &str) -> Option<MarkKind> {
    if body.strip_prefix("liquibase").is_some_and(|rest| rest.trim_start().starts_with("formatted")) {
        return Some(MarkKind::File { runner: Runner::Liquibase, surroundings: Surroundings::Runner });
    }
    let rest = body.strip_prefix("changeset ")?;
    let mut words = rest.split_ascii_whitespace();
    let surroundings = if rest.contains("runwith:") {
        // Another program runs it.
        Surroundings::Unknown
    } else if !rest.contains("runintransaction:false") {
        Surroundings::Runner
    } else if words.clone().any(|word| word == "splitstatements:false") {
        Surroundings::OneString
    } else if words.any(|word| word.strip_prefix("enddelimiter:").is_some_and(|end| end != ";")) {
        Surroundings::Unknown
    } else {
        OPTED_OUT
    };
    rest.contains(':').then_some(MarkKind::Section { runner: Runner::Liquibase, name: "changeset", surroundings })
}

fn node_pg_migrate(body: &str) -> Option<MarkKind> {
    let body = body.trim_start_matches(|c: char| c == '-' || c.is_whitespace());
    let (name, rest) = [("up", "up"), ("down", "down")].iter().find_map(|(n, w)| Some((*n, body.strip_prefix(w)?)))?;
    (rest.starts_with(char::is_whitespace) && rest.trim_start().starts_with("migration")).then_some(MarkKind::Section {
        runner: Runner::NodePgMigrate,
        name,
        surroundings: Surroundings::Runner,
    })
}

/// Marks that are compared letter by letter.
fn exact(comment: &str, place: Place) -> Option<MarkKind> {
    let file = |runner| Some(MarkKind::File { runner, surroundings: Surroundings::OneString });
    match comment {
        "---- create above / drop below ----" => {
            Some(MarkKind::Section { runner: Runner::Tern, name: "down", surroundings: Surroundings::Runner })
        }
        "---- tern: disable-tx ----" => Some(MarkKind::Here { runner: Runner::Tern, surroundings: OPTED_OUT }),
        "-- hasura:no-transaction" if place.first_line => file(Runner::Hasura),
        _ if comment.starts_with("-- postgres-migrations disable-transaction") => file(Runner::PostgresMigrations),
        _ if comment.starts_with("-- no-transaction") && place.at == 0 => file(Runner::Sqlx),
        _ => None,
    }
}

/// `--! Previous: sha1:…` and the like; the opt-out is for the one statement of its file.
fn graphile_migrate(line: &str, place: Place) -> Option<MarkKind> {
    let surroundings = match line.strip_prefix('!')?.split_ascii_whitespace().next()? {
        "no-transaction" if place.leads => Surroundings::OneString,
        "Previous:" | "Hash:" | "Message:" | "AllowInvalidHash" | "split:" | "include" | "Included" => {
            Surroundings::Runner
        }
        _ => return None,
    };
    Some(MarkKind::File { runner: Runner::GraphileMigrate, surroundings })
}

/// Settings and headers in the comments above the first statement.
fn settings(body: &str, place: Place) -> Option<MarkKind> {
    if !place.leads {
        return None;
    }
    let file = |runner, surroundings| Some(MarkKind::File { runner, surroundings });
    if let Some(mode) = body.strip_prefix("atlas:txmode") {
        let surroundings = match mode.trim() {
            // Elsewhere Atlas does not see it, and the flag of the command line counts.
            _ if !place.detached => Surroundings::Unknown,
            "none" => OPTED_OUT,
            "file" => Surroundings::Runner,
            _ => Surroundings::Unknown,
        };
        return file(Runner::Atlas, surroundings);
    }
    if let Some(mode) = value(body, "txn-mode", '=') {
        return match mode {
            "on" => file(Runner::Bytebase, Surroundings::Runner),
            "off" => file(Runner::Bytebase, OPTED_OUT),
            _ => None,
        };
    }
    if let Some(mode) = value(body, "transactional", ':') {
        return match mode {
            "true" => file(Runner::Yoyo, Surroundings::Runner),
            "false" => file(Runner::Yoyo, OPTED_OUT),
            _ => None,
        };
    }
    let mut words = body.split_ascii_whitespace();
    let name = match (words.next()?, words.next(), words.next()?, words.next()?, words.next()) {
        ("deploy", _, "to", "pg", None) => "up",
        ("revert", _, "from", "pg", None) => "down",
        ("verify", _, "on", "pg", None) => "verify",
        _ => return None,
    };
    // Sqitch runs psql without `-1`.
    Some(MarkKind::Section { runner: Runner::Sqitch, name, surroundings: OPTED_OUT })
}

fn value<'b>(body: &'b str, key: &str, separator: char) -> Option<&'b str> {
    body.strip_prefix(key)?.trim_start().strip_prefix(separator).map(str::trim)
}

/// sqlc: `name: GetX :one`; aiosql: `name: get-x(a, b)^`; HugSQL: `:name get-x :? :1`; PgTyped: `/* @name GetX */`.
fn query(body: &str, block: bool) -> Option<MarkKind> {
    let mut words = body.split_ascii_whitespace();
    let first = words.next()?;
    if let ":result" | ":command" = first {
        return words.map(keyword).find(|e| *e != Expects::Unknown).map(MarkKind::Expects);
    }
    if first == "@name" && block {
        // Its parameters follow.
        let name = words.next().filter(|name| is_name(name))?.to_owned();
        return Some(MarkKind::Query { name, expects: Expects::Unknown });
    }
    let rest = body.strip_prefix(":name ").or_else(|| {
        let rest = body.strip_prefix("name")?.trim_start();
        rest.strip_prefix(':')
    })?;
    let rest = rest.trim();
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_-.?".contains(c))).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let after_parameters = match rest.strip_prefix('(') {
        Some(parameters) => parameters.split_once(')')?.1,
        None => rest,
    };
    let mut words = after_parameters.split_ascii_whitespace().peekable();
    let mut expects = Expects::Unknown;
    if !after_parameters.starts_with(char::is_whitespace)
        && let Some(suffix) = words.next()
    {
        expects = match suffix {
            // `<!` gives back the row that it inserts.
            "^" | "$" | "<!" => Expects::One,
            "!" | "*!" | "#" => Expects::Nothing,
            _ => return None,
        };
    }
    for word in words {
        // A word without a colon makes it prose.
        if !word.starts_with(':') {
            return None;
        }
        expects = match keyword(word) {
            Expects::Unknown => expects,
            known => known,
        };
    }
    is_name(name).then(|| MarkKind::Query { name: name.to_owned(), expects })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// What a keyword of sqlc, HugSQL or PugSQL gives back.
fn keyword(word: &str) -> Expects {
    match word {
        ":one" | ":batchone" | ":1" | ":scalar" => Expects::One,
        ":many" | ":batchmany" | ":*" => Expects::Many,
        ":exec" | ":execrows" | ":execresult" | ":execlastid" | ":batchexec" | ":copyfrom" | ":!" | ":n"
        | ":execute" | ":affected" | ":i!" | ":insert" => Expects::Nothing,
        _ => Expects::Unknown,
    }
}

/// Cuts a text of `len` bytes at its marks; what stands before the first mark is run as the file's layout says.
pub(super) fn cut(marks: &[Mark], base: Section, len: usize) -> Vec<Section> {
    let mut whole = base;
    let files = || {
        marks.iter().filter_map(|mark| match mark.kind {
            MarkKind::File { runner, surroundings } => Some((runner, surroundings)),
            _ => None,
        })
    };
    // An opt-out counts whatever else the file says of its runner.
    let opt_out = files().find(|(_, surroundings)| *surroundings != Surroundings::Runner);
    if let Some((runner, surroundings)) = opt_out.or_else(|| files().next_back()) {
        whole.kind = SectionKind::Script { runner: Some(runner) };
        whole.surroundings = surroundings;
    }
    let is_liquibase = files().any(|(runner, _)| runner == Runner::Liquibase);
    if marks.iter().any(|mark| matches!(mark.kind, MarkKind::Section { runner: Runner::Tern, .. })) {
        whole.kind = SectionKind::Script { runner: Some(Runner::Tern) };
        whole.surroundings = Surroundings::Runner;
    }
    let mut sections = vec![whole];
    for mark in marks {
        let next = match &mark.kind {
            // Liquibase reads no file without its header.
            MarkKind::Section { runner: Runner::Liquibase, .. } if !is_liquibase => continue,
            MarkKind::Section { runner, name, surroundings } => {
                let surroundings = opt_out.map_or(*surroundings, |(_, surroundings)| surroundings);
                Section::script(Some(*runner), name, surroundings)
            }
            MarkKind::Query { name, expects } => Section {
                kind: SectionKind::Query { expects: *expects },
                ..Section::script(None, name, Surroundings::Unknown)
            },
            MarkKind::File { .. } => continue,
            MarkKind::Here { runner, surroundings } => {
                if let Some(last) = sections.last_mut() {
                    last.kind = SectionKind::Script { runner: Some(*runner) };
                    last.surroundings = *surroundings;
                }
                continue;
            }
            MarkKind::Expects(more) => {
                if let Some(Section { kind: SectionKind::Query { expects }, .. }) = sections.last_mut() {
                    *expects = *more;
                }
                continue;
            }
        };
        if let Some(last) = sections.last_mut() {
            last.span.end = mark.at;
        }
        sections.push(Section { span: SqlSpan::new(mark.at, len), ..next });
    }
    if let Some(last) = sections.last_mut() {
        last.span.end = len;
    }
    sections.retain(|section| !section.span.is_empty());
    sections
}
