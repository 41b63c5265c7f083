//! A 32-bit hash as the key of many things: unrelated ones share a lock.

use crate::finding::{Level, Place};
use crate::language::Language;
use crate::pattern::words;
use crate::program::keys::Keys;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::advisory::{self, Action, Function, Scope};
use crate::sql::clause::{Tokens, Tree};
use crate::sql::value::{SqlType, Value, value};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "narrow-lock-key",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/narrow-lock-key.md"),
    checks: &[Check::File(check)],
};

/// Hashes of 32 bits or less.
const NARROW: &[&str] = &[
    "crc32",
    "crc32c",
    "hash_array",
    "hash_numeric",
    "hash_record",
    "hashbpchar",
    "hashchar",
    "hashint8",
    "hashname",
    "hashtext",
    "hashvarlena",
    "uuid_hash",
];

/// Names of which a database has few.
const FEW: &[&str] =
    &["current_catalog", "current_schema", "tg_argv", "tg_name", "tg_relid", "tg_table_name", "tg_table_schema"];

/// A key that is narrow.
struct Narrow<'a> {
    lock: Span,
    statement: Span,
    unit: &'a str,
    message: String,
    /// The hash, where host code makes it.
    hash: Option<Span>,
    help: &'static str,
}

/// How many others of a file are named with the first.
const MAX_NAMED: usize = 4;

/// The first of a file is told, with the others: they have one remedy.
fn check(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    let mut found = Vec::new();
    for statement in &file.statements {
        of_statement(context, statement, &mut found, sink);
    }
    of_host(context, &mut found);
    found.sort_by_key(|one| one.lock);
    found.dedup_by_key(|one| one.lock);
    let mut found = found.into_iter();
    let Some(first) = found.next() else { return };
    let mut story = sink
        .report(&RULE, Level::Note, Place::new(file.id, first.lock), first.message)
        .statement(first.statement)
        .unit(first.unit)
        .help(first.help);
    if let Some(hash) = first.hash {
        story = story.related(Place::new(file.id, hash), "the hash that is its key");
    }
    for other in found.take(MAX_NAMED) {
        story = story.related(Place::new(file.id, other.lock), "this key is narrow as well");
    }
}

fn of_statement<'a>(context: &Context<'a>, statement: &'a Statement<'_>, found: &mut Vec<Narrow<'a>>, sink: &mut Sink) {
    let tree = &statement.tree;
    for lock in statement.direct_locks().filter(|lock| lock.function.acquires()) {
        // The two-key form has no more than 32 bits for each.
        let [arg] = lock.call.args.as_slice() else {
            sink.silent(&RULE, context, lock.span, "each half of a two-part key has 32 bits anyway");
            continue;
        };
        let key = value(tree, arg);
        let Some(what) = narrow(&key.fold()).map(|hash| format!("`{hash}`")).or_else(|| cut(tree, arg, &key)) else {
            sink.silent(&RULE, context, lock.span, "the key is no 32-bit hash of something that varies");
            continue;
        };
        // What host code binds may be one text for ever.
        let bound = context.file.units.iter().filter_map(|flow| Some((flow, flow.unit.step_at(lock.span)?.1)));
        if bound.clone().any(|(flow, site)| flow.unit.advisory(site).is_some_and(|(_, key)| key.is_literal())) {
            sink.silent(&RULE, context, lock.span, "what is hashed is one constant");
            continue;
        }
        let keys: Vec<String> =
            bound.filter_map(|(flow, site)| Some(flow.unit.advisory(site)?.1.to_string())).collect();
        let mut keys = std::iter::once(context.file.source.slice(lock.span)).chain(keys.iter().map(String::as_str));
        if keys.clone().any(is_one_of_few) {
            sink.silent(&RULE, context, lock.span, "what is hashed is named for something of which there are few");
            continue;
        }
        if waits_shortly(lock.function)
            && !keys.any(names_many)
            && !names_many(context.file.source.slice(statement.anchor))
        {
            sink.silent(
                &RULE,
                context,
                lock.span,
                "two that share it wait for one transaction, and nothing says that there are many",
            );
            continue;
        }
        if is_known(context, lock.span) {
            sink.silent(&RULE, context, lock.span, "a comment beside it speaks of the hash");
            continue;
        }
        found.push(Narrow {
            lock: lock.span,
            statement: statement.anchor,
            unit: &statement.unit,
            message: format!(
                "{what} gives 32 bits of the 64 that the key has: unrelated values share a lock, {}",
                harm(lock.function.action == Action::TryLock)
            ),
            hash: None,
            help: "use hashtextextended(…, 0), which fills the key",
        });
    }
}

