//! A host source as SQL sees it: which literals are queries, which call runs each, in which function, and what becomes of
//! the result. What happens between the calls of a function is a matter of layers above; they start from [`Query`].

mod compared;
mod dialect;
pub mod expression;
mod fragment;
pub mod keys;
pub mod missing;
mod recognise;
mod result;
#[cfg(test)]
mod tests;

use crate::host::{self, Argument, CallSite, Function, Host, Literal, Syntax};
use crate::language::{HostLanguage, Language};
use crate::region::Region;
use crate::source::Source;
use crate::span::Span;
use crate::statement::{Missing, Use};
use expression::Expression;
use std::sync::Arc;

/// What a host source runs. Nothing in a source that is no host code.
#[derive(Debug, Default)]
pub struct Program<'s> {
    /// The calls that literals are arguments of.
    pub calls: Vec<CallSite<'s>>,
    /// Its functions, in the order in which they begin.
    pub functions: Vec<Function<'s>>,
    /// Its comments, delimiters included, in order.
    pub comments: Vec<Span>,
    /// Its literals, in order: what looks like code in one is none.
    pub literals: Vec<Span>,
    /// Its queries, in the order of the text.
    pub queries: Vec<Query<'s>>,
    /// Calls of advisory functions in what was not read as SQL.
    pub unread: usize,
}

/// A literal that is SQL.
#[derive(Debug)]
pub struct Query<'s> {
    /// All of it, delimiters and operators included.
    pub literal: Span,
    /// The host statement around it: what a comment is anchored on.
    pub statement: Span,
    /// The function around it: an index into [`Program::functions`].
    pub function: Option<usize>,
    /// The innermost call that it is an argument of.
    pub argument: Option<Argument<'s>>,
    /// The call that runs it, where it stands in the same statement: an index into [`Program::calls`].
    pub runs: Option<usize>,
    /// The name of the variable, constant or entry that holds it.
    pub binding: Option<&'s str>,
    /// What becomes of its result, as far as the host statement says.
    pub result: Use,
    /// Whether the host code does something after it.
    pub work_follows: bool,
    /// What the host function does when there is no row.
    pub when_missing: Option<Missing>,
    /// The name of the unit: the function's.
    pub unit: Arc<str>,
    /// What it is for, by the names around it.
    pub purpose: Arc<str>,
}

/// Names of the method by which an object runs that stands for one command.
const RUNS: &[&str] =
    &["execute", "Execute", "ExecuteAsync", "handle", "Handle", "call", "run", "Run", "invoke", "perform", "__invoke"];

/// How many literals that begin before a place are looked at to find one around it.
const MAX_NESTED: usize = 16;

/// How many functions that begin before a place are looked at to find the one around it.
const MAX_SIBLINGS: usize = 256;

impl Program<'_> {
    /// Whether a place lies in a comment or in a literal.
    pub fn is_text(&self, at: Span) -> bool {
        [&self.comments, &self.literals].into_iter().any(|spans| {
            let before = spans.partition_point(|span| span.start <= at.start);
            // Of literals in literals the inner ones come last.
            spans[..before].iter().rev().take(MAX_NESTED).any(|span| span.contains(at))
        })
    }

    /// Whether the byte at an offset lies in a comment.
    pub fn in_comment(&self, at: usize) -> bool {
        let before = self.comments.partition_point(|comment| comment.start <= at);
        self.comments[..before].last().is_some_and(|comment| at < comment.end)
    }

    /// Rust's modules under `#[cfg(test)]`.
    pub fn test_modules(&self, text: &str) -> Vec<Span> {
        let mut found: Vec<Span> = Vec::new();
        for (at, mark) in text.match_indices("#[cfg(test)]") {
            let rest = text[at + mark.len()..].trim_start();
            let is_inside = found.last().is_some_and(|last| at < last.end);
            if is_inside || self.is_text(Span::new(at, at + 1)) || !rest.starts_with("mod ") {
                continue;
            }
            let mut depth = 0_usize;
            let from = text.len() - rest.len();
            for (offset, brace) in rest.match_indices(['{', '}', ';']) {
                if self.is_text(Span::new(from + offset, from + offset + 1)) {
                    continue;
                }
                match brace {
                    "{" => depth += 1,
                    "}" => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 {
                    found.push(Span::new(at, from + offset + 1));
                    break;
                }
            }
        }
        found
    }

    /// The innermost function around a place: an index.
    pub fn function_around(&self, at: Span) -> Option<usize> {
        let before = self.functions.partition_point(|function| function.span.start <= at.start);
        let near = before.saturating_sub(MAX_SIBLINGS)..before;
        near.rev().find(|&index| self.functions[index].span.contains(at))
    }
}

