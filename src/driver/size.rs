//! How many connections a pool has at most, as code and settings say it. A pool of one is no pool: all calls get the same
//! connection.

use crate::language::HostLanguage::{self, CSharp, Go, Php, Python, Ruby, Rust, Scala};
use crate::language::{Config, Language};
use regex::Regex as Text;
use regex::bytes::Regex;
use std::sync::{LazyLock, OnceLock};

use super::{JVM, SCRIPT};

/// Names of the setting in every library, in any case.
const NAMES: &str = r"max(?:imum)?[_ -]?(?:(?:open|pool)[_ -]?)?(?:conn(?:ection)?s?|size|total|active)|pool[_ -]?(?:max[_ -]?)?(?:size|conns)|connection[_ -]?limit";

/// The value 1 after a name: `= 1`, `(1)`, `: "1"`, `=> 1`, `", 1`.
const ONE: &str = r#"(?:['"]\s*,|['"]?\s*(?:=>|:=|[:=(]))\s*(?:some\(\s*|int32\(\s*)?['"]?1(?:['"`\s,;)}\]&|]|\z)"#;

/// Names that mean it to one library alone, where they stand in a setting.
const OF_ONE_LIBRARY: &[(&str, &[HostLanguage])] = &[
    ("connectionlimit", SCRIPT),
    ("poolmaxconns", &[Go]),
    ("maximum pool size", &[CSharp]),
    ("max pool size", &[CSharp]),
    ("maximumpoolsize", JVM),
];

