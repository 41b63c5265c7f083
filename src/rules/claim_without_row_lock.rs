//! A queue claim whose sub-select takes no row lock: two workers take the same job.

use crate::finding::{Level, Place};
use crate::flow::UnitKind;
use crate::pattern::words;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::clause::{Dml, DmlKind, FromItem, QueryId, Strength, Tokens, Tree};
use crate::sql::compare::{Operand, Side, comparisons};
use crate::sql::functions;
use crate::sql::lex::TokenKind;
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "claim-without-row-lock",
    level: Level::Warning,
    rank: Rank::Claim,
    page: include_str!("../../rules/claim-without-row-lock.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !tree.complete() {
        return;
    }
    let mut claims: Vec<(&Tokens, (Span, bool))> = Vec::new();
    let all = tree.all();
    claims.extend(statement.claimed_by.map(|update| (&all, (update, true))));
    for (_, query) in tree.queries() {
        // A deleted row is gone for the second worker; only an UPDATE finds it again.
        let Some(dml) = query.dml().filter(|dml| dml.kind == DmlKind::Update) else { continue };
        let is_claim = |pick: &QueryId| is_for_somebody(statement, dml, *pick) && !goes_on_from(tree, *pick);
        let Some(pick) = pick(tree, dml).filter(is_claim) else { continue };
        let is_work = dml.set.clone().is_some_and(|set| is_work(tree, set));
        claims.push((&tree.query(pick).tokens, (statement.source(&dml.target.tokens), is_work)));
    }
    if claims.is_empty()
        || context.file.runs_once(statement)
        || context.file.is_locked_otherwise(statement)
        || context.file.is_behind_a_row(statement)
        || is_shown(context, statement)
        || is_serialised(context, statement)
    {
        return;
    }
    for (tokens, update) in claims {
        report(context, statement, tokens, update, sink);
    }
}

/// Whether a script of psql runs a statement in sight of somebody, which no worker does.
fn is_shown(context: &Context<'_>, statement: &Statement<'_>) -> bool {
    let by_hand = context.file.units_around(statement).any(|flow| flow.unit.is_run_by_hand());
    let text = context.file.source.text().as_bytes();
    let begins = |at: usize| at.checked_sub(1).is_none_or(|before| matches!(text[before], b'\n' | b'\r'));
    by_hand && memchr::memmem::find_iter(text, b"\\echo ").any(begins)
}

/// Whether what is set says that somebody is at a row from now on: a state, a worker, a time until which it is theirs. Other
/// changes may be done twice without anybody being told.
fn is_work(tree: &Tree<'_>, set: Tokens) -> bool {
    const WORDS: &[&str] = &[
        "acquire",
        "active",
        "assign",
        "attempt",
        "busy",
        "claim",
        "deliver",
        "dispatch",
        "enqueue",
        "execut",
        "fetch",
        "flight",
        "handl",
        "held",
        "holder",
        "invisible",
        "lease",
        "lock",
        "owner",
        "pick",
        "process",
        "progress",
        "publish",
        "queue",
        "reserv",
        "retr",
        "run",
        "start",
        "taken",
        "timeout",
        "until",
        "visib",
        "worker",
    ];
    let is_param = |index: usize| matches!(tree.kind(index), Some(TokenKind::Param | TokenKind::Hole));
    let is_state = |index: usize| tree.ident(index).is_some_and(|name| name.contains("stat") || name.contains("phase"));
    let is_given = tree.commas(set.clone()).iter().any(|part| is_state(part.start) && part.clone().any(is_param));
    is_given
        || set
            .filter_map(|index| {
                let text = tree.raw(index);
                (tree.ident(index).is_some() || text.starts_with('\'')).then(|| words(text))
            })
            .flatten()
            .any(|word| word == "by" || word.ends_with("ing") || WORDS.iter().any(|known| word.starts_with(known)))
}

