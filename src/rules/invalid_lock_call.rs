//! A call that no advisory function takes: wrong name, number or type of arguments.

use crate::finding::{Level, Place};
use crate::host::is_stand_in;
use crate::language::{HostLanguage, Language};
use crate::program::keys::Keys;
use crate::rule::{Check, Context, Rank, Rule, Sink};
use crate::sql::advisory::{self, Action, Function};
use crate::sql::clause::{Call, Clause, Tokens, Tree, Verb};
use crate::sql::lex::TokenKind;
use crate::sql::value::{SqlType, Value, value};
use crate::statement::{MAX_LOCKS, Statement};

pub(super) const RULE: Rule = Rule {
    name: "invalid-lock-call",
    level: Level::Error,
    rank: Rank::Refused,
    page: include_str!("../../rules/invalid-lock-call.md"),
    checks: &[Check::Statement(check), Check::File(of_builders), Check::File(of_host)],
};

fn check(context: &Context<'_>, statement: &Statement<'_>, sink: &mut Sink) {
    let tree = &statement.tree;
    let mut calls = tree.calls().to_vec();
    calls.extend(procedure(tree));
    // An outer one stands before those in its arguments.
    calls.sort_by_key(|call| (call.tokens.start, std::cmp::Reverse(call.tokens.end)));
    // A file that was not seen may define a function that takes what the built-in one does not.
    let level = if context.facts.complete { Level::Error } else { Level::Warning };
    let names = |call: &Call| {
        call.is_built_in()
            && call.name.to_ascii_lowercase().contains("advisory")
            && !context.facts.own_functions.contains(&call.name)
            && !is_stand_in(&call.name)
    };
    let named = calls.iter().enumerate().filter(|(_, call)| names(call));
    for (index, call) in named.take(MAX_LOCKS) {
        let Some(fault) = fault(statement, call, &calls[index..]) else { continue };
        sink.at_tokens(&RULE, level, context, (statement, &call.tokens), fault.message()).help(fault.help);
    }
}

/// The same where a query builder calls it.
fn of_builders(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    let level = if context.facts.complete { Level::Error } else { Level::Warning };
    for call in &file.builder_calls {
        if context.facts.own_functions.contains(&call.name.to_ascii_lowercase()) {
            continue;
        }
        let fault = match advisory::function(call.name) {
            Some(function) => call.keys.and_then(|keys| wrong_count(function, keys)),
            None => invented(call.name),
        };
        let Some(fault) = fault else { continue };
        let function = call.function.and_then(|index| file.program.functions.get(index));
        sink.report(&RULE, level, Place::new(file.id, call.at), fault.message())
            .unit(function.map_or("", |function| function.name))
            .help(fault.help);
    }
}

/// Keys that host code makes, of which half are no bigint.
fn of_host(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    let Language::Host(language) = file.source.language() else { return };
    let made = |name: &str| context.facts.constants.made(file.source, language, name);
    let keys = Keys { text: file.source.text(), language, program: &file.program, made: &made };
    for key in keys.unsigned() {
        let function = key.function.and_then(|index| file.program.functions.get(index));
        sink.report(
            &RULE,
            Level::Error,
            Place::new(file.id, key.lock),
            "the server refuses half of these keys: a number without a sign is no bigint from 2^63 on (SQLSTATE 42883 or 22003)",
        )
        .statement(key.statement.join(key.lock))
        .unit(function.map_or("", |function| function.name))
        .related(key.elsewhere.unwrap_or(Place::new(file.id, key.at)), "eight bytes of a digest, without a sign")
        .help(match language {
            HostLanguage::Python => "read the bytes with a sign: `int.from_bytes(…, signed=True)`",
            HostLanguage::Ruby => "read the bytes with a sign: `digest.unpack1(\"q>\")`",
            _ => "read the bytes with a sign: `readBigInt64BE(0)`, or `BigInt.asIntN(64, …)`",
        });
    }
}

