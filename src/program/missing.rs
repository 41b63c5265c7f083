//! What a host function does when a query gives no row.

use super::Program;
use super::expression::Expression;
use crate::host::{Function, Literal};
use crate::pattern::ascii;
use crate::span::Span;
use crate::sql::lex::beginning;
use crate::statement::Missing;
use regex::Regex;
use std::sync::LazyLock;

/// How far after a query the question is looked for, and after the question the answer, in bytes.
const QUESTION: usize = 700;
const ANSWER: usize = 200;

/// How often a declared query may be used before it is not said which use counts.
const MAX_USES: usize = 8;

/// How large a file is looked through for the uses of each of its declared queries, in bytes.
const LONGEST_FILE: usize = 1 << 18;

/// Annotations that make a query of a method.
const DECLARES: &[&str] = &["NativeQuery", "Query", "Select", "SqlQuery"];

/// Asks whether there is a row, or does something where there is none.
static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(concat!(
        r"(?x) \bis\ None\b | \bif\ not\ \w | ==\ None\b | \.nil\? | \bunless\ \w | \bif\ \(?!\w | \.length\ ?(?:===?\ 0|<\ 1)",
        r"| \bis_nil\( | rowCount\ ?(?:===?\ 0|<\ 1) | ===?\ (?:null|undefined|false|nil)\b | \bis\ null\b | ErrNoRows | ErrRecordNotFound",
        r"| \.orElseThrow | \?:\s*(?:throw|return|continue)\b | \?\?\s*throw\b | \|\|\s*raise\b | \bor\ raise\b | \.ok_or | \bnil\s*-> | \[\]\s*->",
        r"| \bNone\s*=> | \bisEmpty\b | \.is_none\(\) | \blen\(\w+\)\ ==\ 0 | \.Count\ ==\ 0 | DoesNotExist | NoResultFound",
        r"| NoResultException | EmptyResultDataAccess | RowNotFound | \.blank\? | \.empty\? | if\ \(!\$ | \blet\ Some\( | case\ None\b | num_rows:\ 0",
    ))
    .ok()
});

/// A comment says that somebody else may be at the row.
static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(concat!(
        r"(?im)^\s*(?://|\#|--|\*).*\b(?:locked\ by|(?:another|other)\ (?:worker|process|session|instance)s?",
        r"|some(?:one|body)\ else|being\ processed)\b",
    ))
    .ok()
});

/// Takes what a library raises where there is no row.
static CATCHES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(concat!(
        r"(?x) DoesNotExist | NoResult | RecordNotFound | ErrNoRows | IsNotFound | ModelNotFound | EntityNotFound",
        r"| NotFoundError | NoDataFound | \brescue\b | \bexcept\b | \bcatch\b",
    ))
    .ok()
});

/// The row is held by somebody.
static BUSY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(
        r"(?i)busy|in[ _]?use\b|locked|conflict|contend|retry|try again|too ?many|\b(?:409|423|already|taken|claimed|skip(?:ped)?|another|someone|somebody)\b",
    )
    .ok()
});

/// The row does not exist.
static GONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(
        r"(?i)not_?found|\b404\b|no[_ ]?such|unable to \w|could ?n.t (?:find|get|load)|\bErrorf\(|\berrors\.New\(|does ?n.?t exist|not exist|missing|unknown\b|\bno \w+ (?:with|\{|\$|#)|\braise\b|\bthrow\b|\babort\(|\bErr\(|\bok_or|orElseThrow",
    )
    .ok()
});

/// The code goes on with the next one, or has nothing to do and tells nobody.
static NEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(r"(?m)\bcontinue\b|\bnext\s*(?:;|$|if\b|unless\b)|\breturn\s*(?:;|$|\}|//|#|if\b|unless\b)").ok()
});

