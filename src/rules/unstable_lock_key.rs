//! A key that is another value for every caller: nobody is kept out.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::clause::Call;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "unstable-lock-key",
    level: Level::Error,
    rank: Rank::Mismatched,
    page: include_str!("../../rules/unstable-lock-key.md"),
    checks: &[Check::Statement(check)],
};

/// Functions whose value no other session, or no later call, gives again.
const UNSTABLE: &[(&str, &str)] = &[
    ("clock_timestamp", "the clock"),
    ("gen_random_uuid", "a random value"),
    ("now", "the clock"),
    ("pg_backend_pid", "the process id of the session"),
    ("pg_current_xact_id", "the id of the transaction"),
    ("random", "a random value"),
    ("statement_timestamp", "the clock"),
    ("timeofday", "the clock"),
    ("transaction_timestamp", "the clock"),
    ("txid_current", "the id of the transaction"),
    ("uuid_generate_v4", "a random value"),
];

/// Functions that make a stable value of a moving one: the day of a clock.
const STABILISERS: &[&str] = &["date", "date_bin", "date_part", "date_trunc", "extract", "to_char"];

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let calls = statement.tree.calls();
    for lock in statement.direct_locks().filter(|lock| lock.function.acquires()) {
        let inside = |call: &&Call| lock.call.args.iter().any(|arg| arg.contains(&call.name_token));
        if calls.iter().filter(inside).any(|call| STABILISERS.contains(&call.name.as_str())) {
            continue;
        }
        let unstable = calls.iter().filter(inside).find_map(|call| {
            UNSTABLE.iter().find(|(name, _)| call.name == *name).map(|(_, what)| (call, what))
        });
        let Some((call, what)) = unstable else { continue };
        sink.report(
            &RULE,
            Level::Error,
            Place::new(context.file.id, statement.source(&call.tokens)),
            format!("the key is {what}, so everybody locks another key and nobody is kept out"),
        )
        .statement(statement.span)
        .unit(&statement.unit)
        .related(Place::new(context.file.id, lock.span), "the lock that uses it")
        .about(context.file.id, lock.span)
        .help("make the key from what the lock is about, such as hashtextextended(name, 0)");
    }
}
