//! Reads the verb, and where the queries and expressions of the statement begin.

use super::{Characteristics, Isolation, Object, SetScope, Verb};
use crate::sql::clause::node::Clause;
use crate::sql::clause::{Tokens, Tree};
use crate::sql::lex::TokenKind;

/// What a statement holds.
pub(in crate::sql::clause) struct Contained {
    pub(in crate::sql::clause) queries: Vec<Tokens>,
    pub(in crate::sql::clause) expressions: Vec<(Tokens, Clause)>,
    pub(in crate::sql::clause) understood: bool,
}

impl Contained {
    fn none() -> Self {
        Self { queries: Vec::new(), expressions: Vec::new(), understood: true }
    }

    fn query(tokens: Tokens) -> Self {
        Self { queries: vec![tokens], ..Self::none() }
    }
}

/// Words that begin statements without expressions that could call a function.
const UTILITIES: &[&str] = &[
    "analyze",
    "checkpoint",
    "close",
    "cluster",
    "comment",
    "deallocate",
    "fetch",
    "grant",
    "import",
    "listen",
    "load",
    "move",
    "notify",
    "reassign",
    "refresh",
    "revoke",
    "security",
    "show",
    "truncate",
    "unlisten",
];

/// How many statements may stand around one: EXPLAIN, PREPARE, DECLARE and CREATE RULE hold others, and no such chain is
/// longer than two.
const MAX_DEPTH: usize = 3;

/// The verb of the whole, and what it holds.
pub(in crate::sql::clause) fn read(tree: &Tree<'_>) -> (Verb, Contained) {
    from(tree, tree.all(), 0)
}

/// `depth` statements stand around it.
fn from(tree: &Tree<'_>, all: Tokens, depth: usize) -> (Verb, Contained) {
    let at = all.start;
    if all.is_empty() || depth > MAX_DEPTH {
        return (Verb::Empty, Contained { understood: false, ..Contained::none() });
    }
    if tree.kind(at) == Some(TokenKind::PsqlCommand) {
        let command = tree.raw(at).trim_start_matches('\\');
        let name = command.split(|c: char| c.is_whitespace()).next().unwrap_or("");
        return (Verb::Psql(name.to_owned()), Contained::none());
    }
    if tree.opens_query(at) || tree.begins_query(at) {
        return (query_verb(tree, &all), Contained::query(all));
    }
    let rest = at + 1..all.end;
    let verb = match tree.word(at) {
        "begin" => Verb::Begin(characteristics(tree, &rest)),
        "start" if tree.word(at + 1) == "transaction" => Verb::Begin(characteristics(tree, &rest)),
        "commit" if tree.word(at + 1) == "prepared" => Verb::CommitPrepared,
        "rollback" if tree.word(at + 1) == "prepared" => Verb::RollbackPrepared,
        "commit" | "end" => Verb::Commit { chain: chain(tree, &rest) },
        "rollback" | "abort" => match savepoint(tree, &rest) {
            Some(name) => Verb::RollbackTo(name),
            None => Verb::Rollback { chain: chain(tree, &rest) },
        },
        "savepoint" => Verb::Savepoint(name(tree, at + 1)),
        "release" => Verb::Release(name(tree, at + 1 + usize::from(tree.word(at + 1) == "savepoint"))),
        "set" => set(tree, &rest),
        "reset" => Verb::Reset((tree.word(at + 1) != "all").then(|| parameter(tree, at + 1).0)),
        "discard" => Verb::Discard { all: tree.word(at + 1) == "all" },
        "lock" => Verb::Lock,
        "do" => Verb::Do,
        "vacuum" => Verb::Vacuum,
        "reindex" => Verb::Reindex { concurrently: rest.clone().any(|index| tree.word(index) == "concurrently") },
        "call" => return (Verb::Call, arguments(rest)),
        "execute" => return (Verb::Execute, arguments(rest)),
        "copy" => return (Verb::Copy, copy(tree, &rest)),
        "prepare" if tree.word(at + 1) == "transaction" => Verb::PrepareTransaction,
        "prepare" => return (Verb::Prepare, after(tree, &rest, "as", depth)),
        "declare" => return (Verb::Declare, after(tree, &rest, "for", depth)),
        "explain" => return explain(tree, rest, depth),
        "create" => return create(tree, rest, depth),
        "alter" => return (Verb::Alter(object(tree, &rest)), policy(tree, &rest)),
        "drop" => match object(tree, &rest) {
            Object::Index => Verb::DropIndex,
            object => Verb::Drop(object),
        },
        word if UTILITIES.contains(&word) => Verb::Other(word.to_owned()),
        // A fragment, or a statement of another dialect.
        word => {
            let contained =
                Contained { expressions: vec![(all, Clause::Other)], understood: false, ..Contained::none() };
            return (Verb::Other(word.to_owned()), contained);
        }
    };
    (verb, Contained::none())
}

