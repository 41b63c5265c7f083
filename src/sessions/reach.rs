//! Which functions of a file lead to a lock, or to a transaction that is begun: what the others do is of no unit, and they
//! need not be run.

use super::Functions;
use crate::host::code::{Code, FunctionId, Value};
use crate::span::Span;
use crate::sql::clause::Verb;
use crate::statement::Statement;
use std::collections::{HashMap, HashSet};

/// Methods that the language calls without their name.
const IMPLICIT: &[&str] = &["__enter__", "__exit__", "__aenter__", "__aexit__"];

/// Whether each function of a file may come, by the names that stand in it, to one of its queries that lock or begin
/// something, or to one of `sites`.
pub(super) fn functions(program: &Functions<'_, '_, '_>, sites: &[Span]) -> Vec<bool> {
    let code = program.code;
    let locks = |one: &&Statement<'_>| one.is_relevant() || matches!(one.tree.verb(), Verb::Begin { .. });
    let queries = program.queries.iter().filter(|(_, statements)| statements.iter().any(locks));
    let queries: HashSet<usize> = queries.map(|(at, _)| at.start).collect();
    let mut starts: Vec<usize> = queries.iter().copied().chain(sites.iter().map(|site| site.start)).collect();
    let wrappers: HashSet<&str> = program.wrappers.names().collect();
    starts.extend(code.calls.iter().filter(|call| wrappers.contains(call.name)).map(|call| call.from_name.start));
    let mut reach = Reach::new(code);
    let constants: HashMap<Span, &str> = program.constants.iter().copied().collect();
    let mentioned = mentioned(code, &constants);
    let mut told: HashSet<&str> = HashSet::new();
    for at in starts {
        // What stands outside of functions and has no name may be anything's.
        if reach.note(at) && !constants.keys().any(|constant| constant.start == at) {
            return vec![true; code.functions.len()];
        }
    }
    for (at, name) in program.constants {
        if queries.contains(&at.start) && told.insert(name) {
            mentioned.get(super::names::bare(name)).into_iter().flatten().for_each(|at| {
                reach.note(*at);
            });
        }
    }
    while let Some(id) = reach.todo.pop() {
        let function = &code.functions[id];
        if IMPLICIT.contains(&function.name) {
            return vec![true; code.functions.len()];
        }
        // Who names a class may run its constructor.
        let class = function.class.and_then(|class| code.classes.get(class)).map(|class| class.name);
        for name in class.into_iter().chain([function.name]).filter(|name| !name.is_empty()) {
            if told.insert(name) {
                let places = mentioned.get(super::names::bare(name)).into_iter().flatten();
                places.for_each(|at| {
                    reach.note(*at);
                });
            }
        }
    }
    reach.reached
}

/// The functions that were come to.
struct Reach<'c, 's> {
    code: &'c Code<'s>,
    /// Functions in the order in which they begin.
    order: Vec<FunctionId>,
    reached: Vec<bool>,
    /// Those whose callers are still to be looked for.
    todo: Vec<FunctionId>,
}

impl<'c, 's> Reach<'c, 's> {
    fn new(code: &'c Code<'s>) -> Self {
        let mut order: Vec<FunctionId> = (0..code.functions.len()).collect();
        order.sort_by_key(|id| code.functions[*id].span.start);
        Self { code, order, reached: vec![false; code.functions.len()], todo: Vec::new() }
    }

    /// Notes the functions around a place; whether there is none but the file.
    fn note(&mut self, at: usize) -> bool {
        let before = self.order.partition_point(|id| self.code.functions[*id].span.start <= at);
        // What begins last before a place is around it, or stands in something that is.
        let mut inner = before.checked_sub(1).map(|last| self.order[last]);
        let mut around = 0;
        while let Some(id) = inner {
            if self.code.functions[id].span.end > at {
                around += usize::from(id > 0);
                if !std::mem::replace(&mut self.reached[id], true) {
                    self.todo.push(id);
                }
            }
            inner = self.code.functions[id].outer;
        }
        around == 0
    }
}

/// Where the names stand that functions, classes and the constants of the file have.
fn mentioned<'s>(code: &Code<'s>, constants: &HashMap<Span, &str>) -> HashMap<&'s str, Vec<usize>> {
    let functions = code.functions.iter().map(|function| function.name);
    let classes = code.classes.iter().map(|class| class.name);
    let declared: HashSet<&str> =
        functions.chain(classes).chain(constants.values().copied()).map(super::names::bare).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut note = |name: &'s str, at: usize| {
        let name = super::names::bare(name);
        if declared.contains(name) {
            places.entry(name).or_default().push(at);
        }
    };
    for expr in &code.exprs {
        match &expr.value {
            Value::Name(name) => note(name, expr.span.start),
            Value::Member { name, at, .. } => note(name, at.start),
            Value::Call(call) => note(code.calls[*call].name, code.calls[*call].from_name.start),
            _ => {}
        }
    }
    places
}
