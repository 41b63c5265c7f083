//! Which routines and functions of the tree are wrappers.

use crate::analysis::{Elsewhere, File};
use crate::finding::Place;
use crate::flow::{Action, UnitFlow};
use crate::language::Language;
use crate::prefilter::Called;
use crate::span::Span;
use crate::sql::routine::{ArgumentMode, Routine};
use crate::statement::{Effect, Wrapper};
use std::collections::HashMap;

/// How many locks a wrapper may stand for: each of its calls becomes so many sites.
const MAX_EFFECTS: usize = 16;

/// The wrappers that the files define.
pub fn wrappers(files: &[File<'_>]) -> Elsewhere {
    let mut found = Elsewhere::default();
    for file in files {
        if !file.is_test() {
            file.wrappers.iter().cloned().for_each(|wrapper| found.host.insert(wrapper));
        }
        let candidates: Vec<(&UnitFlow, &Routine)> = file.routines().filter(|(flow, _)| may_wrap(flow)).collect();
        if candidates.is_empty() {
            continue;
        }
        let effects = effects(file);
        for (flow, routine) in candidates {
            if let Some(effects) = effects.get(&flow.unit.span)
                && let Some(name) = &routine.name
                // A row lock, or a lock through another wrapper, is more than this one stands for.
                && effects.len() == flow.unit.sites.len()
            {
                let wrapper = Wrapper { parameters: parameters(routine), effects: effects.clone() };
                found.sql.insert(routine.schema.clone(), name.clone(), wrapper);
            }
        }
    }
    found
}

/// Whether every step of a routine takes a lock, or every one releases one.
fn may_wrap(flow: &UnitFlow) -> bool {
    let steps = &flow.unit.steps;
    let releases = steps.iter().all(|step| matches!(step.action, Action::Release(_) | Action::ReleaseAll(_)));
    let some = (1..=MAX_EFFECTS).contains(&steps.len());
    some && flow.unit.kind.is_called() && (flow.only_acquires() || releases)
}

/// The advisory calls of a file, by the innermost unit.
fn effects(file: &File<'_>) -> HashMap<Span, Vec<Effect>> {
    let mut found: HashMap<Span, Vec<Effect>> = HashMap::new();
    for statement in &file.statements {
        let Some(flow) = file.units_around(statement).next() else { continue };
        let calls = statement.direct_locks().map(|lock| Effect {
            function: lock.function,
            args: lock.args.clone(),
            at: Place::new(file.id, lock.span),
        });
        found.entry(flow.unit.span).or_default().extend(calls);
    }
    found
}

fn parameters(routine: &Routine) -> Vec<Option<String>> {
    let given = routine.arguments.iter().filter(|argument| argument.mode != ArgumentMode::Out);
    given.map(|argument| argument.name.clone()).collect()
}

/// A search for calls of wrappers.
#[derive(Debug)]
pub struct Calls<'w> {
    sql: Option<Called>,
    host: Option<Called>,
    wrappers: &'w Elsewhere,
}

impl<'w> Calls<'w> {
    /// None where there is no wrapper.
    pub fn of(wrappers: &'w Elsewhere) -> Option<Self> {
        let sql = Called::new(wrappers.sql.names(), true);
        let host = Called::new(wrappers.host.names(), false);
        (sql.is_some() || host.is_some()).then_some(Self { sql, host, wrappers })
    }

    /// Whether a file in a language may hold one.
    pub fn may_be_of(&self, language: Language) -> bool {
        self.sql.is_some() || matches!(language, Language::Host(language) if self.wrappers.host.any_in(language))
    }

    /// Whether a file with this content may hold one.
    pub fn may_be_in(&self, path: &str, language: Language, content: &[u8]) -> bool {
        let found = |calls: &Option<Called>| calls.as_ref().is_some_and(|calls| calls.is_in(content));
        let of_host = |language| found(&self.host) && self.wrappers.host.may_call(path, language, content);
        found(&self.sql) || matches!(language, Language::Host(language) if of_host(language))
    }
}
