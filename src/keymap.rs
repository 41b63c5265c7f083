//! Every advisory key of a tree: who takes it where, and which keys meet that were not meant to.

pub mod decode;

use crate::analysis::{File, constants};
use crate::facts::Facts;
use crate::facts::catalog::Catalog;
use crate::facts::pooler::Pooler;
use crate::finding::{FileId, Notice, Place};
use crate::lint::with_files;
use crate::project::{Project, Targets};
use crate::rule::{Check, Context, Sink, arbitrate};
use crate::rules;
use crate::settings::{Pooling, Settings};
use crate::source::Source;
use crate::span::Span;
use crate::sql::advisory::{Function, Key, KeyPart};
use crate::sql::hash::{hashtext, hashtextextended};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A place that takes or releases a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUse {
    /// The key, with what host code binds to its placeholders where that is seen.
    pub key: Key,
    /// The function.
    pub function: &'static Function,
    /// The call.
    pub at: Place,
    /// Where the wrapper that is called there calls the function.
    pub via: Option<Place>,
    /// The enclosing routine or host function; empty for a script.
    pub unit: String,
    /// The constant of the file that holds the key, or the first part of it.
    pub constant: Option<String>,
}

/// Uses that meet on one lock though nothing says that they are meant to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// What meets: one sentence, lower case, without a full stop.
    pub message: String,
    /// Where, two places or more.
    pub places: Vec<Place>,
}

/// The keys of a tree.
#[derive(Debug, Default)]
pub struct KeyMap {
    /// By key space and key: literal ones by number before expressions by text; then by place.
    pub uses: Vec<KeyUse>,
    /// Collisions of literal keys.
    pub collisions: Vec<Collision>,
    /// The sources of the uses.
    pub sources: BTreeMap<FileId, Arc<Source>>,
    /// What could not be read.
    pub notices: Vec<Notice>,
}

/// The keys that the targets of a project take and release; those of test code where the settings ask for it. Pure, like
/// [`crate::lint::lint`].
pub fn keys(project: &dyn Project, targets: &Targets, settings: &Settings) -> KeyMap {
    let mut map = KeyMap::default();
    let mut notices = Vec::new();
    let shown = |file: &File<'_>| {
        targets.contains(file.id) && (settings.of(file.source.path()).include_tests() || !file.is_test())
    };
    with_files(project, targets, &mut notices, |files, loaded| {
        let facts = Facts::of(files, project.complete(), Catalog::default(), Pooler::default());
        for file in files.iter().filter(|file| shown(file)) {
            uses(file, &refused(file, &facts), &mut map.uses);
        }
        map.uses.sort_by_cached_key(order);
        map.uses.dedup();
        // One call in several flows: what one of them knows, the others need not guess.
        let known: BTreeSet<Place> = map.uses.iter().filter(|used| used.key.is_literal()).map(|used| used.at).collect();
        map.uses.retain(|used| used.key.is_literal() || used.via.is_some() || !known.contains(&used.at));
        let places: BTreeSet<Place> = map.uses.iter().map(|used| used.at).collect();
        map.collisions = reused(files, &facts);
        map.collisions.retain(|collision| collision.places.iter().any(|at| places.contains(at)));
        map.collisions.extend(equal_values(&map.uses));
        let named = map.uses.iter().flat_map(|used| std::iter::once(used.at.file).chain(used.via.map(|at| at.file)));
        let named: BTreeSet<FileId> =
            named.chain(map.collisions.iter().flat_map(|c| c.places.iter().map(|at| at.file))).collect();
        map.sources = loaded.iter().filter(|(id, _)| named.contains(id)).cloned().collect();
    });
    notices.sort();
    map.notices = notices;
    map
}

/// The calls that the server refuses: they take no key.
fn refused(file: &File<'_>, facts: &Facts) -> BTreeSet<Span> {
    let context = Context { file, facts, pooling: Pooling::Auto };
    let mut sink = Sink::default();
    for check in rules::rule("invalid-lock-call").into_iter().flat_map(|rule| rule.checks) {
        match check {
            Check::Statement(check) => file.statements.iter().for_each(|it| check(&context, it, &mut sink)),
            Check::File(check) => check(&context, &mut sink),
            Check::Unit(_) | Check::Project(_) => {}
        }
    }
    arbitrate(sink.into_candidates()).findings.into_iter().map(|finding| finding.at.span).collect()
}

