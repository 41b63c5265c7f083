//! FROM: items, joins, and which of them an outer join may fill with NULL.

use super::build::Builder;
use super::node::{Clause, FromItem, Join, QueryId, Wrap};
use super::{MAX_DEPTH, Tokens};
use crate::sql::lex::TokenKind;

/// Functions without parentheses.
const VALUE_FUNCTIONS: &[&str] = &[
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "system_user",
    "user",
];

/// A keyword between the items of one element of FROM.
enum Mark {
    Join { start: usize, join: Join, natural: bool },
    On(usize),
    Using(usize),
}

impl Mark {
    fn start(&self) -> usize {
        match *self {
            Self::Join { start, .. } | Self::On(start) | Self::Using(start) => start,
        }
    }
}

/// A join whose condition has yet to come.
struct Pending {
    join: Join,
    natural: bool,
    read: bool,
}

/// The items read so far. An operand of a join is the items from its first up to the next operand's.
#[derive(Default)]
struct Items {
    items: Vec<FromItem>,
    operands: Vec<usize>,
    pending: Vec<Pending>,
    /// Ranges of items that an outer join may fill with NULL.
    nullable: Vec<Tokens>,
}

impl Items {
    fn operand(&mut self, items: Vec<FromItem>) {
        let first = self.items.len();
        self.items.extend(items);
        if first == self.items.len() {
            return;
        }
        self.operands.push(first);
        let Some(pending) = self.pending.last_mut().filter(|pending| !pending.read) else {
            return;
        };
        pending.read = true;
        let item = &mut self.items[first];
        item.join = pending.join;
        item.natural = pending.natural;
        if pending.natural || pending.join == Join::Cross {
            self.reduce();
        }
    }

    /// Joins the last two operands; gives the first item of the right one.
    fn reduce(&mut self) -> Option<usize> {
        let pending = self.pending.pop()?;
        if self.operands.len() < 2 {
            return None;
        }
        let right = self.operands.pop()?;
        let left = *self.operands.last()?;
        if matches!(pending.join, Join::Left | Join::Full) {
            self.nullable.push(right..self.items.len());
        }
        if matches!(pending.join, Join::Right | Join::Full) {
            self.nullable.push(left..right);
        }
        Some(right)
    }

    fn finish(mut self) -> Vec<FromItem> {
        let mut change = vec![0isize; self.items.len() + 1];
        for range in &self.nullable {
            change[range.start] += 1;
            change[range.end] -= 1;
        }
        let mut depth = 0;
        for (item, change) in self.items.iter_mut().zip(change) {
            depth += change;
            item.nullable |= depth > 0;
        }
        self.items
    }
}

