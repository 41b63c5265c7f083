//! Jupyter notebooks: the code in one, at the offsets of the file. What JSON writes in more bytes than the code has gets
//! blanks, where they change nothing but white space inside a literal; everything else is blank.

use crate::span::Span;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Whether a file is a notebook, by its name.
pub(crate) fn is_notebook(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("ipynb"))
}

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: Vec<Cell<'a>>,
}

#[derive(Deserialize)]
struct Cell<'a> {
    cell_type: &'a str,
    #[serde(borrow)]
    source: &'a RawValue,
}

/// A character of code, with all that the file writes for it.
#[derive(Clone, Copy)]
struct Unit {
    character: char,
    written: Span,
}

/// The code of a notebook as a text of the same length; `None` for what is no notebook. A cell in SQL (`%%sql`, `%sql`) is a
/// call with that text.
pub(crate) fn code(text: &str) -> Option<String> {
    // Its specification: <https://nbformat.readthedocs.io/en/latest/format_description.html>.
    let notebook: Notebook<'_> = serde_json::from_str(text).ok()?;
    let mut code = vec![b' '; text.len()];
    let cells: Vec<Vec<Unit>> = notebook.cells.iter().filter_map(|cell| cell.units(text)).collect();
    for (index, cell) in cells.iter().enumerate() {
        let next = cells.get(index + 1).and_then(|next| next.first());
        let room = next.map_or(text.len(), |unit| unit.written.start);
        // What stands before it is blank, and no indentation.
        put(cell[0].written.start.saturating_sub(1), "\n", &mut code);
        write_cell(cell, room, &mut code);
    }
    String::from_utf8(code).ok()
}

impl Cell<'_> {
    /// The characters of a cell of code that is not empty.
    fn units(&self, text: &str) -> Option<Vec<Unit>> {
        let mut units = Vec::new();
        let lines: Vec<&RawValue> = match serde_json::from_str(self.source.get()) {
            Ok(lines) => lines,
            Err(_) => vec![self.source],
        };
        for line in lines {
            // It is a part of the text, so that this is its place there.
            let start = line.get().as_ptr().addr().checked_sub(text.as_ptr().addr())?;
            characters(line.get(), start, &mut units)?;
        }
        (self.cell_type == "code" && !units.is_empty()).then_some(units)
    }
}

/// The characters of a string of JSON that stands at an offset.
fn characters(written: &str, start: usize, units: &mut Vec<Unit>) -> Option<()> {
    let inside = written.strip_prefix('"')?.strip_suffix('"')?;
    let mut at = 0;
    while let Some(character) = inside[at..].chars().next() {
        let length = match inside.as_bytes().get(at + 1) {
            _ if character != '\\' => character.len_utf8(),
            // Half of a character is no character.
            Some(b'u') if inside.as_bytes().get(at + 6..at + 8) == Some(br"\u") => {
                let pair = inside.get(at..at + 12)?;
                if decoded(pair).is_some_and(|text| text.chars().count() == 1) { 12 } else { 6 }
            }
            Some(b'u') => 6,
            _ => 2,
        };
        let piece = inside.get(at..at + length)?;
        let character = decoded(piece)?.chars().next()?;
        units.push(Unit { character, written: Span::new(start + 1 + at, start + 1 + at + length) });
        at += length;
    }
    Some(())
}

/// What a piece of a string of JSON stands for.
fn decoded(piece: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{piece}\"")).ok()
}

