//! Whether a literal is SQL that some code runs: by how it begins and by where it stands, never by a lock word in it.

use crate::host::{CallSite, Literal};
use crate::pattern::ascii;
use crate::span::SqlSpan;
use crate::sql::lex::{Token, TokenKind, beginning, lex_with_holes};
use regex::Regex;
use std::sync::LazyLock;

/// How much of a text is looked at to know its shape, in bytes.
const HEAD: usize = 4096;

/// What takes a text to show it, to compare it, or to match against it. Names in lower case without `_`.
const SHOWS: &[&str] = &[
    "assert",
    "assertequal",
    "assertequals",
    "assertin",
    "assertmatch",
    "assertregex",
    "compile",
    "contain",
    "contains",
    "context",
    "critical",
    "debug",
    "describe",
    "endswith",
    "equal",
    "equals",
    "error",
    "errorf",
    "exception",
    "expect",
    "fatal",
    "fatalf",
    "fprintln",
    "haskey",
    "includes",
    "indexof",
    "info",
    "infof",
    "it",
    "log",
    "logf",
    "match",
    "matches",
    "mustcompile",
    "ngettext",
    "panic",
    "pattern",
    "print",
    "printf",
    "println",
    "puts",
    "raise",
    "regex",
    "regexp",
    "replace",
    "replaceall",
    "skip",
    "split",
    "startswith",
    "strictequal",
    "test",
    "tobe",
    "tocontain",
    "toequal",
    "tomatch",
    "trace",
    "translate",
    "unreachable",
    "warn",
    "warnf",
    "warning",
    "write",
    "writeline",
];

/// Calls that run a text which is one word: `execute("COMMIT")`.
const RUNS: &[&str] = &["command", "exec", "execute", "query", "raw", "run", "send", "statement", "text", "unsafe"];