impl Builder<'_> {
    /// The items of a FROM list.
    pub(super) fn from(&mut self, range: Tokens, id: QueryId) -> Vec<FromItem> {
        if self.depth >= MAX_DEPTH {
            self.odd();
            return Vec::new();
        }
        self.depth += 1;
        let mut items = Vec::new();
        for part in self.tree.commas(range) {
            items.extend(self.joined(part, id));
        }
        self.depth -= 1;
        items
    }

    fn marks(&self, part: &Tokens) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut floor = part.start;
        for index in self.tree.top(part.clone()).filter(|&index| index > part.start) {
            let mark = match self.tree.keyword(index) {
                "join" => self.join_mark(index, floor),
                "on" => Mark::On(index),
                "using" if self.tree.kind(index + 1) == Some(TokenKind::LeftParen) => Mark::Using(index),
                _ => continue,
            };
            marks.push(mark);
            floor = index + 1;
        }
        marks
    }

    /// `left(x, 1)` is a function: JOIN is found first, and the words before it then.
    fn join_mark(&self, index: usize, floor: usize) -> Mark {
        let mut start = index;
        let mut join = Join::Inner;
        let before = |start: usize| {
            if start > floor { self.tree.word(start - 1) } else { "" }
        };
        if before(start) == "outer" {
            start -= 1;
        }
        let kind = match before(start) {
            "left" => Some(Join::Left),
            "right" => Some(Join::Right),
            "full" => Some(Join::Full),
            "cross" => Some(Join::Cross),
            "inner" => Some(Join::Inner),
            _ => None,
        };
        if let Some(kind) = kind {
            join = kind;
            start -= 1;
        }
        let natural = before(start) == "natural";
        Mark::Join { start: start - usize::from(natural), join, natural }
    }

    fn joined(&mut self, part: Tokens, id: QueryId) -> Vec<FromItem> {
        let marks = self.marks(&part);
        let mut items = Items::default();
        let end_of = |n: usize| marks.get(n).map_or(part.end, Mark::start);
        let first = self.operand(part.start..end_of(0), id);
        items.operand(first);
        for (n, mark) in marks.iter().enumerate() {
            let end = end_of(n + 1);
            match *mark {
                Mark::Join { start, join, natural } => {
                    let word = (start..end).find(|&index| self.tree.word(index) == "join").unwrap_or(start);
                    items.pending.push(Pending { join, natural, read: false });
                    let operand = self.operand(word + 1..end, id);
                    items.operand(operand);
                }
                Mark::On(index) => {
                    let condition = index + 1..end.max(index + 1);
                    let on = self.conjuncts(condition.clone());
                    self.mark(condition, Some(id), Clause::On);
                    match items.reduce() {
                        Some(right) => items.items[right].on = on,
                        None => self.odd(),
                    }
                }
                Mark::Using(index) => {
                    let close = self.tree.close(index + 1, end);
                    let columns = self.tree.commas(index + 2..close);
                    let using = columns
                        .into_iter()
                        .filter_map(|column| self.tree.ident(column.start).map(|name| name.into_owned()))
                        .collect();
                    match items.reduce() {
                        Some(right) => items.items[right].using = using,
                        None => self.odd(),
                    }
                }
            }
        }
        while !items.pending.is_empty() {
            self.odd();
            items.reduce();
        }
        items.finish()
    }

    /// What is joined: a group of joins, or one item.
    fn operand(&mut self, range: Tokens, id: QueryId) -> Vec<FromItem> {
        if range.is_empty() {
            self.odd();
            return Vec::new();
        }
        if self.tree.kind(range.start) == Some(TokenKind::LeftParen) && !self.tree.opens_query(range.start) {
            let close = self.tree.close(range.start, range.end);
            let items = self.from(range.start + 1..close, id);
            if items.is_empty() {
                self.odd();
            }
            return items;
        }
        vec![self.item(range, id)]
    }

    /// One table, sub-select or function with its alias.
    pub(super) fn item(&mut self, range: Tokens, id: QueryId) -> FromItem {
        let mut item = FromItem { tokens: range.clone(), ..FromItem::default() };
        let end = range.end;
        let mut at = range.start;
        if self.tree.word(at) == "lateral" && at + 1 < end {
            item.lateral = true;
            at += 1;
        }
        if self.tree.word(at) == "only" && at + 1 < end && self.tree.kind(at + 1) != Some(TokenKind::Dot) {
            item.only = true;
            at += 1;
        }
        let mut close_only = None;
        if item.only && self.kind_before(at, end) == Some(TokenKind::LeftParen) {
            close_only = Some(self.tree.close(at, end));
            at += 1;
        }
        if at >= end {
            self.odd();
            return item;
        }
        if self.kind_before(at, end) == Some(TokenKind::LeftParen) {
            let close = self.tree.close(at, end);
            item.subquery = Some(self.query(at + 1..close, Some(id), Clause::From, Wrap::From));
            at = close + 1;
        } else if self.tree.is(at, &["rows", "from"]) && self.kind_before(at + 2, end) == Some(TokenKind::LeftParen) {
            item.call = true;
            let close = self.tree.close(at + 2, end);
            self.mark(at + 3..close, Some(id), Clause::From);
            at = close + 1;
        } else {
            at = self.named(at, end, id, &mut item);
        }
        if close_only == Some(at) {
            at += 1;
        }
        let at = self.suffix(at, end, id, &mut item);
        if at < end {
            self.odd();
        }
        item
    }

    fn kind_before(&self, at: usize, end: usize) -> Option<TokenKind> {
        self.tree.kind(at).filter(|_| at < end)
    }

    /// A table or a function call; gives the index of what follows.
    fn named(&mut self, start: usize, end: usize, id: QueryId, item: &mut FromItem) -> usize {
        let mut at = start;
        while let Some(name) = (at < end).then(|| self.tree.ident(at).map(|name| name.into_owned())).flatten() {
            if at > start {
                item.schema = Some(std::mem::take(&mut item.name));
            }
            item.name = name;
            at += 1;
            if self.kind_before(at, end) != Some(TokenKind::Dot) {
                break;
            }
            at += 1;
        }
        if item.name.is_empty() {
            self.odd();
        }
        item.call = at == start + 1 && VALUE_FUNCTIONS.contains(&self.tree.word(start));
        if self.kind_before(at, end) == Some(TokenKind::LeftParen) {
            item.call = true;
            let close = self.tree.close(at, end);
            self.mark(start..(close + 1).min(end), Some(id), Clause::From);
            at = close + 1;
        }
        at
    }

    /// What follows the name: `*`, WITH ORDINALITY, the alias with its columns, TABLESAMPLE.
    fn suffix(&mut self, mut at: usize, end: usize, id: QueryId, item: &mut FromItem) -> usize {
        if self.kind_before(at, end) == Some(TokenKind::Operator) && self.tree.raw(at) == "*" {
            at += 1;
        }
        if self.tree.is(at, &["with", "ordinality"]) && at + 1 < end {
            at += 2;
        }
        let explicit = at < end && self.tree.word(at) == "as";
        at += usize::from(explicit);
        let alias = match self.kind_before(at, end) {
            Some(TokenKind::Word) => self.tree.word(at) != "tablesample",
            Some(TokenKind::QuotedIdent) => true,
            Some(TokenKind::Hole) => explicit,
            _ => false,
        };
        if alias {
            item.alias = self.tree.ident(at).map(|name| name.into_owned());
            at += 1;
        }
        if self.kind_before(at, end) == Some(TokenKind::LeftParen) {
            at = self.tree.close(at, end) + 1;
        }
        while at < end && matches!(self.tree.word(at), "tablesample" | "repeatable") {
            let group = self.tree.top(at..end).find(|&index| self.tree.kind(index) == Some(TokenKind::LeftParen));
            let Some(group) = group else {
                return at;
            };
            let close = self.tree.close(group, end);
            self.mark(group + 1..close, Some(id), Clause::From);
            at = close + 1;
        }
        at
    }
}
