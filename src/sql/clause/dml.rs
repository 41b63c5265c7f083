//! INSERT, UPDATE, DELETE, MERGE.

use super::Tokens;
use super::build::Builder;
use super::node::{Clause, Dml, DmlKind, QueryId, Wrap};
use crate::sql::lex::TokenKind;

impl Builder<'_> {
    pub(super) fn dml(&mut self, range: Tokens, id: QueryId) -> Dml {
        let kind = match self.tree.word(range.start) {
            "insert" => DmlKind::Insert,
            "update" => DmlKind::Update,
            "delete" => DmlKind::Delete,
            _ => DmlKind::Merge,
        };
        let mut dml = Dml::new(kind);
        let mut start = range.start + 1;
        if kind != DmlKind::Update && matches!(self.tree.word(start), "into" | "from") {
            start += 1;
        }
        let rest = start.min(range.end)..range.end;
        if rest.is_empty() {
            self.odd();
        } else if kind == DmlKind::Insert {
            self.insert(rest, id, &mut dml);
        } else {
            self.change(rest, id, &mut dml);
        }
        dml
    }

    fn insert(&mut self, range: Tokens, id: QueryId, dml: &mut Dml) {
        let tree = &self.tree;
        let after = |from: usize, test: &dyn Fn(usize) -> bool| {
            tree.top(from..range.end).find(|&index| index > range.start && test(index))
        };
        let conflict = after(range.start, &|index| tree.keyword(index) == "on" && tree.word(index + 1) == "conflict");
        let returning = after(conflict.unwrap_or(range.start), &|index| tree.keyword(index) == "returning");
        let end = conflict.or(returning).unwrap_or(range.end);
        let source = tree.top(range.start..end).find(|&index| {
            index > range.start
                && (matches!(tree.keyword(index), "select" | "values" | "with" | "table")
                    || tree.opens_query(index)
                    || tree.is(index, &["default", "values"]))
        });
        let target_end = tree
            .top(range.start..source.unwrap_or(end))
            .find(|&index| tree.kind(index) == Some(TokenKind::LeftParen) || tree.keyword(index) == "overriding")
            .unwrap_or(source.unwrap_or(end));
        dml.target = self.item(range.start..target_end, id);
        match source {
            Some(source) if self.tree.word(source) == "default" => {}
            Some(source) => {
                let group = self.tree.opens_query(source) && self.tree.close(source, end) + 1 == end;
                let range = if group { source + 1..end - 1 } else { source..end };
                dml.source = Some(self.query(range, Some(id), Clause::Source, Wrap::None));
            }
            None => self.odd(),
        }
        if let Some(conflict) = conflict {
            let tokens = conflict + 2..returning.unwrap_or(range.end).max(conflict + 2);
            // DO SELECT FOR UPDATE locks the row that is there.
            let lock = self.tree.top(tokens.clone()).find(|&index| {
                self.tree.keyword(index) == "for"
                    && self.tree.word(index - 1) == "select"
                    && self.lock_words(index).is_some()
            });
            if let Some(lock) = lock {
                let end = self.tree.top(lock..tokens.end).find(|&index| self.tree.keyword(index) == "where");
                self.lock(lock..end.unwrap_or(tokens.end), id);
            }
            self.mark(tokens.clone(), Some(id), Clause::Conflict);
            dml.conflict = Some(tokens);
        }
        if let Some(returning) = returning {
            self.returning(returning + 1..range.end, id, dml);
        }
    }

    /// UPDATE, DELETE, MERGE after the verb.
    fn change(&mut self, range: Tokens, id: QueryId, dml: &mut Dml) {
        let kind = dml.kind;
        let (mut cuts, mut seen) = (Vec::new(), Vec::new());
        for index in self.tree.top(range.clone()).filter(|&index| index > range.start) {
            let word = self.tree.keyword(index);
            let cut = match word {
                "set" => kind == DmlKind::Update,
                "from" => kind == DmlKind::Update && !self.is_part_of_expression(index),
                "using" => kind != DmlKind::Update,
                "on" => kind == DmlKind::Merge && !seen.is_empty(),
                "when" => kind == DmlKind::Merge,
                "where" => kind != DmlKind::Merge,
                "returning" => true,
                _ => false,
            };
            // The joins of USING come before MERGE's own ON.
            if cut && word == "on" {
                if !seen.iter().any(|word| word == "when") {
                    cuts.retain(|&cut: &usize| self.tree.word(cut) != "on");
                    cuts.push(index);
                }
            } else if cut && !seen.iter().any(|seen| seen == word) {
                seen.push(word.to_owned());
                cuts.push(index);
            }
        }
        dml.target = self.item(range.start..cuts.first().copied().unwrap_or(range.end), id);
        for (n, &cut) in cuts.iter().enumerate() {
            let end = cuts.get(n + 1).copied().unwrap_or(range.end);
            let rest = cut + 1..end;
            if rest.is_empty() {
                self.odd();
            }
            match self.tree.word(cut) {
                "set" => {
                    self.mark(rest.clone(), Some(id), Clause::Set);
                    dml.set = Some(rest);
                }
                "from" | "using" => dml.from = self.from(rest, id),
                "where" if self.tree.is(rest.start, &["current", "of"]) => dml.current_of = true,
                "where" => {
                    dml.conjuncts = self.conjuncts(rest.clone());
                    self.mark(rest.clone(), Some(id), Clause::Where);
                    dml.condition = Some(rest);
                }
                "on" => {
                    let on = self.conjuncts(rest.clone());
                    self.mark(rest, Some(id), Clause::On);
                    match dml.from.first_mut() {
                        Some(item) => item.on.extend(on),
                        None => self.odd(),
                    }
                }
                "returning" => self.returning(rest, id, dml),
                _ => {
                    self.mark(rest.clone(), Some(id), Clause::Merge);
                    dml.branches = Some(rest);
                }
            }
        }
    }

    fn returning(&mut self, range: Tokens, id: QueryId, dml: &mut Dml) {
        let into = self.tree.top(range.clone()).find(|&index| self.tree.keyword(index) == "into");
        let end = into.unwrap_or(range.end);
        if range.start >= end {
            self.odd();
        }
        self.mark(range.start..end, Some(id), Clause::Returning);
        dml.returning = Some(range.start..end);
        dml.into = into.map(|into| into + 1..range.end);
    }
}
