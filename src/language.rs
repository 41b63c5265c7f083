//! Which file is which language: one table.

use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// SQL for psql, a migration runner or a query compiler.
    Sql,
    /// A document in Markdown, for the fenced blocks of SQL in it; only where it is named.
    Markdown,
    /// A file that says how something else is run or connects: context, and never reported on.
    Config(Config),
    /// A Prisma schema, which declares tables: context, and never reported on.
    Prisma,
    /// What a test is to print, `expected/name.out`: that it is there says that `sql/name.sql` is a test. Never read.
    Expected,
    /// A programming language, with SQL in its string literals.
    Host(HostLanguage),
}

/// How a configuration file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Config {
    /// `NAME=value` for a shell or a container.
    Env,
    /// Sections of `key = value`: PgBouncer, Alembic.
    Ini,
    /// Java properties.
    Properties,
    /// Compose, Kubernetes, Rails, Spring.
    Yaml,
}

/// JavaScript in its three grammars.
pub const SCRIPT: &[HostLanguage] = &[HostLanguage::JavaScript, HostLanguage::TypeScript, HostLanguage::Tsx];

/// A programming language whose literals are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HostLanguage {
    /// Python.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX, which is another grammar.
    Tsx,
    /// Go.
    Go,
    /// Rust.
    Rust,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Elixir.
    Elixir,
    /// Scala.
    Scala,
}

impl HostLanguage {
    /// How many there are.
    pub const COUNT: usize = Self::Scala as usize + 1;

    /// Every one.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Python,
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Go,
        Self::Rust,
        Self::Java,
        Self::Kotlin,
        Self::CSharp,
        Self::Ruby,
        Self::Php,
        Self::Elixir,
        Self::Scala,
    ];
}

/// File name endings, longest match first in [`Language::of`]; case does not matter.
const ENDINGS: &[(&str, Language)] = &[
    ("sql", Language::Sql),
    ("psql", Language::Sql),
    ("pgsql", Language::Sql),
    ("plpgsql", Language::Sql),
    ("plsql", Language::Sql),
    ("ddl", Language::Sql),
    ("env", Language::Config(Config::Env)),
    ("ini", Language::Config(Config::Ini)),
    ("properties", Language::Config(Config::Properties)),
    ("yaml", Language::Config(Config::Yaml)),
    ("yml", Language::Config(Config::Yaml)),
    ("py", Language::Host(HostLanguage::Python)),
    ("pyi", Language::Host(HostLanguage::Python)),
    // The code of a notebook.
    ("ipynb", Language::Host(HostLanguage::Python)),
    ("js", Language::Host(HostLanguage::JavaScript)),
    ("mjs", Language::Host(HostLanguage::JavaScript)),
    ("cjs", Language::Host(HostLanguage::JavaScript)),
    ("jsx", Language::Host(HostLanguage::JavaScript)),
    ("ts", Language::Host(HostLanguage::TypeScript)),
    ("mts", Language::Host(HostLanguage::TypeScript)),
    ("cts", Language::Host(HostLanguage::TypeScript)),
    ("tsx", Language::Host(HostLanguage::Tsx)),
    ("go", Language::Host(HostLanguage::Go)),
    ("rs", Language::Host(HostLanguage::Rust)),
    ("java", Language::Host(HostLanguage::Java)),
    ("kt", Language::Host(HostLanguage::Kotlin)),
    ("kts", Language::Host(HostLanguage::Kotlin)),
    ("cs", Language::Host(HostLanguage::CSharp)),
    ("rb", Language::Host(HostLanguage::Ruby)),
    ("rake", Language::Host(HostLanguage::Ruby)),
    ("php", Language::Host(HostLanguage::Php)),
    ("ex", Language::Host(HostLanguage::Elixir)),
    ("exs", Language::Host(HostLanguage::Elixir)),
    ("scala", Language::Host(HostLanguage::Scala)),
    ("sc", Language::Host(HostLanguage::Scala)),
    ("prisma", Language::Prisma),
];

/// Whole names, with a `*` for what may stand there.
const NAMES: &[(&str, Language)] = &[
    (".env", Language::Config(Config::Env)),
    (".env.*", Language::Config(Config::Env)),
    // JSON is YAML.
    ("appsettings.json", Language::Config(Config::Yaml)),
    ("appsettings.*.json", Language::Config(Config::Yaml)),
    ("flyway.conf", Language::Config(Config::Properties)),
    ("*.sql.conf", Language::Config(Config::Properties)),
];

