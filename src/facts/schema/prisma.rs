//! Prisma schemas. The language is lines of words in blocks, and no published crate reads it; so this does.

use super::code::Draft;
use crate::sql::ddl::Change;
use std::collections::{HashMap, HashSet};

/// The tables of a schema; none where it is for another database.
pub(super) fn read(text: &str) -> Vec<Change> {
    let blocks = blocks(text);
    let other = blocks.iter().filter(|block| block.kind == "datasource").flat_map(|block| &block.lines).any(|line| {
        line.strip_prefix("provider")
            .and_then(quoted)
            .is_some_and(|provider| !["postgresql", "postgres", "cockroachdb"].contains(&provider))
    });
    if other {
        return Vec::new();
    }
    let models: HashSet<&str> = blocks.iter().filter(|block| block.kind == "model").map(|block| block.name).collect();
    blocks.iter().filter(|block| block.kind == "model").map(|block| model(block, &models)).collect()
}

struct Block<'s> {
    kind: &'s str,
    name: &'s str,
    lines: Vec<&'s str>,
}

/// The blocks, with their lines without comments. An attribute whose brackets span lines is one line.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let mut open = false;
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = logical_line(rest);
        rest = after;
        let line = line.trim();
        if !open {
            let Some(head) = line.strip_suffix('{') else { continue };
            let mut words = head.split_ascii_whitespace();
            if let (Some(kind), Some(name)) = (words.next(), words.next()) {
                found.push(Block { kind, name, lines: Vec::new() });
                open = true;
            }
        } else if line.starts_with('}') {
            open = false;
        } else if let Some(block) = found.last_mut().filter(|_| !line.is_empty()) {
            block.lines.push(line);
        }
    }
    found
}

/// The text up to the end of a line outside brackets and strings, or to a comment, and what follows that line.
fn logical_line(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let (mut depth, mut in_string, mut comment) = (0usize, false, None);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_string => at += 1,
            b'"' if comment.is_none() => in_string = !in_string,
            b'\n' if in_string || depth == 0 || comment.is_some() => {
                return (&text[..comment.unwrap_or(at)], &text[at + 1..]);
            }
            b'/' if !in_string && comment.is_none() && bytes.get(at + 1) == Some(&b'/') => comment = Some(at),
            b'(' | b'[' if !in_string && comment.is_none() => depth += 1,
            b')' | b']' if !in_string && comment.is_none() => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    (&text[..comment.unwrap_or(text.len())], "")
}

/// `@unique(map: "x")`: its name and what stands in its brackets.
type Attribute<'s> = (&'s str, &'s str);

/// The attributes of a line.
fn attributes(line: &str) -> Vec<Attribute<'_>> {
    let bytes = line.as_bytes();
    let mut found: Vec<Attribute<'_>> = Vec::new();
    let mut name: Option<(usize, usize)> = None;
    let (mut depth, mut in_string, mut inside) = (0usize, false, 0);
    for (at, byte) in bytes.iter().enumerate() {
        let is_name = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'@');
        match byte {
            b'"' if at == 0 || bytes[at - 1] != b'\\' => in_string = !in_string,
            _ if in_string => {}
            b'(' | b'[' => {
                if depth == 0 {
                    inside = at + 1;
                }
                depth += 1;
            }
            b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && *byte == b')'
                    && let Some((start, end)) = name.take()
                {
                    found.push((&line[start..end], &line[inside..at]));
                }
            }
            b'@' if depth == 0 && name.is_none_or(|(_, end)| end != at) => {
                found.extend(name.take().map(|(start, end)| (&line[start..end], "")));
                name = Some((at, at + 1));
            }
            _ if depth == 0 && is_name => {
                if let Some((_, end)) = name.as_mut().filter(|(_, end)| *end == at) {
                    *end = at + 1;
                }
            }
            _ => {}
        }
    }
    found.extend(name.map(|(start, end)| (&line[start..end], "")));
    found
}

/// The first string in a text.
fn quoted(text: &str) -> Option<&str> {
    let (_, after) = text.split_once('"')?;
    after.split_once('"').map(|(inside, _)| inside)
}

/// The string that an argument of an attribute is: by its name, or the first one without.
fn string<'s>(arguments: &'s str, name: &str) -> Option<&'s str> {
    let mut rest = arguments;
    while let Some((_, after)) = rest.split_once(name) {
        if let Some(value) = after.trim_start().strip_prefix(':') {
            return quoted(value);
        }
        rest = after;
    }
    None
}

fn model(block: &Block<'_>, models: &HashSet<&str>) -> Change {
    let lines: Vec<(&str, Vec<Attribute<'_>>)> = block.lines.iter().map(|line| (*line, attributes(line))).collect();
    let mapped = lines.iter().flat_map(|(_, all)| all).find(|(name, _)| *name == "@@map");
    let table = mapped.and_then(|(_, arguments)| quoted(arguments)).unwrap_or(block.name);
    let mut draft = Draft::new(table.to_owned());
    let mut columns: HashMap<&str, &str> = HashMap::new();
    for (line, all) in lines.iter().filter(|(line, _)| !line.starts_with("@@")) {
        let mut words = line.split_ascii_whitespace();
        let (Some(field), Some(ty)) = (words.next(), words.next()) else { continue };
        if models.contains(ty.trim_end_matches(['?', '[', ']'])) || all.iter().any(|(name, _)| *name == "@relation") {
            continue;
        }
        let of = |name: &str| all.iter().find(|(known, _)| *known == name).map(|(_, arguments)| *arguments);
        let column = of("@map").and_then(quoted).unwrap_or(field);
        columns.insert(field, column);
        draft.column(column);
        if of("@id").is_some() {
            draft.primary([column.to_owned()]);
        }
        if let Some(arguments) = of("@unique") {
            draft.unique(string(arguments, "map").map(str::to_owned), vec![column.to_owned()], has_where(arguments));
        }
    }
    for (name, arguments) in lines.iter().flat_map(|(_, all)| all) {
        if !matches!(*name, "@@id" | "@@unique") {
            continue;
        }
        let Some(names) = fields(arguments, &columns) else { continue };
        match *name {
            "@@id" => draft.primary(names),
            _ => draft.unique(string(arguments, "map").map(str::to_owned), names, has_where(arguments)),
        }
    }
    draft.create()
}

/// `where: raw("…")`, a partial index.
fn has_where(arguments: &str) -> bool {
    arguments.contains("where:")
}

/// The columns of `[a, b(sort: Desc)]`.
fn fields(arguments: &str, columns: &HashMap<&str, &str>) -> Option<Vec<String>> {
    let (_, list) = arguments.split_once('[')?;
    let (list, _) = list.split_once(']')?;
    let mut depth = 0usize;
    let parts = list.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let names = parts.map(str::trim).filter(|part| !part.is_empty()).map(|part| {
        let name = part.split('(').next().unwrap_or_default().trim();
        columns.get(name).map(|column| (*column).to_owned())
    });
    names.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
}
