//! SQL that is a value, and what the server answered: what their methods do.

use super::Run;
use super::answer::Part;
use super::call::Asked;
use super::sql::is_runner;
use super::value::{Answer, Handle, Query, Val};
use crate::driver::Does;
use crate::flow::Node;
use crate::host::code::{Argument, Call, Value};
use crate::language::HostLanguage;
use crate::span::Span;
use crate::sql::value::Value as Sql;

/// Methods by which SQL that is a value runs.
const EXECUTES: &[&str] = &[
    "execute",
    "executeUpdate",
    "executeQuery",
    "fetch",
    "fetchone",
    "fetch_one",
    "fetch_all",
    "fetch_optional",
    "fetchOne",
    "single",
    "get_result",
    "get_results",
    "load",
    "query_row",
    "getSingleResult",
    "getResultList",
];

/// Whether a method of a statement gives it a value.
pub(super) fn is_binder(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("set")
        || name.starts_with("bind")
        || name.contains("param")
        || matches!(name.as_str(), "push_bind" | "add" | "addwithvalue")
}

impl<'s> Run<'_, 's, '_> {
    /// A method of SQL that runs later: binds to it, runs it on a handle, or makes another of it.
    pub(super) fn of_query(
        &mut self,
        mut query: Query,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        span: Span,
        out: &mut Vec<Node>,
    ) -> Val {
        if let Some(handle) = self.runner.clone()
            && matches!(
                call.name,
                "flatMap" | "map" | ">>" | "*>" | "<*" | ">>=" | "as" | "void" | "attempt" | "handleErrorWith"
            )
        {
            let answer = self.run(&handle, &query, span, out);
            return self.handed_on(&answer, asked, out);
        }
        if let Some(val) = self.lent(&Val::Query(query.clone()), call, asked, out) {
            return val;
        }
        if let Some(handle) = asked.vals.iter().find_map(|val| val.handle().cloned()) {
            let rows =
                handle.driver.takes.iter().any(|(names, does)| names.contains(&call.name) && *does == Does::Nothing);
            if rows {
                return Val::Query(query);
            }
            return self.run_bound(&handle, &query, asked, out);
        }
        if let Some(on) = query.on.clone() {
            let does = on.kind.method(call.name);
            if matches!(does, Some(Does::Run | Does::Execute)) {
                if query.bound.is_empty() {
                    query.bound = self.bound(asked.arguments, None);
                }
                let cancelled = self.is_cancellable(asked);
                let answer = self.run_noting(&on, &query, (span, call.name), cancelled, out);
                if let Val::Answer(answer) = answer {
                    query.answer = Some(answer);
                }
                self.remember(call, &query);
                return answer;
            }
            if matches!(does, Some(Does::Closes | Does::Returns)) {
                return Val::Nothing;
            }
        }
        // `setLong(1, KEY)`, `bind(key)`, `setParameter("key", key)`.
        if is_binder(call.name) {
            self.bind_to(&mut query, asked);
            self.remember(call, &query);
            return Val::Query(query);
        }
        if let Some(answer) = query.answer {
            self.read(answer);
            return self.of_answer(answer, call, asked, out);
        }
        // On a connection that is given implicitly, or by a name of which nothing is known.
        let implicit = self.lent.last().filter(|_| self.program.language == HostLanguage::Scala).cloned();
        let executes = EXECUTES.contains(&call.name) || implicit.is_some() && matches!(call.name, "apply" | "as");
        if query.on.is_none() && executes && !self.names.uses(&["doobie", "skunk", "Slick"]) {
            let text =
                asked.arguments.first().map_or("", |argument| self.slice(self.program.code.exprs[argument.value].span));
            let named = text.trim_start_matches(['&', '*', ' ']).trim_start_matches("mut ");
            let handle = implicit.unwrap_or_else(|| self.unknown(named));
            // ScalikeJDBC's `sql"…".execute.apply()`.
            let receiver = self.receiver_text(call.expr);
            let name =
                if receiver.ends_with(".execute") || receiver.ends_with(".execute()") { "execute" } else { call.name };
            let answer = self.run_noting(&handle, &query, (span, name), false, out);
            if let Val::Answer(answer) = answer {
                query.answer = Some(answer);
            }
            self.remember(call, &query);
            return answer;
        }
        // The end of a builder that was made on a handle: it runs here.
        if let Some(on) = query.on.clone()
            && is_runner(call.name)
        {
            let answer = self.run_noting(&on, &query, (span, call.name), false, out);
            if let Val::Answer(answer) = answer {
                query.answer = Some(answer);
            }
            self.remember(call, &query);
            return answer;
        }
        Val::Query(query)
    }