/// The verb of a query: that of its last part, after WITH.
fn query_verb(tree: &Tree<'_>, all: &Tokens) -> Verb {
    let verb = |word: &str| match word {
        "select" => Some(Verb::Select),
        "insert" => Some(Verb::Insert),
        "update" => Some(Verb::Update),
        "delete" => Some(Verb::Delete),
        "merge" => Some(Verb::Merge),
        "values" => Some(Verb::Values),
        "table" => Some(Verb::Table),
        _ => None,
    };
    if tree.word(all.start) != "with" {
        return verb(tree.word(all.start)).unwrap_or(Verb::Select);
    }
    tree.top(all.clone()).find_map(|index| verb(tree.keyword(index))).unwrap_or(Verb::Select)
}

fn characteristics(tree: &Tree<'_>, rest: &Tokens) -> Characteristics {
    let mut out = Characteristics::default();
    for index in rest.clone() {
        if tree.is(index, &["isolation", "level"]) {
            out.isolation = match tree.word(index + 2) {
                "serializable" => Some(Isolation::Serializable),
                "repeatable" => Some(Isolation::RepeatableRead),
                "read" if tree.word(index + 3) == "committed" => Some(Isolation::ReadCommitted),
                "read" => Some(Isolation::ReadUncommitted),
                _ => out.isolation,
            };
        } else if tree.is(index, &["read", "only"]) {
            out.read_only = Some(true);
        } else if tree.is(index, &["read", "write"]) {
            out.read_only = Some(false);
        }
    }
    out
}

fn chain(tree: &Tree<'_>, rest: &Tokens) -> bool {
    rest.clone().any(|index| tree.is(index, &["and", "chain"]))
}

/// `ROLLBACK [WORK | TRANSACTION] TO [SAVEPOINT] name`
fn savepoint(tree: &Tree<'_>, rest: &Tokens) -> Option<String> {
    let at = rest.start + usize::from(matches!(tree.word(rest.start), "work" | "transaction"));
    (tree.word(at) == "to").then(|| name(tree, at + 1 + usize::from(tree.word(at + 1) == "savepoint")))
}

fn name(tree: &Tree<'_>, index: usize) -> String {
    tree.ident(index).map(|name| name.into_owned()).unwrap_or_default()
}

/// The name of a parameter, dots included, and the index of what follows.
fn parameter(tree: &Tree<'_>, start: usize) -> (String, usize) {
    let (mut out, mut at) = (name(tree, start), start + 1);
    while tree.kind(at) == Some(TokenKind::Dot) {
        out.push('.');
        out.push_str(&name(tree, at + 1));
        at += 2;
    }
    (out, at)
}