/// The callers are given nothing, and no error.
static NOTHING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(
        r"\breturn nil\s*(?:\n|$|\})|\bnil\s*->\s*(?:nil|:\w+|\{:ok, nil\})\s*(?:\n|$)|\breturn\s*\(?(?:nil,\s*(?:false,\s*)?nil|[fF]alse\b|null|None|undefined|(?:Collections\.)?emptyList\(\)|Optional\.empty\(\)|Ok\(None\))",
    )
    .ok()
});

/// What happens without a row. `declared` is the method that an annotation makes a query of.
pub(super) fn of(
    text: &str,
    literal: &Literal<'_>,
    expression: &Expression<'_>,
    end: usize,
    declared: Option<&str>,
) -> Option<Missing> {
    if let Some(name) = declared {
        return of_uses(text, name);
    }
    let from = expression.span.end.max(literal.span.end).min(end);
    after(text, from, end)
}

/// The same in a text of which `from` is where the query ends, and `end` where its function does.
pub fn after(text: &str, from: usize, end: usize) -> Option<Missing> {
    answer(text, from, end, ASKS.as_ref()?)
}

/// The same of a query that fails without a row: what its caller makes of the failure.
pub fn after_failure(text: &str, from: usize, end: usize) -> Option<Missing> {
    answer(text, from, end, CATCHES.as_ref()?)
}

fn answer(text: &str, from: usize, end: usize, asks: &Regex) -> Option<Missing> {
    let window = clipped(text, from, end.min(from + QUESTION));
    if SAID.as_ref()?.is_match(window) {
        return Some(Missing::GoesOn);
    }
    let Some(question) = asks.find(window) else { return is_only_for_rows(text, window, from, end) };
    // Ruby and Perl ask after the answer.
    let line = window[..question.start()].rfind('\n').map_or(0, |at| at + 1);
    let answer = block(clipped(text, from + line, end.min(from + question.end() + ANSWER)), question.end() - line);
    let matched = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(answer));
    if matched(&BUSY) {
        return Some(Missing::GoesOn);
    }
    if matched(&GONE) {
        return Some(Missing::Fails);
    }
    if matched(&NEXT) || !answer.contains("return") && is_one_of_two(text, from + line + answer.len(), end) {
        return Some(Missing::GoesOn);
    }
    matched(&NOTHING).then_some(Missing::HandedOn)
}

/// Whether a block that ends at `at` has an `else`: what needs the row stands there.
fn is_one_of_two(text: &str, at: usize, end: usize) -> bool {
    let rest = clipped(text, at, end).trim_start().trim_start_matches('}').trim_start();
    rest.strip_prefix("else").is_some_and(|rest| !rest.trim_start().starts_with("if"))
}

/// `if row:` with a block and nothing else: without a row nothing is done, and nobody is told.
fn is_only_for_rows(text: &str, window: &str, from: usize, end: usize) -> Option<Missing> {
    static THERE: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?m)^[ \t]*if \(?\w+\)?(?: is not None| !== null)?\s*(?::|\{|\bdo)[ \t]*$").ok());
    let found = THERE.as_ref()?.find(window)?;
    let rest = clipped(text, from + found.start(), end);
    let block = block(rest, found.len());
    let after = rest[block.len()..].trim_start().trim_start_matches('}').trim_start();
    (!after.starts_with("else") && !after.starts_with("elif")).then_some(Missing::GoesOn)
}

/// The line that `asked` bytes of `text` are of, and those after it that stand further in.
fn block(text: &str, asked: usize) -> &str {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let outer = indent(text);
    let mut at = text.get(asked..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| asked + end + 1);
    while let Some(line) = text.get(at..).and_then(|rest| rest.split_inclusive('\n').next()) {
        let plain = line.trim();
        if !plain.starts_with('{') && (plain.is_empty() || indent(line) <= outer) {
            break;
        }
        at += line.len();
    }
    text.get(..at).unwrap_or(text)
}

