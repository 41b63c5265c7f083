//! The keys of a tree, and what rows of `pg_locks` lead to: for people, and as the object that docs/json.md describes.

use super::position::{Position, Positions};
use super::{counted, visible};
use crate::finding::Place;
use crate::host::shown_key;
use crate::keymap::decode::Row;
use crate::keymap::{Collision, KeyMap, KeyUse, values};
use crate::paths::Paths;
use crate::sql::advisory::{Action, Key, Mode, Scope};
use serde::Serialize;
use std::io;

const SCHEMA: u32 = 1;

/// How to write keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum KeysFormat {
    /// For people
    Text,
    /// One object, described in docs/json.md
    Json,
}

struct View<'v> {
    map: &'v KeyMap,
    paths: &'v Paths,
    positions: Positions<'v>,
}

/// Writes the keys of a tree; where there are rows, only what they lead to is told to people.
///
/// # Errors
/// Where `out` fails.
pub fn keys(
    map: &KeyMap,
    rows: Option<&[Row]>,
    format: KeysFormat,
    paths: &Paths,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let view = View { map, paths, positions: Positions::new(&map.sources) };
    match (format, rows) {
        (KeysFormat::Json, _) => {
            serde_json::to_writer_pretty(&mut *out, &view.object(rows))?;
            writeln!(out)
        }
        (KeysFormat::Text, Some(rows)) => view.decoded(rows, out),
        (KeysFormat::Text, None) => view.list(out),
    }
}

/// The uses of one key.
struct Group<'v> {
    key: &'v Key,
    uses: Vec<&'v KeyUse>,
}

impl<'v> View<'v> {
    fn groups(&self) -> Vec<Group<'v>> {
        let mut groups: Vec<Group<'v>> = Vec::new();
        for used in &self.map.uses {
            match groups.last_mut() {
                // Of what has no spelling of its own each use is by itself.
                Some(group) if *group.key == used.key && used.key != Key::Unknown => group.uses.push(used),
                _ => groups.push(Group { key: &used.key, uses: vec![used] }),
            }
        }
        groups
    }

    fn list(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut last = None;
        let groups = self.groups();
        for group in &groups {
            let space = space(group.key);
            if last != Some(space) {
                let gap = if last.is_some() { "\n" } else { "" };
                writeln!(out, "{gap}{}", title(space))?;
                last = Some(space);
            }
            let key = group.uses.first().map_or_else(|| group.key.to_string(), |used| self.key_of(used));
            writeln!(out, "  {}{}", visible(&key), known(group.key))?;
            for used in &group.uses {
                writeln!(out, "    {}", self.line(used))?;
            }
        }
        if !self.map.collisions.is_empty() {
            writeln!(out, "\ncollisions")?;
        }
        for collision in &self.map.collisions {
            writeln!(out, "  {}", visible(&collision.message))?;
            for at in &collision.places {
                writeln!(out, "    {}", self.place(*at))?;
            }
        }
        let literal = groups.iter().filter(|group| group.key.is_literal()).count();
        let gap = if groups.is_empty() { "" } else { "\n" };
        writeln!(
            out,
            "{gap}{}, {literal} literal, {}, {}",
            counted(groups.len(), "key"),
            counted(self.map.uses.len(), "call"),
            counted(self.map.collisions.len(), "collision")
        )
    }

    fn decoded(&self, rows: &[Row], out: &mut dyn io::Write) -> io::Result<()> {
        for (index, row) in rows.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            writeln!(out, "{gap}{row} is key {} in {}", row.key(), title(space(&row.key())))?;
            let uses = row.uses(&self.map.uses);
            for (fit, used) in &uses {
                let key = visible(&self.key_of(used)).into_owned();
                writeln!(out, "  {:8} {key}: {}", fit.as_str(), self.line(used))?;
            }
            if uses.is_empty() {
                writeln!(out, "  nothing here takes it: another program, or a key that this tree does not show")?;
            }
        }
        Ok(())
    }

    /// `path:line:column  function  (unit)`
    fn line(&self, used: &KeyUse) -> String {
        let mut line = format!("{}  {}", self.place(used.at), used.function.name);
        if let Some(via) = used.via {
            line.push_str(&format!(", called at {}", self.place(via)));
        }
        if !used.unit.is_empty() {
            line.push_str(&format!("  in {}", visible(&used.unit)));
        }
        if let Some(constant) = &used.constant {
            line.push_str(&format!("  as {}", visible(constant)));
        }
        line
    }

    /// The key as it is shown.
    fn key_of(&self, used: &KeyUse) -> String {
        let call = self.map.sources.get(&used.at.file).map_or("", |source| source.slice(used.at.span));
        shown_key(used.key.to_string(), call)
    }

    fn place(&self, at: Place) -> String {
        let start = self.positions.of(at.file, at.span.start);
        format!("{}:{}:{}", visible(&self.path(at)), start.line, start.column)
    }

    fn path(&self, at: Place) -> String {
        let source = self.map.sources.get(&at.file);
        source.map(|source| self.paths.shown(source.path()).into_owned()).unwrap_or_default()
    }

    fn object(&self, rows: Option<&[Row]>) -> Output<'v> {
        Output {
            schema: SCHEMA,
            tool: super::json::Tool::this(),
            keys: self.groups().into_iter().map(|group| self.key(&group)).collect(),
            collisions: self.map.collisions.iter().map(|collision| self.collision(collision)).collect(),
            decoded: rows.map(|rows| rows.iter().map(|row| self.decode(*row)).collect()),
        }
    }

    fn key(&self, group: &Group<'v>) -> KeyObject<'v> {
        let numbers = values(group.key);
        KeyObject {
            space: space(group.key),
            key: group.uses.first().map_or_else(|| group.key.to_string(), |used| self.key_of(used)),
            literal: group.key.is_literal(),
            values: numbers.map(|(first, second)| std::iter::once(first).chain(second).collect()),
            row: Row::of(group.key).map(|row| row.to_string()),
            uses: group.uses.iter().map(|used| self.used(used)).collect(),
        }
    }

    fn used(&self, used: &'v KeyUse) -> UseObject<'v> {
        UseObject {
            function: used.function.name,
            action: match used.function.action {
                Action::Lock => "lock",
                Action::TryLock => "try",
                Action::Unlock | Action::UnlockAll => "unlock",
            },
            scope: match used.function.scope {
                Scope::Session => "session",
                Scope::Transaction => "transaction",
            },
            mode: match used.function.mode {
                Mode::Exclusive => "exclusive",
                Mode::Shared => "shared",
            },
            place: self.place_object(used.at),
            via: used.via.map(|via| self.place_object(via)),
            unit: &used.unit,
            constant: used.constant.as_deref(),
        }
    }

    fn place_object(&self, at: Place) -> PlaceObject {
        PlaceObject {
            path: self.path(at),
            start: self.positions.of(at.file, at.span.start),
            end: self.positions.of(at.file, at.span.end),
        }
    }

    fn collision(&self, collision: &'v Collision) -> CollisionObject<'v> {
        CollisionObject {
            message: &collision.message,
            places: collision.places.iter().map(|at| self.place_object(*at)).collect(),
        }
    }

    fn decode(&self, row: Row) -> DecodedObject<'v> {
        let matches = row.uses(&self.map.uses);
        DecodedObject {
            row: row.to_string(),
            space: space(&row.key()),
            key: row.key().to_string(),
            matches: matches
                .into_iter()
                .map(|(fit, used)| MatchObject { fit: fit.as_str(), key: self.key_of(used), used: self.used(used) })
                .collect(),
        }
    }
}

/// The word for a key space.
fn space(key: &Key) -> &'static str {
    match key {
        Key::Bigint(_) => "bigint",
        Key::Pair(..) => "pair",
        Key::Unknown => "unknown",
    }
}

