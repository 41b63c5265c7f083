//! The query that finds long waits for advisory locks, with who is in the way, for a person and for collectors of metrics.
//!
//! What it says of the server was seen on 15 to 18; the columns of `pg_locks` for advisory locks are described at
//! <https://www.postgresql.org/docs/current/view-pg-locks.html>, `waitstart` came with 14, `pg_blocking_pids` with 9.6.

mod columns;
mod formats;

use crate::keymap::decode::Row;
use crate::keymap::{KeyMap, value};
use crate::sql::advisory::Key;
use columns::COLUMNS;
use std::collections::BTreeMap;

/// How to write the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For psql: one row for each waiting session and each session in its way
    Sql,
    /// A custom query of postgres_exporter (--extend.query-path)
    #[value(name = "postgres_exporter")]
    PostgresExporter,
    /// A metric definition of pgwatch
    Pgwatch,
    /// An entry of custom_queries of Datadog's postgres.d/conf.yaml
    Datadog,
}

/// A key that has a name in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Which rows are meant.
    pub which: Which,
    /// What the code calls it, and where that is.
    pub name: String,
}

/// Which rows of `pg_locks` a name is for; the more exact come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// One key.
    Key(Row),
    /// All keys of the two-key form with this first key.
    Class(i32),
}

/// How many names the query holds: each is a comparison for each row.
const MAX_NAMES: usize = 200;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// How long a session may wait, in seconds.
    pub threshold: u32,
    /// First keys of the two-key form; where there are some, nothing else is looked at.
    pub classes: Vec<i32>,
    /// Whether `pg_locks.waitstart` is there: 14 and later.
    pub has_waitstart: bool,
    /// Names of keys, the more exact ones first.
    pub names: Vec<Named>,
    /// How many more there would be.
    pub unnamed: usize,
    /// How to write it.
    pub format: Format,
}

/// The text to paste.
pub fn text(request: &Request) -> String {
    match request.format {
        Format::Sql => format!("{}{} ORDER BY waiting_seconds DESC;\n", head(request), query(request, true)),
        Format::PostgresExporter => formats::postgres_exporter(request),
        Format::Pgwatch => formats::pgwatch(request),
        Format::Datadog => formats::datadog(request),
    }
}

fn head(request: &Request) -> String {
    let (servers, role, note) = if request.has_waitstart {
        ("14 and later", "pg_monitor", "")
    } else {
        (
            "9.6 to 13",
            "pg_monitor (on 9.6 superuser)",
            "-- These servers do not say when a wait began: the time is that since the statement began, which may have done\n\
             -- other things before it waited. `log_lock_waits` writes exact times to the server's log.\n",
        )
    };
    format!(
        "-- Sessions that have waited for an advisory lock for more than {} s, with who is in the way: one row for each\n\
         -- pair. PostgreSQL {servers}. A role needs {role} to see other roles' queries.\n\
         -- pg_blocking_pids stops the lock manager for a moment: run it every 15 s rather than every second.\n{note}{}",
        request.threshold,
        if request.unnamed > 0 {
            format!("-- {} more literal keys of the code are not named here.\n", request.unnamed)
        } else {
            String::new()
        }
    )
}

/// The rows, one for each waiting session and each session in its way.
fn query(request: &Request, commented: bool) -> String {
    let mut text = "SELECT\n".to_owned();
    for (index, column) in COLUMNS.iter().enumerate() {
        let comma = if index + 1 < COLUMNS.len() { "," } else { "" };
        if commented {
            for line in column.about(request) {
                text.push_str(&format!("  -- {line}\n"));
            }
        }
        let value = column.value(request);
        text.push_str(&format!("  {value} AS {}{comma}\n", column.name));
    }
    text.push_str(FROM);
    text.push_str(&format!(
        " WHERE w.locktype = 'advisory' AND NOT w.granted\n   AND {} > {}\n",
        waited(request),
        request.threshold
    ));
    if !request.classes.is_empty() {
        // The halves of a key are shown as oid, which has no sign.
        let classes: Vec<String> = request.classes.iter().map(|class| class.cast_unsigned().to_string()).collect();
        text.push_str(&format!("   AND w.objsubid = 2 AND w.classid::bigint IN ({})\n", classes.join(", ")));
    }
    text
}

