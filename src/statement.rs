//! One SQL statement as rules see it: its clause tree, its lock calls, and what is done with its result.

mod variable;
mod wrapper;

pub use variable::{Variable, Variables};
pub use wrapper::{Effect, Wrapper, Wrappers};

use crate::document::Document;
use crate::finding::Place;
use crate::region::Region;
use crate::source::Source;
use crate::span::{Span, SqlSpan};
use crate::sql::advisory::{self, Action, Function, Key};
use crate::sql::clause::{
    Call, Clause, Entry, Evaluation, FromItem, Object, Query, QueryId, RowLock, Term, Tokens, Tree, Verb, Wrap,
};
use crate::sql::key;
use crate::sql::lex::Token;
use crate::sql::script::Expects;
use crate::sql::value::{Value, value};
use std::sync::Arc;

/// What becomes of a statement's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Use {
    /// A script shows it; `stored` where `\gset` keeps it.
    Shown {
        /// `\gset` and its like follow.
        stored: bool,
    },
    /// It goes to the caller: a named query, the last statement of an SQL body, RETURN QUERY, a loop or cursor.
    Returned(Expects),
    /// Nobody sees it: PERFORM, an SQL body's other statements.
    Dropped,
    /// It decides or is computed with: a condition, RETURN, an argument.
    Value,
    /// It goes into variables, which are read or not.
    Stored {
        /// Whether the body reads one of them.
        read: bool,
    },
}

/// Who reads the boolean of a try-lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It decides something, or goes to the caller.
    Read,
    /// Nobody, whatever the context.
    Dropped,
    /// Nobody that the script shows: a person at psql may.
    Shown,
    /// The function has no answer.
    None,
}

/// A call of an advisory lock function, or of a function of the tree that does nothing but call one.
#[derive(Clone, Debug)]
pub struct LockCall {
    /// The call in the tree.
    pub call: Call,
    /// The arguments of the advisory function, folded.
    pub args: Vec<Value>,
    /// Where the advisory function is called, if not here.
    pub via: Option<Place>,
    /// The function.
    pub function: &'static Function,
    /// The key; NULL and invalid ones too.
    pub key: Key,
    /// From the name to the closing parenthesis.
    pub span: Span,
    /// Whether it runs when the statement does.
    pub evaluation: Evaluation,
}

/// A statement.
#[derive(Debug)]
pub struct Statement<'d> {
    /// Its clauses.
    pub tree: Tree<'d>,
    /// The text it stands in.
    region: &'d Region<'d>,
    /// Where, in the source.
    pub span: Span,
    /// The query of a host source that it is of: an index of its program's.
    pub query: Option<usize>,
    /// What comments are anchored on: the host statement of a query, else the statement itself.
    pub anchor: Span,
    /// What becomes of the result.
    pub result: Use,
    /// Its advisory calls, in the order of the text, those through wrappers included.
    pub locks: Vec<LockCall>,
    /// How many advisory functions it calls after those.
    pub unfollowed: usize,
    /// The enclosing routine's variables: no columns.
    pub variables: Arc<Variables>,
    /// The enclosing unit's name; empty for a script.
    pub unit: Arc<str>,
    /// The name under which host code calls it, or of the routine: says what it is for.
    pub purpose: Arc<str>,
    /// What PL/pgSQL does at once when there is no row: `IF NOT FOUND THEN`.
    pub when_missing: Option<Missing>,
    /// The UPDATE that takes the row which this picks into a variable, by its key alone.
    pub claimed_by: Option<Span>,
}

/// What code does with zero rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// It takes the row for one that does not exist: raises, or creates it.
    Fails,
    /// It goes on without.
    GoesOn,
    /// It gives its callers nothing, without an error; what they make of it is not seen.
    HandedOn,
    /// It says so to its callers, and those in sight go on without.
    Skipped,
}

/// Whether the rows of a table are locks by its name: `queue_lock`, `named_locks`.
pub fn stands_for_locks(table: &str) -> bool {
    matches!(table.rsplit('_').next(), Some("lock" | "locks"))
}

/// How many calls of one statement are followed: what has more is made by machines.
pub const MAX_LOCKS: usize = 1 << 12;

