//! Claims in two steps: SELECT … INTO picks a row, and UPDATE takes it by its key.

use super::Walk;
use super::variables::base;
use crate::sql::clause::{DmlKind, Tree};
use crate::sql::lex::TokenKind;
use crate::statement::Statement;
use std::collections::HashSet;

/// What a SELECT picked into a variable.
pub(super) struct Pick {
    /// Its place among the statements of the body.
    statement: usize,
    table: String,
    /// The names in its condition.
    condition: HashSet<String>,
}

impl Walk<'_, '_> {
    /// A variable gets another value.
    pub(super) fn forget(&mut self, target: &str) {
        self.picks.remove(base(target));
    }

    /// The statement at place `at`, if it was kept, stores what it picks in `targets`.
    pub(super) fn picked(&mut self, targets: &[String], at: usize) {
        targets.iter().for_each(|target| self.forget(target));
        let (Some(statement), [target]) = (self.statements.get(at), targets) else { return };
        let tree = &statement.tree;
        let Some((_, query)) = tree.queries().next() else { return };
        let unlocked = tree.complete() && query.is_limited() && query.locks.is_empty();
        let Some(select) = query.select().filter(|_| unlocked) else { return };
        if let ([table], Some(condition)) = (select.from.as_slice(), &select.condition)
            && table.is_table()
        {
            let condition = condition.clone().filter_map(|index| tree.ident(index)).map(|name| name.into_owned());
            let pick = Pick { statement: at, table: table.name.clone(), condition: condition.collect() };
            self.picks.insert(base(target).to_owned(), pick);
        }
    }

    /// Notes an UPDATE of a picked row that changes what the row was picked by, for somebody who is named in it or for
    /// whoever comes first.
    pub(super) fn claims(&mut self, update: &Statement<'_>) {
        let tree = &update.tree;
        let Some(dml) = tree.queries().next().and_then(|(_, query)| query.dml()) else { return };
        let ([condition], Some(set), DmlKind::Update) = (dml.conjuncts.as_slice(), &dml.set, dml.kind) else { return };
        let Some(variable) = compared(tree, condition.tokens.clone()) else { return };
        let Some(pick) = self.picks.get(base(&variable)).filter(|pick| pick.table == dml.target.name) else { return };
        let names = |name: &str| update.is_variable(name) || name == "pg_backend_pid";
        let changed = tree.commas(set.clone()).into_iter().filter_map(|part| tree.ident(part.start));
        let claims = changed.into_iter().any(|column| pick.condition.contains(&*column));
        let for_somebody = set.clone().filter_map(|index| tree.ident(index)).any(|name| names(&name));
        if claims && (for_somebody || !pick.condition.iter().any(|name| names(name))) {
            self.statements[pick.statement].claimed_by = Some(update.span);
        }
    }
}

/// The variable in `id = v`, `t.id = v` or `id = r.id`.
fn compared(tree: &Tree<'_>, tokens: std::ops::Range<usize>) -> Option<String> {
    let at = tokens.clone().find(|&index| tree.raw(index) == "=")?;
    let plain = |mut side: std::ops::Range<usize>| {
        side.all(|index| tree.kind(index) == Some(TokenKind::Dot) || tree.ident(index).is_some())
    };
    let right = at + 1..tokens.end;
    (plain(tokens.start..at) && plain(right.clone())).then(|| tree.ident(right.start).map(|name| name.into_owned()))?
}
