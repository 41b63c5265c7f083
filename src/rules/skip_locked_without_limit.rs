//! SKIP LOCKED with nothing that bounds how many rows one worker takes.

use crate::facts::bound::{Bound, bound};
use crate::facts::catalog::Catalog;
use crate::finding::{Level, Place};
use crate::pattern::words;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::clause::{Clause, Dml, DmlKind, QueryId, Select, Strength, Tokens, Tree, Wait, Wrap};
use crate::sql::compare::{Operand, Side, comparisons};
use crate::sql::lex::TokenKind;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "skip-locked-without-limit",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/skip-locked-without-limit.md"),
    checks: &[Check::Statement(check), Check::File(of_builders)],
};

const MESSAGE: &str = "one worker takes every free row, and the others see an empty queue";
const HELP: &str = "add ORDER BY and LIMIT";

const SWEEPS: &str = "a name or a comment says that it sweeps: it is meant to take everything";
const AT_ONCE: &str = "no transaction is seen that would keep its locks: outside of one they end with the statement";

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    for (id, lock) in statement.row_locks() {
        let query = tree.query(id);
        let Some(select) = query.select() else { continue };
        if lock.wait != Wait::SkipLocked || select.from.is_empty() {
            continue;
        }
        let picked = select.from.iter().any(|item| item.subquery.is_some() || item.cte.is_some() || item.call);
        let changed =
            |is: &dyn Fn(&Dml) -> bool| query.parent.and_then(|parent| tree.query(parent).dml()).is_some_and(is);
        let silence = if matches!(lock.strength, Strength::Share | Strength::KeyShare) {
            Some("a share lock keeps no other share lock out")
        } else if query.is_limited() {
            Some("LIMIT bounds it")
        } else if is_open_ended(tree, select) {
            Some("what is put in after its conditions may bound it")
        } else if picked || has_subquery(tree, id) {
            Some("it takes what a sub-select or a WITH query picks, which may be bounded")
        } else if bound(statement, select, &context.facts.catalog) != Bound::Open {
            Some("its conditions name the rows")
        } else if is_looped_over(context, statement) {
            Some("the routine itself goes over all of them, and hands none out")
        } else if is_asked_for(statement, select) {
            Some("two columns or more are given by the caller, and nothing else is asked: that names few rows")
        } else if ends_a_key(statement, select, &context.facts.catalog) {
            Some("its conditions fix the last column of a key, which names one thing")
        } else if changed(&|dml| dml.kind == DmlKind::Delete) {
            Some("DELETE over all free rows drains on purpose")
        } else if changed(&|dml| dml.returning.is_none()) {
            Some("the statement does all of the work itself, and tells nobody which rows it got")
        } else if changed(&|dml| gives_back(tree, dml)) {
            Some("it gives rows back to the queue, and takes none")
        } else if is_sweep(&statement.purpose) || is_said_to_take_all(context, statement.anchor) {
            Some(SWEEPS)
        } else if query.parent.is_none() && ends_at_once(context, statement.source(&lock.tokens)) {
            Some(AT_ONCE)
        } else {
            None
        };
        if let Some(silence) = silence {
            sink.silent(&RULE, context, statement.source(&lock.tokens), silence);
            continue;
        }
        sink.at_tokens(&RULE, Level::Note, context, (statement, &lock.tokens), MESSAGE).help(HELP);
    }
}

/// Whether a hole stands where its conditions go on: `WHERE key = $1%s FOR UPDATE`.
fn is_open_ended(tree: &Tree<'_>, select: &Select) -> bool {
    // What a later call formats is an operator and a name to the lexer.
    let is_verb = |at: usize| tree.raw(at) == "s" && at > 0 && tree.raw(at - 1) == "%";
    let hole = |at: usize| tree.kind(at) == Some(TokenKind::Hole) || is_verb(at);
    let last = |condition: &Tokens| condition.end.checked_sub(1).is_some_and(|last| condition.len() > 3 && hole(last));
    select.condition.as_ref().is_some_and(last)
}

/// Whether a loop of PL/pgSQL goes over the rows: `FOR r IN SELECT …`.
fn is_looped_over(context: &Context<'_>, statement: &Statement<'_>) -> bool {
    let before = context.file.source.text().get(..statement.span.start).unwrap_or_default().trim_end();
    let last = before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
    last.eq_ignore_ascii_case("in") && statement.query.is_none()
}

/// Whether each condition fixes a column to a value that the caller gives, two or more of them, or asks for NULL: no backlog is
/// taken, which has a state.
fn is_asked_for(statement: &Statement<'_>, select: &Select) -> bool {
    let tree = &statement.tree;
    let is_given = |side: &Side| {
        let mut tokens = side.tokens.clone();
        tokens.any(|index| matches!(tree.kind(index), Some(TokenKind::Param | TokenKind::Hole)))
    };
    let mut given = 0;
    let plain = select.conjuncts.iter().all(|conjunct| {
        let found = comparisons(tree, conjunct).list;
        let is_null = tree.raw(conjunct.tokens.end - 1).eq_ignore_ascii_case("null");
        match found.as_slice() {
            [one] if one.relation.is_equality() && !one.may_be_many && is_given(&one.right) => {
                given += 1;
                true
            }
            _ => is_null,
        }
    });
    plain && given > 1
}

