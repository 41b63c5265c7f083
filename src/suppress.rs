//! Suppression comments: `locklint: ignore[rule, …] reason` for a statement, `locklint: ignore-file[rule, …] reason` for
//! a file. One grammar for SQL comments and host comments; a malformed one silences nothing and is reported.

#[cfg(test)]
mod tests;

use crate::finding::{FileId, Finding, Level, Place};
use crate::source::Source;
use crate::span::Span;
use regex::bytes::Regex;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Name of the rule for a suppression that silences nothing.
pub const UNUSED: &str = "unused-suppression";
/// Name of the rule for a suppression that means nothing.
pub const UNKNOWN: &str = "unknown-suppression";

/// What a comment is taken for when this word stands in it.
const MARK: &str = "locklint:";

/// What every suppression has, well-formed or not. There is next to nothing to read after a search for it alone.
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)locklint").ok());

/// A suppression that lacks the colon or is not in lower case. In running prose no bracket follows.
static ALMOST: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)\blocklint[ \t]*:?[ \t]*ignore(?:-file)?[ \t]*\[").ok());

/// Whether there may be something to say about suppressions in the content.
pub fn may_suppress(content: &[u8]) -> bool {
    WORD.as_ref().is_none_or(|word| word.is_match(content))
        && (memchr::memmem::find(content, MARK.as_bytes()).is_some()
            || ALMOST.as_ref().is_none_or(|pattern| pattern.is_match(content)))
}

/// How far a suppression reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Statement,
    File,
}

/// A rule that a suppression names.
#[derive(Clone, Debug)]
struct Named {
    rule: String,
    span: Span,
    known: bool,
    used: bool,
}

/// One suppression, well-formed or not.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The comment.
    comment: Span,
    reach: Reach,
    rules: Vec<Named>,
    /// What is wrong with it, and where.
    malformed: Option<(&'static str, Span)>,
    /// Lines that the comment covers, 0-based.
    lines: (usize, usize),
    /// The line that it stands before: it is alone on its lines, and only comments lie between.
    before: Option<usize>,
}

/// The suppressions in a file. `comments` are its comments in order, delimiters included; `known` the names of all rules.
pub fn suppressions(source: &Source, comments: &[Span], known: &[&str]) -> Vec<Suppression> {
    let mut found = Vec::new();
    if !may_suppress(source.text().as_bytes()) {
        return found;
    }
    let after = lines_after(source, comments);
    for (&comment, &before) in comments.iter().zip(&after) {
        let text = source.slice(comment);
        let mut from = 0;
        while let Some(at) = memchr::memmem::find(&text.as_bytes()[from..], MARK.as_bytes()) {
            let mark = from + at;
            from = mark + MARK.len();
            let Some(directive) = Directive::parse(text, mark) else {
                continue;
            };
            found.push(Suppression {
                comment,
                reach: directive.reach,
                rules: directive
                    .rules
                    .iter()
                    .map(|&(start, end)| Named {
                        rule: text[start..end].to_owned(),
                        span: Span::new(comment.start + start, comment.start + end),
                        known: known.contains(&&text[start..end]),
                        used: false,
                    })
                    .collect(),
                malformed: directive
                    .malformed
                    .map(|(why, start, end)| (why, Span::new(comment.start + start, comment.start + end))),
                lines: lines(source, comment),
                before,
            });
        }
        let near = ALMOST.iter().flat_map(|pattern| pattern.find_iter(text.as_bytes()));
        for near in
            near.filter(|near| !near.as_bytes().starts_with(MARK.as_bytes()) && begins_line(&text[..near.start()]))
        {
            let span = Span::new(comment.start + near.start(), comment.start + near.end());
            found.push(Suppression {
                comment,
                reach: Reach::Statement,
                rules: Vec::new(),
                malformed: Some(("it does not begin with `locklint:` in lower case", span)),
                lines: lines(source, comment),
                before,
            });
        }
    }
    found
}

