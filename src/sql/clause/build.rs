//! Queries: WITH, terms, and the clauses that belong to the whole.

use super::node::{Clause, Cte, Query, QueryId, Select, Term, Wrap};
use super::{Entry, MAX_DEPTH, Place, Tokens, Tree, scope, verb};
use crate::sql::lex::{Token, TokenKind};

pub(super) struct Builder<'t> {
    pub(super) tree: Tree<'t>,
    pub(super) depth: usize,
}

pub(super) fn build<'t>(text: &'t str, tokens: &[Token], entry: Entry) -> Tree<'t> {
    let mut builder = Builder { tree: Tree::skeleton(text, tokens), depth: 0 };
    let all = builder.tree.all();
    if all.is_empty() {
        return builder.tree;
    }
    if entry == Entry::SelectList
        && (builder.tree.kind(0) == Some(TokenKind::LeftParen) || !builder.tree.begins_query(0))
    {
        builder.tree.verb = verb::Verb::Select;
        let start = usize::from(builder.is_perform());
        builder.root(start..all.end, true);
    } else {
        let (verb, contained) = verb::read(&builder.tree);
        builder.tree.verb = verb;
        for range in contained.queries {
            builder.root(range, false);
        }
        for (range, clause) in contained.expressions {
            builder.mark(range, None, clause);
        }
        builder.tree.complete &= contained.understood;
    }
    scope::resolve(&mut builder.tree);
    builder.tree
}