/// What CALL calls, which is no expression.
fn procedure(tree: &Tree<'_>) -> Option<Call> {
    if *tree.verb() != Verb::Call {
        return None;
    }
    let open = tree.all().find(|&index| tree.kind(index) == Some(TokenKind::LeftParen))?;
    let name_token = open.checked_sub(1)?;
    let qualified = open >= 4 && tree.kind(open - 2) == Some(TokenKind::Dot);
    Some(Call {
        schema: qualified.then(|| tree.ident(open - 3).map(|name| name.into_owned())).flatten(),
        name: tree.ident(name_token)?.into_owned(),
        name_token,
        tokens: (if qualified { open - 3 } else { name_token })..tree.partner(open)? + 1,
        args: tree.commas(open + 1..tree.partner(open)?),
        query: None,
        clause: Clause::Other,
        conditional: false,
    })
}

/// Why the server refuses a call.
struct Fault {
    what: String,
    /// SQLSTATE.
    code: &'static str,
    help: String,
}

impl Fault {
    fn new(code: &'static str, what: impl Into<String>, help: &str) -> Option<Self> {
        Some(Self { what: what.into(), code, help: help.to_owned() })
    }

    fn message(&self) -> String {
        format!("the server refuses this call: {} (SQLSTATE {})", self.what, self.code)
    }
}

/// `calls` are it and those after it, in the order of the text.
fn fault(statement: &Statement<'_>, call: &Call, calls: &[Call]) -> Option<Fault> {
    let tree = &statement.tree;
    let typed = |arg: &Tokens| statement.with_types(value(tree, arg), call.query);
    let Some(function) = advisory::function(&call.name) else {
        return invented(&call.name);
    };
    if *tree.verb() == Verb::Call && call.clause == Clause::Other {
        return Fault::new("42809", format!("{} is a function, not a procedure", function.name), "call it in a SELECT");
    }
    let named = |arg: &Tokens| tree.top(arg.clone()).any(|index| matches!(tree.raw(index), "=>" | ":="));
    if call.args.iter().any(named) {
        return Fault::new("42883", "its arguments have no names", "give the keys by position");
    }
    // A hole may stand for any number of arguments.
    if call.args.iter().any(|arg| arg.len() == 1 && is_template(tree, arg)) && call.args.len() < 3 {
        return None;
    }
    match (function.action, call.args.as_slice()) {
        (Action::UnlockAll, _) => wrong_count(function, call.args.len()),
        (_, [key]) => wrong(&typed(key), &SqlType::Int8),
        (_, [first, second]) => wrong(&typed(first), &SqlType::Int4).or_else(|| wrong(&typed(second), &SqlType::Int4)),
        (_, keys) => wrong_count(function, keys.len()),
    }
    .or_else(|| {
        let inside = |inner: &&Call| call.args.iter().any(|arg| arg.contains(&inner.name_token));
        let around = calls.iter().take_while(|inner| inner.tokens.start < call.tokens.end);
        around.filter(inside).find_map(|inner| wrong_hash(statement, inner))
    })
}

/// Why a function cannot have so many arguments.
fn wrong_count(function: &Function, arguments: usize) -> Option<Fault> {
    match (function.action, arguments) {
        (Action::UnlockAll, 0) => None,
        (Action::UnlockAll, _) => {
            Fault::new("42883", format!("{} takes no arguments", function.name), "leave them out")
        }
        (_, 0) => Fault::new("42883", "it has no key", "give it one bigint, or two integers"),
        (_, 1 | 2) => None,
        _ => Fault::new("42883", "there is no form with more than two keys", "give it one bigint, or two integers"),
    }
}