/// Removes the findings of one file that a suppression silences, and marks those suppressions as used.
pub fn apply(findings: &mut Vec<Finding>, suppressions: &mut [Suppression], source: &Source) {
    if suppressions.is_empty() {
        return;
    }
    let near = Near::new(suppressions);
    findings.retain(|finding| {
        let anchor = Anchor::new(finding, source);
        let mut silenced = false;
        for index in near.candidates(suppressions, anchor) {
            if !suppressions[index].covers(anchor) {
                continue;
            }
            for named in &mut suppressions[index].rules {
                if named.rule == finding.rule {
                    named.used = true;
                    silenced = true;
                }
            }
        }
        !silenced
    });
}

/// Suppressions by place, so that not each is compared with each finding.
struct Near {
    /// For the whole file.
    everywhere: Vec<usize>,
    /// By the lines that their comments cover or stand before.
    by_line: HashMap<usize, Vec<usize>>,
}

impl Near {
    fn new(suppressions: &[Suppression]) -> Self {
        let mut near = Self { everywhere: Vec::new(), by_line: HashMap::new() };
        for (index, suppression) in suppressions.iter().enumerate() {
            if suppression.reach == Reach::File {
                near.everywhere.push(index);
                continue;
            }
            for line in (suppression.lines.0..=suppression.lines.1).chain(suppression.before) {
                near.by_line.entry(line).or_default().push(index);
            }
        }
        near
    }

    /// Those that may cover an anchor: on its lines, before its first one, or inside the statement.
    fn candidates(&self, suppressions: &[Suppression], anchor: Anchor) -> BTreeSet<usize> {
        let lines = [anchor.primary, anchor.first, anchor.last];
        let on_lines = lines.iter().filter_map(|line| self.by_line.get(line)).flatten().copied();
        let from = suppressions.partition_point(|s| s.comment.start < anchor.statement.start);
        let inside = suppressions[from..].iter().take_while(|s| s.comment.start < anchor.statement.end);
        let inside = from..from + inside.count();
        self.everywhere.iter().copied().chain(on_lines).chain(inside).collect()
    }
}

/// What there is to say about the suppressions of a file once [`apply`] has seen all of its findings. `expected` tells
/// of which rules the silence is a proof: those that ran, on a file whose facts were complete.
pub fn complaints(
    file: FileId,
    suppressions: &[Suppression],
    source: &Source,
    expected: impl Fn(&str) -> bool,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for suppression in suppressions {
        let mut complain = |rule, level, span, message: String, help: &str| {
            findings.push(Finding {
                rule,
                level,
                message,
                at: Place::new(file, span),
                related: Vec::new(),
                help: Some(help.to_owned()),
                fix: None,
                statement: suppression.comment,
                unit: String::new(),
                fingerprint: String::new(),
                identity: String::new(),
            });
        };
        if let Some((why, span)) = suppression.malformed {
            complain(
                UNKNOWN,
                Level::Warning,
                span,
                format!("{why}, so this comment silences nothing"),
                "write `locklint: ignore[rule-name] reason`, or `ignore-file[rule-name]` for the whole file",
            );
        }
        for named in &suppression.rules {
            if !named.known {
                complain(
                    UNKNOWN,
                    Level::Warning,
                    named.span,
                    format!("`{}` is no rule, so this comment silences nothing for it", named.rule),
                    "`locklint rules` lists the rules",
                );
            } else if !named.used && !about_comments(&named.rule) && expected(&named.rule) {
                complain(
                    UNUSED,
                    Level::Note,
                    named.span,
                    format!("`{}` reports nothing here", named.rule),
                    "remove the name, or the comment if it has no other",
                );
            }
        }
    }
    apply(&mut findings, &mut suppressions.to_vec(), source);
    findings
}

fn about_comments(rule: &str) -> bool {
    rule == UNUSED || rule == UNKNOWN
}

/// Where a finding can be met by a comment. Lines are 0-based.
#[derive(Clone, Copy)]
struct Anchor {
    primary: usize,
    statement: Span,
    first: usize,
    last: usize,
}

impl Anchor {
    fn new(finding: &Finding, source: &Source) -> Self {
        let (first, last) = lines(source, finding.statement);
        Self { primary: source.lines().line(finding.at.span.start), statement: finding.statement, first, last }
    }
}

