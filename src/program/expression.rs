//! The expression that runs a query, read from the text around the call: what is called on its result, what stands
//! before and after it in the host statement.

use crate::host::{CallSite, Literal};
use crate::span::Span;

/// How many brackets and calls of one expression are followed.
const MAX_LINKS: usize = 32;

/// What an expression in brackets may be long, in bytes.
const MAX_BRACKETS: usize = 4096;

/// Calls that only make a query of a text: what they give is run by the call around them.
const MAKERS: &[&str] = &[
    "AssertSqlSafe",
    "RawSQL",
    "SQL",
    "Sql",
    "Sprintf",
    "dedent",
    "format",
    "formatted",
    "literal",
    "sprintf",
    "squish",
    "sql",
    "strip",
    "text",
    "trim",
];

/// Elixir's control structures are calls.
const KEYWORDS: &[&str] = &["case", "if", "unless", "with"];

/// The expression around a literal.
#[derive(Debug)]
pub(super) struct Expression<'s> {
    /// The call that runs it: an index of the program's calls.
    pub(super) runs: Option<usize>,
    /// The names of what is called: that call's, then those called on its result.
    pub(super) names: Vec<&'s str>,
    /// What the first of them is called on.
    pub(super) receiver: &'s str,
    /// Whether SQLAlchemy's `text` stands between the literal and the call: what runs that gives a result, and is no cursor.
    pub(super) made: bool,
    /// An element of the result is taken: `[0]`.
    pub(super) indexed: bool,
    /// Whether the result goes into another call at once.
    pub(super) passed: bool,
    /// In the statement, before it.
    pub(super) before: &'s str,
    /// In the statement, after it.
    pub(super) after: &'s str,
    /// Where it stands.
    pub(super) span: Span,
}

impl<'s> Expression<'s> {
    pub(super) fn of(text: &'s str, calls: &[CallSite<'s>], literal: &Literal<'s>) -> Self {
        let mut at = literal.argument;
        let mut made = false;
        let mut found = None;
        for _ in 0..MAX_LINKS {
            let Some((index, call)) = at.and_then(|at| Some((at.call, calls.get(at.call)?))) else { break };
            found = Some((index, call));
            at = call.outer;
            if !MAKERS.contains(&call.callee.name) || at.is_none() {
                break;
            }
            made |= call.callee.name == "text";
        }
        let inner = found.map_or(literal.span, |(_, call)| call.span);
        let mut expression = Self {
            runs: found.map(|(index, _)| index),
            names: found.map(|(_, call)| call.callee.name).or(literal.tag.map(|tag| tag.name)).into_iter().collect(),
            receiver: found.and_then(|(_, call)| call.callee.receiver).unwrap_or_default(),
            made,
            indexed: false,
            passed: at.and_then(|at| calls.get(at.call)).is_some_and(|call| !KEYWORDS.contains(&call.callee.name)),
            before: "",
            after: "",
            span: inner,
        };
        expression.grow(text, literal.statement.join(inner));
        expression
    }

    /// Follows what is called on the result, through brackets around the whole.
    fn grow(&mut self, text: &'s str, statement: Span) {
        for _ in 0..MAX_LINKS {
            let rest = text.get(self.span.end..statement.end).unwrap_or_default();
            let next = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '?' | '!'));
            let at = statement.end - next.len();
            if let Some(member) = ["->", "|>", ".", "::"].iter().find_map(|mark| next.strip_prefix(mark)) {
                let member = member.trim_start();
                let len = member.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(member.len());
                // `1..2` and the ends of sentences.
                if len == 0 && !member.starts_with('<') {
                    break;
                }
                self.names.extend(Some(&member[..len]).filter(|name| !name.is_empty() && *name != "await"));
                let tail = member[len..].trim_start_matches(['!', '?']);
                let tail = if tail.starts_with('<') { after_brackets(tail).unwrap_or(tail) } else { tail };
                let tail = if tail.starts_with('(') { after_brackets(tail).unwrap_or("") } else { tail };
                self.span.end = statement.end - tail.len();
            } else if next.starts_with('[') && at == self.span.end {
                self.indexed = true;
                self.span.end = statement.end - after_brackets(next).unwrap_or("").len();
            } else if let Some(tail) = next.strip_prefix(')') {
                let head = text.get(statement.start..self.span.start).unwrap_or_default().trim_end();
                let head = head.strip_suffix("await").unwrap_or(head).trim_end();
                let Some(before) = head.strip_suffix('(') else { break };
                // After a name it is a call's, and after these words a condition's.
                let name = before.strip_suffix(['!', '?']).unwrap_or(before);
                if name.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']')) {
                    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                    if word != "return" {
                        break;
                    }
                }
                if before.trim_end().ends_with("if") || before.trim_end().ends_with("while") {
                    break;
                }
                self.span = Span::new(statement.start + before.len(), statement.end - tail.len());
            } else {
                break;
            }
        }
        self.before = text.get(statement.start.min(self.span.start)..self.span.start).unwrap_or_default().trim();
        self.after = text.get(self.span.end..statement.end.max(self.span.end)).unwrap_or_default().trim();
    }

    /// Whether one of the names is among `known`.
    pub(super) fn calls_any(&self, known: &[&str]) -> bool {
        self.names.iter().any(|name| known.contains(name))
    }
}

/// What follows the brackets that `text` begins with; strings in double quotes are passed over.
pub fn after_brackets(text: &str) -> Option<&str> {
    // Elsewhere `<` is a comparison.
    let angles = text.starts_with('<');
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().take(MAX_BRACKETS) {
        if let Some(open) = quote {
            if !escaped && byte == open {
                quote = None;
            }
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' | b'`' => quote = Some(byte),
            b'(' | b'[' | b'{' => depth += 1,
            b'<' if angles => depth += 1,
            b'>' if !angles || at > 0 && matches!(text.as_bytes()[at - 1], b'-' | b'=') => {}
            b')' | b']' | b'}' | b'>' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(at + 1..);
                }
            }
            _ => {}
        }
    }
    None
}