impl Builder<'_> {
    fn is_perform(&self) -> bool {
        use TokenKind::{Comma, Dot, Operator};
        self.tree.word(0) == "perform" && !matches!(self.tree.kind(1), None | Some(Operator | Dot | Comma))
    }

    fn root(&mut self, range: Tokens, implicit: bool) {
        let id = if implicit {
            let id = self.open(range.clone(), None, Clause::Root, Wrap::None);
            self.compound(range, id, true);
            id
        } else {
            self.query(range, None, Clause::Root, Wrap::None)
        };
        self.tree.roots.push(id);
    }

    pub(super) fn odd(&mut self) {
        self.tree.complete = false;
    }

    fn open(&mut self, tokens: Tokens, parent: Option<QueryId>, clause: Clause, wrap: Wrap) -> QueryId {
        let id = QueryId(self.tree.queries.len());
        self.tree.queries.push(Query {
            parent,
            clause,
            wrap,
            tokens,
            ctes: Vec::new(),
            terms: Vec::new(),
            order_by: None,
            limit: None,
            offset: None,
            fetch: None,
            locks: Vec::new(),
        });
        id
    }

    pub(super) fn at(&mut self, id: QueryId) -> &mut Query {
        &mut self.tree.queries[id.0]
    }

    /// Parentheses around all of a range taken off.
    fn inner(&mut self, mut range: Tokens, id: QueryId) -> Tokens {
        while let Some(group) = self.tree.group(&range) {
            self.tree.opened.insert(range.start, id);
            range = group;
        }
        range
    }

    pub(super) fn query(&mut self, range: Tokens, parent: Option<QueryId>, clause: Clause, wrap: Wrap) -> QueryId {
        let id = self.open(range.clone(), parent, clause, wrap);
        if let Some(before) = range.start.checked_sub(1)
            && self.tree.kind(before) == Some(TokenKind::LeftParen)
        {
            self.tree.opened.insert(before, id);
        }
        let range = self.inner(range, id);
        self.at(id).tokens = range.clone();
        if self.depth >= MAX_DEPTH {
            self.odd();
            return id;
        }
        self.depth += 1;
        self.body(range, id);
        self.depth -= 1;
        id
    }

    fn body(&mut self, range: Tokens, id: QueryId) {
        if range.is_empty() {
            return self.odd();
        }
        if self.tree.word(range.start) != "with" {
            return self.compound(range, id, false);
        }
        let start = self.with(range.clone(), id);
        let rest = start..range.end;
        let own_group = self.tree.group(&rest).is_some();
        if own_group || self.tree.word(rest.start) == "with" && !rest.is_empty() {
            let query = self.query(rest, Some(id), Clause::Term, Wrap::Paren);
            self.at(id).terms.push(Term::Query(query));
        } else {
            self.compound(rest, id, false);
        }
    }

    /// Reads WITH; gives the index of what follows.
    fn with(&mut self, range: Tokens, id: QueryId) -> usize {
        let end = range.end;
        let mut at = range.start + 1;
        let recursive = self.tree.word(at) == "recursive" && self.tree.word(at + 1) != "as";
        at += usize::from(recursive);
        loop {
            // A hole may stand for whole expressions: `WITH {ctes} last AS (…)`.
            while at < end
                && self.tree.kind(at) == Some(TokenKind::Hole)
                && self.tree.word(at + 1) != "as"
                && self.tree.kind(at + 1) != Some(TokenKind::LeftParen)
            {
                self.odd();
                at += 1;
                at += usize::from(at < end && self.tree.kind(at) == Some(TokenKind::Comma));
            }
            let Some(name) = (at < end).then(|| self.tree.ident(at).map(|name| name.into_owned())).flatten() else {
                self.odd();
                return at.min(end);
            };
            if self.tree.begins_query(at) {
                return at;
            }
            at += 1;
            if self.tree.kind(at) == Some(TokenKind::LeftParen) && at < end {
                at = self.tree.close(at, end) + 1;
            }
            if self.tree.word(at) != "as" {
                self.odd();
                return at.min(end);
            }
            at += 1;
            let mut materialized = None;
            if self.tree.is(at, &["not", "materialized"]) {
                materialized = Some(false);
                at += 2;
            } else if self.tree.word(at) == "materialized" {
                materialized = Some(true);
                at += 1;
            }
            // What a hole adds here can be MATERIALIZED and nothing else of use.
            while at < end && self.tree.kind(at) == Some(TokenKind::Hole) {
                materialized = materialized.or(Some(true));
                at += 1;
            }
            if at >= end || self.tree.kind(at) != Some(TokenKind::LeftParen) {
                self.odd();
                return at.min(end);
            }
            let close = self.tree.close(at, end);
            let query = self.query(at + 1..close, Some(id), Clause::Cte, Wrap::Cte);
            self.at(id).ctes.push(Cte { name, query, materialized, recursive });
            at = self.search_and_cycle(close + 1, end);
            if at < end && self.tree.kind(at) == Some(TokenKind::Comma) {
                at += 1;
            } else {
                return at.min(end);
            }
        }
    }

    /// `SEARCH … SET name` and `CYCLE … SET name … USING name` may follow the group.
    fn search_and_cycle(&self, mut at: usize, end: usize) -> usize {
        loop {
            let stop = match self.tree.word(at) {
                "search" => "set",
                "cycle" => "using",
                _ => return at,
            };
            if at >= end {
                return at;
            }
            at = self.tree.top(at + 1..end).find(|&index| self.tree.word(index) == stop).map_or(end, |index| index + 2);
        }
    }

    /// Terms and tail. `implicit`: SELECT is not there.
    fn compound(&mut self, range: Tokens, id: QueryId, implicit: bool) {
        if range.is_empty() {
            return self.odd();
        }
        if !implicit && matches!(self.tree.word(range.start), "insert" | "update" | "delete" | "merge") {
            let dml = self.dml(range, id);
            self.at(id).terms.push(Term::Dml(Box::new(dml)));
            return;
        }
        let operators: Vec<usize> = self
            .tree
            .top(range.clone())
            .filter(|&index| {
                index > range.start && matches!(self.tree.keyword(index), "union" | "intersect" | "except")
            })
            .collect();
        let last = operators.last().map_or(range.start, |operator| operator + 1);
        let mut tails: Vec<usize> = Vec::new();
        for index in self.tree.top(last..range.end).filter(|&index| index > last) {
            // SELECT takes INTO before its FROM; PL/pgSQL takes it at the end, too.
            if self.is_tail(index) || !tails.is_empty() && self.is_into(index) {
                tails.push(index);
            }
        }
        let body = tails.first().copied().unwrap_or(range.end);
        let mut start = range.start;
        for end in operators.into_iter().chain([body]) {
            if start > range.start && matches!(self.tree.word(start), "all" | "distinct") {
                start += 1;
            }
            self.term(start..end, id, implicit && start == range.start);
            start = end + 1;
        }
        for (n, &tail) in tails.iter().enumerate() {
            let end = tails.get(n + 1).copied().unwrap_or(range.end);
            self.tail(tail..end, id);
        }
    }

    fn term(&mut self, range: Tokens, id: QueryId, implicit: bool) {
        if range.is_empty() {
            return self.odd();
        }
        let term = if implicit {
            Term::Select(Box::new(self.select(range, id)))
        } else if self.tree.kind(range.start) == Some(TokenKind::LeftParen) {
            let close = self.tree.close(range.start, range.end);
            if !self.tree.opens_query(range.start) {
                return self.odd();
            }
            if close + 1 < range.end {
                self.odd();
            }
            Term::Query(self.query(range.start + 1..close, Some(id), Clause::Term, Wrap::Paren))
        } else {
            let rest = range.start + 1..range.end;
            match self.tree.word(range.start) {
                "select" => Term::Select(Box::new(self.select(rest, id))),
                "values" => {
                    self.mark(rest.clone(), Some(id), Clause::Values);
                    Term::Values(rest)
                }
                "table" => Term::Table(Box::new(self.item(rest, id))),
                "with" => Term::Query(self.query(range, Some(id), Clause::Term, Wrap::Paren)),
                _ => return self.odd(),
            }
        };
        self.at(id).terms.push(term);
    }

    /// FROM of `IS [NOT] DISTINCT FROM` and of `ROWS FROM (…)` is no clause.
    pub(super) fn is_part_of_expression(&self, index: usize) -> bool {
        if index >= 1 && self.tree.keyword(index - 1) == "rows" {
            return self.tree.kind(index + 1) == Some(TokenKind::LeftParen);
        }
        index >= 2
            && self.tree.word(index - 1) == "distinct"
            && (self.tree.word(index - 2) == "is" || index >= 3 && self.tree.is(index - 3, &["is", "not"]))
    }

    fn select(&mut self, range: Tokens, id: QueryId) -> Select {
        let tree = &self.tree;
        let cuts: Vec<usize> = tree
            .top(range.clone())
            .filter(|&index| match tree.keyword(index) {
                "from" => !self.is_part_of_expression(index),
                "where" | "having" | "into" => true,
                "group" => tree.word(index + 1) == "by",
                "window" => {
                    matches!(tree.kind(index + 1), Some(TokenKind::Word | TokenKind::QuotedIdent))
                        && tree.word(index + 2) == "as"
                }
                _ => false,
            })
            .collect();
        let mut select = Select::default();
        let first = cuts.first().copied().unwrap_or(range.end);
        let mut at = range.start;
        if at < first {
            match self.tree.word(at) {
                "all" => at += 1,
                "distinct" => {
                    at += 1;
                    if self.tree.word(at) == "on" && self.tree.kind(at + 1) == Some(TokenKind::LeftParen) {
                        let close = self.tree.close(at + 1, first);
                        self.mark(at + 2..close, Some(id), Clause::Distinct);
                        at = (close + 1).min(first);
                    }
                    select.distinct = Some(range.start..at);
                }
                _ => {}
            }
        }
        select.list = self.tree.commas(at..first);
        self.mark(at..first, Some(id), Clause::List);
        for (n, &cut) in cuts.iter().enumerate() {
            let end = cuts.get(n + 1).copied().unwrap_or(range.end);
            let rest = cut + 1..end;
            if rest.is_empty() {
                self.odd();
            }
            match self.tree.word(cut) {
                "from" => {
                    if !select.from.is_empty() {
                        self.odd();
                    }
                    let items = self.from(rest, id);
                    select.from.extend(items);
                }
                "where" => {
                    if select.condition.is_some() {
                        self.odd();
                    }
                    let conjuncts = self.conjuncts(rest.clone());
                    select.conjuncts.extend(conjuncts);
                    self.mark(rest.clone(), Some(id), Clause::Where);
                    select.condition = Some(rest);
                }
                "group" => {
                    let rest = (rest.start + 1).min(end)..end;
                    self.mark(rest.clone(), Some(id), Clause::GroupBy);
                    select.group_by = Some(rest);
                }
                "having" => {
                    self.mark(rest.clone(), Some(id), Clause::Having);
                    select.having = Some(rest);
                }
                "window" => {
                    self.mark(rest.clone(), Some(id), Clause::Window);
                    select.windows = Some(rest);
                }
                _ => select.into = Some(rest),
            }
        }
        select
    }

    /// Notes for every token of an expression where it stands, and reads the queries in it.
    pub(super) fn mark(&mut self, range: Tokens, id: Option<QueryId>, clause: Clause) {
        let mut at = range.start;
        while at < range.end {
            if let Some(place) = self.tree.places.get_mut(at) {
                *place = Place::new(id, clause);
            }
            if self.tree.opens_query(at) {
                let close = self.tree.close(at, range.end);
                let wrap = match at.checked_sub(1).map_or("", |before| self.tree.word(before)) {
                    "exists" => Wrap::Exists,
                    "in" => Wrap::In,
                    "any" | "some" | "all" => Wrap::Any,
                    "array" => Wrap::Array,
                    _ => Wrap::Scalar,
                };
                let query = self.query(at + 1..close, id, clause, wrap);
                if id.is_none() {
                    self.tree.roots.push(query);
                }
                at = close;
                if let Some(place) = self.tree.places.get_mut(at).filter(|_| at < range.end) {
                    *place = Place::new(id, clause);
                }
            }
            at += 1;
        }
    }
}
