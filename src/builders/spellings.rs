//! How each library spells a row lock.

use crate::language::{HostLanguage, SCRIPT};
use crate::pattern::ascii;
use regex::Regex;
use std::sync::OnceLock;

use HostLanguage::{Elixir, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Scala, Tsx, TypeScript};

/// A spelling: a method, and what stands among its arguments; `option` where it is an argument of the method that reads.
pub(super) struct Spelling {
    languages: &'static [HostLanguage],
    pattern: &'static str,
    /// Whether it is an argument of the call that reads.
    pub(super) option: bool,
    /// Whether it says SKIP LOCKED; a plain lock where not, which waits.
    pub(super) skips: bool,
}

const fn method(languages: &'static [HostLanguage], pattern: &'static str) -> Spelling {
    Spelling { languages, pattern, option: false, skips: true }
}

const fn option(languages: &'static [HostLanguage], pattern: &'static str) -> Spelling {
    Spelling { languages, pattern, option: true, skips: true }
}

const fn plain(languages: &'static [HostLanguage], pattern: &'static str) -> Spelling {
    Spelling { languages, pattern, option: false, skips: false }
}

const fn plain_option(languages: &'static [HostLanguage], pattern: &'static str) -> Spelling {
    Spelling { languages, pattern, option: true, skips: false }
}

/// Languages whose mappers have modes of locks.
const MODES: &[HostLanguage] = &[JavaScript, TypeScript, Tsx, Php, Java, Kotlin, Scala];

/// Sources: the reference pages of the libraries named. Of two spellings in one chain the one that skips counts.
const SPELLINGS: &[Spelling] = &[
    // Django, Tortoise; SQLAlchemy; peewee.
    method(&[Python], r"\b(?:select_for_update|with_for_update)\s*\((?:[^()]|\([^()]*\))*skip_locked\s*=\s*True"),
    method(&[Python], r"(?i)\bfor_update\s*\([^()]*SKIP LOCKED"),
    plain(&[Python], r"\b(?:(?:select|with)_)?for_update\s*\("),
    // Active Record; Sequel.
    method(&[Ruby], r"(?i)\b(?:lock|lock!|with_lock)\(\s*[\x22'][^\x22'()]*SKIP LOCKED"),
    method(&[Ruby], r"\bskip_locked\b"),
    plain(&[Ruby], r"\.with_lock\b"),
    plain(&[Ruby], r"\.lock(?:\(\s*(?:true|[\x22']FOR [A-Z ]+[\x22'])\s*\)|\b)"),
    plain(&[Ruby], r"\.for_(?:no_key_)?update\b"),
    // Knex, Objection, Kysely; TypeORM; Drizzle; Sequelize, TypeORM's options.
    method(SCRIPT, r"\bskipLocked\(\s*\)"),
    method(SCRIPT, r"\bsetOnLocked\(\s*[\x22'`]skip_locked"),
    method(SCRIPT, r"\bfor\(\s*[\x22'`](?:no key )?update[\x22'`]\s*,\s*\{[^{}]*skipLocked:\s*true"),
    option(SCRIPT, r"\bskipLocked:\s*true|\bonLocked:\s*[\x22']skip_locked[\x22']"),
    plain(SCRIPT, r"\b(?:forUpdate|forNoKeyUpdate|forShare|forKeyShare)\("),
    plain(SCRIPT, r"\bfor\(\s*[\x22'`](?:no key update|update|share|key share)[\x22'`]"),
    plain(SCRIPT, r"\bsetLock\(\s*[\x22'`]pessimistic_\w+[\x22'`]"),
    plain_option(SCRIPT, r"\block:\s*(?:true\b|(?:\w+\.)*LOCK\.\w+|\{\s*(?:level:|mode:\s*[\x22'`]pessimistic_))"),
    // MikroORM; Doctrine; JPA.
    method(SCRIPT, r"\bsetLockMode\(\s*LockMode\.PESSIMISTIC_PARTIAL_(?:WRITE|READ)\s*\)"),
    option(SCRIPT, r"\b(?:lockMode:\s*)?LockMode\.PESSIMISTIC_PARTIAL_(?:WRITE|READ)"),
    plain(MODES, r"\bsetLockMode\(\s*LockMode(?:Type)?(?:\.|::)PESSIMISTIC_\w+\s*\)"),
    plain_option(MODES, r"\b(?:lockMode:\s*)?LockMode(?:Type)?(?:\.|::)PESSIMISTIC_\w+"),
    // gorm; bun and go-pg; ent; squirrel, dbr.
    method(&[Go], r"\bClauses\(\s*clause\.Locking\{(?:[^{}]|\{[^{}]*\})*(?:SKIP LOCKED|OptionsSkipLocked)"),
    method(&[Go], r"\bFor\(\s*[\x22`][^\x22`]*SKIP LOCKED"),
    method(&[Go], r"\bForUpdate\([^)]*SkipLocked"),
    method(&[Go], r"(?i)\bSuffix\(\s*[\x22`][^\x22`]*SKIP LOCKED"),
    plain(&[Go], r"\bClauses\(\s*clause\.Locking\{"),
    plain(&[Go], r"\bFor\(\s*[\x22`](?:NO KEY )?UPDATE[^\x22`]*[\x22`]"),
    // diesel; SeaORM.
    method(&[Rust], r"\bskip_locked\(\s*\)"),
    method(&[Rust], r"\block_with_behavior\([^()]*SkipLocked"),
    plain(&[Rust], r"\bfor_(?:no_key_)?update\(\s*\)"),
    // jOOQ.
    method(&[Java, Kotlin, Scala], r"\bskipLocked\(\s*\)"),
    plain(&[Java, Kotlin, Scala], r"\b(?:forUpdate|forNoKeyUpdate|forShare)\(\s*\)"),
    // Laravel.
    method(&[Php], r"(?i)\block\(\s*[\x22'][^\x22'()]*skip locked"),
    plain(&[Php], r"\b(?:lockForUpdate|sharedLock)\(\s*\)"),
    // Ecto.
    method(&[Elixir], r"\block\(\s*[\x22][^\x22()]*SKIP LOCKED"),
    option(&[Elixir], r"\block:\s*\x22[^\x22()]*SKIP LOCKED\x22"),
    plain(&[Elixir], r"\block\(\s*(?:\[[^\[\]]*\]\s*,\s*)?\x22FOR [A-Z ]+\x22"),
    plain_option(&[Elixir], r"\block:\s*\x22FOR [A-Z ]+\x22"),
];

/// The spellings of a language's libraries, those that skip before those that wait.
pub(super) fn spellings(language: HostLanguage) -> impl Iterator<Item = (&'static Regex, &'static Spelling)> {
    static PATTERNS: [OnceLock<Option<Regex>>; SPELLINGS.len()] = [const { OnceLock::new() }; SPELLINGS.len()];
    SPELLINGS
        .iter()
        .enumerate()
        .filter(move |(_, row)| row.languages.contains(&language))
        .filter_map(|(at, row)| Some((PATTERNS[at].get_or_init(|| ascii(row.pattern).ok()).as_ref()?, row)))
}
