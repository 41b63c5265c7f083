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
        if !function.acquires() || function.scope != Scope::Session || flow.has_unlock_attempt(site) {
            continue;
        }
        let before = &flow.trace.before[step];
        if before.in_transaction() || !flow.held_at_end(site) {
            continue;
        }
        if context.facts.released_elsewhere(function.mode, key) != Sameness::Different {
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
    if session.owner != Owner::Borrowed || !session.returned || session.escapes || session.evidence == Evidence::Name {
        return;
    }
    for (site, function, key) in flow.acquired() {
        let left = flow.is_left_held(site);
        if function.scope != Scope::Session || flow.has_unlock_attempt(site) || !left || flow.trace.truncated {
            continue;
        }
        let level = match context.facts.released_elsewhere(function.mode, key) {
            Sameness::Equal => continue,
            Sameness::Unknown => Level::Note,
            Sameness::Different => Level::Warning,
        };
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
