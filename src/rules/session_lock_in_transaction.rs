//! The session form inside a transaction, with nothing that unlocks it.

use crate::finding::{Fix, Level, Place};
use crate::flow::{Begins, Owner, SiteId, StepId, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink, rename};
use crate::span::Span;
use crate::sql::advisory::{Function, Sameness, Scope};

pub(super) const RULE: Rule = Rule {
    name: "session-lock-in-transaction",
    level: Level::Error,
    rank: Rank::WrongScope,
    page: include_str!("../../rules/session-lock-in-transaction.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        let Some((function, key)) = flow.unit.advisory(site) else { continue };
        if !function.acquires() || function.scope != Scope::Session {
            continue;
        }
        let elsewhere = context.facts.released_elsewhere(function.mode, key);
        if let Some(why) = silence(flow, step, site, elsewhere) {
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        let begin = flow.trace.before[step].begin();
        let annotated = flow.unit.session.as_ref().is_some_and(|session| session.annotated);
        let sure = if begin.is_some() || annotated { Level::Error } else { flow.unit.given_transaction_level() };
        if sure == Level::Warning && elsewhere == Sameness::Unknown && !key.is_literal() {
            let why = "another unit of the tree unlocks a key that varies as this one does";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        if flow.unit.kind == (UnitKind::Procedure { inline: true }) && context.file.is_host() && begin.is_none() {
            let why = "a block that host code sends is a step of a session that the code may close, or unlock on later";
            sink.silent(&RULE, context, flow.unit.sites[site].span, why);
            continue;
        }
        // An unlock of some key in another unit may be for this one.
        let level = match (sure, elsewhere) {
            (Level::Error, Sameness::Unknown) => Level::Warning,
            (Level::Warning, Sameness::Unknown) => Level::Note,
            _ => sure,
        };
        let Some(form) = function.with_scope(Scope::Transaction) else { continue };
        report(context, flow, site, function, form, level, begin.map(|step| flow.unit.steps[step].span), sink);
    }
}

/// Why a lock of the session is no leak of a transaction; `elsewhere` is whether another unit unlocks it.
fn silence(flow: &UnitFlow, step: StepId, site: SiteId, elsewhere: Sameness) -> Option<&'static str> {
    let before = &flow.trace.before[step];
    if !before.in_transaction() {
        return Some("it is not known to be taken inside a transaction");
    }
    if flow.has_unlock_attempt(site) || flow.has_unlock_of_its_key(site) {
        return Some("an unlock in the same unit is for this lock, or may be");
    }
    if flow.only_acquires() {
        return Some("the routine does nothing but lock: its caller unlocks");
    }
    if elsewhere == Sameness::Equal {
        return Some("another unit of the tree unlocks this key");
    }
    let session = flow.unit.session.as_ref()?;
    if session.escapes {
        return Some("the connection is given to code that is not followed: the lock may be released there");
    }
    if session.owner == Owner::Own && flow.ends_session() {
        return Some("the connection is closed, and the lock with it");
    }
    (before.begin().is_none() && session.begins != Begins::Already)
        .then_some("the transaction is one that the client begins by itself, and code elsewhere may switch that off")
}

#[expect(clippy::too_many_arguments, reason = "one story, told once")]
fn report(
    context: &Context<'_>,
    flow: &UnitFlow,
    site: SiteId,
    function: &Function,
    form: &Function,
    level: Level,
    begin: Option<Span>,
    sink: &mut Sink,
) {
    let span = flow.unit.sites[site].span;
    let place = Place::new(context.file.id, span);
    let what = match flow.unit.kind {
        UnitKind::Function { trigger: true } => "in a trigger",
        UnitKind::Function { .. } => "in a function",
        UnitKind::Procedure { inline: false } => "in a procedure",
        UnitKind::Procedure { inline: true } => "in a DO block",
        UnitKind::Script | UnitKind::Query | UnitKind::Host => "inside a transaction",
    };
    let message = format!(
        "`{}` {what}, and nothing here unlocks it: the lock outlives COMMIT and ROLLBACK and stays with the session",
        function.name
    );
    let mut story = sink
        .report(&RULE, level, place, message)
        .statement(flow.unit.sites[site].statement)
        .unit(&flow.unit.name)
        .help(format!("use `{}`, which is released with the transaction", form.name));
    if let Some(begin) = begin {
        story = story.related(Place::new(context.file.id, begin), "the transaction begins here");
    }
    if level == Level::Error
        && let Some(edit) = rename(context.file.source, span, function, form)
    {
        let title = format!("Use {}", form.name);
        story.fix(Fix { title, safe: true, edits: vec![edit] });
    }
}
