//! What the methods in the tables of libraries do to a session.

use super::Run;
use super::call::Asked;
use super::value::{Handle, Query, Val};
use crate::builders;
use crate::driver::Does;
use crate::flow::{Action, Begins, Exit, Node, Owner};
use crate::language::HostLanguage;
use crate::pattern::words;

impl<'s> Run<'_, 's, '_> {
    /// What a method does.
    pub(super) fn does(&mut self, handle: &Handle, does: Does, asked: &Asked<'_, 's>, out: &mut Vec<Node>) -> Val {
        let span = asked.span;
        match does {
            // Knex: a later method says on which transaction.
            Does::Run if self.after(span).trim_start().starts_with(".transacting(") => {
                let mut query = asked.vals.iter().find_map(|val| val.query().cloned());
                if let Some(query) = &mut query {
                    query.bound = self.bound(asked.arguments, asked.text);
                }
                query.map_or(Val::Nothing, Val::Query)
            }
            Does::Run | Does::Execute => self.run_text(handle, asked, out),
            Does::Prepare(kind) => {
                let on = self.same(handle, kind).unwrap_or_else(|| handle.clone());
                match asked.vals.iter().find_map(|val| if let Val::Query(query) = val { Some(query) } else { None }) {
                    Some(query) => {
                        let bound = self.bound(asked.arguments, asked.text);
                        Val::Query(Query { on: Some(Box::new(on)), bound, ..query.clone() })
                    }
                    None => Val::Handle(on),
                }
            }
            Does::Fetch => {
                let session = self.session(handle);
                let answer = self.sessions.answers.get(&session).copied();
                match answer {
                    Some(answer) => self.part_named(answer, asked.name, true).map_or(Val::Nothing, Val::Answer),
                    None => Val::Nothing,
                }
            }
            Does::Gives(kind) => self.same(handle, kind).map_or(Val::Nothing, Val::Handle),
            Does::Borrows(kind) => {
                let single = self.meant(handle);
                if handle.kind.owner != Owner::PerCall || single.origin != handle.origin {
                    return self.same(&single, kind).map_or(Val::Nothing, Val::Handle);
                }
                self.fresh(handle, kind, span, true).map_or(Val::Nothing, Val::Handle)
            }
            // A connection that is taken out of its pool keeps its session.
            Does::Opens(kind) if handle.root.owner == Owner::Borrowed => {
                let session = self.session(handle);
                self.sessions.all[session].escapes = true;
                self.same(handle, kind).map_or(Val::Nothing, Val::Handle)
            }
            Does::Opens(kind) => self.fresh(handle, kind, span, false).map_or(Val::Nothing, Val::Handle),
            Does::Begins(kind) => {
                let pool = handle.kind.owner == Owner::PerCall && self.meant(handle).origin == handle.origin;
                let begun = if pool { self.fresh(handle, kind, span, true) } else { self.same(handle, kind) };
                let Some(begun) = begun else { return Val::Nothing };
                if pool {
                    let session = self.session(&begun);
                    if self.sessions.all[session].owner != Owner::Own {
                        self.sessions.all[session].owner = Owner::Borrowed;
                    }
                    self.sessions.all[session].begins = Begins::Never;
                }
                let one_snapshot = self.asks_one_snapshot(asked.arguments);
                self.begin(&begun, one_snapshot, span, out);
                Val::Handle(begun)
            }
            Does::Within { .. } => Val::Nothing,
            Does::Ends => {
                let session = self.session(handle);
                self.sessions.ended(session, &self.builder);
                let commits = asked.name.to_ascii_lowercase().contains("commit");
                self.push(session, Action::End { chain: false, commits }, span, out);
                // In Elixir it throws, and the transaction's function is left.
                if self.program.language == HostLanguage::Elixir && !commits {
                    let function = self.frames.iter().rev().find(|frame| frame.outer.is_some());
                    let exit = function.and_then(|frame| frame.exit.clone());
                    let leave = exit.map_or(Exit::Raise, |label| Exit::Break(Some(label)));
                    out.push(Node::Exit(leave, span));
                }
                Val::Nothing
            }
            Does::Inner | Does::Nothing => {
                self.may_throw(span, out);
                Val::Nothing
            }
            Does::Returns => {
                let session = self.session(handle);
                let destroys = asked.arguments.iter().any(|argument| {
                    let value = self.slice(self.program.code.exprs[argument.value].span);
                    matches!(value, "true" | "True") && argument.name.is_none_or(|name| name == "close")
                });
                if destroys {
                    self.push(session, Action::EndSession, span, out);
                } else {
                    self.give_back(session, span, out);
                }
                Val::Nothing
            }
            Does::Closes => {
                let session = self.session(handle);
                self.push(session, Action::EndSession, span, out);
                Val::Nothing
            }
            Does::Holds => {
                let session = self.session(handle);
                self.sessions.all[session].owner = Owner::Borrowed;
                Val::Nothing
            }
            Does::Autocommit => {
                let text =
                    asked.arguments.first().map(|argument| self.slice(self.program.code.exprs[argument.value].span));
                match text {
                    // From here on statements are in a transaction.
                    Some("false" | "False" | "0") => {
                        let session = self.session(handle);
                        self.push(session, Action::Begin { one_snapshot: false }, span, out);
                    }
                    Some("true" | "True" | "1") => {
                        let session = self.session(handle);
                        if self.builder.begins(session) {
                            self.push(session, Action::End { chain: false, commits: false }, span, out);
                        } else {
                            self.set_begins(handle, Begins::Never);
                        }
                    }
                    Some(text) if text.to_ascii_uppercase().contains("AUTOCOMMIT") => {
                        self.set_begins(handle, Begins::Never)
                    }
                    // A saved value.
                    _ => {}
                }
                Val::Handle(handle.clone())
            }
            Does::Limit => {
                let one = asked.arguments.first().is_some_and(|argument| self.is_one(argument.value));
                if one {
                    let origin = handle.origin.clone();
                    self.sessions.limit(&origin);
                }
                Val::Nothing
            }
            Does::Works | Does::Writes => {
                self.work(handle, does == Does::Writes, asked, out);
                self.queryset_locks(handle, asked, out);
                Val::Nothing
            }
        }
    }

