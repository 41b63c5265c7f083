//! A session lock through a handle that may run the next call on another session.

use crate::finding::{Level, Place};
use crate::flow::{self, Begins, Evidence, Owner, Session, SiteId, StepId, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action, Key, Mode, Sameness, Scope};

pub(super) const RULE: Rule = Rule {
    name: "session-lock-via-pool",
    level: Level::Error,
    rank: Rank::WrongSession,
    page: include_str!("../../rules/session-lock-via-pool.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let Some(session) = &flow.unit.session else { return };
    let silence = if session.evidence == Evidence::Name {
        Some("which library the handle is of is known by its name alone")
    } else if matches!(session.owner, Owner::PerCall | Owner::Borrowed)
        && context.facts.pools.may_be_one(session, context.file.source.language())
    {
        // A pool of one connection is none.
        Some("the pool has one connection, or may be the one of the tree that has")
    } else {
        None
    };
    if let Some(silence) = silence {
        for (site, ..) in flow.acquired().filter(|(_, function, _)| function.scope == Scope::Session) {
            sink.silent(&RULE, context, flow.unit.sites[site].span, silence);
        }
        return;
    }
    for (site, function, key) in flow.acquired() {
        if function.scope != Scope::Session {
            continue;
        }
        let at = flow.unit.sites[site].span;
        let elsewhere = context.facts.released_elsewhere(function.mode, key);
        let what = match session.owner {
            // A facade's caller may have pinned a connection, where nothing here needs one.
            Owner::PerCall if session.is_global && flow.is_alone(site) => {
                sink.silent(&RULE, context, at, "nothing else is done here, and a caller may have pinned the connection");
                continue;
            }
            Owner::PerCall => (
                Level::Error,
                format!(
                    "{} may run each call on another connection: the lock stays on the one that took it, and the unlock \
                     or the work goes to another",
                    whose(session)
                ),
            ),
            Owner::UntilCommit if flow.has_unlock_attempt(site) && is_ended_before_unlock(flow, site) => (
                Level::Warning,
                format!(
                    "{} gives its connection back at each commit: the lock stays on that one, and the unlock may go to \
                     another",
                    whose(session)
                ),
            ),
            // Entity Framework: outside of a transaction each statement opens a connection of its own.
            Owner::UntilCommit
                if session.begins == Begins::NeverByDefault
                    && !session.escapes
                    && !is_in_transaction(flow, site)
                    && !flow.is_alone(site) =>
            {
                (
                    if session.is_local() { Level::Error } else { Level::Warning },
                    format!(
                        "{} opens a connection for each statement outside of a transaction: the lock stays on the one that \
                         took it, and the unlock or the work goes to another",
                        whose(session)
                    ),
                )
            }
            Owner::Borrowed
                if flow.is_given_back(site)
                    && !session.escapes
                    && flow.is_left_held(site)
                    && !flow.has_unlock_attempt(site)
                    && elsewhere == Sameness::Equal
                    && !is_unlocked_beside(context, flow, function.mode, key) =>
            {
                (
                    Level::Error,
                    "the connection goes back to its pool with the lock on it, and the unlock elsewhere runs on another \
                     connection"
                        .to_owned(),
                )
            }
            owner => {
                sink.silent(&RULE, context, at, why_silent(owner));
                continue;
            }
        };
        report(context, flow, session, site, what, sink);
    }
    if session.owner == Owner::PerCall {
        unlocks_elsewhere(context, flow, session, sink);
    }
}

/// Why a lock on a session of this owner is none on a pool.
const fn why_silent(owner: Owner) -> &'static str {
    match owner {
        Owner::Borrowed => "one connection is borrowed for all calls of the function",
        Owner::Reset => "one connection is borrowed, and its pool releases what is held when it comes back",
        Owner::Own => "the connection is the program's own",
        Owner::Given => "it is one connection, and the code does not say where it comes from",
        Owner::Ambient => "the framework keeps one connection for the thread, request or process",
        Owner::UntilCommit => "no transaction ends between this lock and what belongs to it",
        Owner::PerCall | Owner::Unknown => "nothing is known of the handle's library",
    }
}

