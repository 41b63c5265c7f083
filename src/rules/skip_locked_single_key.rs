//! SKIP LOCKED on the one row that a unique key names.

mod host;

use crate::facts::bound::{Bound, Evidence, Row, bound};
use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::clause::{Query, RowLock, Strength, Wait, Wrap};
use crate::sql::script::Expects;
use crate::statement::{Missing, Statement, Use, stands_for_locks};

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-single-key",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/skip-locked-single-key.md"),
    checks: &[Check::Statement(check), Check::File(host::check)],
};

/// Why zero rows are not misread, by what stands around.
const SAID: &str = "a name or a comment beside it says that a locked row is no work for it";
const OF_STATE: &str = "it asks for a state as well: a locked row is one that somebody else is at";
const OF_LOCK: &str = "its name says that it takes a lock: without a row it has none";

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    let of_statement = if let Some(why) = statement.when_missing.and_then(without) {
        Some(why)
    } else if is_try_claim(context, statement) {
        Some(SAID)
    } else {
        None
    };
    for (id, lock) in statement.row_locks() {
        if lock.wait != Wait::SkipLocked {
            continue;
        }
        let query = tree.query(id);
        let Some(select) = query.select() else { continue };
        let mut silent = |why| sink.silent(&RULE, context, statement.source(&lock.tokens), why);
        let Bound::Row(row) = bound(statement, select, &context.facts.catalog) else {
            silent("its conditions do not name one row by a key that the tree shows");
            continue;
        };
        if let Some(why) = of_statement {
            silent(why);
            continue;
        }
        if select.from.iter().any(|item| stands_for_locks(&item.name)) {
            silent("the rows of its table stand for locks: without a row it has none");
            continue;
        }
        let Some(level) = level(statement, query, lock, &row) else {
            silent("its conditions may name one row, but nothing here expects one");
            continue;
        };
        if statement.when_missing != Some(Missing::Fails) {
            if row.state {
                silent(OF_STATE);
                continue;
            }
            if takes_the_lock_alone(context, statement) {
                silent(OF_LOCK);
                continue;
            }
        }
        let columns = row.columns.join(", ");
        let why = match row.evidence {
            Evidence::Catalog => format!("`{columns}` is a unique key, so this names one row"),
            Evidence::Name | Evidence::Guess => {
                format!("`{columns}` looks like a key, so this names one row")
            }
            Evidence::Hole => "the function is named for the key that this is, so it names one row".to_owned(),
        };
        sink.at_tokens(
            &RULE,
            level,
            context,
            (statement, &lock.tokens),
            "SKIP LOCKED on one row: no row then means that it is missing or that it is locked, \
             and nobody can tell which",
        )
        .related(Place::new(context.file.id, statement.source(&row.comparison)), why)
        .help("wait with plain FOR UPDATE, or use NOWAIT, which fails with SQLSTATE 55P03 when the row is locked");
    }
}

/// Why zero rows are not misread, where the code does this without a row.
fn without(missing: Missing) -> Option<&'static str> {
    match missing {
        Missing::Fails => None,
        Missing::GoesOn => Some("with no row the code goes on without one"),
        Missing::Skipped => Some("with no row the callers in this file go on without one"),
        Missing::HandedOn => Some("with no row its callers are given none, and what they make of it is not seen"),
    }
}

/// How sure it is that zero rows will be misread; `None` where the row is not known to be one.
fn level(statement: &Statement<'_>, query: &Query, lock: &RowLock, row: &Row) -> Option<Level> {
    let one = statement.result == Use::Returned(Expects::One) && query.parent.is_none() && !query.is_limited();
    let fails = statement.when_missing == Some(Missing::Fails);
    let expected = one || fails || row.evidence == Evidence::Hole && names_a_key(&statement.purpose);
    if row.evidence >= Evidence::Guess && !expected {
        return None;
    }
    let quiet = row.state || row.may_be_many || matches!(lock.strength, Strength::Share | Strength::KeyShare);
    let sure = row.evidence == Evidence::Catalog || expected || query.wrap == Wrap::Exists;
    Some(if sure && !quiet { Level::Warning } else { Level::Note })
}

/// Words in a name, and in a comment beside the statement, by which the code says that a locked row is no work for it.
const NAMES: &[&str] = &[
    "try",
    "claim",
    "iffree",
    "ifnotlocked",
    "ifunlocked",
    "ifavailable",
    "orskip",
    "skiplocked",
    "skipslocked",
    "lease",
];
const COMMENTS: &[&str] = &[
    "another worker",
    "other worker",
    "another process",
    "another session",
    "another transaction has",
    "another transaction holds",
    "another transaction is",
    "someone else",
    "somebody else",
    "already locked",
    "be acquired",
    "best effort",
    "best-effort",
    "never block",
    "without waiting",
    "if locked",
    "is locked",
    "being processed",
    "busy",
];

/// Whether the code around says that zero rows means "not now".
fn is_try_claim(context: &Context<'_>, statement: &Statement<'_>) -> bool {
    is_called_so(&statement.purpose) || is_said_so(context, statement.anchor)
}

/// Whether a function says that it looks up one row: `loadByPrimaryKey`.
fn names_a_key(name: &str) -> bool {
    let name = plain(name);
    ["byprimarykey", "bypk", "byid", "byuuid"].iter().any(|words| name.contains(words))
}

/// Whether the query is named for the lock and not for the row: `lock.sql`, `acquireLock`. Without a row it has no lock.
fn takes_the_lock_alone(context: &Context<'_>, statement: &Statement<'_>) -> bool {
    let path = context.file.source.path();
    if statement.purpose.is_empty() && statement.query.is_none() {
        let name = path.rsplit('/').next().unwrap_or_default();
        return names_the_lock(name.split('.').next().unwrap_or_default());
    }
    // `Dialect.builder().lock("SELECT …")`
    let program = &context.file.program;
    let given = statement.query.and_then(|query| program.queries.get(query)?.argument);
    let taker = given.and_then(|argument| program.calls.get(argument.call));
    names_the_lock(&statement.purpose) || taker.is_some_and(|call| names_the_lock(call.callee.name))
}

/// Whether a name is one for a lock, and not for the row.
fn names_the_lock(name: &str) -> bool {
    const READS: &[&str] = &["fetch", "find", "get", "load", "lookup", "read", "select"];
    let name = plain(name);
    (["lock", "acquire"].iter().any(|word| name.starts_with(word)) || name.ends_with("lock"))
        && !READS.iter().any(|word| name.contains(word))
}

/// A name in lower case, without what stands between its words.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a name says so.
fn is_called_so(name: &str) -> bool {
    let name = plain(name);
    NAMES.iter().any(|word| name.contains(word))
}

/// Whether a comment beside the statement does, which may go over several lines.
fn is_said_so(context: &Context<'_>, statement: Span) -> bool {
    let words = context.file.comment_at(statement);
    COMMENTS.iter().any(|said| words.contains(said))
}