    /// A statement that a query builder puts together.
    fn work(&mut self, handle: &Handle, writes: bool, asked: &Asked<'_, 's>, out: &mut Vec<Node>) {
        let (session, span) = (self.session(handle), asked.span);
        let statement = builders::statement(self.program.text, span, self.program.language);
        let tables = statement.as_ref().map_or(&[][..], |statement| &statement.tables);
        let writes = writes || statement.as_ref().is_some_and(|statement| statement.writes);
        let models = if writes { tables_of_model(self.program.text, asked.from_name) } else { Vec::new() };
        let tables = tables.iter().cloned().chain(models);
        let written = std::iter::once(String::new()).chain(tables).filter(|_| writes).collect();
        self.push(session, Action::Work { reads: Vec::new(), writes: written }, span, out);
        let ambient = handle.kind.owner == Owner::Ambient && self.may_be_in_transaction(session);
        if let Some(statement) = statement.filter(|statement| !ambient && !writes && !statement.tables.is_empty())
            && let Some(at) = statement.locks
        {
            out.push(self.builder.row_lock(session, statement.tables, at, statement.span));
        }
    }
}

/// The tables that a model before the name of a method may stand for: `prisma.bankAccount.update(…)`. In SQL text they are
/// called like the model, in quotes or not, or by what a mapping makes of its name.
fn tables_of_model(text: &str, from_name: usize) -> Vec<String> {
    let before = text.get(..from_name).unwrap_or_default().trim_end_matches(['.', '?', '!']);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = &before[before.trim_end_matches(is_word).len()..];
    let mut tables = vec![name.to_lowercase(), words(name).join("_")];
    tables.dedup();
    let plurals: Vec<String> = tables.iter().map(|table| format!("{table}s")).collect();
    tables.extend(plurals);
    let mut letters = name.chars();
    let first = letters.next();
    tables.extend(first.map(|first| first.to_uppercase().chain(letters).collect()));
    tables.retain(|_| !name.is_empty());
    tables
}
