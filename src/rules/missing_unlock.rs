//! A session lock that nothing releases, on a connection that lives on.

use crate::finding::Level;
use crate::flow::{Evidence, Owner, Session, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Sameness, Scope};

pub(super) const RULE: Rule = Rule {
    name: "missing-unlock",
    level: Level::Warning,
    rank: Rank::Missing,
    page: include_str!("../../rules/missing-unlock.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    if let Some(session) = &flow.unit.session {
        host(context, flow, session, sink);
        return;
    }
    let whose = match (flow.unit.kind, flow.unit.runner) {
        // What the host code runs after a query is not in its unit.
        (UnitKind::Query, _) if context.file.is_host() => return,
        (UnitKind::Query, _) => "the connection that runs this query",
        (UnitKind::Script, Some(_)) => "the migration runner's connection",
        // A psql script's session ends with it; a body's lock is a matter of scope.
        _ => return,
    };
    for (step, site) in flow.unit.site_steps() {
        let Some((function, key)) = flow.unit.advisory(site) else { continue };
        if !function.acquires() || function.scope != Scope::Session {
            continue;
        }
        let elsewhere = context.facts.released_elsewhere(function.mode, key);
        let silence = if flow.has_unlock_attempt(site) {
            Some("an unlock in the same unit is for this lock, or may be")
        } else if flow.trace.before[step].in_transaction() {
            Some("it is taken inside a transaction: session-lock-in-transaction looks at that")
        } else if !flow.held_at_end(site) {
            Some("it is not held where the unit ends")
        } else if elsewhere != Sameness::Different {
            Some("another unit of the tree unlocks this key, or may do so")
        } else if flow.unit.kind == UnitKind::Query && context.facts.query_unlocks_all {
            Some("another query of the tree releases all locks of its session")
        } else {
            None
        };
        if let Some(silence) = silence {
            sink.silent(&RULE, context, flow.unit.sites[site].span, silence);
            continue;
        }
        let level = if key.is_literal() && context.facts.complete { Level::Warning } else { Level::Note };
        let unlock = function.unlock().map_or("pg_advisory_unlock", |unlock| unlock.name);
        sink.at_site(
            &RULE,
            level,
            context,
            (flow, site),
            format!("nothing releases this lock, and {whose} lives on with it"),
        )
        .help(format!(
            "call `{unlock}` with the same key on the same connection, or use the transaction form; \
             giving the connection back to a pool releases nothing"
        ));
    }
}

/// In host code: the connection goes back to its pool with the lock on it.
fn host(context: &Context<'_>, flow: &UnitFlow, session: &Session, sink: &mut Sink) {
    for (site, function, key) in flow.acquired().filter(|(_, function, _)| function.scope == Scope::Session) {
        let elsewhere = context.facts.released_elsewhere(function.mode, key);
        let silence = if session.owner != Owner::Borrowed {
            Some("the connection is not known to be one that was borrowed from a pool and keeps its locks there")
        } else if session.escapes {
            Some(
                "the connection is given to code that is not followed, kept or returned: the lock may be released there",
            )
        } else if !flow.is_given_back(site) {
            Some("the connection is not given back to its pool here")
        } else if session.evidence == Evidence::Name {
            Some("which library the connection is of is known by its name alone")
        } else if flow.has_unlock_attempt(site) {
            Some("an unlock in the same function is for this lock, or may be")
        } else if flow.is_other_form(site) {
            Some("it is another form of a lock that the function unlocks, and never held together with that")
        } else if !flow.is_left_held(site) || flow.trace.truncated {
            Some("it is not held where the function is left")
        } else if elsewhere == Sameness::Equal {
            Some("another function unlocks this key: session-lock-via-pool looks at that")
        } else {
            None
        };
        if let Some(silence) = silence {
            sink.silent(&RULE, context, flow.unit.sites[site].span, silence);
            continue;
        }
        let level = if elsewhere == Sameness::Unknown { Level::Note } else { Level::Warning };
        let unlock = function.unlock().map_or("pg_advisory_unlock", |unlock| unlock.name);
        sink.at_site(
            &RULE,
            level,
            context,
            (flow, site),
            "nothing releases this lock: giving the connection back to its pool does not, and it stays locked there",
        )
        .help(format!(
            "call `{unlock}` with the same key on the same connection on every way out, or use the transaction form"
        ));
    }
}
