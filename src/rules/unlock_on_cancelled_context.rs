//! The unlock is sent with a context that is cancelled by then: it is never sent.

use crate::finding::Level;
use crate::flow::{Owner, UnitFlow};
use crate::rule::{Check, Context, Rank, Rule, Sink};

pub(super) const RULE: Rule = Rule {
    name: "unlock-on-cancelled-context",
    level: Level::Warning,
    rank: Rank::ErrorPath,
    page: include_str!("../../rules/unlock-on-cancelled-context.md"),
    checks: &[Check::Unit(check)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    let Some(session) = &flow.unit.session else { return };
    for (site, ..) in flow.released() {
        let silence = if !session.cancelled.contains(&site) {
            Some("it is not sent with a context that is known to be cancelled when cleanup runs")
        } else if matches!(session.owner, Owner::Own | Owner::Reset | Owner::PerCall) {
            Some("a connection that is closed or reset at the end takes the lock with it")
        } else if is_of_program(context.file.source.text()) {
            Some("no context in the file is a request's, and the one that signals cancel ends with the program")
        } else if session.owner != Owner::Borrowed && context.file.source.path().contains("migrat") {
            Some("migrations are run as a program starts, whose context ends with it")
        } else {
            None
        };
        if let Some(silence) = silence {
            sink.silent(&RULE, context, flow.unit.sites[site].span, silence);
            continue;
        }
        // Of a connection that was given it is not known whether it lives on.
        let level = if session.owner == Owner::Borrowed { Level::Warning } else { Level::Note };
        let mut story = sink.at_site(
            &RULE,
            level,
            context,
            (flow, site),
            "if the request is cancelled, this unlock is cancelled before it is sent, and the connection lives on with the \
             lock",
        );
        for (taken, ..) in flow.acquired() {
            story = story.about(context.file.id, flow.unit.sites[taken].span);
        }
        story.help("unlock with a context of its own that is not cancelled with the request, with a timeout");
    }
}

/// Whether the contexts of a program of Go come from signals, and none from a request.
fn is_of_program(text: &str) -> bool {
    text.contains("signal.NotifyContext(") && !text.contains(".Context()")
}
