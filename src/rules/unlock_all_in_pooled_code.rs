//! Every session lock is dropped, those of others on the same session included.

use crate::finding::Level;
use crate::flow::{Owner, Session, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::advisory::Action;
use crate::sql::lex::beginning;

pub(super) const RULE: Rule = Rule {
    name: "unlock-all-in-pooled-code",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/unlock-all-in-pooled-code.md"),
    checks: &[Check::Unit(check)],
};

/// Words in a unit's name by which it says that dropping everything is its job.
const RESETS: &[&str] =
    &["reset", "release", "discard", "clean", "unlock", "recover", "teardown", "checkin", "check_in"];

/// What else stands in the text of a session's reset.
const STATEMENTS: &[&str] = &["RESET ALL", "DISCARD ", "CLOSE ALL", "UNLISTEN *"];

/// How much of the text around an unlock is looked at, in bytes.
const AROUND: usize = 400;

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let name = flow.unit.name.to_lowercase();
    let has_no_borrowers = |session: &Session| matches!(session.owner, Owner::Own | Owner::Reset);
    let silence = if flow.unit.is_run_by_hand() {
        Some("somebody runs it by hand, on a session of their own")
    } else if RESETS.iter().any(|word| name.contains(word) || is_script_called(context, word)) {
        Some("its name says that dropping everything is its job")
    } else if flow.unit.session.as_ref().is_some_and(has_no_borrowers) {
        Some("the connection has no other borrowers")
    } else {
        None
    };
    for (_, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        if function.action != Action::UnlockAll {
            continue;
        }
        let at = flow.unit.sites[site].span;
        let of_reset = || is_reset(context, at).then_some("it stands in the reset of a session");
        let of_end = || is_before_the_end(context, at).then_some("the connection, or its pool, is closed behind it");
        if let Some(silence) = silence.or_else(of_reset).or_else(of_end) {
            sink.silent(&RULE, context, at, silence);
            continue;
        }
        sink.at_site(
            &RULE,
            Level::Note,
            context,
            (flow, site),
            "this also drops the session locks that others took on this connection",
        )
        .help("unlock the key that was locked");
    }
}

/// Whether something is closed a few statements behind a place in host code.
fn is_before_the_end(context: &Context<'_>, at: Span) -> bool {
    const ENDS: &[&str] = &[".end(", ".close(", ".Close(", ".destroy(", ".CloseAsync(", ".disconnect(", ".close!"];
    let text = context.file.source.text();
    let function = context.file.program.function_around(at).and_then(|index| context.file.program.functions.get(index));
    let end = function.map_or(at.end, |function| function.span.end);
    let behind = beginning(text.get(at.end..end).unwrap_or_default(), AROUND);
    // Of a cursor or a result that is no end.
    let is_end = |at: usize| {
        let name = behind[..at].rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        !["cur", "result", "row", "rs", "st"].iter().any(|known| name.starts_with(known))
    };
    ENDS.iter().any(|call| behind.match_indices(call).any(|(at, _)| is_end(at)))
}

/// Whether a word stands in the name of a script that somebody runs: `scripts/release-locks.js`.
fn is_script_called(context: &Context<'_>, word: &str) -> bool {
    let Some((directory, name)) = context.file.source.path().rsplit_once('/') else { return false };
    let is_script = directory.split('/').any(|part| matches!(part, "bin" | "script" | "scripts" | "tools"));
    is_script && name.to_lowercase().contains(word)
}

/// Whether a place in host code is in a function that says so by its name or that a pool calls for each connection that comes
/// back, or beside other statements that reset a session.
fn is_reset(context: &Context<'_>, at: Span) -> bool {
    let (text, program) = (context.file.source.text(), &context.file.program);
    let function = program.function_around(at).and_then(|index| program.functions.get(index));
    let named = function.is_some_and(|function| {
        let name = function.name.to_lowercase();
        let before = tail(text, function.span.start);
        let hooks = before
            .rfind("listens_for")
            .is_some_and(|hook| before[hook..].contains("checkin") || before[hook..].contains("reset"));
        hooks || RESETS.iter().any(|word| name.contains(word))
    });
    let near = || {
        tail(text, at.start).to_uppercase() + &beginning(text.get(at.end..).unwrap_or_default(), AROUND).to_uppercase()
    };
    context.file.is_host() && (named || STATEMENTS.iter().any(|statement| near().contains(statement)))
}

/// The text directly before a place.
fn tail(text: &str, end: usize) -> &str {
    let mut from = end.saturating_sub(AROUND);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..end).unwrap_or_default()
}