fn set(tree: &Tree<'_>, rest: &Tokens) -> Verb {
    let mut at = rest.start;
    if tree.is(at, &["session", "characteristics"]) {
        return Verb::SetTransaction { session: true, characteristics: characteristics(tree, rest) };
    }
    let scope = match tree.word(at) {
        "local" => SetScope::Local,
        "session" if tree.word(at + 1) != "authorization" => SetScope::Session,
        _ => SetScope::Default,
    };
    at += usize::from(scope != SetScope::Default);
    if tree.word(at) == "transaction" {
        return Verb::SetTransaction { session: false, characteristics: characteristics(tree, rest) };
    }
    if tree.is(at, &["time", "zone"]) {
        return Verb::Set { scope, name: "timezone".into(), value: (at + 2).min(rest.end)..rest.end };
    }
    let (name, at) = parameter(tree, at);
    let at = at + usize::from(tree.word(at) == "to" || tree.raw(at) == "=");
    Verb::Set { scope, name, value: at.min(rest.end)..rest.end }
}

/// `name(arguments)` of a procedure or a prepared statement: the name itself is no function call.
fn arguments(rest: Tokens) -> Contained {
    Contained { expressions: vec![(rest.start + 1..rest.end, Clause::Arguments)], ..Contained::none() }
}

fn copy(tree: &Tree<'_>, rest: &Tokens) -> Contained {
    if tree.opens_query(rest.start) {
        return Contained::query(rest.start + 1..tree.close(rest.start, rest.end));
    }
    // `COPY t FROM … WHERE condition`
    let from = tree.top(rest.clone()).find(|&index| tree.keyword(index) == "from");
    let condition = from.and_then(|from| tree.top(from..rest.end).find(|&index| tree.keyword(index) == "where"));
    match condition {
        Some(at) => Contained { expressions: vec![(at + 1..rest.end, Clause::Where)], ..Contained::none() },
        None => Contained::none(),
    }
}

/// The statement after the first `word`.
fn after(tree: &Tree<'_>, rest: &Tokens, word: &str, depth: usize) -> Contained {
    match tree.top(rest.clone()).find(|&index| tree.word(index) == word) {
        Some(at) => from(tree, at + 1..rest.end, depth + 1).1,
        None => Contained { understood: false, ..Contained::none() },
    }
}

fn explain(tree: &Tree<'_>, rest: Tokens, depth: usize) -> (Verb, Contained) {
    let mut at = rest.start;
    let mut analyze = false;
    if tree.kind(at) == Some(TokenKind::LeftParen) && !tree.opens_query(at) {
        let close = tree.close(at, rest.end);
        for option in tree.commas(at + 1..close) {
            if matches!(tree.word(option.start), "analyze" | "analyse") {
                let off = tree.slice(&(option.start + 1..option.end)).trim_matches('\'').to_ascii_lowercase();
                analyze = !matches!(off.as_str(), "off" | "false" | "0");
            }
        }
        at = (close + 1).min(rest.end);
    } else {
        while at < rest.end && matches!(tree.word(at), "analyze" | "analyse" | "verbose") {
            analyze |= tree.word(at) != "verbose";
            at += 1;
        }
    }
    (Verb::Explain { analyze }, from(tree, at..rest.end, depth + 1).1)
}

/// The kind of object, after CREATE, ALTER or DROP and the words between.
fn object(tree: &Tree<'_>, rest: &Tokens) -> Object {
    for index in rest.start..rest.end.min(rest.start + 8) {
        return match tree.word(index) {
            "database" => Object::Database,
            "extension" => Object::Extension,
            "function" | "aggregate" | "routine" => Object::Function,
            "index" => Object::Index,
            "materialized" => Object::MaterializedView,
            "policy" => Object::Policy,
            "procedure" => Object::Procedure,
            "role" | "user" | "group" => Object::Role,
            "rule" => Object::Rule,
            "schema" => Object::Schema,
            "sequence" => Object::Sequence,
            "subscription" => Object::Subscription,
            "system" => Object::System,
            "table" => Object::Table,
            "tablespace" => Object::Tablespace,
            "trigger" => Object::Trigger,
            "type" | "domain" => Object::Type,
            "view" => Object::View,
            "or" | "replace" | "global" | "local" | "temp" | "temporary" | "unlogged" | "unique" | "foreign"
            | "recursive" | "constraint" | "event" | "default" | "trusted" | "procedural" => {
                continue;
            }
            _ => Object::Other,
        };
    }
    Object::Other
}

