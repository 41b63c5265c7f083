//! One literal key for features that have nothing to do with each other.

use crate::analysis::{File, constants};
use crate::facts::{Facts, called};
use crate::finding::{FileId, Level, Place};
use crate::flow::{Action, SiteId, UnitFlow, UnitKind};
use crate::pattern;
use crate::rule::{Check, Rank, Rule, Sink};
use crate::span::Span;
use crate::sql::advisory::{Key, KeyPart, Sameness};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

pub(super) const RULE: Rule = Rule {
    name: "lock-key-reuse",
    level: Level::Note,
    rank: Rank::Hygiene,
    page: include_str!("../../rules/lock-key-reuse.md"),
    checks: &[Check::Project(check)],
};

/// How many earlier uses of a key each is compared with.
const MAX_COMPARED: usize = 32;

/// How many words a function's name has, with that of its class, that says what it is for.
const SAYING: usize = 3;

/// How far a comment about a lock may end before it, in bytes.
const MAX_APART: usize = 600;

/// A unit that takes a key, with the tables it touches.
struct Use<'a> {
    file: FileId,
    flow: &'a UnitFlow,
    site: SiteId,
    tables: Rc<BTreeSet<&'a str>>,
    directory: &'a str,
    is_test: bool,
}

fn check(files: &[File<'_>], _: &Facts, sink: &mut Sink) {
    let called = called(files);
    let mut by_name: BTreeMap<String, Vec<Use<'_>>> = BTreeMap::new();
    for (source, flow) in files.iter().flat_map(|file| file.units.iter().map(move |flow| (file, flow))) {
        let directory = source.source.path().rsplit_once('/').map_or("", |(directory, _)| directory);
        let is_test = source.is_test_at(flow.unit.span);
        let file = source.id;
        let mut tables = None;
        let mut seen = HashSet::new();
        // What a function locks for its callers is their use of the key.
        let mine =
            flow.acquired().filter(|(site, ..)| !called.contains(&Place::new(file, flow.unit.sites[*site].span)));
        for (site, _, key) in mine.filter(|(.., key)| seen.insert(*key)) {
            let Some(name) = name(key) else { continue };
            let tables = Rc::clone(tables.get_or_insert_with(|| {
                let declared = is_annotation(source, flow.unit.sites[site].span);
                Rc::new(if declared { of_interface(source) } else { flow.tables() })
            }));
            by_name.entry(name).or_default().push(Use { file, flow, site, tables, directory, is_test });
        }
    }
    for (name, uses) in &by_name {
        // The first that is unrelated to an earlier one; once a key.
        let pair = uses.iter().enumerate().find_map(|(index, late)| {
            let compared = &uses[..index.min(MAX_COMPARED)];
            let shared = |early: &&Use<'_>| is_shared(files, early, late) || is_of_one_name(files, early, late);
            compared.iter().find(|early| unrelated(early, late) && !shared(early)).map(|early| (early, late))
        });
        let Some((early, late)) = pair else { continue };
        let site = &late.flow.unit.sites[late.site];
        sink.report(
            &RULE,
            Level::Note,
            Place::new(late.file, site.span),
            format!("key {name} is also taken by a unit that {}: each blocks the other", other(early, late)),
        )
        .statement(site.statement)
        .unit(&late.flow.unit.name)
        .related(Place::new(early.file, early.flow.unit.sites[early.site].span), "the other use of the key")
        .help("give each feature a key of its own, such as a class id for the two-key form");
    }
}

/// What shows that two units are unrelated.
fn other(early: &Use<'_>, late: &Use<'_>) -> &'static str {
    if shows_tables(early) && shows_tables(late) {
        "touches none of the same tables"
    } else {
        "by its place and name is for something else"
    }
}

/// Whether the tables that a unit works on are in sight: what a model or builder does may show none, and the work may go
/// through another session.
fn shows_tables(one: &Use<'_>) -> bool {
    !one.tables.is_empty()
        && !one.tables.contains("")
        && !one.flow.unit.steps.iter().any(|step| step.action == Action::Outside)
}

/// Whether a lock's query is that of an annotation: JDBI's SQL objects, MyBatis' mappers, queries of repositories.
fn is_annotation(file: &File<'_>, site: Span) -> bool {
    let before = file.source.text().get(..site.start).unwrap_or_default();
    let Some((_, since)) = before.rsplit_once('@') else { return false };
    let name = since.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let value =
        name.strip_prefix('(').map(|rest| rest.trim_start().trim_start_matches("value").trim_start_matches([' ', '=']));
    file.is_host() && value.is_some_and(|value| value.starts_with('"')) && !since.contains([';', '}'])
}

/// The tables of all queries that annotations of a file declare: its interface is the feature.
fn of_interface<'a>(file: &'a File<'_>) -> BTreeSet<&'a str> {
    file.units.iter().filter(|flow| flow.unit.kind == UnitKind::Query).flat_map(UnitFlow::tables).collect()
}

/// What a key is told apart by: the literal key, or the literal class of a pair.
fn name(key: &Key) -> Option<String> {
    match key {
        Key::Bigint(KeyPart::Constant(_)) => Some(key.to_string()),
        Key::Pair(KeyPart::Constant(class), _) => Some(format!("({class}, …)")),
        _ => None,
    }
}

