//! From the text of a `locklint.toml` to what it means, or to the place in it that is at fault.

use super::file::{File, Pooling, Rules, UniqueKey};
use super::{ConfigError, Globs};
use crate::finding::Level;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// The levels that a table gives: `None` is off.
pub(super) type Levels = BTreeMap<String, Option<Level>>;

/// One configuration file.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(super) levels: Levels,
    pub(super) overrides: Vec<(Globs, Levels)>,
    pub(super) exclude: Globs,
    pub(super) pooling: Pooling,
    pub(super) unique: Vec<UniqueKey>,
    pub(super) include_tests: bool,
}

impl Config {
    /// Reads the text of the configuration file that is shown as `path`; `rules` are the names that exist.
    ///
    /// # Errors
    /// The first thing in it that means nothing.
    pub fn parse(path: &str, text: &str, rules: &[&str]) -> Result<Self, ConfigError> {
        let checker = Checker { path, text, rules };
        let file: File = toml::from_str(text).map_err(|error| {
            checker.error(error.span().unwrap_or_default(), error.message().trim_end_matches('.').to_owned(), None)
        })?;
        Ok(Self {
            levels: checker.levels(file.rules)?,
            overrides: file
                .overrides
                .into_iter()
                .map(|one| Ok((checker.globs(&one.paths)?, checker.levels(one.rules)?)))
                .collect::<Result<_, _>>()?,
            exclude: checker.globs(&file.exclude)?,
            pooling: file.pooling,
            unique: file.schema.unique.iter().map(|spec| checker.unique(spec)).collect::<Result<_, _>>()?,
            include_tests: file.include_tests,
        })
    }
}

/// What every check needs to point into the file.
struct Checker<'c> {
    path: &'c str,
    text: &'c str,
    rules: &'c [&'c str],
}

impl Checker<'_> {
    fn error(&self, span: Range<usize>, message: String, help: Option<String>) -> ConfigError {
        let message = shortened(message);
        ConfigError { path: self.path.to_owned(), text: self.text.into(), span, message, help }
    }

    fn levels(&self, rules: Rules) -> Result<Levels, ConfigError> {
        rules
            .into_iter()
            .map(|(name, setting)| {
                if !self.rules.contains(&name.as_ref().as_str()) {
                    return Err(self.error(
                        name.span(),
                        format!("unknown rule `{}`", name.as_ref()),
                        Some(suggestion(name.as_ref(), self.rules)),
                    ));
                }
                Ok((name.into_inner(), setting.level()))
            })
            .collect()
    }

    fn globs(&self, patterns: &[Spanned<String>]) -> Result<Globs, ConfigError> {
        Globs::new(patterns.iter().map(Spanned::as_ref)).map_err(|(index, why)| {
            let span = patterns.get(index).map(Spanned::span).unwrap_or_default();
            self.error(span, format!("no valid glob: {why}"), None)
        })
    }

    fn unique(&self, spec: &Spanned<String>) -> Result<UniqueKey, ConfigError> {
        unique_key(spec.as_ref()).ok_or_else(|| {
            self.error(
                spec.span(),
                "no unique key".to_owned(),
                Some("write a table and its columns: \"job_ledger(job_key)\"".to_owned()),
            )
        })
    }
}

/// A message without the middle of what it quotes, where that is long: the place is shown beside it.
fn shortened(message: String) -> String {
    const KEPT: usize = 160;
    let count = message.chars().count();
    if count <= 2 * KEPT {
        return message;
    }
    let (start, end): (String, String) =
        (message.chars().take(KEPT).collect(), message.chars().skip(count - KEPT).collect());
    format!("{start} … {end}")
}

/// `table(column, …)`, blanks allowed between the parts.
fn unique_key(spec: &str) -> Option<UniqueKey> {
    let (table, columns) = spec.trim().strip_suffix(')')?.split_once('(')?;
    let key = UniqueKey {
        table: table.trim().to_owned(),
        columns: columns.split(',').map(|column| column.trim().to_owned()).collect(),
    };
    let names = || std::iter::once(&key.table).chain(&key.columns);
    let sound = |name: &String| !name.is_empty() && !name.contains(['(', ')', ';']);
    names().all(sound).then_some(key)
}

/// Help for a name that is no rule: the nearest one, or where to find them.
pub fn suggestion(name: &str, rules: &[&str]) -> String {
    let wanted = name.replace('_', "-").to_lowercase();
    rules
        .iter()
        .map(|rule| (distance(&wanted, rule), rule))
        .min()
        .filter(|&(steps, _)| steps <= 1 + wanted.len() / 4)
        .map_or_else(|| "`locklint rules` lists the rules".to_owned(), |(_, rule)| format!("did you mean `{rule}`?"))
}

/// Levenshtein distance in bytes. Long names are cut: only near ones matter.
fn distance(a: &str, b: &str) -> usize {
    let a = &a.as_bytes()[..a.len().min(64)];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = diagonal + usize::from(*x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
