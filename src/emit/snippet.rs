//! The lines in question with the places marked, through codespan. It is handed excerpts, never a whole file: long lines
//! are cut to a window, and what would act on a terminal is spelled out.

use super::position::{Columns, Position};
use super::visible::{visible, visible_line};
use crate::finding::Level;
use crate::language::Language;
use crate::settings::ConfigError;
use crate::source::Source;
use crate::span::Span;
use codespan_reporting::diagnostic::{Diagnostic, Label, LabelStyle, Severity};
use codespan_reporting::files::{Error, Files, Location};
use codespan_reporting::term::{self, termcolor};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

/// A line of at most this many bytes is shown whole.
const WHOLE_LINE: usize = 240;
/// What is shown of a longer line on either side of the mark, and of the mark itself.
const MARGIN: usize = 60;
const WIDEST_MARK: usize = 160;
/// A mark over more lines is shown on its first one.
const MOST_LINES: usize = 8;

/// A place to mark.
pub(super) struct Mark<'m> {
    pub(super) name: Cow<'m, str>,
    pub(super) source: &'m Source,
    pub(super) span: Span,
    pub(super) start: Position,
    pub(super) message: &'m str,
}

/// Writes a message and its marks, the primary one first.
pub(super) fn write(
    (severity, code): (Severity, Option<&str>),
    message: &str,
    marks: &[Mark<'_>],
    notes: Vec<String>,
    color: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut excerpts: Vec<Excerpt> = Vec::new();
    let mut diagnostic = Diagnostic::new(severity).with_message(visible(message));
    diagnostic.code = code.map(str::to_owned);
    for (index, mark) in marks.iter().enumerate() {
        if marks[..index].iter().any(|m| m.name == mark.name) {
            continue;
        }
        let same: Vec<&Mark<'_>> = marks.iter().filter(|m| m.name == mark.name).collect();
        let (excerpt, ranges) = Excerpt::new(&same);
        for (at, (mark, range)) in same.iter().zip(ranges).enumerate() {
            let primary = index == 0 && at == 0;
            let style = if primary { LabelStyle::Primary } else { LabelStyle::Secondary };
            match range {
                Some(range) => {
                    diagnostic.labels.push(Label::new(style, excerpts.len(), range).with_message(visible(mark.message)))
                }
                None => diagnostic.notes.push(format!(
                    "{}:{}:{}: {}",
                    visible(&mark.name),
                    mark.start.line,
                    mark.start.column,
                    visible(mark.message)
                )),
            }
        }
        excerpts.push(excerpt);
    }
    diagnostic.notes.extend(notes);
    let mut buffer = if color { termcolor::Buffer::ansi() } else { termcolor::Buffer::no_color() };
    let config = term::Config::default();
    term::emit_to_write_style(&mut buffer, &config, &Excerpts(excerpts), &diagnostic).map_err(io::Error::other)?;
    // Marks over several lines leave blanks after the gutter.
    for line in buffer.as_slice().split_inclusive(|&byte| byte == b'\n') {
        out.write_all(line.trim_ascii_end())?;
        out.write_all(if line.ends_with(b"\n") { b"\n" } else { b"" })?;
    }
    Ok(())
}

/// Writes why a configuration file is refused, with the line at fault.
///
/// # Errors
/// Where `out` fails.
pub fn config_error(error: &ConfigError, color: bool, out: &mut dyn io::Write) -> io::Result<()> {
    let notes = error.help.iter().map(|help| format!("help: {}", visible(help))).collect();
    let kind = (Severity::Error, None);
    // The text only lends its lines; no language is read from it.
    let bytes = error.text.as_bytes().to_vec();
    match Source::new(error.path.as_str().into(), Language::Sql, bytes) {
        Ok(source) => {
            let start = Columns::new(&source).at(error.span.start);
            let mark = Mark {
                name: Cow::Borrowed(&error.path),
                source: &source,
                span: Span::new(start.offset, error.span.end.clamp(start.offset, source.file_text().len())),
                start,
                message: "",
            };
            write(kind, &error.message, &[mark], notes, color, out)
        }
        Err(_) => write(kind, &error.to_string(), &[], notes, color, out),
    }
}

pub(super) const fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Note => Severity::Note,
    }
}

/// The lines of one file that a diagnostic shows.
struct Excerpt {
    name: String,
    text: String,
    /// Bytes of `text` by 0-based line of the file.
    lines: BTreeMap<usize, Range<usize>>,
    /// Where a byte of `text` at which a mark begins stands in the file.
    starts: Vec<(usize, Position)>,
}

