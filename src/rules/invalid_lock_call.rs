//! A call that no advisory function takes: wrong name, number or type of arguments.

use crate::finding::{Level, Place};
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{self, Action};
use crate::sql::clause::{Call, Clause, Tokens, Tree, Verb};
use crate::sql::lex::TokenKind;
use crate::sql::value::{SqlType, Value, value};
use crate::statement::Statement;

pub(super) const RULE: Rule = Rule {
    name: "invalid-lock-call",
    level: Level::Error,
    rank: Rank::Refused,
    page: include_str!("../../rules/invalid-lock-call.md"),
    checks: &[Check::Statement(check)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    for call in tree.calls() {
        if !call.name.to_ascii_lowercase().contains("advisory") || call.schema.as_deref().is_some_and(|s| s != "pg_catalog") {
            continue;
        }
        // A function of the tree's own takes what the built-in one does not.
        if context.facts.own_functions.contains(&call.name) {
            continue;
        }
        let Some((message, help)) = fault(tree, &call) else { continue };
        sink.report(&RULE, Level::Error, Place::new(context.file.id, statement.source(&call.tokens)), message)
            .statement(statement.span)
            .unit(&statement.unit)
            .help(help);
    }
}

fn fault(tree: &Tree<'_>, call: &Call) -> Option<(String, String)> {
    let Some(function) = advisory::function(&call.name) else {
        return invented(&call.name);
    };
    let refuse = |what: String, help: &str| Some((format!("the server refuses this call: {what}"), help.to_owned()));
    if *tree.verb() == Verb::Call && call.clause == Clause::Other {
        return refuse(format!("{} is a function, not a procedure (SQLSTATE 42809)", function.name), "call it in a SELECT");
    }
    if call.args.iter().any(|arg| tree.top(arg.clone()).any(|index| matches!(tree.raw(index), "=>" | ":="))) {
        return refuse("its arguments have no names (SQLSTATE 42883)".to_owned(), "give the keys by position");
    }
    // A hole may stand for any number of arguments.
    if call.args.iter().any(|arg| arg.len() == 1 && is_template(tree, arg)) && call.args.len() < 3 {
        return None;
    }
    let types: Vec<Option<SqlType>> = call.args.iter().map(|arg| value(tree, arg).fold().ty()).collect();
    match (function.action, types.as_slice()) {
        (Action::UnlockAll, []) => None,
        (Action::UnlockAll, _) => refuse(format!("{} takes no arguments (SQLSTATE 42883)", function.name), "leave them out"),
        (_, [Some(ty)]) if !is_integer(ty, tree, &call.args[0]) => {
            refuse(format!("the one-key form takes a bigint, not {} (SQLSTATE 42883)", spell(ty)), "hash it: hashtextextended(…, 0) gives a bigint")
        }
        (_, [_]) => None,
        (_, [first, second]) => {
            let wrong = [first, second].into_iter().zip(&call.args).find_map(|(ty, arg)| {
                ty.as_ref().filter(|ty| **ty == SqlType::Int8 || !is_integer(ty, tree, arg))
            })?;
            refuse(
                format!("the two-key form takes two integers, not {} (SQLSTATE 42883)", spell(wrong)),
                "use hashtext(…) for the second key, or the one-key form with a bigint",
            )
        }
        (_, []) => refuse("it has no key (SQLSTATE 42883)".to_owned(), "give it one bigint, or two integers"),
        _ => refuse("there is no form with more than two keys (SQLSTATE 42883)".to_owned(), "give it one bigint, or two integers"),
    }
}

/// A name that looks like one of the family, but is none.
fn invented(name: &str) -> Option<(String, String)> {
    let lower = name.to_ascii_lowercase();
    let family = lower.starts_with("pg_") && (lower.contains("lock") || lower.contains("xact"));
    if !family {
        return None;
    }
    let help = if lower.contains("xact") && lower.contains("unlock") {
        "a transaction-level lock is released at the end of its transaction; there is no unlock".to_owned()
    } else if advisory::function(&lower).is_some() {
        format!("write `{lower}` without quotes, or in lower case")
    } else {
        "the functions are pg_[try_]advisory_[xact_]lock[_shared], pg_advisory_unlock[_shared] and pg_advisory_unlock_all".to_owned()
    };
    Some((format!("the server refuses this call: there is no function `{name}` (SQLSTATE 42883)"), help))
}

/// A hole of a template, which is filled in as text; a driver's placeholder is one value.
fn is_template(tree: &Tree<'_>, arg: &Tokens) -> bool {
    tree.kind(arg.start) == Some(TokenKind::Hole) && tree.raw(arg.start).contains(['{', '<'])
}

/// Whether a type is an integer, or becomes one where an integer is wanted.
fn is_integer(ty: &SqlType, tree: &Tree<'_>, arg: &Tokens) -> bool {
    match ty {
        SqlType::Int2 | SqlType::Int4 | SqlType::Int8 => true,
        // A string constant is read as an integer, if it is one.
        SqlType::Unknown => match value(tree, arg).fold() {
            Value::Text(text) => text.trim().parse::<i64>().is_ok(),
            _ => true,
        },
        // A type of the tree's own may be a domain over an integer.
        SqlType::Other(name) => !name.starts_with("timestamp") && !matches!(name.as_str(), "date" | "json" | "jsonb" | "interval"),
        _ => false,
    }
}

fn spell(ty: &SqlType) -> String {
    match ty {
        SqlType::Int2 => "smallint",
        SqlType::Int4 => "integer",
        SqlType::Int8 => "bigint",
        SqlType::Numeric => "numeric",
        SqlType::Float => "double precision",
        SqlType::Text => "text",
        SqlType::Boolean => "boolean",
        SqlType::Bits => "bit",
        SqlType::Bytea => "bytea",
        SqlType::Uuid => "uuid",
        SqlType::Oid => "oid",
        SqlType::Unknown => "a string that is no integer",
        SqlType::Other(name) => name,
    }
    .to_owned()
}
