//! Nobody reads whether the lock was granted.

use crate::finding::{Level, Place};
use crate::flow::{Answer, UnitFlow, UnitKind};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{Action, Mode};
use crate::sql::clause::Wait;
use crate::statement::{Statement, Use};

pub(super) const RULE: Rule = Rule {
    name: "try-lock-result-ignored",
    level: Level::Error,
    rank: Rank::Mismatched,
    page: include_str!("../../rules/try-lock-result-ignored.md"),
    checks: &[Check::Unit(check), Check::Statement(rows)],
};

fn check(context: &Context<'_>, flow: &UnitFlow, sink: &mut Sink) {
    for (step, site) in flow.unit.site_steps() {
        let Some((function, _)) = flow.unit.advisory(site) else { continue };
        let taken = &flow.unit.sites[site];
        if function.action != Action::TryLock {
            continue;
        }
        let work = flow.work_after(step);
        let level = match (taken.answer, work) {
            (Answer::Dropped, Some(_)) => Level::Error,
            (Answer::Dropped, None) if flow.unit.work_follows => Level::Error,
            (Answer::Dropped, None) | (Answer::Shown, Some(_)) => Level::Warning,
            (answer, _) => {
                let why = match answer {
                    Answer::Read => "the answer is read, or goes to a caller that may read it",
                    Answer::Shown => "a person sees the answer, and nothing in sight is done after it",
                    Answer::Dropped | Answer::None => "the answer is not known to be dropped",
                };
                sink.silent(&RULE, context, taken.span, why);
                continue;
            }
        };
        // A shared lock may be there to be seen in pg_locks: it is refused only while somebody holds the exclusive one.
        let level = if function.mode == Mode::Shared { Level::Note } else { level };
        let (at, statement) = taken.place(context.file.id, taken.inside.answer);
        let mut story = sink
            .report(
                &RULE,
                level,
                at,
                format!("nobody reads whether `{}` got the lock: what follows runs either way", function.name),
            )
            .statement(statement)
            .unit(&flow.unit.name)
            .about(context.file.id, taken.span)
            .help(match flow.unit.kind {
                UnitKind::Script => "read the answer with \\gset and \\if, or wait with the blocking form",
                UnitKind::Query => "let the query return the answer (`:one`), or wait with the blocking form",
                UnitKind::Host => "fetch the boolean and test it, or wait with the blocking form",
                _ => "test it (`IF NOT pg_try_… THEN RETURN`), or wait with the blocking form",
            });
        if let Some(work) = work {
            story = story
                .related(Place::new(context.file.id, flow.unit.steps[work].span), "this runs without the lock too");
        }
    }
}

/// Rows that are skipped where somebody holds them, by a call that gives no rows back.
fn rows(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    if statement.query.is_none() || statement.result != Use::Dropped || !statement.tree.complete() {
        return;
    }
    for (id, lock) in statement.row_locks() {
        let query = statement.tree.query(id);
        if lock.wait != Wait::SkipLocked || query.parent.is_some() || query.select().is_none() {
            continue;
        }
        sink.at_tokens(
            &RULE,
            Level::Warning,
            context,
            (statement, &lock.tokens),
            "nobody reads which rows this locked: those that another session holds are skipped, and what follows runs either way",
        )
        .help("fetch the rows and look at them, or wait with plain FOR UPDATE");
    }
}
