//! The same for a key that host code makes.

use super::RULE;
use crate::finding::{Level, Place};
use crate::language::Language;
use crate::program::keys::{Keys, Moves};
use crate::rule::{Context, Sink};

pub(super) fn check(context: &Context<'_>, sink: &mut Sink) {
    let file = context.file;
    let Language::Host(language) = file.source.language() else { return };
    let made = |name: &str| context.facts.constants.made(file.source, language, name);
    let keys = Keys { text: file.source.text(), language, program: &file.program, made: &made };
    for key in keys.unstable() {
        let (level, message) = match key.moves {
            Moves::Process => (
                Level::Error,
                "this hash is another one in every process, so each of them locks another key and nobody is kept out",
            ),
            Moves::Perhaps => (
                Level::Warning,
                "this hash may be another one in every process, so that each of them locks another key",
            ),
            Moves::Build => (
                Level::Warning,
                "a later release of the language may make another hash of the same value, so that two builds of the program lock two keys",
            ),
            Moves::Random => (
                Level::Error,
                "the key is made of a random value, so everybody locks another key and nobody is kept out",
            ),
            Moves::Clock => {
                (Level::Error, "the key is made of the time, so everybody locks another key and nobody is kept out")
            }
            Moves::Narrow | Moves::Unsigned => continue,
            Moves::Number => (Level::Warning, "the key is made of the process id, so each process locks another key"),
        };
        let unit = key.function.and_then(|index| file.program.functions.get(index)).map_or("", |one| one.name);
        let story = sink.report(&RULE, level, Place::new(file.id, key.at), message).statement(key.statement).unit(unit);
        match key.elsewhere {
            Some(value) => story.related(value, "the value comes from here"),
            None => story.related(Place::new(file.id, key.lock), "the lock that uses it").about(file.id, key.lock),
        }
        .help("make the key from what the lock is about: hashtextextended($1, 0) in SQL, or a digest of fixed form");
    }
}
