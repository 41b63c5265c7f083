//! A session lock on a connection that a pooler gives to somebody else after each transaction.

use crate::facts::pooler::{Evidence, Setting};
use crate::finding::{Level, Place};
use crate::flow::{Session, SiteId, StepId, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::settings::Pooling;
use crate::sql::advisory::{Function, Sameness, Scope};

pub(super) const RULE: Rule = Rule {
    name: "session-lock-behind-pooler",
    level: Level::Error,
    rank: Rank::WrongSession,
    page: include_str!("../../rules/session-lock-behind-pooler.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let (setting, silence) = match context.pooling {
        Pooling::None | Pooling::Session => (None, Some("settings say that no pooler changes the session")),
        Pooling::Transaction => (None, None),
        Pooling::Auto => match setting(context, flow) {
            Some(setting) => (Some(setting), None),
            None => (None, Some("no setting that this connection comes from leads to a pooler in transaction mode")),
        },
    };
    for (step, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        if !function.acquires() || function.scope != Scope::Session {
            continue;
        }
        let inside = || (!outlives_transaction(context, flow, step, site)).then_some("it ends with its transaction");
        match silence.or_else(inside) {
            Some(why) => sink.silent(&RULE, context, flow.unit.sites[site].span, why),
            None => report(context, flow, site, function, setting, sink),
        }
    }
}

/// The setting through which the unit's statements are run, where that shows a transaction-mode pooler.
fn setting<'c>(context: &'c Context<'_>, flow: &UnitFlow) -> Option<&'c Setting> {
    let pooler = &context.facts.pooler;
    if let Some(session) = &flow.unit.session {
        return of_session(context, session);
    }
    match flow.unit.runner {
        // Who runs it by hand connects as they like.
        _ if flow.unit.is_run_by_hand() => None,
        Some(runner) => pooler.of_runner(runner),
        // Which program calls it is not known: all of them have to go through the pooler.
        None => pooler.everywhere().filter(|_| context.facts.complete),
    }
}

/// The setting that a session's connection is made by: the variable that the code reads, what its framework reads, or else
/// the only way in that there is.
fn of_session<'c>(context: &'c Context<'_>, session: &Session) -> Option<&'c Setting> {
    let pooler = &context.facts.pooler;
    if let Some(name) = &session.setting {
        return pooler.of_setting(name);
    }
    let by_framework: &[&str] = match session.driver {
        "JDBC" | "Spring JDBC" | "JPA" | "Spring" => &["spring.datasource.url", "spring.datasource.jdbc-url"],
        "Prisma" | "Active Record" | "Ecto" => &["DATABASE_URL"],
        _ => &[],
    };
    let named = by_framework.iter().find_map(|name| pooler.of_setting(name));
    named.or_else(|| pooler.everywhere().filter(|_| context.facts.complete))
}

/// Whether the lock is to be held beyond the transaction in which it is taken: inside one, no pooler changes the session,
/// and a lock that is left behind there is `session-lock-in-transaction`.
fn outlives_transaction(context: &Context<'_>, flow: &UnitFlow, step: StepId, site: SiteId) -> bool {
    if !flow.trace.before[step].in_transaction() {
        return true;
    }
    let Some((function, key)) = flow.unit.advisory(site) else { return false };
    if flow.has_unlock_attempt(site) {
        return flow.commit_under(site).is_some();
    }
    flow.only_acquires() || context.facts.released_elsewhere(function.mode, key) == Sameness::Equal
}

fn report(
    context: &Context<'_>,
    flow: &UnitFlow,
    site: SiteId,
    function: &Function,
    setting: Option<&Setting>,
    sink: &mut Sink,
) {
    let whose = match (flow.unit.kind, flow.unit.runner) {
        (UnitKind::Script, Some(runner)) => format!("{runner}'s session"),
        (UnitKind::Script, None) => "the script's session".to_owned(),
        _ => "the caller's session".to_owned(),
    };
    let shown = setting.map_or_else(
        || "locklint.toml says `pooling = \"transaction\"`".to_owned(),
        |setting| format!("`{}` in {} leads there", setting.name, setting.path),
    );
    let level = if setting.is_some() { Level::Warning } else { Level::Error };
    let place = Place::new(context.file.id, flow.unit.sites[site].span);
    let mut help = String::from("run this through a direct connection or a pooler in session mode");
    if let Some(form) = function.with_scope(Scope::Transaction) {
        help.push_str(&format!(", or use `{}` inside the transaction that does the work", form.name));
    }
    let message = format!(
        "{whose} is a transaction-mode pooler's ({shown}): after this transaction the server session goes to another \
         client with the lock still on it"
    );
    let mut story = sink
        .report(&RULE, level, place, message)
        .statement(flow.unit.sites[site].statement)
        .unit(&flow.unit.name)
        .help(help);
    if let Some(setting) = setting
        && let Evidence::Transaction { at, why } = &setting.evidence
    {
        let leads = format!("`{}` leads to {}", setting.name, setting.target);
        story = match at {
            Some(at) => story.related(setting.at, leads).related(*at, *why),
            None => story.related(setting.at, format!("{leads}: {why}")),
        };
        let _ = story;
    }
}
