//! A 32-bit hash as the key of many things: unrelated ones share a lock.

use crate::finding::{Level, Place};
use crate::language::Language;
use crate::program::keys::narrow as narrow_keys;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Tokens, Tree};
use crate::sql::value::{SqlType, Value, value};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "narrow-lock-key",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/narrow-lock-key.md"),
    checks: &[Check::Statement(check), Check::File(of_host)],
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

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
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
        let mut bound = context.file.units.iter().filter_map(|flow| Some((flow, flow.unit.step_at(lock.span)?.1)));
        if bound.any(|(flow, site)| flow.unit.advisory(site).is_some_and(|(_, key)| key.is_literal())) {
            sink.silent(&RULE, context, lock.span, "what is hashed is one constant");
            continue;
        }
        sink.report(
            &RULE,
            Level::Note,
            Place::new(context.file.id, lock.span),
            format!(
                "{what} gives 32 bits of the 64 that the key has: unrelated values share a lock and \
                 wait for each other"
            ),
        )
        .statement(statement.anchor)
        .unit(&statement.unit)
        .help("use hashtextextended(…, 0), which fills the key");
    }
}

/// The same for a hash that host code makes.
fn of_host(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    let Language::Host(language) = file.source.language() else { return };
    for key in narrow_keys(file.source.text(), language, &file.program) {
        let unit = key.function.and_then(|index| file.program.functions.get(index)).map_or("", |one| one.name);
        sink.report(
            &RULE,
            Level::Note,
            Place::new(file.id, key.lock),
            "this key is a hash of no more than 32 bits of the 64 that it has: unrelated values share a lock and wait for each \
             other",
        )
        .statement(key.statement.join(key.lock))
        .unit(unit)
        .related(Place::new(file.id, key.at), "the hash that is its key")
        .help("use hashtextextended($1, 0) in SQL, which fills the key");
    }
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