/// Whether a condition fixes the column by which the longest key of a table tells its rows apart.
fn ends_a_key(statement: &Statement<'_>, select: &Select, catalog: &Catalog) -> bool {
    let [item] = select.from.as_slice() else { return false };
    let Some(table) = catalog.table(&item.name) else { return false };
    let is_column =
        |side: &Side, name: &str| matches!(&side.operand, Operand::Column { name: column, .. } if column == name);
    let is_value = |side: &Side| match &side.operand {
        Operand::Column { qualifier: None, name } => statement.is_variable(name),
        Operand::Value(_) => true,
        _ => false,
    };
    let conjuncts = select.conjuncts.iter().filter(|conjunct| conjunct.known);
    conjuncts.flat_map(|conjunct| comparisons(&statement.tree, conjunct).list).any(|comparison| {
        let (left, right) = (&comparison.left, &comparison.right);
        comparison.relation.is_equality()
            && table
                .last_of_keys()
                .any(|name| is_column(left, name) && is_value(right) || is_column(right, name) && is_value(left))
    })
}

/// Whether an UPDATE puts rows back, so that others may take them: into a state in which they wait, or without a holder.
fn gives_back(tree: &Tree<'_>, dml: &Dml) -> bool {
    const WAITS: &[&str] = &[
        "available",
        "enqueued",
        "free",
        "idle",
        "new",
        "open",
        "pending",
        "queued",
        "ready",
        "retry",
        "retrying",
        "scheduled",
        "todo",
        "waiting",
    ];
    const HOLDERS: &[&str] = &["by", "claimed", "holder", "leased", "locked", "owner", "picked", "worker"];
    let parts: Vec<Tokens> = dml.set.iter().flat_map(|set| tree.commas(set.clone())).collect();
    parts.iter().any(|part| {
        let value = tree.raw(part.end - 1);
        let column = || tree.ident(part.start).map(|name| words(&name)).unwrap_or_default();
        WAITS.contains(&value.trim_matches('\'').to_lowercase().as_str()) && value.starts_with('\'')
            || value.eq_ignore_ascii_case("null") && column().iter().any(|word| HOLDERS.contains(&word.as_str()))
    })
}

/// Whether a function is named for a sweep.
fn is_sweep(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "clean", "expire", "orphan", "prune", "purge", "reap", "recover", "requeue", "rescue", "reset", "stale",
        "stuck", "sweep",
    ];
    words(name).iter().any(|word| WORDS.iter().any(|known| word.starts_with(known)))
}

/// Whether a comment beside a query says that it takes all.
fn is_said_to_take_all(context: &Context<'_>, at: Span) -> bool {
    const SAID: &[&str] =
        &["all available", "all due", "all free", "all pending", "all ready", "claims all", "every free", "everything"];
    let file = context.file;
    let function = file.program.function_around(at).map(|index| file.program.functions[index].span);
    [Some(at), function].into_iter().flatten().any(|at| {
        let comment = file.comment_at(at);
        SAID.iter().any(|said| comment.contains(said))
    })
}

/// Whether a query of host code runs in autocommit, as far as the flow of its function shows.
fn ends_at_once(context: &Context<'_>, at: Span) -> bool {
    let mut steps = context.file.units.iter().filter(|flow| flow.unit.session.is_some() && flow.unit.span.contains(at));
    steps.any(|flow| {
        let site = flow.unit.step_at(at);
        site.is_some_and(|(step, _)| flow.trace.before[step].autocommit()) && !context.caller_may_begin(flow)
    })
}

/// Whether a query builder's query is in a transaction by itself: Django refuses it elsewhere, SQLAlchemy begins one, Sequelize
/// is handed it.
fn has_transaction(chain: &str) -> bool {
    ["select_for_update", "with_for_update", "transaction:"].iter().any(|spelling| chain.contains(spelling))
}

/// The same where a query builder says it.
fn of_builders(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    for lock in file.builder_locks.iter().filter(|lock| lock.skips && lock.open) {
        let unit = file.builder_unit(lock);
        let silence = if is_sweep(unit) || is_said_to_take_all(context, lock.chain) {
            Some(SWEEPS)
        } else if !has_transaction(file.source.slice(lock.chain))
            && !file.steps_of(lock).any(|(flow, step)| flow.trace.before[step].in_transaction())
        {
            Some(AT_ONCE)
        } else {
            None
        };
        if let Some(silence) = silence {
            sink.silent(&RULE, context, lock.at, silence);
            continue;
        }
        sink.report(&RULE, Level::Note, Place::new(file.id, lock.at), MESSAGE)
            .statement(lock.chain)
            .unit(unit)
            .help(HELP);
    }
}

/// Whether a condition compares with a query, which may be what bounds it.
fn has_subquery(tree: &Tree<'_>, id: QueryId) -> bool {
    tree.queries()
        .any(|(_, query)| query.parent == Some(id) && query.clause == Clause::Where && query.wrap != Wrap::Exists)
}