impl<'d> Statement<'d> {
    /// The statement of these tokens of a document.
    pub fn new(
        document: &Document<'d>,
        tokens: &[Token],
        entry: Entry,
        result: Use,
        variables: Arc<Variables>,
        unit: Arc<str>,
        wrappers: &Wrappers,
    ) -> Self {
        let region = document.region;
        let tree = Tree::build(region.text(), tokens, entry);
        let span = region.to_source(tree.span(&tree.all()));
        let mut statement = Self {
            tree,
            region,
            span,
            query: None,
            anchor: span,
            result,
            locks: Vec::new(),
            unfollowed: 0,
            variables,
            purpose: Arc::clone(&unit),
            unit,
            when_missing: None,
            claimed_by: None,
        };
        (statement.locks, statement.unfollowed) = statement.lock_calls(wrappers);
        statement
    }

    /// Whether a rule that looks at statements can say anything about it: it takes or names a lock, asks pg_locks, or
    /// may be a claim. The others are lowered and forgotten, for a dump has millions of them; a rule that looks for
    /// something else has to add it here.
    pub fn is_relevant(&self) -> bool {
        let changes = || self.tree.queries().any(|(_, query)| query.dml().is_some());
        let is_lock_word = |index| match self.tree.word(index) {
            "" => self.tree.ident(index).is_some_and(|name| name.to_ascii_lowercase().contains("advisory")),
            word => matches!(word, "locked" | "nowait") || word.contains("advisory"),
        };
        *self.tree.verb() == Verb::Lock
            || !self.locks.is_empty()
            || self.tree.all().any(is_lock_word)
            || self.tree.queries().any(|(_, query)| {
                let asks = |item: &FromItem| item.name == "pg_locks";
                !query.locks.is_empty()
                    || query.select().is_some_and(|select| select.from.iter().any(asks))
                    || query.is_limited() && matches!(self.result, Use::Stored { .. })
                    || (query.is_limited() || self.has_extreme(query)) && changes()
            })
    }

    /// The first calls, and how many advisory functions more are called.
    fn lock_calls(&self, wrappers: &Wrappers) -> (Vec<LockCall>, usize) {
        let (mut found, mut unfollowed) = (Vec::new(), 0);
        for call in self.tree.calls() {
            if found.len() >= MAX_LOCKS {
                unfollowed += usize::from(advisory::function(&call.name).is_some());
                continue;
            }
            if let Some(function) = advisory::function(&call.name).filter(|_| call.is_built_in()) {
                let args = self.arguments(call);
                found.push(self.lock_call(call.clone(), function, args, None));
            } else if let Some(wrapper) = wrappers.find(call.schema.as_deref(), &call.name, call.args.len()) {
                let given = self.arguments(call);
                for effect in &wrapper.effects {
                    let args = effect.with(wrapper, &given);
                    found.push(self.lock_call(call.clone(), effect.function, args, Some(effect.at)));
                }
            }
        }
        (found, unfollowed)
    }

    /// Whether a query picks its rows by the least or the greatest value.
    fn has_extreme(&self, query: &Query) -> bool {
        let mut list = query.select().map_or(&[][..], |select| select.list.as_slice()).iter();
        list.any(|item| matches!(self.tree.word(item.start), "min" | "max"))
    }

    /// The arguments of a call, folded.
    fn arguments(&self, call: &Call) -> Vec<Value> {
        call.args.iter().map(|arg| self.with_constants(value(&self.tree, arg)).fold()).collect()
    }

    fn lock_call(&self, call: Call, function: &'static Function, args: Vec<Value>, via: Option<Place>) -> LockCall {
        let key = if function.action == Action::UnlockAll { Key::Unknown } else { key::of_arguments(&args) };
        let span = self.source(&call.tokens);
        let evaluation = self.tree.evaluated(call.name_token);
        LockCall { call, args, via, function, key, span, evaluation }
    }

    /// The calls that stand in the statement itself.
    pub fn direct_locks(&self) -> impl Iterator<Item = &LockCall> {
        self.locks.iter().filter(|lock| lock.via.is_none())
    }

    /// How many placeholders without a name or number come before a range of tokens.
    pub fn placeholders_before(&self, tokens: &Tokens) -> usize {
        let is_nameless = |index: &usize| matches!(self.tree.raw(*index), "?" | "%s" | "%d");
        self.tree.all().take_while(|index| *index < tokens.start).filter(is_nameless).count()
    }

    /// The source bytes of a range of tokens.
    pub fn source(&self, tokens: &Tokens) -> Span {
        self.to_source(self.tree.span(tokens))
    }

