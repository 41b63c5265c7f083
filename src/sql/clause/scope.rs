//! Which common table expression a name refers to, and which queries PostgreSQL runs at all.

use super::node::{Clause, FromItem, Query, QueryId, Select, Term, Wrap};
use super::{Tree, open};
use crate::sql::functions;
use crate::sql::lex::TokenKind;
use std::collections::HashMap;

/// Whether an expression is evaluated when its statement runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evaluation {
    /// It is.
    Yes,
    /// It stands in this common table expression, which nothing reads and which changes no rows.
    UnreadCte(QueryId),
    /// It stands in what PostgreSQL drops from a query under EXISTS: select list, ORDER BY, DISTINCT, GROUP BY.
    ExistsList,
    /// It stands in a branch of a CASE that a constant closes.
    DeadBranch,
}

impl Tree<'_> {
    /// Whether token `index` stands in an expression that is evaluated.
    pub fn evaluated(&self, index: usize) -> Evaluation {
        let Some((Some(id), clause)) = self.place(index) else {
            return Evaluation::Yes;
        };
        match self.query_evaluated(id) {
            Evaluation::Yes if self.is_dead(index) => Evaluation::DeadBranch,
            Evaluation::Yes if is_dropped(clause) && self.drops_list(&self.queries[id.0]) => Evaluation::ExistsList,
            evaluation => evaluation,
        }
    }

    /// Whether a query is run.
    pub fn query_evaluated(&self, id: QueryId) -> Evaluation {
        self.evaluations.get(id.0).copied().unwrap_or(Evaluation::Yes)
    }

    /// Whether PostgreSQL keeps nothing but FROM and WHERE of this query (`simplify_EXISTS_query`).
    fn drops_list(&self, query: &Query) -> bool {
        let Some(select) = query.select() else {
            return false;
        };
        let limit = query.limit.as_ref().is_none_or(|limit| {
            limit.len() == 1 && self.kind(limit.start) == Some(TokenKind::Number) && self.raw(limit.start) != "0"
        });
        query.wrap == Wrap::Exists
            && limit
            && query.offset.is_none()
            && query.fetch.is_none()
            && query.locks.is_empty()
            && select.having.is_none()
            && !query.ctes.iter().any(|cte| self.queries[cte.query.0].dml().is_some())
            && !self.keeps_list(select)
    }

    /// Aggregates, window functions and functions that return sets keep a list from being dropped.
    fn keeps_list(&self, select: &Select) -> bool {
        const GROUPING: &[&str] = &["cube", "grouping", "rollup"];
        let in_list = select.list.iter().flat_map(|item| item.clone()).any(|index| {
            self.kind(index + 1) == Some(TokenKind::LeftParen)
                && (functions::is_aggregate(self.word(index))
                    || functions::returns_set(self.word(index))
                    || matches!(self.word(index), "over" | "filter" | "within"))
                || self.word(index) == "over"
        });
        in_list
            || select
                .group_by
                .clone()
                .is_some_and(|group| group.into_iter().any(|at| GROUPING.contains(&self.word(at))))
    }
}

fn is_dropped(clause: Clause) -> bool {
    matches!(clause, Clause::List | Clause::OrderBy | Clause::Distinct | Clause::GroupBy)
}

/// Ties names to common table expressions, then finds out which queries run.
pub(super) fn resolve(tree: &mut Tree<'_>) {
    let scopes = Scopes::new(&tree.queries);
    if !scopes.names.is_empty() {
        for index in 0..tree.queries.len() {
            let mut terms = std::mem::take(&mut tree.queries[index].terms);
            for item in terms.iter_mut().flat_map(items_mut) {
                if item.schema.is_none() && !item.call && item.subquery.is_none() {
                    item.cte = scopes.find(&tree.queries, QueryId(index), &item.name);
                }
            }
            tree.queries[index].terms = terms;
        }
    }
    tree.evaluations = evaluations(tree);
}

