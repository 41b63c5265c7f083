//! A key that is another value for every caller: nobody is kept out.

mod host;

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::{Tokens, Tree};
use crate::sql::functions::{self, Moves};
use crate::sql::value::{SqlType, Value, value};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "unstable-lock-key",
    level: Level::Error,
    rank: Rank::Mismatched,
    page: include_str!("../../rules/unstable-lock-key.md"),
    checks: &[Check::Statement(check), Check::File(host::check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    for lock in statement.direct_locks().filter(|lock| lock.function.acquires()) {
        let moving = lock.call.args.iter().find_map(|arg| {
            let (name, why) = moving(&statement.with_only_values(value(tree, arg)), reads_clock(tree, arg))?;
            Some((at(tree, arg, &name), why))
        });
        let Some((tokens, why)) = moving else {
            sink.silent(&RULE, context, lock.span, "no clock, random number or process is seen in the key");
            continue;
        };
        let (level, what) = match why {
            Moves::Clock => (Level::Error, "the time"),
            Moves::Random => (Level::Error, "a random value"),
            // To hold a lock on one's own number is a way to show that one lives.
            Moves::Session => (Level::Warning, "the process id of the session"),
            Moves::Transaction => (Level::Warning, "the id of the transaction"),
            Moves::Sequence => continue,
        };
        sink.at_tokens(
            &RULE,
            level,
            context,
            (statement, &tokens),
            format!("the key is made of {what}, so everybody locks another key and nobody is kept out"),
        )
        .related(Place::new(context.file.id, lock.span), "the lock that uses it")
        .about(context.file.id, lock.span)
        .help("make the key from what the lock is about, such as hashtextextended(name, 0)");
    }
}

/// Functions that make one value of many: the day of a clock, the bucket of a number; or that need not use it.
const COARSE: &[&str] = &[
    "coalesce",
    "date",
    "date_bin",
    "date_part",
    "date_trunc",
    "div",
    "extract",
    "greatest",
    "least",
    "mod",
    "nullif",
    "to_char",
    "width_bucket",
];

/// How many random values are few: workers meet at them on purpose.
const FEW: i128 = 1000;

/// The function that makes a key another one each time, where nothing rounds its value off. `epoch` says that EXTRACT
/// gives the clock itself.
fn moving(value: &Value, epoch: bool) -> Option<(String, Moves)> {
    match value {
        Value::Call { name, .. } if functions::moves(name).is_some() => {
            functions::moves(name).map(|why| (name.clone(), why))
        }
        Value::Call { name, .. } if COARSE.contains(&name.as_str()) && !(epoch && is_extract(name)) => None,
        // A day is the same for all of its callers.
        Value::Cast { ty: SqlType::Other(name), .. } if name == "date" => None,
        Value::Operator { symbol, .. } if matches!(symbol.as_str(), "/" | "%" | ">>") => None,
        Value::Operator { symbol, args } if symbol == "*" && args.iter().any(is_few) => {
            args.iter().find_map(|part| moving(part, epoch)).filter(|(_, why)| *why != Moves::Random)
        }
        Value::Case { .. } | Value::Query(_) => None,
        value => value.parts().into_iter().find_map(|part| moving(part, epoch)),
    }
}

fn is_extract(name: &str) -> bool {
    matches!(name, "extract" | "date_part")
}

fn is_few(value: &Value) -> bool {
    matches!(value.uncast(), Value::Integer(count) if (0..=FEW).contains(count))
}

/// Whether EXTRACT takes the whole time: of any other field every caller of a while gets the same.
fn reads_clock(tree: &Tree<'_>, arg: &Tokens) -> bool {
    arg.clone().any(|index| {
        let text = tree.raw(index).trim_matches('\'').to_ascii_lowercase();
        matches!(text.as_str(), "epoch" | "microseconds" | "milliseconds")
    })
}

/// The call of `name` in an argument; `current_timestamp` has no parentheses.
fn at(tree: &Tree<'_>, arg: &Tokens, name: &str) -> Tokens {
    let found = arg.clone().find(|&index| tree.ident(index).is_some_and(|ident| ident == name));
    let Some(index) = found else { return arg.clone() };
    index..tree.partner(index + 1).map_or(index, |close| if close > index + 1 { close } else { index }) + 1
}