impl Excerpt {
    /// The excerpt for marks in one file, and where each lies in its text; nowhere for one that its long line has no
    /// room for.
    fn new(marks: &[&Mark<'_>]) -> (Self, Vec<Option<Range<usize>>>) {
        let mut excerpt = Self {
            name: visible(&marks[0].name).into_owned(),
            text: String::new(),
            lines: BTreeMap::new(),
            starts: Vec::new(),
        };
        let source = marks[0].source;
        let clipped: Vec<Clipped> = marks.iter().map(|mark| Clipped::new(source, mark.span)).collect();
        let mut needed: BTreeSet<usize> = clipped.iter().flat_map(|mark| mark.first..=mark.last).collect();
        // The renderer shows a single line between two that are marked.
        let between: Vec<usize> =
            needed.iter().map(|line| line + 1).filter(|line| needed.contains(&(line + 1))).collect();
        needed.extend(between);
        let mut windows = BTreeMap::new();
        for line in needed {
            let window = window(source, line, &clipped);
            let start = excerpt.text.len();
            let bounds = line_bounds(source, line);
            if window.start > bounds.start {
                excerpt.text.push('…');
            }
            let shift = excerpt.text.len();
            visible_line(source.file_slice(window), &mut excerpt.text);
            if window.end < bounds.end {
                excerpt.text.push('…');
            }
            excerpt.lines.insert(line, start..excerpt.text.len());
            excerpt.text.push('\n');
            windows.insert(line, (window, shift));
        }
        let place = |line: usize, offset: usize| {
            let (window, shift) = windows.get(&line)?;
            let inside = window.start <= offset && offset <= window.end;
            let mut before = String::new();
            visible_line(
                source.file_slice(Span::new(window.start, offset.min(window.end).max(window.start))),
                &mut before,
            );
            (inside || offset > window.end).then_some((shift + before.len(), inside))
        };
        let mut ranges = Vec::new();
        for (mark, clip) in marks.iter().zip(&clipped) {
            let range = match (place(clip.first, clip.span.start), place(clip.last, clip.span.end)) {
                (Some((start, true)), Some((end, _))) => Some(start..end.max(start)),
                _ => None,
            };
            if let Some(range) = &range {
                excerpt.starts.push((range.start, mark.start));
            }
            ranges.push(range);
        }
        (excerpt, ranges)
    }
}

/// A mark without the line end it may close with, on as many lines as are shown.
struct Clipped {
    span: Span,
    first: usize,
    last: usize,
}

impl Clipped {
    fn new(source: &Source, span: Span) -> Self {
        let index = source.lines();
        let first = index.line(span.start);
        let end = span.start + source.file_slice(span).trim_end_matches(['\n', '\r']).len();
        let last = index.line(end);
        if last - first < MOST_LINES {
            return Self { span: Span::new(span.start, end), first, last };
        }
        Self { span: Span::new(span.start, line_bounds(source, first).end.max(span.start)), first, last: first }
    }
}

/// A line without its end and without the byte order mark.
fn line_bounds(source: &Source, line: usize) -> Span {
    let index = source.lines();
    let start = index.start(line).unwrap_or_default();
    let start = if line == 0 { source.bom() } else { start };
    let next = index.start(line + 1).unwrap_or(source.file_text().len());
    let text = source.file_slice(Span::new(start, next.max(start)));
    let ending = text.len() - text.trim_end_matches(['\n', '\r']).len();
    Span::new(start, start + text.len() - ending)
}

/// What is shown of a line: all of it, or what lies around the first mark on it.
fn window(source: &Source, line: usize, marks: &[Clipped]) -> Span {
    let bounds = line_bounds(source, line);
    if bounds.len() <= WHOLE_LINE {
        return bounds;
    }
    let mark = marks.iter().find(|mark| mark.first <= line && line <= mark.last);
    let span = mark.map_or(Span::new(bounds.start, bounds.start), |mark| {
        let start = mark.span.start.clamp(bounds.start, bounds.end);
        Span::new(start, mark.span.end.clamp(start, bounds.end))
    });
    let text = source.file_text();
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = boundary(span.start.saturating_sub(MARGIN).max(bounds.start));
    let end = span.end.min(span.start + WIDEST_MARK) + MARGIN;
    Span::new(start, boundary(end.min(bounds.end)).max(start))
}

/// The excerpts as codespan asks for them; lines keep the numbers of their files.
struct Excerpts(Vec<Excerpt>);

impl Excerpts {
    fn get(&self, id: usize) -> Result<&Excerpt, Error> {
        self.0.get(id).ok_or(Error::FileMissing)
    }
}

impl<'a> Files<'a> for Excerpts {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.get(id)?.name)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        Ok(&self.get(id)?.text)
    }

    fn line_index(&'a self, id: usize, byte: usize) -> Result<usize, Error> {
        let excerpt = self.get(id)?;
        let line = excerpt.lines.iter().find(|(_, range)| byte <= range.end);
        line.map(|(&line, _)| line).ok_or(Error::IndexTooLarge { given: byte, max: excerpt.text.len() })
    }

    fn line_range(&'a self, id: usize, line: usize) -> Result<Range<usize>, Error> {
        let lines = &self.get(id)?.lines;
        lines
            .get(&line)
            .cloned()
            .ok_or(Error::LineTooLarge { given: line, max: lines.keys().next_back().copied().unwrap_or_default() })
    }

    fn location(&'a self, id: usize, byte: usize) -> Result<Location, Error> {
        let excerpt = self.get(id)?;
        let start = excerpt.starts.iter().find(|(at, _)| *at == byte);
        Ok(match start {
            Some((_, position)) => Location { line_number: position.line, column_number: position.column },
            None => Location { line_number: self.line_index(id, byte)? + 1, column_number: 1 },
        })
    }
}