/// Writes a cell, which has the room up to `room`.
fn write_cell(units: &[Unit], room: usize, code: &mut [u8]) {
    let mut lines: Vec<&[Unit]> = units.split_inclusive(|unit| unit.character == '\n').collect();
    let starts = |line: &[Unit], word: &str| {
        line.len() >= word.chars().count() && word.chars().zip(line).all(|(c, unit)| unit.character == c)
    };
    let first = lines.first().copied().unwrap_or_default();
    if starts(first, "%%sql") {
        put(first[0].written.start, "_(r\"\"\"", code);
        end_line(units, first, code);
        lines.remove(0);
        lines.iter().for_each(|line| write_line(units, line, code));
        close(units, room, code);
        return;
    }
    if starts(first, "%%") {
        // Others run the rest in another language, or are about how Python runs.
        if !["%%time", "%%timeit", "%%capture", "%%prun"].iter().any(|magic| starts(first, magic)) {
            return;
        }
        end_line(units, lines.remove(0), code);
    }
    for line in lines {
        let text: String = line.iter().map(|unit| unit.character).collect();
        let indent = text.chars().take_while(|c| *c == ' ').count();
        let magic = text.find("%sql ").filter(|at| {
            let before = text[..*at].trim_end();
            text.is_char_boundary(*at) && (before.is_empty() || before.ends_with('='))
        });
        if let Some(at) = magic {
            let at = text[..at].chars().count();
            write_line(units, &line[..at], code);
            write_line(units, &line[at + "%sql ".len()..], code);
            put(line[at].written.start, "_(\"\"\"", code);
            let end = line.iter().rfind(|unit| unit.character != '\n').map_or(0, |unit| unit.written.end);
            let next = units.iter().find(|unit| unit.written.start > line[line.len() - 1].written.start);
            // Before the line's end is written.
            let space = next.map_or(room, |next| next.written.start.saturating_sub(1));
            if space >= end + CLOSE.len() {
                put(end, CLOSE, code);
            }
        } else if line.get(indent).is_some_and(|unit| matches!(unit.character, '%' | '!')) {
            // Of no interest, but a line.
            end_line(units, line, code);
        } else {
            write_line(units, line, code);
        }
    }
}

/// What ends a cell or a line in SQL.
const CLOSE: &str = "\"\"\")";

fn close(units: &[Unit], room: usize, code: &mut [u8]) {
    let end = units.last().map_or(0, |unit| unit.written.end);
    if end + CLOSE.len() < room {
        put(end, CLOSE, code);
        put(end + CLOSE.len(), "\n", code);
    }
}

fn put(at: usize, text: &str, code: &mut [u8]) {
    if let Some(room) = code.get_mut(at..at + text.len()) {
        room.copy_from_slice(text.as_bytes());
    }
}

/// Where the character after a line begins: up to there it may be written.
fn line_end(units: &[Unit], line: &[Unit]) -> Option<usize> {
    let last = line.last()?;
    let next = units.partition_point(|unit| unit.written.start <= last.written.start);
    Some(units.get(next).map_or(last.written.end, |next| next.written.start))
}

/// Writes the end of a line in the last byte before the next one, whose indentation begins there.
fn end_line(units: &[Unit], line: &[Unit], code: &mut [u8]) {
    if line.last().is_some_and(|unit| unit.character == '\n')
        && let Some(end) = line_end(units, line)
    {
        put(end - 1, "\n", code);
    }
}