/// Other units with other names, and tables on both sides of which none is shared.
fn unrelated(early: &Use<'_>, late: &Use<'_>) -> bool {
    let keys = |one: &Use<'_>| one.flow.unit.advisory(one.site).map(|(_, key)| key.clone());
    let comparable = match (keys(early), keys(late)) {
        (Some(a), Some(b)) => a.compare(&b) != Sameness::Different,
        _ => false,
    };
    comparable
        // A test takes the key of what it tests.
        && early.is_test == late.is_test
        && !std::ptr::eq(early.flow, late.flow)
        && !are_two_sides(early, late)
        && !are_by_one_helper(early, late)
        && (early.flow.unit.name != late.flow.unit.name
            || early.flow.unit.name.is_empty()
            || early.flow.unit.kind == UnitKind::Host && early.directory != late.directory && words(early).len() < SAYING)
        && if shows_tables(early) && shows_tables(late) {
            early.tables.is_disjoint(&late.tables)
        } else {
            apart(early, late)
        }
}

/// Whether one of two units takes the key shared, and the other one exclusively: two sides of one lock.
fn are_two_sides(early: &Use<'_>, late: &Use<'_>) -> bool {
    let mode = |one: &Use<'_>| one.flow.unit.advisory(one.site).map(|(function, _)| function.mode);
    mode(early) != mode(late)
}

/// Whether one and the same call takes the key, in a helper that both units call: it is there for what they share.
fn are_by_one_helper(early: &Use<'_>, late: &Use<'_>) -> bool {
    let via = |one: &Use<'_>| one.flow.unit.sites[one.site].via;
    via(early).is_some() && via(early) == via(late)
}

/// The file in which the call stands that takes the key.
fn written(one: &Use<'_>) -> FileId {
    one.flow.unit.sites[one.site].via.map_or(one.file, |via| via.file)
}

/// Whether both keys come from constants of one name.
fn is_of_one_name(files: &[File<'_>], early: &Use<'_>, late: &Use<'_>) -> bool {
    // The call may stand in a helper, outside of the unit.
    let name = |one: &Use<'_>| {
        let file = &files[files.binary_search_by_key(&written(one), |file| file.id).ok()?];
        match one.flow.unit.advisory(one.site)?.1.parts().next()? {
            KeyPart::Constant(value) => constants::of(file).name(*value, Span::new(0, file.source.text().len())),
            _ => None,
        }
    };
    name(early).is_some_and(|early| name(late) == Some(early))
}

/// Whether a comment before the lock in one of two units says that the key is shared: it names the key by its number, or
/// speaks of the same one.
fn is_shared(files: &[File<'_>], early: &Use<'_>, late: &Use<'_>) -> bool {
    [early, late].into_iter().any(|one| {
        let Ok(index) = files.binary_search_by_key(&one.file, |file| file.id) else { return false };
        let (source, unit) = (files[index].source, one.flow.unit.span);
        let number = match one.flow.unit.advisory(one.site) {
            Some((_, Key::Bigint(KeyPart::Constant(key)))) => key.to_string(),
            _ => String::new(),
        };
        let says = |comment: &str| {
            let mut words = comment.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let lower = comment.to_lowercase();
            let same = lower.match_indices("same ").any(|(at, same)| {
                ["key", "lock", "id", "advisory"].iter().any(|word| lower[at + same.len()..].starts_with(word))
            });
            same || !number.is_empty() && words.any(|word| word == number)
        };
        let site = one.flow.unit.sites[one.site].span;
        // A function that the unit runs stands outside of it.
        let near = |comment: &Span| unit.contains(*comment) || site.start - comment.end <= MAX_APART;
        let before = |comment: &Span| comment.end <= site.start && near(comment);
        files[index].comments.iter().any(|comment| before(comment) && says(source.slice(*comment)))
    })
}

/// Functions of host code that show no tables: of two classes or directories, with other ids in the second part of a key.
fn apart(early: &Use<'_>, late: &Use<'_>) -> bool {
    let is_host = |one: &Use<'_>| one.flow.unit.kind == UnitKind::Host;
    let second = |one: &Use<'_>| match one.flow.unit.advisory(one.site) {
        Some((_, Key::Pair(_, part))) => Some(part.clone()),
        _ => None,
    };
    let class = |one: &Use<'_>| one.flow.unit.name.rsplit_once('.').map(|(class, _)| class.to_owned());
    let others = second(early).is_none_or(|part| Some(part) != second(late));
    let classes = matches!((class(early), class(late)), (Some(a), Some(b)) if a != b);
    let names = words(early).is_disjoint(&words(late));
    let apart = match written(early) == written(late) {
        true => classes && names,
        false => classes || names || early.directory != late.directory,
    };
    is_host(early) && is_host(late) && others && apart
}

/// The words of a unit's name, lower case.
fn words(one: &Use<'_>) -> BTreeSet<String> {
    pattern::words(&one.flow.unit.name).into_iter().collect()
}