/// What keeps an argument from being a key of type `wanted`, which is bigint, or integer in the two-key form.
fn wrong(value: &Value, wanted: &SqlType) -> Option<Fault> {
    let pair = *wanted == SqlType::Int4;
    if let Value::Text(text) = value {
        return unreadable(text, wanted);
    }
    if let Value::Cast { value, ty } = value
        && let Value::Text(text) = &**value
        && ty.bits().is_some()
        && let Some(fault) = unreadable(text, ty)
    {
        return Some(fault);
    }
    let spelled = match value {
        Value::Row(_) => "a row".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        value => {
            let ty = value.ty()?;
            let refused = ty.becomes_integer() == Some(false) || pair && ty == SqlType::Int8;
            if !refused {
                return None;
            }
            spell(&ty)
        }
    };
    if pair {
        Fault::new(
            "42883",
            format!("the two-key form takes two integers, not {spelled}"),
            "use hashtext(…) for the second key, or the one-key form with a bigint",
        )
    } else {
        let help = match spelled.as_str() {
            "numeric" | "double precision" => "cast it: (…)::bigint",
            "a row" => "leave the inner parentheses out",
            _ => "hash it: hashtextextended((…)::text, 0) gives a bigint",
        };
        Fault::new("42883", format!("the one-key form takes a bigint, not {spelled}"), help)
    }
}

/// Why a string constant is no integer of a type.
fn unreadable(text: &str, ty: &SqlType) -> Option<Fault> {
    let number = Value::Cast { value: Box::new(Value::Text(text.to_owned())), ty: ty.clone() }.fold();
    // A template may fill the number in.
    if matches!(number, Value::Integer(_)) || text.contains(['{', '%', '$', '<', '@', '#', '?', ':']) {
        return None;
    }
    let digits = text.trim().trim_start_matches(['+', '-']);
    let help = "a string constant must spell the number; hash a name: hashtextextended('…', 0)";
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Fault::new("22003", format!("'{text}' is out of range for {}", spell(ty)), help)
    } else {
        Fault::new("22P02", format!("'{text}' is no integer"), help)
    }
}

/// What is wrong with a call of a text hash inside the key.
fn wrong_hash(statement: &Statement<'_>, call: &Call) -> Option<Fault> {
    let tree = &statement.tree;
    if !call.is_built_in() {
        return None;
    }
    let arguments = match call.name.as_str() {
        "hashtext" => 1,
        "hashtextextended" => 2,
        _ => return None,
    };
    if call.args.iter().any(|arg| arg.len() == 1 && is_template(tree, arg)) {
        return None;
    }
    if call.args.len() != arguments {
        let (what, help) = if arguments == 1 {
            ("hashtext takes one text", "join the parts: hashtext(a || ':' || b)")
        } else {
            ("hashtextextended takes a text and a seed", "give it a seed: hashtextextended(…, 0)")
        };
        return Fault::new("42883", what, help);
    }
    let ty = statement.with_types(value(tree, call.args.first()?), call.query).ty()?;
    let taken = match &ty {
        SqlType::Text | SqlType::Unknown => true,
        ty @ SqlType::Other(_) => ty.becomes_integer().is_none(),
        _ => false,
    };
    if taken {
        return None;
    }
    Fault::new("42883", format!("{} takes a text, not {}", call.name, spell(&ty)), "cast the argument: (…)::text")
}

/// A name that looks like one of the family, but is none.
fn invented(name: &str) -> Option<Fault> {
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
        "the functions are pg_[try_]advisory_[xact_]lock[_shared], \
             pg_advisory_unlock[_shared] and pg_advisory_unlock_all"
            .to_owned()
    };
    Fault::new("42883", format!("there is no function `{name}`"), &help)
}

/// A hole of a template, which is filled in as text; a driver's placeholder is one value.
fn is_template(tree: &Tree<'_>, arg: &Tokens) -> bool {
    tree.kind(arg.start) == Some(TokenKind::Hole) && tree.raw(arg.start).contains(['{', '<'])
}

fn spell(ty: &SqlType) -> String {
    match ty {
        SqlType::Int2 => "smallint",
        SqlType::Int4 => "integer",
        SqlType::Int8 => "bigint",
        SqlType::Numeric => "numeric",
        SqlType::Float => "double precision",
        SqlType::Text | SqlType::Unknown => "text",
        SqlType::Boolean => "boolean",
        SqlType::Bits => "bit",
        SqlType::Bytea => "bytea",
        SqlType::Uuid => "uuid",
        SqlType::Oid => "an object identifier",
        SqlType::Other(name) => name,
    }
    .to_owned()
}