    /// The source bytes of a span of the document's text.
    pub fn to_source(&self, span: SqlSpan) -> Span {
        self.region.to_source(span)
    }

    /// A token as the source spells it, for use at another token of the statement too; `None` where the two stand in
    /// different literals, whose quotes and escapes may differ.
    pub fn spelled<'s>(&self, token: usize, at: usize, source: &'s Source) -> Option<&'s str> {
        let spelled = source.slice(self.source(&(token..token + 1)));
        let plain = spelled.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let between = self.tree.span(&(token.min(at)..token.max(at) + 1));
        (plain || self.region.is_unbroken(between)).then_some(spelled)
    }

    /// Whether a name, lower case, is a variable of the routine around it. A column of the same name goes before it.
    pub fn is_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Every locking clause, with the query it belongs to.
    pub fn row_locks(&self) -> impl Iterator<Item = (QueryId, &RowLock)> {
        self.tree.queries().flat_map(|(id, query)| query.locks.iter().map(move |lock| (id, lock)))
    }

    /// Whether its queries run when it does: EXPLAIN, PREPARE and the definition of a view only name them.
    pub fn runs(&self) -> bool {
        match self.tree.verb() {
            Verb::Explain { analyze } => *analyze,
            Verb::Create(object) => matches!(object, Object::Table | Object::MaterializedView),
            Verb::Prepare | Verb::Psql(_) | Verb::Empty => false,
            _ => true,
        }
    }

    /// Whether its queries run when it does, or later: of a view, of a prepared statement.
    pub fn runs_sometime(&self) -> bool {
        self.runs() || matches!(self.tree.verb(), Verb::Prepare | Verb::Create(Object::View))
    }

    /// Whether a lock's key is another for each row: it names a column of the query around it.
    pub fn depends_on_rows(&self, lock: &LockCall) -> bool {
        let is_variable = |name: &str| self.is_variable(name);
        lock.call.args.iter().any(|arg| {
            value(&self.tree, arg).any(&mut |part| match part {
                Value::Name { qualifier: Some(qualifier), .. } => {
                    !is_variable(qualifier) && self.is_item_around(lock.call.query, qualifier)
                }
                Value::Name { qualifier: None, name } => !is_variable(name) && lock.call.query.is_some(),
                _ => false,
            })
        })
    }

    /// Whether a query, or one around it, has an item of FROM, or a target, of that name.
    fn is_item_around(&self, mut query: Option<QueryId>, name: &str) -> bool {
        while let Some(id) = query {
            let around = self.tree.query(id);
            let found = around.terms.iter().any(|term| match term {
                Term::Select(select) => select.from.iter().any(|item| item.reference() == name),
                Term::Dml(dml) => {
                    dml.target.reference() == name || dml.from.iter().any(|item| item.reference() == name)
                }
                Term::Table(_) | Term::Values(_) | Term::Query(_) => false,
            });
            if found {
                return true;
            }
            query = around.parent;
        }
        false
    }

    /// Who reads the boolean of a try-lock call.
    pub fn answer(&self, lock: &LockCall) -> Answer {
        if lock.function.action != Action::TryLock {
            return Answer::None;
        }
        if !self.gives_out(lock) {
            return Answer::Read;
        }
        match self.result {
            Use::Shown { stored: false } => Answer::Shown,
            Use::Dropped | Use::Returned(Expects::Nothing) | Use::Stored { read: false } => Answer::Dropped,
            _ => Answer::Read,
        }
    }

    /// Whether what a call returns is a column of what the statement does. Anywhere but in the outermost select list the
    /// statement itself uses it.
    pub fn gives_out(&self, lock: &LockCall) -> bool {
        let outermost = lock.call.query.is_some_and(|id| {
            let query = self.tree.query(id);
            query.parent.is_none() && query.wrap == Wrap::None
        });
        lock.call.clause == Clause::List && outermost && self.is_whole_list_item(&lock.call)
    }

    /// Whether a call is an item of the select list by itself, as it stands or in parentheses, with or without alias.
    fn is_whole_list_item(&self, call: &Call) -> bool {
        let Some(select) = call.query.and_then(|id| self.tree.query(id).select()) else {
            return false;
        };
        let after = select.list.partition_point(|item| item.start <= call.tokens.start);
        select.list[..after].last().is_some_and(|item| {
            let mut item = item.clone();
            while let Some(inner) = self.tree.group(&item) {
                item = inner;
            }
            item.start == call.tokens.start
        })
    }
}
