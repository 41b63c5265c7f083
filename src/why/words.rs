//! What is recognised, in words.

use crate::flow::interpret::{Before, Way};
use crate::flow::{Begins, Evidence, Owner, Session, Unit, UnitKind};
use crate::host::shown_key;
use crate::sql::advisory::{Action, Function, Key, Mode, Scope};
use crate::sql::clause::{RowLock, Strength, Wait};
use crate::sql::script::{Expects, Surroundings};
use crate::statement::{Missing, Use};

pub(super) fn call(function: &Function, key: &Key, call: &str) -> String {
    let mode = match function.mode {
        Mode::Exclusive => "exclusive",
        Mode::Shared => "shared",
    };
    let scope = match function.scope {
        Scope::Session => "session-level",
        Scope::Transaction => "transaction-level",
    };
    let what = match function.action {
        Action::Lock => format!("`{}`: waits for the {mode}, {scope} lock", function.name),
        Action::TryLock => format!("`{}`: takes the {mode}, {scope} lock if it is free", function.name),
        Action::Unlock => format!("`{}`: releases the {mode}, {scope} lock", function.name),
        Action::UnlockAll => return format!("`{}`: releases all session-level locks of the session", function.name),
    };
    let shown = shown_key(key.to_string(), call);
    match key {
        Key::Unknown => format!("{what}; its key was not understood"),
        Key::Bigint(_) => format!("{what} with the bigint key {shown}"),
        Key::Pair(..) => format!("{what} with the (integer, integer) key {shown}"),
    }
}

pub(super) fn row_lock(lock: &RowLock) -> String {
    let strength = match lock.strength {
        Strength::Update => "FOR UPDATE",
        Strength::NoKeyUpdate => "FOR NO KEY UPDATE",
        Strength::Share => "FOR SHARE",
        Strength::KeyShare => "FOR KEY SHARE",
    };
    let wait = match lock.wait {
        Wait::Block => "waits for rows that others hold",
        Wait::NoWait => "fails where others hold a row",
        Wait::SkipLocked => "leaves out rows that others hold",
    };
    format!("{strength}: {wait}")
}

pub(super) fn result(result: &Use) -> &'static str {
    match result {
        Use::Shown { stored: false } => "the result is shown",
        Use::Shown { stored: true } => "the result is kept in psql's variables",
        Use::Returned(Expects::One) => "the result goes to the caller, who expects one row",
        Use::Returned(Expects::Nothing) | Use::Dropped => "nobody sees the result",
        Use::Returned(_) => "the result goes to the caller",
        Use::Value => "the result decides something, or is computed with",
        Use::Stored { read: true } => "the result goes into a variable that is read",
        Use::Stored { read: false } => "the result goes into a variable that nobody reads",
    }
}

pub(super) const fn missing(missing: Missing) -> &'static str {
    match missing {
        Missing::Fails => "with no row the code takes it for one that does not exist",
        Missing::GoesOn => "with no row the code goes on without one",
        Missing::HandedOn => "with no row its callers are given none",
        Missing::Skipped => "with no row the callers in this file go on without one",
    }
}

pub(super) fn unit(unit: &Unit) -> String {
    let named = |what: &str| if unit.name.is_empty() { what.to_owned() } else { format!("{what} `{}`", unit.name) };
    let what = match (unit.kind, unit.runner) {
        (UnitKind::Script, Some(runner)) => format!("in a script that {runner} runs"),
        (UnitKind::Script, None) => "in a script of no known runner".to_owned(),
        (UnitKind::Query, _) => named("in the query"),
        (UnitKind::Function { trigger: false }, _) => named("in the function"),
        (UnitKind::Function { trigger: true }, _) => named("in the trigger's function"),
        (UnitKind::Procedure { inline: false }, _) => named("in the procedure"),
        (UnitKind::Procedure { inline: true }, _) => "in a DO block".to_owned(),
        (UnitKind::Host, _) => named("in"),
    };
    let around = match unit.surroundings {
        Surroundings::Autocommit { evident: true } => "each statement is its own transaction, as the file says",
        Surroundings::Autocommit { evident: false } => {
            "each statement is its own transaction, unless it is run otherwise"
        }
        Surroundings::Runner => "the runner opens a transaction around it",
        Surroundings::OneString => "it is sent as one string, which is one transaction unless it holds BEGIN or COMMIT",
        Surroundings::Unknown => "whether a transaction is around it is the caller's affair",
    };
    format!("{what}: {around}")
}

pub(super) fn session(function: &str, session: &Session) -> String {
    let handle = if session.handle.is_empty() { "a handle" } else { &format!("`{}`", session.handle) };
    let library = match (session.driver, session.evidence) {
        ("", _) => "of no known library".to_owned(),
        (driver, Evidence::Declared) => format!("of {driver}, by a type or a constructor"),
        (driver, Evidence::Shape) => format!("of {driver}, by an import and a call that nothing else has"),
        (driver, Evidence::Name) => format!("perhaps of {driver}, by its name alone"),
    };
    let function = if function.is_empty() { String::new() } else { format!("in `{function}`, ") };
    format!("{function}on {handle} {library}")
}

pub(super) fn handling(session: &Session) -> Vec<&'static str> {
    let mut found = vec![match session.owner {
        Owner::PerCall => "each call may run on another connection of a pool",
        Owner::Borrowed => "one connection, borrowed from a pool that keeps its session state when it comes back",
        Owner::Reset => "one connection, borrowed from a pool that resets it when it comes back",
        Owner::Own => "the program's own connection",
        Owner::Given => "one connection, of which the code does not say where it comes from",
        Owner::UntilCommit => "a connection that is borrowed by the first statement and given back with each COMMIT",
        Owner::Ambient => "the connection that a framework keeps for the thread, request or process",
        Owner::Unknown => "whose connection it is is not known",
    }];
    found.push(match session.begins {
        Begins::Never => "in autocommit, unless a BEGIN is in sight",
        Begins::NeverByDefault => "in autocommit by default, which code elsewhere may change",
        Begins::ByItself => "the first statement begins a transaction by itself",
        Begins::Already => "the handle stands for an open transaction",
        Begins::Unknown => "when a transaction begins on it is not known",
    });
    let more = [
        (session.escapes, "it is given to code that is not followed, kept or returned"),
        (session.returned, "it goes back to its pool before the function ends"),
        (session.is_parameter, "a caller hands it in"),
        (session.is_field && !session.is_parameter, "it is a field, which other methods share"),
        (session.is_entry, "a framework calls the function itself"),
    ];
    found.extend(more.into_iter().filter(|(holds, _)| *holds).map(|(_, told)| told));
    found
}

pub(super) fn transaction(before: &Before) -> &'static str {
    if before.reached == 0 {
        "no way leads here"
    } else if before.begin().is_some() {
        "inside a transaction that is begun here"
    } else if before.in_transaction() {
        "inside a transaction"
    } else if before.autocommit() {
        "outside of any transaction"
    } else {
        "whether a transaction is open here is not known"
    }
}

pub(super) const fn way(way: Way) -> &'static str {
    match way {
        Way::End => "still held at the end",
        Way::Return => "still held where this returns",
        Way::Raise => "still held where this raises",
        Way::Failure => "still held where this fails",
    }
}