/// `tokens` pick the row that is taken at `update`; `is_work` is whether somebody is at it from then on.
fn report(
    context: &Context<'_>,
    statement: &Statement<'_>,
    tokens: &Tokens,
    (update, is_work): (Span, bool),
    sink: &mut Sink,
) {
    // What host code holds while it runs a query of an SQL file is not followed.
    let is_called = context.file.units_around(statement).any(|flow| flow.unit.kind == UnitKind::Query);
    let quiet = is_called && context.facts.host_locks || !is_work;
    let level = if quiet { Level::Note } else { Level::Warning };
    sink.at_tokens(
        &RULE,
        level,
        context,
        (statement, tokens),
        "nothing locks the row that this picks: two workers pick the same one, the second \
             waits and then takes it again",
    )
    .related(Place::new(context.file.id, update), "both update it here")
    .help("pick the row with FOR UPDATE SKIP LOCKED, or repeat the condition in the WHERE of the UPDATE");
}

/// Whether the second worker is refused with SQLSTATE 40001: the transaction reads one snapshot.
fn is_serialised(context: &Context<'_>, statement: &Statement<'_>) -> bool {
    context.file.units_around(statement).any(|flow| flow.unit.reads_one_snapshot)
        || statement.query.is_some() && context.file.asks_for_one_snapshot()
}

/// The sub-select that picks the rows to claim, if it is the only condition and locks nothing.
fn pick(tree: &Tree<'_>, dml: &Dml) -> Option<QueryId> {
    let [condition] = dml.conjuncts.as_slice() else { return None };
    let id = match dml.from.as_slice() {
        [source] => source.subquery.or(source.cte)?,
        [] => condition.tokens.clone().find_map(|index| tree.opened(index))?,
        _ => return None,
    };
    let id = passed_on(tree, id);
    let query = tree.query(id);
    let select = query.select()?;
    let [table] = select.from.as_slice() else { return None };
    // FOR KEY SHARE lets an UPDATE through that changes no key.
    let unlocked = query.locks.iter().all(|lock| lock.strength == Strength::KeyShare);
    let claims = (query.is_limited() || is_extreme(tree, id))
        && unlocked
        && select.distinct.is_none()
        && select.group_by.is_none()
        && table.is_table()
        && table.name == dml.target.name
        && !has_negation(tree, condition.tokens.clone())
        && changes_what_it_picks_by(tree, dml, &select.condition.clone()?);
    claims.then_some(id)
}

/// `SELECT min(id) FROM …`: the first row, without LIMIT.
fn is_extreme(tree: &Tree<'_>, id: QueryId) -> bool {
    let list = tree.query(id).select().map_or(&[][..], |select| select.list.as_slice());
    let [item] = list else { return false };
    tree.calls().iter().any(|call| {
        call.query == Some(id)
            && call.is_built_in()
            && matches!(call.name.as_str(), "min" | "max")
            && call.tokens.start == item.start
    })
}

/// Through `SELECT id FROM picked`, to the query that picks.
fn passed_on(tree: &Tree<'_>, mut id: QueryId) -> QueryId {
    // A recursive query may name itself.
    for _ in 0..tree.queries().count() {
        let query = tree.query(id);
        let plain = !query.is_limited() && query.locks.is_empty();
        let inner = query.select().filter(|select| plain && select.conjuncts.is_empty()).and_then(|select| {
            let [FromItem { subquery, cte, .. }] = select.from.as_slice() else { return None };
            subquery.or(*cte)
        });
        match inner {
            Some(inner) => id = inner,
            None => break,
        }
    }
    id
}

/// Whether a query picks the rows after one that the caller gives, in the order of that column: a batch of a walk over all
/// rows, `id > $1 ORDER BY id`, and nobody's work.
fn goes_on_from(tree: &Tree<'_>, pick: QueryId) -> bool {
    let query = tree.query(pick);
    let (Some(select), Some(order)) = (query.select(), &query.order_by) else { return false };
    let sorted = order.clone().filter_map(|index| tree.ident(index)).next_back();
    select.conjuncts.iter().any(|conjunct| {
        let tokens = conjunct.tokens.clone();
        let Some(than) = tree.top(tokens.clone()).find(|&index| matches!(tree.raw(index), ">" | "<")) else {
            return false;
        };
        let ends = |range: Tokens| range.filter_map(|index| tree.ident(index)).next_back();
        let value = than + 1..tokens.end;
        value.len() == 1
            && matches!(tree.kind(value.start), Some(TokenKind::Param | TokenKind::Hole))
            && sorted.is_some()
            && ends(tokens.start..than) == sorted
    })
}