    pub(super) fn run_bound(
        &mut self,
        handle: &Handle,
        query: &Query,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Val {
        let cancelled = self.is_cancellable(asked);
        self.run_noting(handle, query, (asked.span, asked.name), cancelled, out)
    }

    /// The variable whose method is called has changed.
    pub(super) fn remember(&mut self, call: &Call<'s>, query: &Query) {
        let code = self.program.code;
        let mut at = call.callee;
        while let Some(Value::Member { of, .. }) = code.exprs.get(at).map(|expr| &expr.value) {
            at = *of;
        }
        if let Some(Value::Name(name)) = code.exprs.get(at).map(|expr| &expr.value) {
            self.set(name, Val::Query(query.clone()));
        }
    }

    pub(super) fn bind_to(&self, query: &mut Query, asked: &Asked<'_, 's>) {
        let code = self.program.code;
        let text = |argument: &Argument<'s>| self.slice(code.exprs[argument.value].span);
        match asked.arguments {
            [place, value, ..] => {
                let value = self.key_value(value.value, 0);
                // A constant may hold the place, or the name.
                let place = match self.key_value(place.value, 0) {
                    Sql::Integer(number) => number.to_string(),
                    Sql::Text(name) => name,
                    _ => text(place).to_owned(),
                };
                match place.parse::<usize>() {
                    Ok(place) if (1..64).contains(&place) => {
                        while query.bound.len() < place {
                            query.bound.push((None, Sql::Parameter("?".to_owned())));
                        }
                        query.bound[place - 1] = (None, value);
                    }
                    _ => {
                        let name = place.trim_matches(['"', '\'', '`', ':', '@']);
                        query.bound.push((Some(name.to_owned()), value));
                    }
                }
            }
            [_] => {
                let mut found = self.bound(asked.arguments, None);
                // `new NpgsqlParameter("key", KEY)`, `new NpgsqlParameter<long> { TypedValue = KEY }`
                if let [(None, Sql::Text(name)), (None, value)] = found.as_slice() {
                    found = vec![(Some(name.clone()), value.clone())];
                }
                for (name, value) in found {
                    let by_place = matches!(name.as_deref(), Some("Value" | "TypedValue"));
                    query.bound.push((name.filter(|_| !by_place), value));
                }
            }
            [] => {}
        }
    }

    /// A method of what the server answered: a part of the answer, or a function that gets it.
    pub(super) fn of_answer(
        &mut self,
        answer: Answer,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Val {
        // `Scan(&got)`: the answer goes into variables.
        if matches!(call.name, "Scan" | "ScanRow" | "StructScan" | "Row" | "Rows" | "Pluck" | "Find" | "Take" | "First")
        {
            let answer = Answer { part: Part::Value, ..answer };
            self.scanned(answer, asked.arguments);
            return Val::Answer(answer);
        }
        // `rows.any? { |row| … }`
        if asked.vals.iter().any(|val| matches!(val, Val::Function(_))) {
            self.decides(Answer { part: Part::Value, ..answer });
        }
        let Some(answer) = self.part_named(answer, call.name, true) else { return Val::Nothing };
        if let Some(val) = self.lent(&Val::Answer(answer), call, asked, out) {
            return val;
        }
        self.handed_on(&Val::Answer(answer), asked, out);
        Val::Answer(answer)
    }

    /// Rust's `granted.then_some(conn)` and `granted.then(|| conn)`: the one is there where the other says so.
    pub(super) fn there_where(
        &mut self,
        receiver: &Val,
        call: &Call<'s>,
        asked: &Asked<'_, 's>,
        out: &mut Vec<Node>,
    ) -> Option<Val> {
        let [given] = asked.vals else { return None };
        if self.program.language != HostLanguage::Rust || !matches!(call.name, "then" | "then_some") {
            return None;
        }
        if let Val::Answer(answer) = receiver {
            self.decides(Answer { part: Part::Value, ..*answer });
        }
        Some(match given {
            Val::Function(function) => self.follow(*function, &[], &[], true, out),
            val => val.clone(),
        })
    }

    /// Functions among the arguments run here, with a value.
    pub(super) fn handed_on(&mut self, val: &Val, asked: &Asked<'_, 's>, out: &mut Vec<Node>) -> Val {
        let mut result = val.clone();
        for given in asked.vals {
            match given {
                Val::Function(function) => {
                    result = self.follow(*function, std::slice::from_ref(val), &[], true, out);
                }
                Val::Query(query) if self.runner.is_some() => {
                    if let Some(handle) = self.runner.clone() {
                        result = self.run(&handle, &query.clone(), asked.span, out);
                    }
                }
                _ => {}
            }
        }
        result
    }
}
