//! Query builders: what they say of a lock without any SQL in the source. Each library is a row of tables; what a row
//! does not know is not reported.

mod chain;
mod keys;
#[cfg(test)]
mod tests;

use crate::language::HostLanguage;
use crate::program::Program;
use crate::span::Span;
use chain::{Link, around, chain};
use regex::Regex;
use std::sync::OnceLock;

use HostLanguage::{Elixir, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Scala, Tsx, TypeScript};
pub use keys::Evidence;

/// SKIP LOCKED on a row that a key names.
#[derive(Clone, Copy, Debug)]
pub struct Skip {
    /// The call that says SKIP LOCKED, from its name.
    pub at: Span,
    /// The call that names the row.
    pub key: Span,
    /// All calls of the query.
    pub chain: Span,
    /// The function around it.
    pub function: Option<usize>,
    /// How sure it is that one row is named.
    pub evidence: Evidence,
    /// The query fails where there is no row.
    pub expects_one: bool,
    /// A state is asked for as well.
    pub state: bool,
}

/// How a library says SKIP LOCKED: a method, and what stands among its arguments; `option` where it is an argument of
/// the method that names the row.
struct Spelling {
    languages: &'static [HostLanguage],
    pattern: &'static str,
    option: bool,
}

const fn method(languages: &'static [HostLanguage], pattern: &'static str) -> Spelling {
    Spelling { languages, pattern, option: false }
}

const fn option(languages: &'static [HostLanguage], pattern: &'static str) -> Spelling {
    Spelling { languages, pattern, option: true }
}

const SCRIPTS: &[HostLanguage] = &[JavaScript, TypeScript, Tsx];

/// Sources: the reference pages of the libraries named.
const SPELLINGS: &[Spelling] = &[
    // Django, Tortoise; SQLAlchemy; peewee.
    method(&[Python], r"\b(?:select_for_update|with_for_update)\s*\([^()]*skip_locked\s*=\s*True"),
    method(&[Python], r"(?i)\bfor_update\s*\([^()]*SKIP LOCKED"),
    // Active Record; Sequel.
    method(&[Ruby], r"(?i)\b(?:lock|lock!|with_lock)\(\s*[\x22'][^\x22'()]*SKIP LOCKED"),
    method(&[Ruby], r"\bskip_locked\b"),
    // Knex, Objection, Kysely; TypeORM; Drizzle; Sequelize, TypeORM's options.
    method(SCRIPTS, r"\bskipLocked\(\s*\)"),
    method(SCRIPTS, r"\bsetOnLocked\(\s*[\x22'`]skip_locked"),
    method(SCRIPTS, r"\bfor\(\s*[\x22'`](?:no key )?update[\x22'`]\s*,\s*\{[^{}]*skipLocked:\s*true"),
    option(SCRIPTS, r"\bskipLocked:\s*true|\bonLocked:\s*[\x22']skip_locked[\x22']"),
    // gorm; bun and go-pg; ent.
    method(&[Go], r"\bClauses\(\s*clause\.Locking\{[^{}]*(?:SKIP LOCKED|OptionsSkipLocked)"),
    method(&[Go], r"\bFor\(\s*[\x22`][^\x22`]*SKIP LOCKED"),
    method(&[Go], r"\bForUpdate\([^)]*SkipLocked"),
    // diesel; SeaORM.
    method(&[Rust], r"\bskip_locked\(\s*\)"),
    method(&[Rust], r"\block_with_behavior\([^()]*SkipLocked"),
    // jOOQ.
    method(&[Java, Kotlin, Scala], r"\bskipLocked\(\s*\)"),
    // Laravel.
    method(&[Php], r"(?i)\block\(\s*[\x22'][^\x22'()]*skip locked"),
    // Ecto.
    method(&[Elixir], r"\block\(\s*[\x22][^\x22()]*SKIP LOCKED"),
    option(&[Elixir], r"\block:\s*\x22[^\x22()]*SKIP LOCKED\x22"),
];