/// Whether somebody is to learn which rows they got, or is written into them: a batch that does its work in SET alone, or
/// moves rows from one value to another, does it twice without harm.
fn is_for_somebody(statement: &Statement<'_>, dml: &Dml, pick: QueryId) -> bool {
    let tree = &statement.tree;
    let named = |index: usize| {
        matches!(tree.kind(index), Some(TokenKind::Param | TokenKind::Hole))
            || tree.word(index) == "pg_backend_pid"
            || tree.ident(index).is_some_and(|name| statement.is_variable(&name))
    };
    // What is asked for by a value that the caller gives is not free for anybody.
    let moved = |part: &Tokens| {
        let conjuncts = tree.query(pick).select().map_or(&[][..], |select| select.conjuncts.as_slice());
        let column = tree.ident(part.start);
        conjuncts.iter().flat_map(|conjunct| comparisons(tree, conjunct).list).any(|comparison| {
            let is_column = |side: &Side| match &side.operand {
                Operand::Column { name, .. } => column.as_deref() == Some(name),
                _ => false,
            };
            let mut sides = [(&comparison.left, &comparison.right), (&comparison.right, &comparison.left)].into_iter();
            comparison.relation.is_equality()
                && sides.any(|(side, other)| is_column(side) && other.tokens.clone().any(named))
        })
    };
    let parts: Vec<Tokens> = dml.set.iter().flat_map(|set| tree.commas(set.clone())).collect();
    let is_move = parts.iter().any(moved);
    // A value that is made of the column's own says how the row is changed, and not for whom.
    let writes = |part: &Tokens| {
        let value = tree.top(part.clone()).find(|&index| tree.raw(index) == "=").unwrap_or(part.start);
        let column = tree.ident(part.start);
        let is_changed = (value..part.end).any(|index| column.is_some() && tree.ident(index) == column);
        (value..part.end).any(named) && !is_changed && !moved(part)
    };
    // Of a move the rows are given back to be counted, unless they come in an order.
    let are_given = dml.returning.is_some() && !is_summed(tree) && !(is_move && tree.query(pick).order_by.is_none());
    are_given || parts.iter().any(writes)
}

/// Whether the statement gives no rows but a sum of them: `SELECT count(*), max(id) FROM changed`.
fn is_summed(tree: &Tree<'_>) -> bool {
    let is_sum = |at: usize| {
        let name = tree.ident(at).map_or_else(|| tree.word(at).to_owned(), |name| name.to_string());
        name == "coalesce" || functions::is_aggregate(&name)
    };
    let [root] = tree.roots() else { return false };
    let list = tree.query(*root).select().map_or(&[][..], |select| select.list.as_slice());
    !list.is_empty() && list.iter().all(|item| is_sum(item.start))
}

fn has_negation(tree: &Tree<'_>, mut tokens: Tokens) -> bool {
    tokens.any(|index| tree.word(index) == "not")
}

/// Whether SET gives a new value to a column that the sub-select's condition reads: the claim itself.
fn changes_what_it_picks_by(tree: &Tree<'_>, dml: &Dml, condition: &Tokens) -> bool {
    let Some(set) = &dml.set else { return false };
    let mut changed = tree.commas(set.clone()).into_iter().flat_map(|part| {
        let end = tree.top(part.clone()).find(|&index| tree.raw(index) == "=").unwrap_or(part.end);
        (part.start..end).filter_map(|index| tree.ident(index))
    });
    changed.any(|column| condition.clone().any(|index| tree.ident(index).is_some_and(|name| name == column)))
}