fn create(tree: &Tree<'_>, rest: Tokens, depth: usize) -> (Verb, Contained) {
    let object = object(tree, &rest);
    let contained = match object {
        Object::Index => {
            let words = |word: &str| rest.clone().take(4).any(|index| tree.word(index) == word);
            let verb = Verb::CreateIndex { concurrently: words("concurrently"), unique: words("unique") };
            return (verb, Contained::none());
        }
        Object::Table | Object::View | Object::MaterializedView => defined(tree, &rest),
        Object::Rule => rule(tree, &rest, depth),
        Object::Policy => policy(tree, &rest),
        _ => Contained::none(),
    };
    (Verb::Create(object), contained)
}

/// The query after AS, which ends before `WITH CHECK OPTION` and `WITH [NO] DATA`.
fn defined(tree: &Tree<'_>, rest: &Tokens) -> Contained {
    let Some(at) = tree
        .top(rest.clone())
        .find(|&index| tree.word(index) == "as" && (tree.opens_query(index + 1) || tree.begins_query(index + 1)))
    else {
        return Contained::none();
    };
    let end = tree
        .top(at + 1..rest.end)
        .find(|&index| {
            index > at + 1
                && tree.word(index) == "with"
                && matches!(tree.word(index + 1), "check" | "cascaded" | "local" | "no" | "data")
        })
        .unwrap_or(rest.end);
    Contained::query(at + 1..end)
}

/// The condition and the actions of `CREATE RULE … DO`. They run when the rule fires.
fn rule(tree: &Tree<'_>, rest: &Tokens, depth: usize) -> Contained {
    let Some(at) = tree.top(rest.clone()).find(|&index| tree.keyword(index) == "do") else {
        return Contained { understood: false, ..Contained::none() };
    };
    let mut contained = Contained::none();
    let condition = tree.top(rest.start..at).find(|&index| tree.keyword(index) == "where");
    contained.expressions.extend(condition.map(|condition| (condition + 1..at, Clause::Where)));
    let at = at + 1 + usize::from(matches!(tree.word(at + 1), "also" | "instead"));
    if tree.word(at) == "nothing" {
        return contained;
    }
    let actions = at..rest.end;
    let list = tree.group(&actions).filter(|_| !tree.opens_query(at) || has_semicolon(tree, &actions));
    let actions = list.unwrap_or(actions);
    let ends: Vec<usize> = tree
        .top(actions.clone())
        .filter(|&index| tree.kind(index) == Some(TokenKind::Semicolon))
        .chain([actions.end])
        .collect();
    let mut start = actions.start;
    for end in ends {
        if start < end {
            let action = from(tree, start..end, depth + 1).1;
            contained.queries.extend(action.queries);
            contained.expressions.extend(action.expressions);
            contained.understood &= action.understood;
        }
        start = end + 1;
    }
    contained
}

fn has_semicolon(tree: &Tree<'_>, tokens: &Tokens) -> bool {
    tokens.clone().any(|index| tree.kind(index) == Some(TokenKind::Semicolon))
}

/// The conditions of a policy.
fn policy(tree: &Tree<'_>, rest: &Tokens) -> Contained {
    if object(tree, rest) != Object::Policy {
        return Contained::none();
    }
    let expressions = tree
        .top(rest.clone())
        .filter(|&index| {
            tree.kind(index) == Some(TokenKind::LeftParen) && matches!(tree.word(index - 1), "using" | "check")
        })
        .map(|index| (index + 1..tree.close(index, rest.end), Clause::Where))
        .collect();
    Contained { expressions, ..Contained::none() }
}