/// Items that may refer to a common table expression; the target of DML may not.
fn items_mut(term: &mut Term) -> &mut [FromItem] {
    match term {
        Term::Select(select) => &mut select.from,
        Term::Dml(dml) => &mut dml.from,
        Term::Table(item) => std::slice::from_mut(item),
        Term::Values(_) | Term::Query(_) => &mut [],
    }
}

fn items(term: &Term) -> &[FromItem] {
    match term {
        Term::Select(select) => &select.from,
        Term::Dml(dml) => &dml.from,
        Term::Table(item) => std::slice::from_ref(item),
        Term::Values(_) | Term::Query(_) => &[],
    }
}

struct Scopes {
    /// Positions in a query's WITH, by name.
    names: HashMap<String, HashMap<QueryId, Vec<usize>>>,
    /// The position of a common table expression's query in the WITH of its parent.
    positions: HashMap<QueryId, usize>,
}

impl Scopes {
    fn new(queries: &[Query]) -> Self {
        let mut scopes = Self { names: HashMap::new(), positions: HashMap::new() };
        for (index, query) in queries.iter().enumerate() {
            for (position, cte) in query.ctes.iter().enumerate() {
                let places = scopes.names.entry(cte.name.clone()).or_default();
                places.entry(QueryId(index)).or_default().push(position);
                scopes.positions.insert(cte.query, position);
            }
        }
        scopes
    }

    /// The expression called `name` that a query sees: of the innermost WITH around it that has one, before its own
    /// place there unless that is recursive.
    fn find(&self, queries: &[Query], from: QueryId, name: &str) -> Option<QueryId> {
        let places = self.names.get(name)?;
        let mut below = None;
        let mut at = Some(from);
        while let Some(id) = at {
            let query = &queries[id.0];
            let limit = below
                .and_then(|below| self.positions.get(&below))
                .filter(|&&position| !query.ctes[position].recursive)
                .map_or(usize::MAX, |position| *position);
            let found =
                places.get(&id).and_then(|positions| positions.iter().copied().find(|position| *position < limit));
            if let Some(position) = found {
                return Some(query.ctes[position].query);
            }
            below = Some(id);
            at = query.parent;
        }
        None
    }
}

fn evaluations(tree: &Tree<'_>) -> Vec<Evaluation> {
    let queries = &tree.queries;
    let mut children = vec![Vec::new(); queries.len()];
    for (index, query) in queries.iter().enumerate() {
        if let Some(parent) = query.parent {
            children[parent.0].push(QueryId(index));
        }
    }
    let open = if queries.iter().any(|query| query.wrap == Wrap::Cte) { open::holes(tree) } else { Vec::new() };
    let mut runs = vec![false; queries.len()];
    let mut work: Vec<QueryId> = tree.roots.clone();
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut runs[id.0], true) {
            continue;
        }
        let drops_list = tree.drops_list(&queries[id.0]);
        for &child in &children[id.0] {
            let query = &queries[child.0];
            let runs = match query.wrap {
                Wrap::Cte => query.dml().is_some(),
                _ => !(drops_list && is_dropped(query.clause)),
            };
            if runs {
                work.push(child);
            }
        }
        if open.get(id.0) == Some(&true) {
            work.extend(open::visible(tree, id));
        }
        work.extend(queries[id.0].terms.iter().flat_map(items).filter_map(|item| item.cte));
    }
    let mut out: Vec<Evaluation> = Vec::with_capacity(queries.len());
    for (index, query) in queries.iter().enumerate() {
        // Outer queries come first.
        let around = query.parent.and_then(|parent| out.get(parent.0).copied());
        out.push(match around {
            _ if runs[index] => Evaluation::Yes,
            Some(around) if around != Evaluation::Yes => around,
            _ if query.wrap == Wrap::Cte => Evaluation::UnreadCte(QueryId(index)),
            _ => Evaluation::ExistsList,
        });
    }
    out
}
