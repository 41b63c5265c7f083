//! Which file is which language: one table.

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// SQL for psql, a migration runner or a query compiler.
    Sql,
}

/// File name endings, longest match first in [`Language::of`]; case does not matter.
const ENDINGS: &[(&str, Language)] = &[
    ("sql", Language::Sql),
    ("psql", Language::Sql),
    ("pgsql", Language::Sql),
    ("plpgsql", Language::Sql),
    ("plsql", Language::Sql),
    ("ddl", Language::Sql),
];

/// Endings of templates: what stands before them says the language (`queue.sql.jinja`).
const TEMPLATES: &[&str] = &[
    "jinja",
    "jinja2",
    "j2",
    "erb",
    "eex",
    "heex",
    "ejs",
    "mustache",
    "hbs",
    "tmpl",
    "tpl",
    "template",
    "in",
    "postgres",
    "postgresql",
    "pg",
];

impl Language {
    /// The language of the file at `path`, by its name alone.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (stem, ending) = name.rsplit_once('.')?;
        if TEMPLATES.iter().any(|template| ending.eq_ignore_ascii_case(template)) {
            return stem.rsplit_once('.').and_then(|(_, inner)| Self::of_ending(inner));
        }
        Self::of_ending(ending)
    }

    fn of_ending(ending: &str) -> Option<Self> {
        ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|&(_, language)| language)
    }
}
