//! Query builders: what they say of a row lock without any SQL in the source. Each library is a row of tables; what a row
//! does not know is not reported.

mod calls;
mod chain;
mod keys;
mod repository;
mod shape;
mod spellings;
mod statement;
#[cfg(test)]
mod tests;

use crate::language::{HostLanguage, SCRIPT};
use crate::program::Program;
use crate::span::Span;
use chain::{Link, around, chain};
use spellings::spellings;
use std::cell::OnceCell;

use HostLanguage::{Elixir, Java, JavaScript, Kotlin, Php, Python, Rust, Tsx, TypeScript};
pub use calls::{Call, calls};
pub use keys::Evidence;
pub use statement::{Model, Statement, is_followed, model, statement};

/// A row lock that a query builder asks for.
#[derive(Clone, Copy, Debug)]
pub struct Lock {
    /// The call that says so, from its name; the option where that does.
    pub at: Span,
    /// All calls of the query.
    pub chain: Span,
    /// The function around it.
    pub function: Option<usize>,
    /// SKIP LOCKED.
    pub skips: bool,
    /// The one row that it asks for.
    pub row: Option<Row>,
    /// The call that joins a table whose rows are locked as well.
    pub joined: Option<Span>,
    /// Whether it asks for all rows that there are.
    pub open: bool,
    /// Why the server refuses it.
    pub refused: Option<Refused>,
}

/// One row that a key names.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The call that names it.
    pub key: Span,
    /// How sure it is that one row is named.
    pub evidence: Evidence,
    /// The query fails where there is no row.
    pub expects_one: bool,
    /// A state is asked for as well.
    pub state: bool,
    /// Where the part of the query that names and locks the row ends: what is asked of the row comes after it.
    pub end: usize,
}

/// What a locking clause may not stand with.
#[derive(Clone, Copy, Debug)]
pub struct Refused {
    /// In the server's words.
    pub what: &'static str,
    /// The call that says so.
    pub at: Span,
}

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
    "get_by!",
    "getOneOrFail",
    "get_object_or_404",
    "lock!",
    "one",
    "one!",
    "scalar_one",
    "sole",
    "take!",
    "throwIfNotFound",
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

/// The row locks in a source.
pub fn locks(text: &str, language: HostLanguage, program: &Program<'_>) -> Vec<Lock> {
    let mut found: Vec<Lock> = Vec::new();
    let code = OnceCell::new();
    for (pattern, spelling) in spellings(language) {
        for said in pattern.find_iter(text) {
            let start = said.start() + usize::from(said.as_str().starts_with('.'));
            if program.is_text(Span::new(start, start)) {
                continue;
            }
            let at = Span::new(start, said.end());
            let text = code.get_or_init(|| without_comments(text, &program.comments)).as_str();
            let reader = Reader { text, language, program };
            let lock = if spelling.option { reader.of_option(at) } else { reader.of_method(at) };
            let Some(lock) = lock.filter(|lock| locks_at_all(text, language, lock)) else { continue };
            // `.forUpdate().skipLocked()` is one lock.
            if spelling.skips || !found.iter().any(|other| other.chain == lock.chain) {
                found.push(Lock { skips: spelling.skips, ..lock });
            }
        }
    }
    found.extend(repository::locks(text, language, program));
    found.sort_by_key(|lock| lock.at);
    found.dedup_by_key(|lock| lock.at);
    found
}

/// Sequel's `skip_locked` says how to lock, and not that something is locked.
fn locks_at_all(text: &str, language: HostLanguage, lock: &Lock) -> bool {
    let said = |at: Span| text.get(at.range()).unwrap_or_default();
    let says = ["for_update", "for_no_key_update", "for_share", "for_key_share", "lock_style"];
    language != HostLanguage::Ruby
        || !said(lock.at).contains("skip_locked")
        || said(lock.at).contains("lock(")
        || says.iter().any(|word| said(lock.chain).contains(word))
}

/// A text of the same length with blanks for comments, which may stand between any two calls.
fn without_comments(text: &str, comments: &[Span]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for comment in comments {
        let inside = bytes.get_mut(comment.range()).into_iter().flatten();
        inside.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[derive(Clone, Copy)]
struct Reader<'a, 's> {
    text: &'s str,
    language: HostLanguage,
    program: &'a Program<'s>,
}

impl<'s> Reader<'_, 's> {
    fn of_method(self, said: Span) -> Option<Lock> {
        let (mut links, own) = chain(self.text, said.start);
        let at = links.get(own)?.span;
        // `get_object_or_404(Model.objects.select_for_update(…), pk=pk)`
        if let Some(start) = around(self.text, links.first()?.span.start) {
            let (outer, index) = chain(self.text, start);
            match outer.get(index).map(|call| call.name) {
                Some("get_object_or_404") => links.extend(outer.get(index)),
                // `session.execute(select(…).with_for_update()).scalar_one()`
                Some("execute" | "scalars") if self.language == Python => {
                    links.extend(outer.get(index + 1..).into_iter().flatten());
                }
                _ => {}
            }
        }
        Some(self.of_links(&links, at))
    }

    /// What is said among the arguments of the call that reads.
    fn of_option(self, said: Span) -> Option<Lock> {
        let (links, own) = chain(self.text, around(self.text, said.start)?);
        let call = links.get(own)?;
        let name = call.name.to_ascii_lowercase();
        let is_query = ["find", "from", "get", "lock", "refresh", "reload"].iter().any(|word| name.starts_with(word));
        // A word of every day: Sequelize's where something says so.
        let is_plain =
            self.text.get(said.range()).is_some_and(|said| said.ends_with("true") && said.starts_with("lock"));
        let is_known = !is_plain || self.text.contains("equelize") || call.args.contains("transaction");
        (is_query && is_known).then(|| self.of_links(&links, said))
    }

    fn of_links(self, links: &[Link<'s>], at: Span) -> Lock {
        let function = self.program.function_around(at);
        let around = function.and_then(|index| self.program.functions.get(index)).map(|function| function.span);
        let around = around.unwrap_or(Span::new(0, self.text.len()));
        let whole = links.iter().fold(at, |span, link| span.join(link.span));
        let row = self.row(links, at);
        let query = shape::Query { text: self.text, language: self.language, links, at, whole };
        Lock {
            at,
            chain: whole,
            function,
            skips: false,
            row,
            joined: query.joined(),
            open: row.is_none() && query.is_open(around),
            refused: query.refused(),
        }
    }

    fn row(self, links: &[Link<'s>], at: Span) -> Option<Row> {
        let (key, evidence) = keys::key(self.language, links)?;
        let lenient =
            |name: &str| LENIENT.iter().any(|(known, languages)| *known == name && languages.contains(&self.language));
        let strict = |link: &Link<'_>| STRICT.contains(&link.name) && !lenient(link.name);
        let asks = |link: &Link<'_>| {
            let args = link.args.to_ascii_lowercase();
            STATES.iter().any(|state| args.contains(state))
        };
        Some(Row {
            key,
            evidence,
            expects_one: links.iter().any(strict),
            state: links.iter().any(asks),
            end: key.end.max(at.end),
        })
    }
}

/// Whether a language is JavaScript or one of its dialects.
fn is_script(language: HostLanguage) -> bool {
    SCRIPT.contains(&language)
}