fn title(space: &str) -> &'static str {
    match space {
        "bigint" => "the (bigint) space",
        "pair" => "the (integer, integer) space",
        _ => "a key that was not understood",
    }
}

/// What a key that is no plain number comes to, and what it is in `pg_locks`.
fn known(key: &Key) -> String {
    let Some(row) = Row::of(key) else { return String::new() };
    match row.values() {
        (number, None) if key.to_string() != number.to_string() => format!("  = {number} [{row}]"),
        _ => format!("  [{row}]"),
    }
}

#[derive(Serialize)]
struct Output<'o> {
    schema: u32,
    tool: super::json::Tool,
    keys: Vec<KeyObject<'o>>,
    collisions: Vec<CollisionObject<'o>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<Vec<DecodedObject<'o>>>,
}

#[derive(Serialize)]
struct KeyObject<'o> {
    space: &'static str,
    key: String,
    literal: bool,
    values: Option<Vec<i64>>,
    row: Option<String>,
    uses: Vec<UseObject<'o>>,
}

#[derive(Serialize)]
struct UseObject<'o> {
    function: &'static str,
    action: &'static str,
    scope: &'static str,
    mode: &'static str,
    #[serde(flatten)]
    place: PlaceObject,
    via: Option<PlaceObject>,
    unit: &'o str,
    constant: Option<&'o str>,
}

#[derive(Serialize)]
struct PlaceObject {
    path: String,
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct CollisionObject<'o> {
    message: &'o str,
    places: Vec<PlaceObject>,
}

#[derive(Serialize)]
struct DecodedObject<'o> {
    row: String,
    space: &'static str,
    key: String,
    matches: Vec<MatchObject<'o>>,
}

#[derive(Serialize)]
struct MatchObject<'o> {
    fit: &'static str,
    key: String,
    #[serde(flatten)]
    used: UseObject<'o>,
}
