//! A transaction that holds nothing but the lock, with the work after it.

use crate::flow::{Action, Node, SiteId, StepId, UnitFlow};
use crate::rule::Context;
use crate::span::Span;

/// The first work of the function that runs after the transaction of a lock, which does nothing else.
pub(in crate::rules) fn work_after(
    context: &Context<'_>,
    flow: &UnitFlow,
    lock: StepId,
    site: SiteId,
) -> Option<StepId> {
    let begin = flow.trace.before[lock].begin()?;
    // The sessions of a function have their steps in common.
    let units: Vec<&UnitFlow> = context.file.units.iter().filter(|other| other.is_of_function_of(flow)).collect();
    let acts = |step: StepId, is_one: &dyn Fn(&Action) -> bool| {
        units.iter().any(|unit| unit.unit.steps.get(step).is_some_and(|step| is_one(&step.action)))
    };
    let before = |step: StepId| &flow.trace.before[step];
    let held = |step: StepId| before(step).held_any.contains(site);
    let is_other = |action: &Action| !matches!(action, Action::Call | Action::Begin { .. } | Action::End { .. });
    let steps = || (0..flow.unit.steps.len()).filter(|&step| step != lock);
    if steps().any(|step| (held(step) || before(step).begin() == Some(begin)) && acts(step, &is_other)) {
        return None;
    }
    let calls = |step: StepId| held(step) && flow.unit.steps[step].action == Action::Call;
    if steps().any(calls) || does_more(context, flow, (begin, lock)) {
        return None;
    }
    // Who locks again knows that the first is gone.
    if steps().any(|step| acts(step, &|action| matches!(action, Action::Acquire(_)))) {
        return None;
    }
    let is_work =
        |step: StepId| !held(step) && acts(step, &|action| matches!(action, Action::Work { .. } | Action::Outside));
    match seek(&flow.unit.root, lock, &is_work) {
        Seek::Work(work) => Some(work),
        Seek::Elsewhere | Seek::Passed | Seek::Left => None,
    }
}

/// Whether something else is called between the beginning of a transaction and its end, which the lock may be for.
fn does_more(context: &Context<'_>, flow: &UnitFlow, (begin, lock): (StepId, StepId)) -> bool {
    const ENDS: &[&str] = &["begin", "commit", "rollback", "error", "wrap", "context", "background", "close"];
    let steps = &flow.unit.steps;
    let at = steps[lock].span;
    let ends = steps.iter().filter(|step| matches!(step.action, Action::End { .. }) && step.span.end >= at.end);
    let Some(end) = ends.map(|step| step.span.start).min() else { return true };
    let around = Span::new(steps[begin].span.start.min(at.start), end.max(at.end));
    context.file.program.calls.iter().any(|call| {
        let name = call.callee.name.to_ascii_lowercase();
        around.contains(call.span) && !call.span.contains(at) && !ENDS.iter().any(|known| name.contains(known))
    })
}

/// What comes after a lock.
enum Seek {
    /// The lock is not here.
    Elsewhere,
    /// It is, and no work after it.
    Passed,
    /// It is, and the function or the round is left after it.
    Left,
    /// The first work after it.
    Work(StepId),
}

fn seek(node: &Node, lock: StepId, is_work: &dyn Fn(StepId) -> bool) -> Seek {
    match node {
        Node::Step(step) if *step == lock => Seek::Passed,
        Node::Step(_) | Node::Exit(..) => Seek::Elsewhere,
        Node::Sequence(nodes) => in_order(nodes.iter(), lock, is_work),
        Node::Branch { then, otherwise, .. } | Node::Failed { then, otherwise, .. } => {
            match seek(then, lock, is_work) {
                Seek::Elsewhere => seek(otherwise, lock, is_work),
                found => found,
            }
        }
        Node::Loop { body, .. } => seek(body, lock, is_work),
        Node::Block { body, .. } => match seek(body, lock, is_work) {
            // It may be this block that is left.
            Seek::Left => Seek::Passed,
            found => found,
        },
        Node::Ensured { body, cleanup } => in_order([&**body, &**cleanup].into_iter(), lock, is_work),
        Node::Try { body, handlers, .. } => {
            in_order(std::iter::once(&**body), lock, is_work).or_in(handlers, lock, is_work)
        }
    }
}

impl Seek {
    fn or_in(self, nodes: &[Node], lock: StepId, is_work: &dyn Fn(StepId) -> bool) -> Self {
        let Self::Elsewhere = self else { return self };
        let found = nodes.iter().map(|node| seek(node, lock, is_work)).find(|found| !matches!(found, Self::Elsewhere));
        found.unwrap_or(Self::Elsewhere)
    }
}

fn in_order<'n>(nodes: impl Iterator<Item = &'n Node>, lock: StepId, is_work: &dyn Fn(StepId) -> bool) -> Seek {
    let mut found = Seek::Elsewhere;
    for node in nodes {
        match found {
            Seek::Elsewhere => found = seek(node, lock, is_work),
            Seek::Passed => {
                if let Some(work) = node.steps().filter(|step| is_work(*step)).min() {
                    return Seek::Work(work);
                }
                if matches!(node, Node::Exit(..)) {
                    return Seek::Left;
                }
            }
            Seek::Left | Seek::Work(_) => return found,
        }
    }
    found
}
