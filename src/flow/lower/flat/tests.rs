use super::*;
use crate::document::{Content, Origin, documents};
use crate::flow::{UnitFlow, UnitKind};
use crate::region::Region;
use crate::span::Span;
use crate::sql::clause::Entry;
use crate::sql::script::Surroundings;
use crate::statement::{Statement, Use, Wrappers};
use proptest::prelude::*;
use std::sync::Arc;

/// The flow of a script, with what changes nothing left out or not.
fn flow(text: &str, surroundings: Surroundings, mut builder: Builder) -> UnitFlow {
    let span = Span::new(0, text.len());
    let mut regions = Vec::new();
    let documents = documents([(Region::verbatim(text, span), Origin::Script)], &mut regions);
    let Content::Statements(pieces) = &documents[0].content else { panic!("a script") };
    let wrappers = Wrappers::default();
    for piece in pieces {
        let tokens = &documents[0].tokens[piece.tokens.clone()];
        let shown = Use::Shown { stored: false };
        let statement =
            Statement::new(&documents[0], tokens, Entry::Statement, shown, Arc::default(), "".into(), &wrappers);
        builder.statement(&statement);
    }
    let root = builder.sequence();
    UnitFlow::new(builder.finish(UnitKind::Script, "", span, surroundings, root))
}

/// Everything that rules ask of a site, with steps as the text that they stand for.
fn answers(text: &str, flow: &UnitFlow) -> Vec<String> {
    let shown = |step: Option<usize>| step.map(|step| flow.unit.steps[step].span);
    let mut all = vec![format!("{:?} {:?}", flow.tables(), flow.unit.ends_outer)];
    for (step, site) in flow.unit.site_steps() {
        let before = &flow.trace.before[step];
        let tables = ["t".to_owned(), "u".to_owned()];
        all.push(format!(
            "{} {:?}",
            &text[flow.unit.sites[site].span.range()],
            (
                (before.in_transaction(), before.autocommit(), shown(before.begin())),
                (&before.held_any, &before.wrote, flow.held_at_end(site)),
                shown(flow.first_work_without(site)),
                shown(flow.first_write_without(site, &tables)),
                shown(flow.work_after(step)),
                shown(flow.concurrent_build_under(site)),
                shown(flow.unguarded_repetition(site)),
                shown(flow.ending_of(site)),
                flow.has_unlock_attempt(site),
            )
        ));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn what_is_left_out_changes_no_answer(
        statements in prop::collection::vec(prop::sample::select(vec![
            "INSERT INTO t VALUES (1);", "INSERT INTO t VALUES (2);", "INSERT INTO u SELECT * FROM t;",
            "SELECT * FROM t;", "SELECT f();", "BEGIN;", "BEGIN ISOLATION LEVEL SERIALIZABLE;", "COMMIT;",
            "COMMIT AND CHAIN;", "SAVEPOINT a;", "ROLLBACK TO a;", "ROLLBACK;", "DISCARD ALL;",
            "CREATE INDEX CONCURRENTLY i ON t (a);", "SELECT pg_advisory_lock(1);",
            "SELECT pg_advisory_xact_lock(1);", "SELECT pg_advisory_xact_lock(2), f();",
            "SELECT pg_try_advisory_lock(3) FROM t;", "SELECT pg_advisory_unlock(1);",
            "SELECT * FROM t FOR UPDATE;", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;",
        ]), 0..24),
        surroundings in prop::sample::select(vec![
            Surroundings::Autocommit { evident: true }, Surroundings::Runner, Surroundings::OneString,
            Surroundings::Unknown,
        ]),
    ) {
        let text = statements.join("\n");
        let whole = flow(&text, surroundings, Builder::new());
        let short = flow(&text, surroundings, Builder::flat());
        prop_assert_eq!(answers(&text, &short), answers(&text, &whole), "{}", text);
        prop_assert!(short.unit.steps.len() <= whole.unit.steps.len());
    }
}

#[test]
fn a_dump_has_few_steps() {
    let rows = "INSERT INTO t VALUES (1);BEGIN;INSERT INTO u VALUES (1);SAVEPOINT a;COMMIT;".repeat(500);
    let none = flow(&rows, Surroundings::Autocommit { evident: false }, Builder::flat());
    assert_eq!(none.unit.steps.len(), 3, "{:?}", none.unit.steps);
    let inserts = "INSERT INTO t VALUES (1);".repeat(500);
    let text = format!("{inserts}SELECT pg_advisory_lock(1);{inserts}SELECT pg_advisory_unlock(1);{inserts}");
    let locked = flow(&text, Surroundings::Autocommit { evident: false }, Builder::flat());
    assert_eq!(locked.unit.steps.len(), 5, "{:?}", locked.unit.steps);
}
