//! A lock function that runs for rows which the query does not return.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action, Scope};
use crate::sql::clause::{Clause, Conjunct, Evaluation, FromItem, Query, QueryId, Term, Tokens, Tree};
use crate::sql::functions;
use crate::sql::lex::TokenKind;
use crate::statement::{LockCall, Statement};

pub(super) const RULE: Rule = Rule {
    name: "lock-call-over-rows",
    level: Level::Error,
    rank: Rank::OverRows,
    page: include_str!("../../rules/lock-call-over-rows.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    if !statement.runs_sometime() || !tree.complete() {
        return;
    }
    for lock in statement.direct_locks() {
        let over = lock.function.acquires() && lock.evaluation == Evaluation::Yes && !lock.call.conditional;
        let Some(id) = lock.call.query.filter(|_| over) else { continue };
        let Some(site) = Site::of(tree, id, lock) else {
            sink.silent(&RULE, context, lock.span, "it is called once: its query reads no table");
            continue;
        };
        let verdict = if statement.depends_on_rows(lock) { site.verdict() } else { site.repeated() };
        let Some((level, message)) = verdict else {
            sink.silent(&RULE, context, lock.span, "it runs for no row that the query does not return");
            continue;
        };
        sink.report(&RULE, level, Place::new(context.file.id, lock.span), message)
            .statement(statement.anchor)
            .unit(&statement.unit)
            .help(
                "pick the rows first, in a sub-select with LIMIT or a WITH query AS MATERIALIZED, \
                 and lock in the outer select list",
            );
    }
}