fn is_in_transaction(flow: &UnitFlow, site: SiteId) -> bool {
    flow.unit.site_steps().any(|(step, id)| id == site && flow.trace.before[step].in_transaction())
}

/// Whether the same function unlocks the key on another session: that unlock is told.
fn is_unlocked_beside(context: &Context<'_>, flow: &UnitFlow, mode: Mode, key: &Key) -> bool {
    let beside = |other: &&UnitFlow| {
        let pool = other.unit.session.as_ref().is_some_and(|other| other.owner == Owner::PerCall);
        pool && other.unit.span == flow.unit.span
    };
    context.file.units.iter().filter(beside).any(|other| {
        other.released().any(|(_, unlock, released)| unlock.mode == mode && released.compare(key) == Sameness::Equal)
    })
}

fn whose(session: &Session) -> String {
    if session.handle.is_empty() { "this handle".to_owned() } else { format!("`{}`", session.handle) }
}

fn report(
    context: &Context<'_>,
    flow: &UnitFlow,
    session: &Session,
    site: SiteId,
    (level, message): (Level, String),
    sink: &mut Sink,
) {
    let taken = &flow.unit.sites[site];
    let (at, statement) = taken.place(context.file.id, taken.inside.session);
    let mut story = sink
        .report(&RULE, level, at, message)
        .statement(statement)
        .unit(&flow.unit.name)
        .about(context.file.id, taken.span);
    if let Some(declared) = session.declared {
        story = story.related(Place::new(context.file.id, declared), "the handle comes from here");
    }
    // The unlocks have no fault of their own.
    for (release, ..) in flow.released() {
        story = story.about(context.file.id, flow.unit.sites[release].span);
    }
    let pin = if session.pin.is_empty() { String::new() } else { format!(" with {}", session.pin) };
    story.help(format!(
        "take one connection{pin} for the lock, the work and the unlock, or use the transaction form inside one transaction"
    ));
}

/// Unlocks through the pool of what the same function locked on a connection.
fn unlocks_elsewhere(context: &Context<'_>, flow: &UnitFlow, session: &Session, sink: &mut Sink) {
    for (release, unlock, key) in flow.released() {
        if flow.acquired().next().is_some() {
            return;
        }
        let others = context.file.units.iter().filter(|other| {
            other.unit.span == flow.unit.span && other.unit.session.as_ref().is_some_and(|other| other != session)
        });
        let taken = others.flat_map(|other| other.acquired().map(move |found| (other, found))).find(
            |(other, (site, function, taken))| {
                function.scope == Scope::Session
                    && function.mode == unlock.mode
                    && function.action != Action::Unlock
                    && taken.compare(key) == Sameness::Equal
                    && !other.has_unlock_attempt(*site)
            },
        );
        let Some((other, (site, ..))) = taken else { continue };
        let taken = other.unit.sites[site].span;
        let level = if session.evidence == Evidence::Declared { Level::Error } else { Level::Warning };
        sink.at_site(
            &RULE,
            level,
            context,
            (flow, release),
            "this unlock may run on another connection than the one that holds the lock: it returns false there, and the lock stays",
        )
        .related(Place::new(context.file.id, taken), "the lock is taken here, on one connection")
        .about(context.file.id, taken)
        .help("unlock on the connection that took the lock");
    }
}

/// Whether a transaction ends under a lock, and something is unlocked later: the end of a `with` comes after all unlocks.
fn is_ended_before_unlock(flow: &UnitFlow, site: SiteId) -> bool {
    let releases = |(step, _): (StepId, SiteId)| {
        matches!(flow.unit.steps[step].action, flow::Action::Release(_) | flow::Action::ReleaseAll(_)).then_some(step)
    };
    let last = flow.unit.site_steps().filter_map(releases).max();
    flow.endings_under(site).any(|end| last.is_some_and(|last| end < last))
}