/// Reads a source; the regions are those of its queries, in the same order. The syntax is what its code is read from.
pub fn read(source: &Source) -> (Program<'_>, Vec<Region<'_>>, Syntax) {
    let text = source.text();
    let Host { literals, calls, comments, functions, unread, syntax, .. } = host::read(source);
    let mut program = Program { calls, functions, comments, literals: Vec::new(), queries: Vec::new(), unread: 0 };
    if unread {
        program.unread = recognise::advisory_calls(text);
    }
    program.literals = literals.iter().map(|literal| literal.span).collect();
    let mut regions = Vec::new();
    for literal in literals {
        if dialect::is_for_another(text, &literal) {
            continue;
        }
        if recognise::is_query(text, &program.calls, &literal) {
            if compared::is_only_compared(text, &literal, |at| program.is_text(at)) {
                continue;
            }
            program.queries.push(query(source, &program, &literal));
            regions.push(literal.region);
        } else if let Language::Host(language) = source.language()
            && let Some(region) = fragment::query(text, language, &program.calls, &literal)
        {
            program.queries.push(query(source, &program, &literal));
            regions.push(region);
        } else if !literal.documentation && recognise::is_code(text, &program.calls, &literal) {
            program.unread += recognise::advisory_calls(literal.region.text());
        }
    }
    (program, regions, syntax)
}

/// Whether a file in the language is a program of its own, outside of its functions.
fn runs_at_once(language: Language) -> bool {
    use HostLanguage::{Elixir, JavaScript, Php, Python, Ruby, Tsx, TypeScript};
    matches!(language, Language::Host(Elixir | JavaScript | Php | Python | Ruby | Tsx | TypeScript))
}

fn query<'s>(source: &'s Source, program: &Program<'s>, literal: &Literal<'s>) -> Query<'s> {
    let text = source.text();
    let function = literal.function.and_then(|index| program.functions.get(index));
    let expression = Expression::of(text, &program.calls, literal);
    let name = function.map_or("", |function| function.name);
    let declared = literal.annotation.and_then(|_| missing::declared(text, literal));
    // An object that stands for one command is named for what it does.
    let class = function.filter(|function| RUNS.contains(&function.name)).and_then(|function| function.class);
    let words = [class.unwrap_or_default(), name, literal.binding.unwrap_or_default(), declared.unwrap_or_default()];
    let end = function.map_or(text.len(), |function| function.span.end);
    // Where nothing runs outside of functions, what follows a constant in the file is not about it.
    // Only of rows that are skipped it matters what happens without one.
    let skips = memchr::memmem::find(literal.region.text().to_ascii_lowercase().as_bytes(), b"skip").is_some();
    let when_missing = match literal.binding.filter(|_| function.is_none() && expression.runs.is_none()) {
        _ if !skips => None,
        Some(constant) => missing::of_constant(text, constant, literal.span, program),
        None if declared.is_some() || function.is_some() || runs_at_once(source.language()) => {
            missing::of(text, literal, &expression, end, declared)
        }
        None => None,
    };
    let callers = || function.and_then(|function| missing::of_callers(text, function, program));
    Query {
        literal: literal.span,
        statement: literal.statement,
        function: literal.function,
        argument: literal.argument,
        runs: expression.runs,
        binding: literal.binding,
        result: result::of(source, program, literal, &expression, end),
        work_follows: result::work_follows(text, literal, &expression, end),
        when_missing: match when_missing {
            _ if !skips => None,
            None if function.is_some_and(|function| missing::may_give_nothing(text, function, literal.span)) => {
                callers().or(Some(Missing::HandedOn))
            }
            None => callers().filter(|callers| *callers == Missing::Skipped),
            Some(Missing::HandedOn) => callers().or(when_missing),
            known => known,
        },
        unit: name.into(),
        purpose: words.join(" ").trim().into(),
    }
}
