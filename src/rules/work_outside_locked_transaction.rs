//! The transaction holds the lock, and the work goes through the pool.

use super::xact_lock_ended_by_inner_commit::locked::Locked;
use crate::finding::{Level, Place};
use crate::flow::{Action, Change, Lock, Node, SiteId, Step, StepId, UnitFlow};
use crate::pattern::ascii;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::Scope;
use regex::Regex;
use std::sync::LazyLock;

pub(super) const RULE: Rule = Rule {
    name: "work-outside-locked-transaction",
    level: Level::Warning,
    rank: Rank::WrongSession,
    page: include_str!("../../rules/work-outside-locked-transaction.md"),
    checks: &[Check::Unit(check)],
};

/// How many characters before a lock call the handle is looked for that runs it.
const NEAR: usize = 160;

const HELP: &str = "do the work through the handle of the transaction";

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    if flow.unit.session.is_none() {
        return;
    }
    let outside = || flow.unit.steps.iter().enumerate().filter(|(_, step)| step.action == Action::Outside);
    // A lock of the session keeps others out until it is released, whoever works meanwhile.
    for (site, ..) in flow.acquired().filter(|(_, function, _)| function.scope == Scope::Transaction) {
        let under = |id: StepId| flow.trace.before[id].held_any.contains(site) && !flow.is_left_behind(site, id);
        let Some((step, work)) = outside().find(|(id, _)| under(*id)) else {
            let why = "no work under it goes through another session of the same pool";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        if is_gate(context, flow, site, step) {
            let why = "the transaction does nothing but hold the lock, around a function that its caller gives it";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        let harm = if holds_rows(flow, site, step) {
            "may wait for the locked one forever"
        } else {
            "stays where the locked one is rolled back"
        };
        sink.at_site(
            &RULE,
            Level::Warning,
            context,
            (flow, site),
            format!(
                "this lock is held by the transaction, but the work under it goes through another connection, in another \
                 transaction: it commits by itself, and {harm}"
            ),
        )
        .related(Place::new(context.file.id, work.span), "this runs outside of the transaction")
        .help(HELP);
    }
    of_rows(context, flow, sink);
}

/// Rows that the transaction has locked, and another connection changes meanwhile: it waits for the transaction, and the code
/// for it.
fn of_rows(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (site, tables) in flow.unit.sites.iter().enumerate().filter_map(|(site, one)| match &one.lock {
        Lock::Rows { tables } => Some((site, tables)),
        _ => None,
    }) {
        let Some(locked) = Locked::of(context, flow, site) else { continue };
        let waits = |(step, one): &(StepId, &Step)| {
            let changes = match flow.unit.changes.get(step) {
                Some(Change::Told { table, row: Some(row) }) => tables.contains(table) && locked.names(flow, row),
                _ => false,
            };
            let before = &flow.trace.before[*step];
            one.action == Action::Outside && changes && before.in_transaction() && before.held_any.contains(site)
        };
        let Some((_, work)) = flow.unit.steps.iter().enumerate().find(waits) else {
            let why = "nothing in sight changes these rows through another session of the same pool";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        };
        let message = "the transaction holds this row, and the code changes it through another connection: that waits for the \
                       transaction, which waits for the code";
        sink.at_site(&RULE, Level::Warning, context, (flow, site), message)
            .related(Place::new(context.file.id, work.span), "this waits for the locked row")
            .help(HELP);
    }
}

/// Whether the transaction has locked rows, by a write or a locking clause, when the work outside of it begins.
fn holds_rows(flow: &UnitFlow, site: SiteId, work: StepId) -> bool {
    let before = &flow.trace.before[work];
    let of_rows = |site: SiteId| matches!(flow.unit.sites[site].lock, Lock::Rows { .. });
    before.wrote.contains(site) || before.held_any.iter().any(of_rows)
}

/// Whether a transaction does nothing but hold the lock: by the name of its handle, `lock_conn`, or where a function begins it,
/// takes the lock and then runs what it was given, which does the work.
fn is_gate(context: &Context<'_>, flow: &UnitFlow, site: SiteId, work: StepId) -> bool {
    let under = |step: StepId| flow.trace.before[step].held_any.contains(site);
    let is_busy = flow.unit.steps.iter().enumerate().any(|(step, one)| match one.action {
        Action::Work { .. } | Action::ConcurrentIndex => under(step),
        Action::Acquire(other) => other != site && under(step),
        _ => false,
    });
    let handed = flow.unit.session.as_ref().is_some_and(|session| session.handed.is_some());
    if is_busy || handed {
        return false;
    }
    let program = &context.file.program;
    let one = &flow.unit.sites[site];
    if is_called_lock(context.file.source.text().get(..one.span.start).unwrap_or_default()) {
        return true;
    }
    let place = one.via.filter(|via| via.file == context.file.id).map_or(one.span, |via| via.span);
    let of_lock = program.function_around(place).map(|index| program.functions[index].span);
    let given = of_lock.is_some_and(|function| !function.contains(flow.unit.steps[work].span));
    let begins = |step: StepId| matches!(flow.unit.steps[step].action, Action::Begin { .. });
    let takes = |step: StepId| flow.unit.steps[step].action == Action::Acquire(site);
    let followed = |node: &Node| match node {
        Node::Block { label, body } if label.starts_with('\0') => {
            body.steps().any(begins) && body.steps().any(takes) && body.steps().any(|step| step == work)
        }
        _ => false,
    };
    given && flow.unit.root.nodes().any(followed)
}

/// Whether one of the calls that are open at the end of a text is one of something named after locks:
/// `lock_conn.execute(text("SELECT `.
fn is_called_lock(before: &str) -> bool {
    let mut open = 0_usize;
    before.char_indices().rev().take(NEAR).any(|(at, c)| {
        match c {
            ')' => open += 1,
            '(' if open > 0 => open -= 1,
            '(' | '`' => return is_of_lock(&before[..at]),
            _ => {}
        }
        false
    })
}

/// Whether a callee at the end of a text is a member of something named after locks.
fn is_of_lock(callee: &str) -> bool {
    static MEMBER: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"(\w+)(?:\??\.|->)\$?\w+(?:<[^<>]*>)?$").ok());
    let near = callee.char_indices().rev().nth(NEAR).map_or(callee, |(at, _)| &callee[at..]);
    let of = MEMBER.as_ref().and_then(|member| member.captures(near)?.get(1));
    of.is_some_and(|of| {
        let name = of.as_str().to_lowercase();
        ["lock", "guard", "gate", "mutex"].iter().any(|word| name.contains(word))
    })
}