/// Writes a line. Backslashes go as far right as they can, next to what they are before; quotes to the side on which they
/// open or close something.
fn write_line(units: &[Unit], line: &[Unit], code: &mut [u8]) {
    let mut at = 0;
    while let Some(unit) = line.get(at) {
        let run = line[at..].iter().take_while(|next| next.character == unit.character).count();
        let run = if matches!(unit.character, '"' | '\\') { run } else { 1 };
        let last = line[at + run - 1];
        let text: String = std::iter::repeat_n(unit.character, run).collect();
        let before = at.checked_sub(1).and_then(|at| line.get(at));
        let after = line.get(at + run);
        let is_one = |unit: Option<&Unit>, of: &str| unit.is_some_and(|unit| of.contains(unit.character));
        let opens = (before.is_none() || is_one(before, "([{=,:+% ")) && after.is_some() && !is_one(after, ")],;.} \n");
        match unit.character {
            '\n' => {
                end_line(units, line, code);
                break;
            }
            '\\' if after.is_some_and(|after| after.character == '\n') => {
                // The line goes on in the next one.
                if let Some(end) = line_end(units, line) {
                    put(end - 1 - text.len(), &text, code);
                }
            }
            '\\' => put(last.written.end - text.len(), &text, code),
            '"' if opens => put(last.written.end - text.len(), &text, code),
            _ => put(unit.written.start, &text, code),
        }
        at += run;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> String {
        let code = code(json).unwrap();
        assert_eq!(code.len(), json.len());
        code
    }

    /// The lines of the code, without what is blank; how much is before a line that goes on depends on the file's own lines.
    fn lines(code: &str) -> Vec<String> {
        let line = |line: &str| match line.trim_end().strip_suffix('\\') {
            Some(line) => format!("{} \\", line.trim_end()),
            None => line.trim_end().to_owned(),
        };
        code.split('\n').map(line).filter(|line| !line.is_empty()).collect()
    }

    fn notebook(cells: &[serde_json::Value]) -> [String; 2] {
        let json = serde_json::json!({ "cells": cells, "metadata": {}, "nbformat": 4 });
        [json.to_string(), serde_json::to_string_pretty(&json).unwrap()]
    }

    fn cell(source: &str) -> serde_json::Value {
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        serde_json::json!({ "cell_type": "code", "metadata": {}, "outputs": [{ "text": ["x = 1\n"] }], "source": lines })
    }

    #[test]
    fn code_stands_where_the_file_has_it() {
        let python = "import x\nif é:\n    f(\"a\", 'b')\n    g(f\"{y}\", \"\"\"SELECT \\\"t\\\"\n      1\"\"\")\nz = 1 + \\\n  2";
        let text = serde_json::json!({ "cell_type": "markdown", "source": ["SELECT 1"] });
        let whole = serde_json::json!({ "cell_type": "code", "source": "h(\"😀\")\nk()" });
        for json in notebook(&[cell(python), text, whole]) {
            let code = read(&json);
            assert_eq!(
                lines(&code),
                [
                    "import x",
                    "if é:",
                    "    f( \"a\" , 'b')",
                    "    g(f\" {y}\" ,    \"\"\"SELECT  \\\" t \\\"",
                    "      1\"\"\"   )",
                    "z = 1 + \\",
                    "  2",
                    "h( \"😀\" )",
                    "k()"
                ]
                .map(|line| line.to_owned()),
                "{json}"
            );
            // A second way to the place of a word: in both it is the only one.
            assert_eq!(code.find("import x"), json.find("import x"));
            assert_eq!(code.find("k()"), json.find("k()"));
        }
    }

    #[test]
    fn cells_and_lines_in_sql() {
        let magic = "%load_ext sql\n!pip install x\n%sql SELECT 1\nr = %sql SELECT 'a'\n%time\nx %sql y";
        let cells =
            [cell("%%sql postgresql://x\nBEGIN;\nSELECT \"a\""), cell(magic), cell("%%bash\nls"), cell("%%time\nf()")];
        for json in notebook(&cells) {
            assert_eq!(
                lines(&read(&json)),
                [
                    "_(r\"\"\"",
                    "BEGIN;",
                    "SELECT  \"a\" \"\"\")",
                    "_(\"\"\"SELECT 1\"\"\")",
                    "r = _(\"\"\"SELECT 'a'\"\"\")",
                    "x %sql y",
                    "f()"
                ]
                .map(str::to_owned),
                "{json}"
            );
        }
    }

    #[test]
    fn characters_that_json_escapes() {
        let json = r#"{"cells":[{"cell_type":"code","source":["a = '\u00e9\ud83d\ude00\u0041\/'\n","b"]}]}"#;
        assert_eq!(lines(&read(json)), ["a = 'é    😀        A     / '", "b"]);
    }

    #[test]
    fn what_is_no_notebook() {
        for text in
            ["", "{}", "[]", "{\"cells\": 1}", "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"", "import x\n"]
        {
            assert_eq!(code(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_code_stays_in_its_place(cells in proptest::collection::vec("[a-z\"'\\\\é😀%! \n(){}\t]{0,40}", 1..4)) {
            let values: Vec<_> = cells.iter().map(|text| cell(text)).collect();
            for json in notebook(&values) {
                let code = read(&json);
                for (at, c) in code.char_indices().filter(|(_, c)| c.is_ascii_lowercase() && !"_r".contains(*c)) {
                    proptest::prop_assert_eq!(json.as_bytes()[at], c as u8);
                }
            }
        }
    }
}
