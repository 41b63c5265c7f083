//! Which routines of the tree are wrappers.

use crate::analysis::File;
use crate::finding::Place;
use crate::flow::{Action, UnitFlow, UnitKind};
use crate::sql::routine::{ArgumentMode, Routine};
use crate::statement::{Effect, Wrapper, Wrappers};

/// The wrappers that the files define.
pub fn wrappers(files: &[File<'_>]) -> Wrappers {
    let mut found = Wrappers::default();
    for file in files {
        for (flow, routine) in file.routines() {
            if let Some(wrapper) = wrapper(file, flow, routine)
                && let Some(name) = &routine.name
            {
                found.insert(routine.schema.clone(), name.clone(), wrapper);
            }
        }
    }
    found
}

/// A routine whose every step takes a lock, or whose every step releases one.
fn wrapper(file: &File<'_>, flow: &UnitFlow, routine: &Routine) -> Option<Wrapper> {
    let steps = &flow.unit.steps;
    let takes = steps.iter().all(|step| matches!(step.action, Action::Acquire(_)));
    let releases = steps.iter().all(|step| matches!(step.action, Action::Release(_) | Action::ReleaseAll(_)));
    let called =
        matches!(flow.unit.kind, UnitKind::Function { trigger: false } | UnitKind::Procedure { inline: false });
    if steps.is_empty() || !called || !(takes || releases) {
        return None;
    }
    let inside = file.statements.iter().filter(|statement| flow.unit.span.contains(statement.span));
    let effects = inside
        .flat_map(|statement| statement.direct_locks())
        .map(|lock| Effect { function: lock.function, args: lock.args.clone(), at: Place::new(file.id, lock.span) })
        .collect::<Vec<_>>();
    let parameters = routine
        .arguments
        .iter()
        .filter(|argument| argument.mode != ArgumentMode::Out)
        .map(|argument| argument.name.clone())
        .collect();
    // A row lock, or a lock through another wrapper, is more than this one stands for.
    (effects.len() == flow.unit.sites.len()).then_some(Wrapper { parameters, effects })
}
