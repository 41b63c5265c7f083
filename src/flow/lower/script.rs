//! Scripts, named queries and SQL bodies: statements one after the other.

mod psql;

use super::{Builder, Lowered};
use crate::document::Document;
use crate::flow::UnitKind;
use crate::host::is_stand_in;
use crate::program::Query;
use crate::span::{Span, SqlSpan};
use crate::sql::clause::Entry;
use crate::sql::routine::{ArgumentMode, Returns, Routine, RoutineKind};
use crate::sql::script::{Expects, Runner, Section, SectionKind, Surroundings};
use crate::sql::split::{Piece, Terminator};
use crate::sql::value::SqlType;
use crate::statement::{Statement, Use, Variable, Variables, Wrappers};
use std::sync::Arc;

/// How many statements with a lock are kept of a script: what has more is made by machines, and would fill the memory.
pub(crate) const MAX_STATEMENTS: usize = 1 << 15;

pub(super) fn sections<'d>(
    document: &Document<'d>,
    pieces: &[Piece],
    sections: &[Section],
    wrappers: &Wrappers,
) -> Lowered<'d> {
    let mut lowered = Lowered::default();
    let mut beyond = 0;
    let last_read = psql::last_read(document);
    let variables = Arc::new(psql::constants(document));
    for section in sections {
        let mut builder = Builder::flat();
        let name: Arc<str> = match section.kind {
            SectionKind::Query { .. } => section.name.as_str().into(),
            SectionKind::Script { .. } => "".into(),
        };
        let mut joined = false;
        let before =
            |offset: usize| pieces.partition_point(|piece| document.tokens[piece.tokens.start].span().start < offset);
        let of_section = before(section.span.start)..before(section.span.end);
        for (index, piece) in pieces.iter().enumerate().take(of_section.end).skip(of_section.start) {
            let result = match section.kind {
                SectionKind::Query { expects } => Use::Returned(expects),
                SectionKind::Script { .. } => Use::Shown { stored: psql::is_kept(document, pieces, index, last_read) },
            };
            let tokens = &document.tokens[piece.tokens.clone()];
            if lowered.statements.len() >= MAX_STATEMENTS {
                beyond += super::lock_words(document, tokens);
                continue;
            }
            let statement = Statement::new(
                document,
                tokens,
                Entry::Statement,
                result,
                Arc::clone(&variables),
                Arc::clone(&name),
                wrappers,
            );
            if joined {
                // psql sends both sides of `\;` as one string: one implicit transaction, as if one statement.
                builder.statement = builder.statement.saturating_sub(1);
            }
            joined = piece.end == Terminator::PsqlSeparator;
            if let Some(action) = psql::action(&statement) {
                builder.statement += 1;
                builder.step(action, statement.span);
            } else {
                builder.statement(&statement);
            }
            if statement.is_relevant() {
                lowered.statements.push(statement);
            }
        }
        let (kind, runner) = match &section.kind {
            SectionKind::Script { runner } => (UnitKind::Script, runner.map(Runner::name)),
            SectionKind::Query { .. } => (UnitKind::Query, None),
        };
        let span = document.region.to_source(section.span);
        let root = builder.sequence();
        let mut unit = builder.finish(kind, &name, span, section.surroundings, root);
        unit.runner = runner;
        lowered.units.push(unit);
    }
    lowered.unread = beyond;
    lowered
}

/// A query of a host source: statements that one call sends.
pub(super) fn query<'d>(
    document: &Document<'d>,
    pieces: &[Piece],
    (at, query): (usize, &Query<'_>),
    wrappers: &Wrappers,
) -> Lowered<'d> {
    let mut lowered = Lowered::default();
    let mut builder = Builder::flat();
    for piece in pieces {
        // Of several it is not said which one's rows the caller gets.
        let result = if pieces.len() == 1 { query.result.clone() } else { Use::Returned(Expects::Unknown) };
        let tokens = &document.tokens[piece.tokens.clone()];
        let unit = Arc::clone(&query.unit);
        let mut statement = Statement::new(document, tokens, Entry::Statement, result, Arc::default(), unit, wrappers);
        statement.query = Some(at);
        statement.anchor = query.statement;
        statement.purpose = Arc::clone(&query.purpose);
        statement.when_missing = query.when_missing;
        builder.statement(&statement);
        // All of them: the flow of the host function needs what rules about statements do not.
        lowered.statements.push(statement);
    }
    lowered.unread = built_names(document);
    let root = builder.sequence();
    let mut unit = builder.finish(UnitKind::Query, &query.unit, query.literal, Surroundings::Unknown, root);
    unit.work_follows = query.work_follows;
    lowered.units.push(unit);
    lowered
}

/// How many names of advisory functions are put together at run time.
fn built_names(document: &Document<'_>) -> usize {
    let text = document.region.text();
    let is_built = |name: &str| {
        let name = name.to_ascii_lowercase();
        (name.starts_with("pg_advisory_") || name.starts_with("pg_try_advisory_")) && is_stand_in(&name)
    };
    document.tokens.iter().filter(|token| text.get(token.span().range()).is_some_and(is_built)).count()
}

pub(super) fn sql_body<'d>(
    document: &Document<'d>,
    pieces: &[Piece],
    routine: &Routine,
    wrappers: &Wrappers,
) -> Lowered<'d> {
    let mut lowered = Lowered::default();
    let mut builder = Builder::flat();
    let name: Arc<str> = routine.name.as_deref().unwrap_or_default().into();
    let variables = Arc::new(arguments(routine));
    for (index, piece) in pieces.iter().enumerate() {
        let last = index + 1 == pieces.len();
        let result = match routine.returns {
            Returns::Void | Returns::Nothing => Use::Dropped,
            _ if last => Use::Returned(Expects::Unknown),
            _ => Use::Dropped,
        };
        let tokens = &document.tokens[piece.tokens.clone()];
        // `RETURN expression` has no verb of its own.
        let entry = match routine.body {
            crate::sql::routine::BodyForm::Return(_) => Entry::SelectList,
            _ => Entry::Statement,
        };
        let statement =
            Statement::new(document, tokens, entry, result, Arc::clone(&variables), Arc::clone(&name), wrappers);
        builder.statement(&statement);
        if statement.is_relevant() {
            lowered.statements.push(statement);
        }
    }
    let text = document.region.text();
    let span: Span = document.region.to_source(SqlSpan::new(0, text.len()));
    let root = builder.sequence();
    let unit = builder.finish(kind(routine), &name, span, Surroundings::Unknown, root);
    lowered.units.push(unit);
    lowered
}

/// The arguments of a routine, by their names and by their numbers.
pub(super) fn arguments(routine: &Routine) -> Variables {
    let mut variables = Variables::new();
    let mut number = 0;
    for argument in &routine.arguments {
        let variable = Variable { ty: Some(SqlType::from_name(&argument.ty)), value: None };
        if argument.mode != ArgumentMode::Out {
            number += 1;
            variables.insert(format!("${number}"), variable.clone());
        }
        variables.extend(argument.name.clone().map(|name| (name, variable)));
    }
    variables
}

pub(super) fn kind(routine: &Routine) -> UnitKind {
    match routine.kind {
        RoutineKind::Function => {
            UnitKind::Function { trigger: matches!(routine.returns, Returns::Trigger | Returns::EventTrigger) }
        }
        RoutineKind::Procedure => UnitKind::Procedure { inline: false },
        RoutineKind::Do => UnitKind::Procedure { inline: true },
    }
}