/// Whether it is a query.
pub(super) fn is_query(text: &str, calls: &[CallSite<'_>], literal: &Literal<'_>) -> bool {
    let sql = beginning(literal.region.text(), HEAD);
    let Some(verb) = verb(sql) else { return false };
    !literal.documentation && is_code(text, calls, literal) && has_shape(sql, &verb, calls, literal)
}

/// Whether the text is something to run, and not to show or to compare with.
pub(super) fn is_code(text: &str, calls: &[CallSite<'_>], literal: &Literal<'_>) -> bool {
    if let Some(call) = literal.argument.and_then(|argument| calls.get(argument.call)) {
        let name: String = call.callee.name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let checks = ["assert", "expect", "should", "test"].iter().any(|word| name.starts_with(word));
        let shows = checks || SHOWS.contains(&name.as_str()) || name.ends_with("error") || name.ends_with("exception");
        let logs = call.callee.receiver.is_some_and(|receiver| {
            let last = receiver.rsplit(['.', ':', '>']).next().unwrap_or_default().to_ascii_lowercase();
            matches!(last.as_str(), "log" | "logger" | "console" | "logging" | "_logger" | "slog")
                // A test by the usual name, which is also that of a transaction.
                || last == "t" && OF_TESTS.contains(&name.as_str())
        });
        if shows || logs {
            return false;
        }
    }
    let after = text.get(literal.span.end..).unwrap_or_default().trim_start();
    let before = text.get(literal.statement.start..literal.span.start).unwrap_or_default().trim_end();
    let compared = ["==", "!=", "=~", "in ", "not in "].iter().any(|mark| after.starts_with(mark))
        || ["==", "!=", "=~", " in", "===", "!=="].iter().any(|mark| before.ends_with(mark));
    let told = ["assert", "raise", "throw", "panic!"].iter().any(|word| {
        before.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    });
    !compared && !told
}

/// What is called on a test that is called `t`, in lower case.
const OF_TESTS: &[&str] = &[
    "comment",
    "deepequal",
    "equal",
    "error",
    "errorf",
    "fail",
    "fatal",
    "fatalf",
    "is",
    "like",
    "log",
    "logf",
    "not",
    "notregex",
    "pass",
    "regex",
    "same",
    "skip",
    "skipf",
    "snapshot",
    "throws",
];

/// How many calls of advisory functions a text has the form of.
pub(super) fn advisory_calls(text: &str) -> usize {
    static CALL: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?i-u)\bpg_(?:try_)?advisory_[a-z_]*lock[a-z_]*\s*\(").ok());
    CALL.as_ref().map_or(0, |call| call.find_iter(text).count())
}

/// Verbs of statements that a program may send.
const VERBS: &[&str] = &[
    "abort",
    "alter",
    "analyze",
    "begin",
    "call",
    "cluster",
    "comment",
    "commit",
    "copy",
    "create",
    "declare",
    "delete",
    "discard",
    "do",
    "drop",
    "end",
    "execute",
    "explain",
    "fetch",
    "grant",
    "insert",
    "listen",
    "lock",
    "merge",
    "notify",
    "prepare",
    "refresh",
    "reindex",
    "release",
    "reset",
    "revoke",
    "rollback",
    "savepoint",
    "select",
    "set",
    "start",
    "truncate",
    "unlisten",
    "update",
    "vacuum",
    "values",
    "with",
];

/// The first word of a text after comments and opening brackets, if it is a verb.
fn verb(sql: &str) -> Option<String> {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ';' | '\u{feff}'));
        if rest.starts_with("--") {
            rest = rest.split_once('\n')?.1;
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/")?.1;
        } else {
            break;
        }
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let word = rest[..end].to_ascii_lowercase();
    let ends = !rest[end..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/'));
    (ends && VERBS.binary_search(&word.as_str()).is_ok()).then_some(word)
}

/// Whether what follows the verb is SQL and not English.
fn has_shape(sql: &str, verb: &str, calls: &[CallSite<'_>], literal: &Literal<'_>) -> bool {
    let holes: Vec<SqlSpan> = literal.region.holes().filter(|hole| hole.end <= sql.len()).collect();
    let tokens: Vec<Token> = lex_with_holes(sql, &holes).into_iter().filter(|token| !token.kind.is_trivia()).collect();
    let word = |at: usize| {
        let token = tokens.get(at).filter(|token| token.kind == TokenKind::Word);
        token.map_or(String::new(), |token| sql[token.span().range()].to_ascii_lowercase())
    };
    let kind = |at: usize| tokens.get(at).map(|token| token.kind);
    let Some(first) = (0..tokens.len()).find(|&at| word(at) == verb) else { return false };
    // A sentence.
    if matches!(tokens.last(), Some(last) if matches!(last.kind, TokenKind::Dot | TokenKind::Colon)) {
        return false;
    }
    let next = word(first + 1);
    let next = next.as_str();
    let follows = first + 1 < tokens.len();
    let has = |wanted: &str| (first..tokens.len()).any(|at| word(at) == wanted);
    let named = |at: usize| matches!(kind(at), Some(TokenKind::Word | TokenKind::QuotedIdent | TokenKind::Hole));
    let calls_something = (first..tokens.len()).any(|at| {
        named(at) && kind(at + 1) == Some(TokenKind::LeftParen) && tokens[at].span().end == tokens[at + 1].span().start
    });
    match verb {
        "select" => {
            let literal = matches!(
                kind(first + 1),
                Some(TokenKind::Number | TokenKind::Param | TokenKind::Hole | TokenKind::Operator)
            );
            has("from") || calls_something || literal || kind(first + 1).is_some_and(TokenKind::is_string)
        }
        "with" => {
            next == "recursive"
                || named(first + 1) && (word(first + 2) == "as" || kind(first + 2) == Some(TokenKind::LeftParen))
        }
        "insert" | "merge" => next == "into",
        "delete" => next == "from",
        "update" => (follows || kind(first + 1) == Some(TokenKind::Hole)) && has("set"),
        "truncate" | "listen" | "unlisten" | "notify" | "vacuum" | "analyze" | "cluster" => tokens.len() - first <= 8,
        "lock" => next == "table" || has("mode"),
        "do" => next == "language" || kind(first + 1).is_some_and(TokenKind::is_string),
        "create" | "alter" | "drop" => OBJECTS.contains(&next),
        "comment" => next == "on",
        "grant" | "revoke" => has("on") || has("to"),
        "set" => {
            let scope = matches!(next, "role" | "local" | "session" | "constraints");
            scope
                || has("to")
                || has("transaction")
                || (first..tokens.len()).any(|at| kind(at) == Some(TokenKind::Operator))
        }
        "reset" | "discard" => matches!(next, "role" | "all") || tokens.len() - first <= 3,
        "call" | "execute" => calls_something,
        "prepare" => has("as"),
        "explain" => has("select") || has("update") || has("delete") || has("insert"),
        "declare" => has("cursor"),
        "fetch" => has("from") || has("in"),
        "values" => kind(first + 1) == Some(TokenKind::LeftParen),
        "copy" => has("from") || has("to"),
        "refresh" => next == "materialized",
        "reindex" => matches!(next, "index" | "table" | "schema" | "database" | "system" | "concurrently"),
        // Words of every day, unless something runs them.
        _ => {
            let more = tokens.iter().any(|token| token.kind == TokenKind::Semicolon) && tokens.len() - first > 3;
            (more && calls_something) || tokens.len() - first <= 8 && is_run(calls, literal)
        }
    }
}

/// What is created, altered and dropped.
const OBJECTS: &[&str] = &[
    "aggregate",
    "constraint",
    "database",
    "domain",
    "event",
    "extension",
    "function",
    "global",
    "index",
    "local",
    "materialized",
    "or",
    "policy",
    "procedure",
    "role",
    "routine",
    "schema",
    "sequence",
    "server",
    "table",
    "temp",
    "temporary",
    "trigger",
    "type",
    "unique",
    "unlogged",
    "user",
    "view",
];

fn is_run(calls: &[CallSite<'_>], literal: &Literal<'_>) -> bool {
    literal.argument.and_then(|argument| calls.get(argument.call)).is_some_and(|call| {
        let name = call.callee.name.to_ascii_lowercase();
        RUNS.iter().any(|known| name.contains(known))
    })
}