/// What else makes one connection, in the languages where it does: a word of every day counts only in a pool's place.
const OTHERS: &[(&[HostLanguage], &str)] = &[
    (
        SCRIPT,
        r#"(?i-u)(?:\b(?:pool|client|postgres|postgresql|neon|pgp|knex|sequelize|datasource|prismapg|createpool)\s*(?:<[^>]*>)?\(|\b(?:pool|extra|pool_?(?:config|options|settings))['"]?\s*[:=])[^;]{0,300}?\bmax['"]?\s*:\s*1(?:[^\w.]|\z)"#,
    ),
    // Deno's: the second argument.
    (SCRIPT, r"\bPool\((?:[^;()]|\([^()]*\)){0,200},\s*1\s*[,)]"),
    (&[Python], r"poolclass\s*=\s*(?:\w+\.)*StaticPool\b"),
    // psycopg2's: the second argument.
    (&[Python], r"ConnectionPool\(\s*(?:minconn\s*=\s*)?\d+\s*,\s*(?:maxconn\s*=\s*)?1\s*[,)]"),
    (&[Scala], r"\bpooled[^;]{0,200}?\bmax\s*=\s*1\b|\bnumThreads\s*=\s*1\b"),
    (&[Ruby], r#"\bpool['"]?\s*(?:=>|[:=])\s*['"]?1\b|ConnectionPool\b[^;\n]{0,80}\bsize:\s*1\b"#),
    (&[Rust], r"\bPoolConfig::new\(\s*1\s*\)"),
    (&[Php], r"ConnectionPool\([^;]{0,200},\s*1\s*[,)]"),
];

/// Names of other sizes that end like one of a pool.
const OTHER_SIZES: &[&str] = &["cache", "default", "idle", "min", "queue", "reserve", "retain"];

/// How far before a name the word of a cache or a queue stands.
const NEAR: usize = 48;

/// Whether a name is that of the setting: an argument's, or that of an entry. `max` is one there.
pub fn is_size(name: &str) -> bool {
    static NAME: LazyLock<Option<Text>> = LazyLock::new(|| Text::new(&format!("(?i)^(?:max|{NAMES})$")).ok());
    NAME.as_ref().is_some_and(|known| known.is_match(name))
}

/// The languages of the programs to whose pools the content of a file may give one connection.
pub fn pools_of_one(content: &[u8], language: Language) -> Vec<HostLanguage> {
    match language {
        Language::Host(language) if limits_to_one(content, language) => {
            [SCRIPT, JVM].into_iter().find(|family| family.contains(&language)).map_or(vec![language], <[_]>::to_vec)
        }
        Language::Prisma if named(content).next().is_some() => SCRIPT.to_vec(),
        Language::Config(config) => {
            static POOL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m-u)^\s*pool:\s*1\s*$").ok());
            let rails = config == Config::Yaml && POOL.as_ref().is_some_and(|pool| pool.is_match(content));
            named(content).flat_map(of_setting).copied().chain(rails.then_some(Ruby)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether code makes a pool of one connection.
pub fn limits_to_one(content: &[u8], language: HostLanguage) -> bool {
    // Those of one language are compiled, and no others.
    static PATTERNS: LazyLock<Vec<OnceLock<Option<Regex>>>> =
        LazyLock::new(|| OTHERS.iter().map(|_| OnceLock::new()).collect());
    let counts = |name: &str| match language {
        // SQLAlchemy opens more where all of its pool are lent.
        Python if name == "poolsize" => overflows_never(content),
        // Contexts of Entity Framework, not connections.
        CSharp => name != "poolsize",
        _ => true,
    };
    named(content).any(|name| counts(&folded(name)))
        || OTHERS.iter().zip(PATTERNS.iter()).filter(|((languages, _), _)| languages.contains(&language)).any(
            |((_, pattern), compiled)| {
                let compiled = compiled.get_or_init(|| Regex::new(&format!("(?-u){pattern}")).ok());
                compiled.as_ref().is_some_and(|pattern| pattern.is_match(content))
            },
        )
        || language == Python && is_fixed(content)
}

/// Whether SQLAlchemy is told to open no connection beyond its pool.
pub fn overflows_never(content: &[u8]) -> bool {
    static NEVER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?-u)max_overflow['"]?\s*[:=]\s*0\b"#).ok());
    NEVER.as_ref().is_some_and(|never| never.is_match(content))
}

/// psycopg's pool has its least size where no other is said.
fn is_fixed(content: &[u8]) -> bool {
    static LEAST: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?-u)ConnectionPool\([^;]{0,300}?\bmin_size\s*=\s*1\b").ok());
    LEAST.as_ref().is_some_and(|least| least.is_match(content)) && memchr::memmem::find(content, b"max_size").is_none()
}

/// The names of the setting where it is 1.
fn named(content: &[u8]) -> impl Iterator<Item = &str> {
    static SET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!("(?i-u)({NAMES}){ONE}")).ok());
    SET.iter().flat_map(move |set| set.captures_iter(content)).filter_map(move |found| {
        let name = found.get(1)?;
        let before = &content[name.start().saturating_sub(NEAR)..name.start()];
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        let word = line.rsplit(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')).next()?;
        let other = OTHER_SIZES.iter().any(|other| word.contains(other));
        let elsewhere = ["cache", "queue"].iter().any(|other| line.contains(other));
        (!other && !elsewhere).then(|| std::str::from_utf8(name.as_bytes()).ok())?
    })
}

/// A name without what joins its words, but for blanks.
fn folded(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '-'], "")
}

/// The programs that a setting by a name is for.
fn of_setting(name: &str) -> &'static [HostLanguage] {
    let name = folded(name);
    OF_ONE_LIBRARY.iter().find(|(known, _)| *known == name).map_or(&HostLanguage::ALL, |(_, languages)| *languages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::HostLanguage::{Elixir, Java, JavaScript, Kotlin, TypeScript};

    #[test]
    fn spellings_of_a_pool_of_one() {
        for (language, text) in [
            (Go, "cfg.MaxConns = 1\n"),
            (Go, "db.SetMaxOpenConns(1)"),
            (Go, "cfg.MaxConns = int32(1)"),
            (Go, "&pg.Options{PoolSize: 1}"),
            (Go, "\"postgres://u@h/d?pool_max_conns=1\""),
            (JavaScript, "new Pool({ connectionString: url, max: 1 })"),
            (TypeScript, "postgres(process.env.DATABASE_URL!, { max: 1 })"),
            (TypeScript, "knex({ client: 'pg', pool: { min: 0, max: 1 } })"),
            (TypeScript, "new DataSource({ type: 'postgres', extra: { max: 1 } })"),
            (TypeScript, "new Pool({ hostname: env('H') }, 1, true)"),
            (TypeScript, "datasourceUrl: `${url}?connection_limit=1`"),
            (TypeScript, "createPool(url, { maximumPoolSize: 1 })"),
            (TypeScript, "{ poolSize: 1 }"),
            (Python, "asyncpg.create_pool(dsn, min_size=1, max_size=1)"),
            (Python, "create_engine(url, pool_size=1, max_overflow=0)"),
            (Python, "create_engine(url, poolclass=pool.StaticPool)"),
            (Python, "ThreadedConnectionPool(1, 1, dsn)"),
            (Python, "SimpleConnectionPool(minconn=1, maxconn=1, dsn=dsn)"),
            (Python, "ConnectionPool(dsn, min_size=1)"),
            (Python, "aiopg.create_pool(dsn, maxsize=1)"),
            (Java, "config.setMaximumPoolSize(1);"),
            (Java, "props.put(\"maximumPoolSize\", 1);"),
            (Kotlin, "maximumPoolSize = 1\n"),
            (Kotlin, "dataSource.maxTotal = 1\n"),
            (Scala, "ConnectionPoolSettings(initialSize = 1, maxSize = 1)"),
            (Scala, "Session.pooled[IO](host = h, max = 1)"),
            (CSharp, "\"Host=db;Maximum Pool Size=1\""),
            (CSharp, "builder.MaxPoolSize = 1;"),
            (Ruby, "establish_connection(url, pool: 1)"),
            (Ruby, "Sequel.connect(url, max_connections: 1)"),
            (Ruby, "ConnectionPool.new(size: 1) { PG.connect }"),
            (Elixir, "pool_size: 1,"),
            (Rust, "PgPoolOptions::new().max_connections(1)"),
            (Rust, "Pool::builder(manager).max_size(1)"),
            (Rust, "cfg.pool = Some(PoolConfig::new(1));"),
            (Php, "new PostgresConnectionPool($config, maxConnections: 1)"),
            (Php, "new PostgresConnectionPool($config, 1)"),
        ] {
            assert!(limits_to_one(text.as_bytes(), language), "{text}");
        }
        for (language, text) in [
            (Go, "cfg.MaxConns = 10"),
            (Go, "cfg.MinConns = 1"),
            (Go, "db.SetMaxIdleConns(1)"),
            (JavaScript, "z.object({ min: 0, max: 1 })"),
            (JavaScript, "new Pool({ max: 10, min: 1 })"),
            (JavaScript, "new Pool({ max: 1.5e1 })"),
            (Python, "@lru_cache(maxsize=1)"),
            (Python, "asyncio.Queue(maxsize=1)"),
            (Python, "create_engine(url, pool_size=1)"),
            (Python, "ConnectionPool(dsn, min_size=1, max_size=4)"),
            (Python, "ThreadedConnectionPool(1, 10, dsn)"),
            (Java, "config.setMinimumIdle(1);"),
            (CSharp, "services.AddDbContextPool<Shop>(o => o.UseNpgsql(dsn), poolSize: 1)"),
            (Elixir, "pool_size: 1_000"),
            (Ruby, "pool: 12"),
        ] {
            assert!(!limits_to_one(text.as_bytes(), language), "{text}");
        }
    }

    #[test]
    fn settings_and_the_programs_they_are_for() {
        let of = |text: &str, config| pools_of_one(text.as_bytes(), Language::Config(config));
        assert_eq!(of("DATABASE_URL=postgres://h/d?schema=public&connection_limit=1\n", Config::Env), SCRIPT);
        assert_eq!(of("url: \"Host=db;Maximum Pool Size=1;\"", Config::Yaml), [CSharp]);
        assert_eq!(of("spring.datasource.hikari.maximum-pool-size=1\n", Config::Properties), JVM);
        assert_eq!(of("production:\n  adapter: postgresql\n  pool: 1\n", Config::Yaml), [Ruby]);
        assert_eq!(of("default_pool_size = 1\nmin_pool_size = 1\n", Config::Ini), []);
        assert_eq!(of("DB_POOL_SIZE=1\n", Config::Env), HostLanguage::ALL);
        assert_eq!(of("DB_POOL_SIZE=10\n", Config::Env), []);
    }

    #[test]
    fn names_of_arguments() {
        for name in
            ["max", "maxconn", "max_size", "maxsize", "pool_size", "poolSize", "maximumPoolSize", "maxConnections"]
        {
            assert!(is_size(name), "{name}");
        }
        assert!(!is_size("min") && !is_size("maxUses") && !is_size("pool"));
    }
}
