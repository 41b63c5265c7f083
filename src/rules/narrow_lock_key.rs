//! A 32-bit hash as the key of many things: unrelated ones share a lock.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::value::{Value, value};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "narrow-lock-key",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/narrow-lock-key.md"),
    checks: &[Check::Statement(check)],
};

/// Hashes of 32 bits or less.
const NARROW: &[&str] = &["crc32", "hashchar", "hashint4", "hashint8", "hashname", "hashtext", "hashbpchar", "hashvarlena"];

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    for lock in statement.direct_locks().filter(|lock| lock.function.acquires()) {
        // The two-key form has no more than 32 bits for each.
        let [arg] = lock.call.args.as_slice() else { continue };
        let key = value(&statement.tree, arg).fold();
        let Some(hash) = narrow(&key) else { continue };
        sink.report(
            &RULE,
            Level::Note,
            Place::new(context.file.id, lock.span),
            format!("`{hash}` gives 32 bits of the 64 that the key has: unrelated values share a lock and wait for each other"),
        )
        .statement(statement.span)
        .unit(&statement.unit)
        .help("use hashtextextended(…, 0), which fills the key");
    }
}

/// The hash that a key is, where it is one hash of something that varies.
fn narrow(key: &Value) -> Option<&str> {
    match key {
        Value::Call { name, args } if NARROW.contains(&name.as_str()) => {
            let varies = |value: &mut dyn FnMut(&Value) -> bool| args.iter().any(|arg| arg.any(value));
            varies(&mut |part| matches!(part, Value::Parameter(_) | Value::Name { .. } | Value::Query(_))).then_some(name)
        }
        Value::Call { name, args } if name == "abs" => narrow(args.first()?),
        Value::Cast { value, .. } => narrow(value),
        // A mask or a sign keeps it narrow; a shift makes room for another.
        Value::Operator { symbol, args } if matches!(symbol.as_str(), "&" | "%" | "-") => narrow(args.first()?),
        _ => None,
    }
}