type Verdict = Option<(Level, &'static str)>;

/// A lock call in its query.
struct Site<'a, 't> {
    tree: &'a Tree<'t>,
    lock: &'a LockCall,
    id: QueryId,
    query: &'a Query,
    from: &'a [FromItem],
    conditions: &'a [Conjunct],
    distinct: bool,
}

impl<'a, 't> Site<'a, 't> {
    fn of(tree: &'a Tree<'t>, id: QueryId, lock: &'a LockCall) -> Option<Self> {
        let query = tree.query(id);
        let (from, conditions, distinct) = match query.terms.as_slice() {
            [Term::Select(select)] if !select.from.is_empty() => {
                (select.from.as_slice(), select.conjuncts.as_slice(), select.distinct.is_some())
            }
            [Term::Dml(dml)] => (dml.from.as_slice(), dml.conjuncts.as_slice(), false),
            _ => return None,
        };
        Some(Self { tree, lock, id, query, from, conditions, distinct })
    }

    /// For a key that is another for each row.
    fn verdict(&self) -> Verdict {
        let limited = self.query.is_limited();
        match self.lock.call.clause {
            Clause::Where | Clause::On | Clause::Having if self.query.order_by.is_some() && limited => {
                Some(if self.sorts_by_key() {
                    (
                        Level::Warning,
                        "unless an index gives the rows in this order, the sort must see every row first, \
                             and this locks every row that matches",
                    )
                } else {
                    (
                        Level::Error,
                        "the sort must see every row first, so this locks every row that matches, and LIMIT \
                             returns a few",
                    )
                })
            }
            Clause::Where | Clause::On if self.conditions.len() > 1 || self.joined() || self.filtered_inside() => {
                Some((
                    Level::Warning,
                    "the planner may test this before the other conditions, and lock rows that they rule out",
                ))
            }
            Clause::Distinct => Some((
                Level::Error,
                "rows are made distinct by the lock's answer, so every one of them is locked first",
            )),
            Clause::OrderBy if limited => {
                Some((Level::Error, "this runs for every row before the sort, and locks them all"))
            }
            Clause::List => self.in_list(limited),
            _ => None,
        }
    }

    fn in_list(&self, limited: bool) -> Verdict {
        let fixed = self.from.iter().all(|item| self.fenced(item));
        if limited && (self.distinct || self.sorts_by_result()) {
            return Some((
                Level::Error,
                "the rows are sorted or made distinct by the lock's answer, so every one of them is locked first",
            ));
        }
        if limited && self.is_aggregated() {
            return Some((Level::Error, "LIMIT counts what the aggregate returns; this locks every row that it reads"));
        }
        if self.distinct && !fixed {
            return Some((Level::Warning, "DISTINCT drops rows after this has locked them"));
        }
        if let Some(offset) = &self.query.offset {
            let skips = offset
                .clone()
                .next()
                .is_some_and(|index| self.tree.kind(index) == Some(TokenKind::Number) && self.tree.raw(index) != "0");
            let level = if skips { Level::Error } else { Level::Warning };
            let harmless = self.tree.raw(offset.start) == "0";
            if !harmless {
                return Some((level, "the rows that OFFSET skips are locked as well"));
            }
        }
        if self.query.fetch.as_ref().is_some_and(|fetch| fetch.with_ties) {
            return Some((
                Level::Warning,
                "WITH TIES looks at one row more than it returns, and this locks that one too",
            ));
        }
        if limited && !fixed {
            return Some((
                Level::Note,
                "PostgreSQL does not promise that LIMIT is applied before the lock function runs",
            ));
        }
        self.filtered_outside()
    }

    /// For a session lock whose key is the same for every row: it is taken as often as there are rows.
    fn repeated(&self) -> Verdict {
        let repeats = self.lock.function.scope == Scope::Session
            && self.lock.function.action == Action::TryLock
            && matches!(self.lock.call.clause, Clause::Where | Clause::On)
            && (self.from.iter().any(FromItem::is_table) || self.query.dml().is_some());
        repeats.then_some((
            Level::Warning,
            "this takes the same lock once for every row that it is tested for, and one unlock \
                 gives back one of them",
        ))
    }

    fn joined(&self) -> bool {
        self.from.len() > 1 && !self.from.iter().all(|item| self.fenced(item))
    }

    /// Whether the rows of an item are fixed before anything outside runs.
    fn fenced(&self, item: &FromItem) -> bool {
        item.call
            || item.subquery.or(item.cte).is_some_and(|id| {
                let query = self.tree.query(id);
                query.is_limited() || query.offset.is_some() || query.dml().is_some()
            })
            || item.cte.is_some_and(|id| self.is_materialized(id))
    }

    fn is_materialized(&self, id: QueryId) -> bool {
        let mut ctes = self.tree.queries().flat_map(|(_, query)| &query.ctes);
        ctes.any(|cte| cte.query == id && (cte.materialized == Some(true) || cte.recursive))
    }

    /// Whether a sub-select or a WITH query has conditions or an order of its own, and is no fence: the planner makes
    /// one query of the two.
    fn filtered_inside(&self) -> bool {
        self.from.iter().filter(|item| !self.fenced(item)).any(|item| {
            item.subquery.or(item.cte).is_some_and(|id| {
                let query = self.tree.query(id);
                query.order_by.is_some()
                    || query.select().is_some_and(|select| !select.conjuncts.is_empty() || select.from.len() > 1)
            })
        })
    }

    /// Whether ORDER BY is by a column of the key alone: it may well be the primary key.
    fn sorts_by_key(&self) -> bool {
        let Some(order) = &self.query.order_by else { return false };
        let keys = self.tree.commas(order.clone());
        let [key] = keys.as_slice() else { return false };
        let Some(column) = self.last_name(key) else { return false };
        self.lock.call.args.iter().any(|arg| self.last_name(arg).is_some_and(|name| name == column))
    }

    /// The column that `a.b DESC` or `a.b` is.
    fn last_name(&self, tokens: &Tokens) -> Option<String> {
        let mut names = tokens.clone().rev().filter_map(|index| self.tree.ident(index));
        names.find(|name| !matches!(&**name, "asc" | "desc" | "nulls" | "first" | "last")).map(|name| name.into_owned())
    }

    /// Whether the call stands inside an aggregate of the same query.
    fn is_aggregated(&self) -> bool {
        self.tree.calls().iter().any(|call| {
            call.query == Some(self.id)
                && functions::is_aggregate(&call.name)
                && call.is_built_in()
                && call.tokens.contains(&self.lock.call.name_token)
                && call.name_token != self.lock.call.name_token
        })
    }

    /// The position and the alias of the select list's item that holds the call.
    fn listed(&self) -> Option<(usize, Option<String>)> {
        let select = self.query.select()?;
        let position = select.list.iter().position(|item| item.contains(&self.lock.call.name_token))?;
        let item = &select.list[position];
        let named = item.end > self.lock.call.tokens.end;
        let alias = if named { self.tree.ident(item.end - 1) } else { self.tree.ident(self.lock.call.name_token) };
        Some((position + 1, alias.map(|alias| alias.into_owned())))
    }

    /// Whether ORDER BY names the item that holds the call, or gives its position.
    fn sorts_by_result(&self) -> bool {
        let (Some(order), Some((position, alias))) = (&self.query.order_by, self.listed()) else {
            return false;
        };
        self.tree.commas(order.clone()).iter().any(|key| {
            self.tree.raw(key.start) == position.to_string()
                || alias.is_some() && self.tree.ident(key.start).as_deref() == alias.as_deref()
        })
    }

    /// Whether the query around drops rows that this one has locked: by other conditions on a WITH query, by a sort
    /// with LIMIT on either.
    fn filtered_outside(&self) -> Verdict {
        let (_, alias) = self.listed()?;
        let reads = |query: &Query| {
            let item = query.select()?.from.iter().find(|item| item.subquery.or(item.cte) == Some(self.id))?;
            Some(item.cte.is_some())
        };
        let found = self.tree.queries().find_map(|(_, query)| Some((query, reads(query)?)));
        let (outer, is_cte) = found?;
        let answers = |condition: &Conjunct| {
            condition.tokens.clone().any(|index| self.tree.ident(index).as_deref() == alias.as_deref())
        };
        let other = outer.select().is_some_and(|select| !select.conjuncts.iter().all(answers));
        let sorted = outer.order_by.is_some() && outer.is_limited();
        (sorted || is_cte && other)
            .then_some((Level::Warning, "the query outside drops rows after this has locked them"))
    }
}
