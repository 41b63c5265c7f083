//! What a locking clause reaches: the tables of FROM and of the sub-selects there, not those of common table
//! expressions, functions and WHERE.

use super::Tree;
use super::node::{FromItem, LockTarget, QueryId, Term};

/// What FROM gives to a locking clause.
#[derive(Clone, Debug, Default)]
pub struct Reach<'a> {
    /// Tables, whose rows it locks.
    pub tables: Vec<&'a FromItem>,
    /// References to common table expressions, whose rows it does not lock.
    pub ctes: Vec<&'a FromItem>,
    /// Functions, whose rows it does not lock.
    pub calls: Vec<&'a FromItem>,
}

impl Tree<'_> {
    /// What a locking clause of a query reaches: all of FROM, or the items that OF names.
    pub fn reach(&self, id: QueryId, of: &[LockTarget]) -> Reach<'_> {
        let mut reach = Reach::default();
        let named = |item: &&FromItem| of.is_empty() || of.iter().any(|target| target.name == item.reference());
        self.items(id).filter(named).for_each(|item| self.reached(item, &mut reach));
        reach
    }

    /// The tables that a locking clause reaches through one item.
    pub fn reach_of<'a>(&'a self, item: &'a FromItem) -> Reach<'a> {
        let mut reach = Reach::default();
        self.reached(item, &mut reach);
        reach
    }

    /// The items of FROM of every term.
    fn items(&self, id: QueryId) -> impl Iterator<Item = &FromItem> {
        self.query(id).terms.iter().flat_map(|term| match term {
            Term::Select(select) => select.from.as_slice(),
            Term::Table(item) => std::slice::from_ref(&**item),
            Term::Values(_) | Term::Query(_) | Term::Dml(_) => &[],
        })
    }

    fn reached<'a>(&'a self, item: &'a FromItem, reach: &mut Reach<'a>) {
        if item.call {
            reach.calls.push(item);
        } else if item.cte.is_some() {
            reach.ctes.push(item);
        } else if let Some(query) = item.subquery {
            self.reached_in(query, reach);
        } else {
            reach.tables.push(item);
        }
    }

    /// Queries nest no deeper than brackets, which have a bound.
    fn reached_in<'a>(&'a self, id: QueryId, reach: &mut Reach<'a>) {
        self.items(id).for_each(|item| self.reached(item, reach));
        for term in &self.query(id).terms {
            if let Term::Query(inner) = term {
                self.reached_in(*inner, reach);
            }
        }
    }
}
