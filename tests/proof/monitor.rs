//! The query of `locklint monitor`, run with sessions that wait.

use crate::client::Connection;
use crate::collector::query_in;
use crate::run::DIRECT;
use crate::server::Cluster;
use locklint::keymap::decode::Row;
use locklint::monitor::{Format, Named, Request, Which, text};
use std::time::{Duration, Instant};

/// Who waits in the end, and what the query has to say of each: application, key, name, row, who is in the way, its state,
/// what it holds, the prepared transaction.
const ROWS: &[&str] = &[
    "waits for a prepared transaction|(8101, -5)|CLASS (jobs.py)|8101:4294967291:2|NULL|NULL|ExclusiveLock|gone",
    "waits for an idle session|-42|EXACT (jobs.py)|4294967295:4294967254:1|holds|idle|ShareLock|NULL",
    "waits for who waits|-42|EXACT (jobs.py)|4294967295:4294967254:1|waits for an idle session|active|NULL|NULL",
];

/// What the summary says of the same: waiting sessions, idle holders, prepared transactions.
const SUMMARY: &[&str] = &["CLASS (jobs.py)|1|0|1", "EXACT (jobs.py)|2|1|0"];

pub(crate) fn finds(cluster: &Cluster) -> Result<String, String> {
    let open = |database: &str, name: &str| {
        Connection::open(&cluster.directory, DIRECT, database, name).map_err(|error| error.to_string())
    };
    open("postgres", "monitor")?.rows("CREATE DATABASE monitor")?;
    let mut holder = open("monitor", "holds")?;
    holder.rows("SELECT pg_advisory_lock_shared(-42)")?;
    let mut gone = open("monitor", "prepares")?;
    gone.rows("BEGIN; SELECT pg_advisory_xact_lock(8101, -5); PREPARE TRANSACTION 'gone'")?;
    drop(gone);
    let mut observer = open("monitor", "observer")?;
    let waiters = [
        ("waits for an idle session", "SELECT pg_advisory_lock(-42)"),
        ("waits for a prepared transaction", "SELECT pg_advisory_lock(8101, -5)"),
        ("waits for who waits", "SELECT pg_advisory_lock_shared(-42)"),
    ];
    let mut threads = Vec::new();
    for (index, (name, sql)) in waiters.into_iter().enumerate() {
        let mut connection = open("monitor", name)?;
        threads.push(std::thread::spawn(move || connection.query(sql).map(|_| ())));
        let start = Instant::now();
        let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        let waiting = format!("{waiting} AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = 'monitor')");
        while observer.rows(&waiting)? != [(index + 1).to_string()] {
            if start.elapsed() > Duration::from_secs(10) {
                return Err(format!("{name} does not wait"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    std::thread::sleep(Duration::from_millis(1200));
    let result = forms(&mut observer);
    holder.rows("SELECT pg_advisory_unlock_shared(-42)")?;
    observer.rows("ROLLBACK PREPARED 'gone'")?;
    for thread in threads {
        thread.join().map_err(|_| "a thread died")?.map_err(|error| error.to_string())?;
    }
    result
}

/// Runs every form of the query.
fn forms(observer: &mut Connection) -> Result<String, String> {
    let mut run = 0;
    for has_waitstart in [true, false] {
        for format in [Format::Sql, Format::PostgresExporter, Format::Pgwatch, Format::Datadog] {
            for (threshold, classes) in [(1, vec![]), (1, vec![8101]), (600, vec![])] {
                let wanted = |row: &&&str| threshold == 1 && (classes.is_empty() || row.contains("CLASS"));
                let text = text(&request(format, has_waitstart, threshold, classes.clone()));
                let (sql, rows) = match format {
                    Format::Sql => (details(&text), ROWS),
                    _ => (summary(&query_in(&text)?, format), SUMMARY),
                };
                let found = observer.rows(&sql)?;
                let rows: Vec<&&str> = rows.iter().filter(wanted).collect();
                if found.iter().ne(rows.iter().copied()) {
                    return Err(format!("{format:?} found {found:#?}, and should {rows:#?}:\n{sql}"));
                }
                run += 1;
            }
        }
    }
    Ok(format!("{run} forms of the monitoring query find who waits and for whom"))
}

fn request(format: Format, has_waitstart: bool, threshold: u32, classes: Vec<i32>) -> Request {
    let named = |which, name: &str| Named { which, name: name.to_owned() };
    let names =
        vec![named(Which::Key(Row::of_bigint(-42)), "EXACT (jobs.py)"), named(Which::Class(8101), "CLASS (jobs.py)")];
    Request { threshold, classes, has_waitstart, names, unnamed: 0, format }
}

fn details(sql: &str) -> String {
    format!(
        "SELECT waiting_application, lock_key, lock_name, row_id, blocking_application, blocking_state, holds, blocking_prepared
           FROM ({}) AS wait WHERE waiting_seconds BETWEEN 1 AND 60 AND database = 'monitor' ORDER BY 1",
        sql.trim_end().trim_end_matches(';')
    )
}

fn summary(sql: &str, format: Format) -> String {
    let tag = if format == Format::Pgwatch { "tag_" } else { "" };
    format!(
        "SELECT {tag}lock_name, waiting_sessions, idle_blockers, prepared_blockers
           FROM ({sql}) AS wait WHERE longest_wait_seconds BETWEEN 1 AND 60 AND {tag}database = 'monitor' ORDER BY 1"
    )
}