fn uses(file: &File<'_>, refused: &BTreeSet<Span>, found: &mut Vec<KeyUse>) {
    let constants = constants::of(file);
    for flow in &file.units {
        for (site, function, key) in flow.acquired().chain(flow.released()) {
            let site = &flow.unit.sites[site];
            if refused.contains(&site.span) {
                continue;
            }
            let first = key.parts().next();
            let constant = first.and_then(|part| match part {
                KeyPart::Constant(value) => constants.name(*value, flow.unit.span),
                _ => None,
            });
            found.push(KeyUse {
                key: key.clone(),
                function,
                at: Place::new(file.id, site.span),
                via: site.via,
                unit: flow.unit.name.clone(),
                constant,
            });
        }
    }
}

/// Literal keys first, by number, so that a list of them reads like a register.
fn order(used: &KeyUse) -> (u8, bool, Option<i64>, String, Place, &'static str) {
    let space = match used.key {
        Key::Bigint(_) => 0,
        Key::Pair(..) => 1,
        Key::Unknown => 2,
    };
    let number = used.key.parts().next().and_then(value);
    (space, !used.key.is_literal(), number, used.key.to_string(), used.at, used.function.name)
}

/// The collisions that the rule about reused keys sees.
fn reused(files: &[File<'_>], facts: &Facts) -> Vec<Collision> {
    let mut sink = Sink::default();
    for check in rules::rule("lock-key-reuse").into_iter().flat_map(|rule| rule.checks) {
        if let Check::Project(check) = check {
            check(files, facts, &mut sink);
        }
    }
    let findings = arbitrate(sink.into_candidates()).findings;
    let collision = |finding: crate::finding::Finding| Collision {
        places: finding.related.iter().map(|related| related.at).chain([finding.at]).collect(),
        message: finding.message,
    };
    findings.into_iter().map(collision).collect()
}

/// Keys that are written differently and have one value: `hashtext('a')` and a number, or two texts with one hash.
fn equal_values(uses: &[KeyUse]) -> Vec<Collision> {
    let mut by_value: BTreeMap<(i64, Option<i64>), Vec<&KeyUse>> = BTreeMap::new();
    for used in uses {
        if let Some(value) = values(&used.key) {
            by_value.entry(value).or_default().push(used);
        }
    }
    let collision = |uses: Vec<&KeyUse>| {
        let spellings: BTreeSet<String> = uses.iter().map(|used| used.key.to_string()).collect();
        let first_of = |text: &String| uses.iter().find(|used| used.key.to_string() == *text).map(|used| used.at);
        (spellings.len() > 1).then(|| Collision {
            places: spellings.iter().filter_map(first_of).collect(),
            message: format!("{} are one key", spellings.into_iter().collect::<Vec<_>>().join(" and ")),
        })
    };
    by_value.into_values().filter_map(collision).collect()
}

/// The numbers that a key is, where they can be told: the second is of the two-key form.
pub fn values(key: &Key) -> Option<(i64, Option<i64>)> {
    match key {
        Key::Bigint(part) => Some((value(part)?, None)),
        Key::Pair(first, second) => Some((value(first)?, Some(value(second)?))),
        Key::Unknown => None,
    }
}

/// The number that a part of a key is: a constant, or the server's hash of a constant text.
pub fn value(part: &KeyPart) -> Option<i64> {
    match part {
        KeyPart::Constant(value) => Some(*value),
        KeyPart::Expression { text, constant: true, .. } => hash(text),
        KeyPart::Expression { .. } | KeyPart::Null => None,
    }
}

/// `hashtext('…')` and `hashtextextended('…', seed)` as a key spells them.
fn hash(spelling: &str) -> Option<i64> {
    let (function, arguments) = spelling.strip_suffix(')')?.split_once('(')?;
    let (text, rest) = text_constant(arguments)?;
    match function {
        "hashtext" if rest.is_empty() => Some(hashtext(&text).into()),
        "hashtextextended" => Some(hashtextextended(&text, rest.strip_prefix(", ")?.parse().ok()?)),
        _ => None,
    }
}

/// A leading string constant in quotes, and what follows it.
fn text_constant(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('\'')?;
    let mut value = String::new();
    loop {
        let (piece, after) = rest.split_once('\'')?;
        value.push_str(piece);
        match after.strip_prefix('\'') {
            Some(more) => {
                value.push('\'');
                rest = more;
            }
            None => return Some((value, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Memory;

    fn map(files: &[(&str, &str)]) -> KeyMap {
        let project = Memory::new(files.iter().copied());
        keys(&project, &Targets::all(&project), &Settings::default())
    }

    #[test]
    fn keys_are_sorted_by_space_and_number() {
        let map = map(&[
            ("b.sql", "SELECT pg_advisory_lock(70); SELECT pg_advisory_unlock(70);\nSELECT pg_advisory_lock(7, $1);\n"),
            ("a.sql", "SELECT pg_advisory_xact_lock(9); SELECT pg_advisory_xact_lock(hashtext('x'));\n"),
            ("tests/c.sql", "SELECT pg_advisory_xact_lock(1);\n"),
        ]);
        let list: Vec<String> = map.uses.iter().map(|used| format!("{} {}", used.key, used.function.name)).collect();
        assert_eq!(
            list,
            [
                "9 pg_advisory_xact_lock",
                "70 pg_advisory_lock",
                "70 pg_advisory_unlock",
                "hashtext('x') pg_advisory_xact_lock",
                "(7, $1) pg_advisory_lock",
            ]
        );
        assert_eq!(map.sources.len(), 2);
    }

    #[test]
    fn a_call_that_the_server_refuses_takes_no_key() {
        let text = "SELECT pg_advisory_lock(50::numeric);\nSELECT pg_advisory_lock(50, 1, 1);\n\
                    SELECT pg_advisory_lock_shared('50'::text);\nSELECT pg_advisory_lock(50);\n";
        let map = map(&[("a.sql", text)]);
        let places: Vec<_> = map.uses.iter().map(|used| Some(used.at.span.start)).collect();
        assert_eq!(places, [text.rfind("pg_advisory_lock(50)")], "{:#?}", map.uses);
    }

    #[test]
    fn hashes_of_constants_have_values() {
        let part = |text: &str| value(&KeyPart::Expression { text: text.to_owned(), constant: true, opaque: false });
        assert_eq!(part("hashtext('x')"), Some(1074944137));
        assert_eq!(part("hashtextextended('x', 0)"), Some(-474845166489675639));
        assert_eq!(part("hashtext('it''s')"), Some(hashtext("it's").into()));
        for other in ["hashtext('a') + 1", "hashtext('a' || 'b')", "hashtext('a", "mine('x')", "hashtextextended('x')"]
        {
            assert_eq!(part(other), None, "{other}");
        }
    }

    #[test]
    fn two_spellings_of_one_number_collide() {
        let map = map(&[
            ("a.sql", "SELECT pg_advisory_xact_lock(hashtext('user:78002'));\n"),
            (
                "b.sql",
                "SELECT pg_advisory_xact_lock(hashtext('user:180762'));\nSELECT pg_advisory_xact_lock(0, -1133127397);\n",
            ),
        ]);
        assert_eq!(map.collisions.len(), 1);
        assert_eq!(map.collisions[0].message, "hashtext('user:180762') and hashtext('user:78002') are one key");
        assert_eq!(map.collisions[0].places.len(), 2);
    }

    #[test]
    fn a_constant_of_host_code_names_its_key() {
        let map = map(&[(
            "jobs.py",
            "import psycopg\nINVOICE_LOCK = 8101\nOTHER = 8101\n\ndef run(dsn, uid):\n    with psycopg.connect(dsn) as conn:\n        \
             conn.execute(\"SELECT pg_advisory_xact_lock(%s, %s)\", (INVOICE_LOCK, uid))\n",
        )]);
        let [used] = &map.uses[..] else { panic!("{:#?}", map.uses) };
        assert_eq!((used.key.to_string().as_str(), used.constant.as_deref()), ("(8101, uid)", Some("INVOICE_LOCK")));
        assert_eq!(used.unit, "run");
    }
}
