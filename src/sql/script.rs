//! Who runs a script, and in which transaction: the marks of migration runners and query compilers, their layouts, and
//! the files that they read beside a script.
//!
//! What each of them does, and where that is written, stands in `docs/runners.md`; a test holds its names against
//! [`Runner::ALL`] and [`COMPILERS`].

mod layout;
mod marks;
mod runner;
mod statements;

pub use runner::{COMPILERS, Runner};

use crate::span::SqlSpan;
use crate::sql::lex::Token;

/// What is known of the transaction in which a section's statements run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surroundings {
    /// Each statement by itself: a psql script, or a runner that was told to use no transaction.
    Autocommit {
        /// The file says so: a runner's opt-out, or a runner that never opens a transaction. psql's default can still
        /// be changed from outside (`psql -1`).
        evident: bool,
    },
    /// The runner opens a transaction around the section.
    Runner,
    /// The runner sends the section as one string, which is one implicit transaction unless it holds BEGIN or COMMIT.
    OneString,
    /// The caller's affair: a named query, a migration of a runner that is not known.
    Unknown,
}

/// Each statement by itself, and the file says so.
const OPTED_OUT: Surroundings = Surroundings::Autocommit { evident: true };

/// What a section is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// Statements in order, by psql or a runner; the session ends, or is the runner's own.
    Script {
        /// The runner, where one is recognised.
        runner: Option<Runner>,
    },
    /// One query that host code calls by name: [`COMPILERS`].
    Query {
        /// What the caller expects back.
        expects: Expects,
    },
}

/// What the caller of a named query expects back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    /// One row.
    One,
    /// Any number of rows.
    Many,
    /// No rows: the result is thrown away.
    Nothing,
    /// The compiler does not say.
    Unknown,
}

/// A stretch of a script with one flow of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it is.
    pub kind: SectionKind,
    /// Its name: a query's name, `up` or `down`, empty for a whole file.
    pub name: String,
    /// Its bytes.
    pub span: SqlSpan,
    /// The transaction around it.
    pub surroundings: Surroundings,
}

impl Section {
    /// A script that is not yet laid over a text.
    fn script(runner: Option<Runner>, name: &str, surroundings: Surroundings) -> Self {
        Self { kind: SectionKind::Script { runner }, name: name.to_owned(), span: SqlSpan::new(0, 0), surroundings }
    }

    const fn runner(&self) -> Option<Runner> {
        match self.kind {
            SectionKind::Script { runner } => runner,
            SectionKind::Query { .. } => None,
        }
    }
}

/// The sections of the script at `path` (with `/`), in order; they tile the text. `beside` is what the file beside the
/// script says: see [`side_file`].
pub fn sections(path: &str, text: &str, tokens: &[Token], beside: Option<Surroundings>) -> Vec<Section> {
    let mut base = layout::layout(path).unwrap_or_else(|| default_for(path));
    if let Some(surroundings) = beside {
        base = Section::script(Some(Runner::Flyway), &base.name, surroundings);
    } else if matches!(base.runner(), Some(Runner::Flyway | Runner::Prisma))
        && statements::refuse_transaction(text, tokens)
    {
        // Flyway leaves out the transaction, or refuses the file; Prisma sends such a script in pieces.
        base.surroundings = Surroundings::Unknown;
    }
    let mut sections = marks::cut(&marks::all(text, tokens), base, text.len());
    if let [whole] = sections.as_mut_slice()
        && whole.kind == (SectionKind::Script { runner: None })
        && matches!(whole.surroundings, Surroundings::Autocommit { evident: false } | Surroundings::Unknown)
        && statements::take_parameters(text, tokens)
    {
        // psql and runners have no parameters: a program runs what stands here, in transactions of its own.
        whole.surroundings = Surroundings::Unknown;
        sections = statements::queries(whole, text, tokens);
    }
    for section in &mut sections {
        let by_line = matches!(section.runner(), Some(Runner::Goose | Runner::SqlMigrate));
        if by_line && section.surroundings == OPTED_OUT && statements::share_a_string(text, tokens, section.span) {
            section.surroundings = Surroundings::Unknown;
        }
    }
    sections
}

/// The path of the file beside the script at `path` that may say how the script is run: Flyway's script configuration.
pub fn side_file(path: &str) -> String {
    format!("{path}.conf")
}

/// What the content of a [`side_file`] says; `None` where it leaves the transaction to the script.
pub fn read_side_file(content: &str) -> Option<Surroundings> {
    let value = content.rsplit(['\n', '\r']).find_map(|line| {
        let rest = line.trim_start().strip_prefix("executeInTransaction")?.trim_start();
        rest.strip_prefix(['=', ':']).map(str::trim)
    })?;
    Some(match value {
        _ if value.eq_ignore_ascii_case("true") => Surroundings::Runner,
        _ if value.eq_ignore_ascii_case("false") => OPTED_OUT,
        _ => Surroundings::Unknown,
    })
}

/// Directories whose files are run by something that this tool does not know.
const MIGRATION_DIRECTORIES: &[&str] = &["migrations", "migration", "migrate", "changelog", "changelogs", "deploy"];

fn default_for(path: &str) -> Section {
    let in_migrations = path
        .rsplit('/')
        .skip(1)
        .any(|directory| MIGRATION_DIRECTORIES.iter().any(|name| directory.eq_ignore_ascii_case(name)));
    let surroundings = if in_migrations { Surroundings::Unknown } else { Surroundings::Autocommit { evident: false } };
    Section::script(None, "", surroundings)
}

#[cfg(test)]
mod tests;