/// Whether a function says by its type that it may give nothing: without a row its callers are given none.
pub(super) fn may_give_nothing(text: &str, function: &Function<'_>, literal: Span) -> bool {
    static OPTIONAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r"\bOptional<|->\s*(?:\w+<)?(?:\w+::)*Option<|->\s*(?:Optional\[|\w+\s*\|\s*None)|\)\s*:\s*(?:Promise<)?\w+(?:<\w+>)?(?:\?|\s*\|\s*(?:null|undefined))").ok()
    });
    let end = literal.start.min(function.span.start + ANSWER * 2);
    let head = clipped(text, function.span.start, end);
    let body = head.find(['{', '=']).unwrap_or(head.len());
    OPTIONAL.as_ref().is_some_and(|optional| optional.is_match(&head[..body]))
}

/// What the callers of a declared query do, if they agree.
fn of_uses(text: &str, name: &str) -> Option<Missing> {
    let called = |at: usize| {
        let is_call = text[..at].ends_with(['.', '>']) && text[at + name.len()..].starts_with('(');
        is_call.then_some(text.len())
    };
    agreed(text, name, &called)
}

/// What the calls of a function in its file do without a row, where they look at what it gives.
pub fn of_callers(text: &str, function: &Function<'_>, program: &Program<'_>) -> Option<Missing> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if text.len() > LONGEST_FILE || function.name.is_empty() {
        return None;
    }
    let calls = text.match_indices(function.name).filter_map(|(at, name)| {
        let span = Span::new(at, at + name.len());
        let is_call = !text[..at].ends_with(is_part) && text[span.end..].starts_with('(');
        let around = program.function_around(span).filter(|_| is_call && !function.span.contains(span))?;
        let end = program.functions[around].span.end;
        (!program.in_comment(at)).then(|| after(text, span.end, end))
    });
    let told: Vec<Missing> = calls.take(MAX_USES).flatten().collect();
    if told.contains(&Missing::Fails) {
        return Some(Missing::Fails);
    }
    (!told.is_empty() && told.iter().all(|told| *told == Missing::GoesOn)).then_some(Missing::Skipped)
}

/// What is done where a constant is used that holds the query, if that is the same everywhere.
pub(super) fn of_constant(text: &str, name: &str, literal: Span, program: &Program<'_>) -> Option<Missing> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let used = |at: usize| {
        let span = Span::new(at, at + name.len());
        let whole = !text[..at].ends_with(is_part) && !text[span.end..].starts_with(is_part);
        // What declares it is in no function.
        let function = program.function_around(span).filter(|_| whole && !literal.contains(span))?;
        (!program.in_comment(at)).then(|| program.functions[function].span.end)
    };
    agreed(text, name, &used)
}

/// What happens without a row at the places of a name for which `end` gives the end of the function around.
fn agreed(text: &str, name: &str, end: &dyn Fn(usize) -> Option<usize>) -> Option<Missing> {
    if text.len() > LONGEST_FILE || name.is_empty() {
        return None;
    }
    let mut found = None;
    let mut uses = 0;
    for (at, _) in text.match_indices(name) {
        let Some(end) = end(at) else { continue };
        uses += 1;
        let here = after(text, at + name.len(), end);
        if uses > MAX_USES || here == Some(Missing::GoesOn) || found.is_some() && found != here {
            return here.filter(|here| *here == Missing::GoesOn);
        }
        found = here;
    }
    found
}

/// The method that an annotation stands before.
pub(super) fn declared<'s>(text: &'s str, literal: &Literal<'s>) -> Option<&'s str> {
    literal.annotation.filter(|name| DECLARES.contains(name))?;
    static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"\b([a-z]\w*)\s*\(").ok());
    let rest = clipped(text, literal.span.end, literal.span.end + QUESTION);
    let (_, rest) = rest.split_once(')')?;
    METHOD.as_ref()?.captures(rest).and_then(|found| found.get(1)).map(|name| name.as_str())
}

/// `text[from..to]`, at character boundaries.
fn clipped(text: &str, from: usize, to: usize) -> &str {
    beginning(text, to).get(from..).unwrap_or_default()
}