impl Suppression {
    /// Whether a finding lies where this suppression reaches, whatever its rule.
    fn covers(&self, anchor: Anchor) -> bool {
        let on = |line| self.lines.0 <= line && line <= self.lines.1;
        self.reach == Reach::File
            || anchor.statement.contains(self.comment)
            || on(anchor.primary)
            || self.before == Some(anchor.first)
            || (self.comment.start >= anchor.statement.end && on(anchor.last))
    }
}

/// First and last line of a span, 0-based.
fn lines(source: &Source, span: Span) -> (usize, usize) {
    let index = source.lines();
    (index.line(span.start), index.line(span.end.saturating_sub(1).max(span.start)))
}

/// For each comment the line that it stands before: the one after it and the comments that follow it without a blank
/// line. `None` where the comment is not alone on its lines.
fn lines_after(source: &Source, comments: &[Span]) -> Vec<Option<usize>> {
    let index = source.lines();
    let text = source.text();
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|gap| gap.trim().is_empty());
    let mut after = vec![None; comments.len()];
    // The comment after this one, and the line that the two would stand before together.
    let mut next: Option<(Span, usize)> = None;
    for (slot, &comment) in after.iter_mut().zip(comments).rev() {
        let (first, last) = lines(source, comment);
        let line = match next {
            Some((follower, line)) if adjacent(source, comment, follower, blank) => line,
            _ => {
                // A block comment may stand before its statement on one line.
                let end = index.start(last + 1).unwrap_or(text.len());
                if blank(comment.end, end) { last + 1 } else { last }
            }
        };
        let start = index.start(first).unwrap_or_default().max(source.bom());
        *slot = (start >= comment.start || blank(start, comment.start)).then_some(line);
        next = Some((comment, line));
    }
    after
}

/// Whether `next` begins on the last line of `comment` or the line after it, with nothing between.
fn adjacent(source: &Source, comment: Span, next: Span, blank: impl Fn(usize, usize) -> bool) -> bool {
    lines(source, next).0 <= lines(source, comment).1 + 1 && blank(comment.end, next.start)
}

/// Whether `before`, the part of a comment up to a word, lets the word begin its line.
fn begins_line(before: &str) -> bool {
    let mut line = before.chars().rev().take_while(|c| !matches!(c, '\n' | '\r'));
    line.all(|c| c.is_whitespace() || "-/*#!<%;".contains(c))
}

/// A suppression as parsed, in bytes of the comment's text.
struct Directive {
    reach: Reach,
    rules: Vec<(usize, usize)>,
    malformed: Option<(&'static str, usize, usize)>,
}

impl Directive {
    /// The directive whose mark stands at `mark`; `None` where the mark is only mentioned.
    fn parse(text: &str, mark: usize) -> Option<Self> {
        let before = &text[..mark];
        let own_line = begins_line(before);
        if !own_line && !before.ends_with(char::is_whitespace) {
            return None;
        }
        let rest = &text[mark + MARK.len()..];
        let word_at = mark + MARK.len() + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let word = &text[word_at..];
        let word =
            &word[..word.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(word.len())];
        let mut end = word_at + word.len();
        let broken = |why, end| {
            // In running prose the word is mentioned, not used.
            own_line.then_some(Self { reach: Reach::Statement, rules: Vec::new(), malformed: Some((why, mark, end)) })
        };
        let reach = match word {
            "ignore" => Reach::Statement,
            "ignore-file" => Reach::File,
            _ => return broken("it says neither `ignore` nor `ignore-file`", end),
        };
        let Some(list) = text[end..].strip_prefix('[') else {
            return broken("it names no rule in brackets", end);
        };
        end += 1;
        let Some(length) = list.find([']', '\n', '\r']).filter(|&at| list[at..].starts_with(']')) else {
            return broken("its bracket is not closed", end);
        };
        let mut rules = Vec::new();
        for name in list[..length].split(',') {
            let start = end + (name.len() - name.trim_start().len());
            let trimmed = name.trim();
            if !trimmed.is_empty() {
                rules.push((start, start + trimmed.len()));
            }
            end += name.len() + 1;
        }
        if rules.is_empty() {
            return broken("it names no rule in brackets", end);
        }
        Some(Self { reach, rules, malformed: None })
    }
}