/// Globs of everything that is read, for who cannot ask [`Language::of`]; they know one case of each ending.
pub fn globs() -> Vec<String> {
    let list = |endings: Vec<&str>| format!("{{{}}}", endings.join(","));
    let of = |wanted: fn(Language) -> bool| {
        list(ENDINGS.iter().filter(|(_, language)| wanted(*language)).map(|(ending, _)| *ending).collect())
    };
    let names = NAMES.iter().map(|(name, _)| format!("**/{name}"));
    let endings = [
        format!("**/*.{}", of(|_| true)),
        format!("**/*.{}.{}", of(Language::has_templates), list(TEMPLATES.to_vec())),
    ];
    endings.into_iter().chain(names).collect()
}

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
        let is_named = |known: &str| match known.split_once('*') {
            Some((start, end)) => {
                name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
            }
            None => name == known,
        };
        if let Some((_, language)) = NAMES.iter().find(|(known, _)| is_named(known)) {
            return Some(*language);
        }
        let (stem, ending) = name.rsplit_once('.')?;
        if ending == "out" && path.rsplit('/').nth(1) == Some("expected") {
            return Some(Self::Expected);
        }
        if TEMPLATES.iter().any(|template| ending.eq_ignore_ascii_case(template)) {
            let inner = stem.rsplit_once('.').and_then(|(_, inner)| Self::of_ending(inner));
            return inner.filter(|language| language.has_templates());
        }
        Self::of_ending(ending)
    }

    /// The language of a file that is named: documents are not looked for, since examples in them may be there to be wrong.
    pub fn of_named(path: &str) -> Option<Self> {
        Self::of(path).or_else(|| {
            let (_, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
            ["md", "markdown"].iter().any(|known| ending.eq_ignore_ascii_case(known)).then_some(Self::Markdown)
        })
    }

    /// Whether findings may lie in it: not in what is read for context alone.
    pub const fn is_linted(self) -> bool {
        matches!(self, Self::Sql | Self::Markdown | Self::Host(_))
    }

    /// Whether a template of it is read as it: one of a program is no program yet.
    const fn has_templates(self) -> bool {
        !matches!(self, Self::Host(_) | Self::Markdown)
    }

    fn of_ending(ending: &str) -> Option<Self> {
        ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|&(_, language)| language)
    }
}

/// Other databases, by the words under which trees keep their SQL.
const OTHER_DATABASES: &[&str] = &[
    "bigquery",
    "cassandra",
    "clickhouse",
    "databricks",
    "db2",
    "derby",
    "duckdb",
    "firebird",
    "h2",
    "hana",
    "hsqldb",
    "mariadb",
    "mssql",
    "mysql",
    "oracle",
    "singlestore",
    "snowflake",
    "spanner",
    "sqlite",
    "sqlite3",
    "sqlserver",
    "sybase",
    "tidb",
    "tsql",
    "vertica",
];

/// Whether a word of the path says that its SQL is for another database: `migrations/mysql/001.sql`, `dbsqlite`.
pub fn is_other_database(path: &str) -> bool {
    static NAMES: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(OTHER_DATABASES).ok());
    if NAMES.as_ref().is_some_and(|names| !names.is_match(path)) {
        return false;
    }
    path.to_ascii_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        OTHER_DATABASES
            .iter()
            .any(|known| word == *known || known.len() > 4 && (word.ends_with(known) || word.starts_with(known)))
    })
}

/// Directories of test code.
const TEST_DIRECTORIES: &[&str] =
    &["__tests__", "e2e", "regress", "spec", "specs", "test", "testdata", "testing", "tests", "testutil", "testutils"];

/// Whether the path says that the file is test code, in which odd locking is there on purpose.
pub fn is_test(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    lower.starts_with("integration/")
        || parts.any(|directory| {
            TEST_DIRECTORIES.iter().any(|known| {
                directory == *known
                    || directory.strip_suffix(known).is_some_and(|rest| rest.ends_with(['-', '_', '.']))
                    || directory.strip_prefix(known).is_some_and(|rest| rest.starts_with(['-', '_', '.']))
            })
        })
        || stem.starts_with("test_")
        || ["_test", "_tests", "_spec"].iter().any(|ending| stem.ends_with(ending))
        || [".test.", ".spec."].iter().any(|middle| name.contains(middle))
}