/// Who waits, for whom, and what that session holds. The holder's lock is an outer join: a session that only stands
/// before another in the queue holds nothing, and a prepared transaction has no session.
const FROM: &str = "  FROM pg_locks w
  JOIN pg_stat_activity a ON a.pid = w.pid
  LEFT JOIN pg_database d ON d.oid = w.database
  LEFT JOIN LATERAL (SELECT DISTINCT unnest(pg_blocking_pids(w.pid)) AS pid) b ON true
  LEFT JOIN pg_stat_activity s ON s.pid = b.pid
  LEFT JOIN pg_locks h ON h.locktype = w.locktype AND h.database = w.database
        AND h.classid = w.classid AND h.objid = w.objid AND h.objsubid = w.objsubid
        AND h.granted AND (h.pid = b.pid OR b.pid = 0 AND h.pid IS NULL)
";

/// Seconds for which the session has waited.
fn waited(request: &Request) -> &'static str {
    if request.has_waitstart {
        "EXTRACT(EPOCH FROM clock_timestamp() - w.waitstart)"
    } else {
        "EXTRACT(EPOCH FROM clock_timestamp() - a.query_start)"
    }
}

/// The name that the code has for the key of a row.
fn lock_name(request: &Request) -> String {
    let mut cases = String::new();
    for Named { which, name } in &request.names {
        let is = match which {
            Which::Key(Row { classid, objid, pair }) => {
                let form = if *pair { 2 } else { 1 };
                format!("w.objsubid = {form} AND w.classid::bigint = {classid} AND w.objid::bigint = {objid}")
            }
            Which::Class(class) => format!("w.objsubid = 2 AND w.classid::bigint = {}", class.cast_unsigned()),
        };
        cases.push_str(&format!("\n         WHEN {is} THEN {}", quoted(name)));
    }
    if cases.is_empty() { "NULL::text".to_owned() } else { format!("CASE{cases}\n       END") }
}

/// The names that a tree has for its keys, and how many there are beyond [`MAX_NAMES`]. `shown` is how a path is shown.
pub fn names(map: &KeyMap, classes: &[i32], shown: &dyn Fn(&str) -> String) -> (Vec<Named>, usize) {
    let mut found: BTreeMap<Which, String> = BTreeMap::new();
    for used in map.uses.iter().filter(|used| used.function.acquires()) {
        let Some(which) = which(&used.key) else { continue };
        let is_wanted = match which {
            Which::Class(class) => classes.contains(&class),
            Which::Key(row) => row.pair && classes.contains(&row.classid.cast_signed()),
        };
        if let Some(source) = map.sources.get(&used.at.file).filter(|_| classes.is_empty() || is_wanted) {
            let path = shown(source.path());
            let name = used.constant.as_deref().unwrap_or(&used.unit);
            // A constant is the first key, so the second has to be told.
            let second = match (&used.constant, which, used.key.parts().nth(1)) {
                (Some(_), Which::Key(_), Some(second)) => format!(", {second}"),
                _ => String::new(),
            };
            let line = source.lines().line(used.at.span.start) + 1;
            let name = if name.is_empty() { format!("{path}:{line}") } else { format!("{name}{second} ({path})") };
            found.entry(which).or_insert(name);
        }
    }
    let unnamed = found.len().saturating_sub(MAX_NAMES);
    let named = found.into_iter().take(MAX_NAMES).map(|(which, name)| Named { which, name });
    (named.collect(), unnamed)
}

/// The rows that a key is, as far as it is literal.
fn which(key: &Key) -> Option<Which> {
    match key {
        Key::Pair(first, second) if value(second).is_none() => i32::try_from(value(first)?).ok().map(Which::Class),
        key => Row::of(key).map(Which::Key),
    }
}

/// A string constant, the same whatever `standard_conforming_strings` is.
fn quoted(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control() && *c != '\\').collect();
    format!("'{}'", clean.replace('\'', "''"))
}