/// The same for a hash that host code makes.
fn of_host<'a>(context: &Context<'a>, found: &mut Vec<Narrow<'a>>) {
    let file = context.file;
    let Language::Host(language) = file.source.language() else { return };
    let keys = Keys { text: file.source.text(), language, program: &file.program, made: &|_| Vec::new() };
    for key in keys.narrow() {
        let called = file.source.slice(key.lock).split('(').next().unwrap_or_default().trim().to_ascii_lowercase();
        let around = file.program.queries.iter().find(|query| query.literal.contains(key.lock));
        let at = [Some(key.at), Some(key.statement), around.map(|query| query.statement)];
        // The hash with what it is given.
        let hash = file.source.text().get(key.at.start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
        if is_one_of_few(hash) || is_known(context, key.lock) {
            continue;
        }
        if advisory::function(&called).is_some_and(waits_shortly)
            && !at.into_iter().flatten().any(|at| names_many(file.source.slice(at)))
        {
            continue;
        }
        found.push(Narrow {
            lock: key.lock,
            statement: key.statement.join(key.lock),
            unit: key.function.and_then(|index| file.program.functions.get(index)).map_or("", |one| one.name),
            message: format!(
                "this key is a hash of no more than 32 bits of the 64 that it has: unrelated values share a lock, {}",
                harm(file.source.slice(key.lock).to_ascii_lowercase().contains("try_"))
            ),
            hash: Some(key.at),
            help: "use hashtextextended($1, 0) in SQL, which fills the key",
        });
    }
}

/// Whether a key is made of a name of something of which a database has few, and of no id: `hashtext(slot_name)`.
fn is_one_of_few(key: &str) -> bool {
    const THINGS: &[&str] = &[
        "channel",
        "cron",
        "database",
        "db",
        "graph",
        "instance",
        "job",
        "migration",
        "pool",
        "queue",
        "region",
        "schedule",
        "scheduler",
        "schema",
        "slot",
        "step",
        "table",
        "topic",
        "worker",
    ];
    let words = words(key);
    let is = |one: &str| words.iter().any(|word| word == one);
    THINGS.iter().any(|thing| is(thing)) && !is("id") && !is("uuid")
}

/// Whether two locks that share a key cost one of them no more than the rest of the other's transaction.
fn waits_shortly(function: &Function) -> bool {
    function.action == Action::Lock && function.scope == Scope::Transaction
}

/// Whether code names something of which there are as many as users, and not just any key.
fn names_many(code: &str) -> bool {
    const THINGS: &[&str] =
        &["account", "customer", "email", "guid", "order", "phone", "subscriber", "tenant", "user", "username", "uuid"];
    words(code).iter().any(|word| THINGS.contains(&word.as_str()))
}

/// How far from a lock a comment about it stands, in bytes.
const NEAR: usize = 160;

/// Whether a comment before a lock, or on the function around it, shows that somebody has thought of it.
fn is_known(context: &Context<'_>, lock: Span) -> bool {
    let file = context.file;
    let speaks = |comment: &str| {
        let lower = comment.to_lowercase();
        ["collision", "collide", "32-bit", "32 bit"].iter().any(|word| lower.contains(word))
    };
    let after = file.comments.partition_point(|comment| comment.end <= lock.start);
    let near = file.comments[..after].iter().rev().take_while(|comment| lock.start - comment.end < NEAR);
    let function = file.program.function_around(lock).map(|index| file.program.functions[index].span);
    near.into_iter().any(|comment| speaks(file.source.slice(*comment)))
        || function.is_some_and(|function| file.comments_at(function).any(speaks))
}

/// What comes of a key that two values share.
const fn harm(tries: bool) -> &'static str {
    if tries { "and each is refused while the other one is held" } else { "and wait for each other" }
}

/// The hash that a key is, where it is one hash of something that varies.
fn narrow(key: &Value) -> Option<&str> {
    match key {
        Value::Call { name, args } if NARROW.contains(&name.as_str()) => {
            args.iter().any(|arg| arg.any(&mut varies)).then_some(name)
        }
        Value::Call { name, args } if matches!(name.as_str(), "abs" | "mod") => narrow(args.first()?),
        Value::Cast { value, .. } => narrow(value),
        // A mask or a sign keeps it narrow; a shift makes room for another.
        Value::Operator { symbol, args } if matches!(symbol.as_str(), "&" | "%" | "-") => narrow(args.first()?),
        // Integers make an integer.
        Value::Operator { symbol, args }
            if matches!(symbol.as_str(), "#" | "+" | "|") && key.ty() == Some(SqlType::Int4) =>
        {
            args.iter().find_map(narrow)
        }
        _ => None,
    }
}

/// Whether many values may come from here.
fn varies(part: &Value) -> bool {
    match part {
        Value::Parameter(_) | Value::Query(_) => true,
        Value::Name { name, .. } => !FEW.contains(&name.as_str()),
        _ => false,
    }
}

/// `md5` or another digest cut to `bit(32)` or less.
fn cut(tree: &Tree<'_>, arg: &Tokens, key: &Value) -> Option<String> {
    let bits = arg.clone().find(|&index| {
        matches!(tree.word(index), "bit" | "varbit")
            && tree.raw(index + 1) == "("
            && tree.raw(index + 2).parse().is_ok_and(|bits: u32| bits <= 32)
    })?;
    let shifted = key.any(&mut |part| matches!(part, Value::Operator { symbol, .. } if symbol == "<<"));
    (key.any(&mut varies) && !shifted).then(|| format!("`bit({})`", tree.raw(bits + 2)))
}