/// The output that pg_regress compares a script's with: of `sql/name.sql` that is `expected/name.out`.
pub fn expected_output(path: &str) -> Option<String> {
    let (directory, name) = path.rsplit_once('/')?;
    let above = directory.strip_suffix("sql")?;
    let stem = name.strip_suffix(".sql")?;
    (above.is_empty() || above.ends_with('/')).then(|| format!("{above}expected/{stem}.out"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_regression_tests_by_their_output() {
        assert_eq!(expected_output("sql/a.sql").as_deref(), Some("expected/a.out"));
        assert_eq!(expected_output("x/sql/a.sql").as_deref(), Some("x/expected/a.out"));
        assert!(expected_output("x/mysql/a.sql").is_none() && expected_output("sql/a.py").is_none());
        assert_eq!(Language::of("x/expected/a.out"), Some(Language::Expected));
        assert!(Language::of("x/a.out").is_none() && !Language::Expected.is_linted());
    }

    #[test]
    fn languages_by_name() {
        for path in ["a.sql", "db/A.SQL", "queue.sql.jinja", "x.sql.j2", "y.pgsql", "dump.sql.postgres"] {
            assert_eq!(Language::of(path), Some(Language::Sql), "{path}");
        }
        for (path, config) in [
            (".env", Config::Env),
            ("src/appsettings.json", Config::Yaml),
            ("src/appsettings.Production.json", Config::Yaml),
            ("deploy/.env.production", Config::Env),
            ("worker.env", Config::Env),
            ("etc/pgbouncer.ini", Config::Ini),
            ("pgbouncer.ini.j2", Config::Ini),
            ("conf/flyway.conf", Config::Properties),
            ("sql/V1__x.sql.conf", Config::Properties),
            ("application-prod.properties", Config::Properties),
            ("compose.yaml", Config::Yaml),
            ("config/database.yml", Config::Yaml),
        ] {
            assert_eq!(Language::of(path), Some(Language::Config(config)), "{path}");
        }
        assert!(!Language::Config(Config::Env).is_linted());
        for path in
            ["env", ".envrc", "nginx.conf", "appsettings.md", "a.sqlite", "sql", "jinja", "a.jinja", "a.py.j2", "go"]
        {
            assert_eq!(Language::of(path), None, "{path}");
        }
        for (path, language) in [
            ("db/query.sql.go", HostLanguage::Go),
            ("a.pyi", HostLanguage::Python),
            ("notes/a.ipynb", HostLanguage::Python),
            ("a.MJS", HostLanguage::JavaScript),
            ("a.mts", HostLanguage::TypeScript),
            ("a.tsx", HostLanguage::Tsx),
            ("lib/tasks/db.rake", HostLanguage::Ruby),
            ("build.gradle.kts", HostLanguage::Kotlin),
        ] {
            assert_eq!(Language::of(path), Some(Language::Host(language)), "{path}");
        }
    }

    #[test]
    fn globs_match_what_is_read() {
        let mut set = globset::GlobSetBuilder::new();
        for glob in globs() {
            set.add(globset::GlobBuilder::new(&glob).literal_separator(true).build().unwrap());
        }
        let set = set.build().unwrap();
        let endings = || ENDINGS.iter().map(|(ending, _)| *ending);
        let mut names: Vec<String> = endings().map(|ending| format!("a/b.{ending}")).collect();
        names.extend(endings().flat_map(|one| TEMPLATES.iter().map(move |template| format!("b.{one}.{template}"))));
        names.extend(NAMES.iter().map(|(name, _)| format!("a/{}", name.replace('*', "x"))));
        names
            .extend([".envrc", "x.env", "nginx.conf", "a.md", "a.j2", "sql", "env", "flyway.confx"].map(str::to_owned));
        for name in names {
            assert_eq!(set.is_match(&name), Language::of(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn other_databases_by_path() {
        for path in ["db/mysql/1.sql", "riversqlite/q.sql", "V1__x-mssql.sql", "schema.h2.sql", "oracle19/x.sql"] {
            assert!(is_other_database(path), "{path}");
        }
        for path in ["db/pg/1.sql", "migrations/001_h2o.sql", "reports/x.sql"] {
            assert!(!is_other_database(path), "{path}");
        }
    }

    #[test]
    fn test_code_by_path() {
        for path in [
            "test/sql/a.sql",
            "src/tests/a.sql",
            "db/a_test.sql",
            "x/integration-tests/a.sql",
            "integration/php/a.php",
            "a.spec.sql",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in ["src/a.sql", "contest/a.sql", "latest/a.sql", "fixtures/a.sql", "attestation.sql"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