/// Calls that fail where there is no row.
const STRICT: &[&str] = &[
    "First",
    "Only",
    "OnlyX",
    "Take",
    "executeTakeFirstOrThrow",
    "fetchSingle",
    "find",
    "find_by!",
    "find_sole_by",
    "findOneOrFail",
    "findOrFail",
    "first!",
    "firstOrFail",
    "get",
    "get!",
    "getOneOrFail",
    "get_object_or_404",
    "lock!",
    "one",
    "one!",
    "scalar_one",
    "sole",
    "take!",
    "with_lock",
];

/// Where `find` and its like give nothing instead.
const LENIENT: &[(&str, &[HostLanguage])] = &[
    ("find", &[Php, Rust, JavaScript, TypeScript, Tsx]),
    ("get", &[Php, Java, Kotlin, Elixir]),
    ("one", &[Rust, Elixir]),
];

/// Words of conditions that ask for a state: whoever asks expects to find it changed.
const STATES: &[&str] = &["state", "status", "phase", "claim", "pick", "avail", "free", "lease", "reserv", "attempt"];

/// SKIP LOCKED on single rows in a source.
pub fn skips(text: &str, language: HostLanguage, program: &Program<'_>) -> Vec<Skip> {
    let mut found = Vec::new();
    for (pattern, is_option) in spellings(language) {
        for said in pattern.find_iter(text) {
            if program.is_text(Span::new(said.start(), said.start())) {
                continue;
            }
            let at = Span::new(said.start(), said.end());
            found.extend(if is_option { of_option(text, language, at) } else { of_method(text, language, at) });
        }
    }
    for skip in &mut found {
        skip.function = program.function_around(skip.at);
    }
    found.sort_by_key(|skip: &Skip| skip.at);
    found.dedup_by_key(|skip| skip.at);
    found
}

fn spellings(language: HostLanguage) -> impl Iterator<Item = (&'static Regex, bool)> {
    static PATTERNS: [OnceLock<Option<Regex>>; SPELLINGS.len()] = [const { OnceLock::new() }; SPELLINGS.len()];
    SPELLINGS
        .iter()
        .enumerate()
        .filter(move |(_, row)| row.languages.contains(&language))
        .filter_map(|(at, row)| Some((PATTERNS[at].get_or_init(|| Regex::new(row.pattern).ok()).as_ref()?, row.option)))
}

fn of_method(text: &str, language: HostLanguage, said: Span) -> Option<Skip> {
    let (mut links, own) = chain(text, said.start);
    let at = links.get(own)?.span;
    // `get_object_or_404(Model.objects.select_for_update(…), pk=pk)`
    if let Some(start) = around(text, links.first()?.span.start) {
        let (outer, index) = chain(text, start);
        links.extend(outer.get(index).filter(|outer| outer.name == "get_object_or_404"));
    }
    of_links(language, &links, at)
}

/// What is said among the arguments of the call that names the row.
fn of_option(text: &str, language: HostLanguage, said: Span) -> Option<Skip> {
    let (links, own) = chain(text, around(text, said.start)?);
    let call = links.get(own)?;
    let is_query = ["find", "from", "get"].iter().any(|word| call.name.to_ascii_lowercase().starts_with(word));
    is_query.then(|| of_links(language, &links, said)).flatten()
}

fn of_links(language: HostLanguage, links: &[Link<'_>], at: Span) -> Option<Skip> {
    let (key, evidence) = keys::key(language, links)?;
    let strict = |link: &Link<'_>| {
        STRICT.contains(&link.name)
            && !LENIENT.iter().any(|(name, languages)| *name == link.name && languages.contains(&language))
    };
    let asks = |link: &Link<'_>| {
        let args = link.args.to_ascii_lowercase();
        STATES.iter().any(|state| args.contains(state))
    };
    let whole = links.iter().fold(at, |span, link| span.join(link.span));
    Some(Skip {
        at,
        key,
        chain: whole,
        function: None,
        evidence,
        expects_one: links.iter().any(strict),
        state: links.iter().any(asks),
    })
}
