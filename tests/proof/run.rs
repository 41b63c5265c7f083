//! Running one side of a proof in a database of its own.

use crate::client::{Connection, Outcome};
use crate::format::{Does, Expected, Proof, Side, Step};
use crate::server::Cluster;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The port of the server itself.
pub(crate) const DIRECT: u16 = 5432;

/// How long a statement may take that must not wait.
const PATIENCE: Duration = Duration::from_secs(10);

/// The same where it is expected to go wrong.
const IMPATIENCE: Duration = Duration::from_secs(2);

/// What every database of a proof has: the advisory locks that are held in it, one row for each holder.
const HELD: &str = "CREATE VIEW held AS
SELECT CASE objsubid WHEN 1 THEN (classid::bigint << 32 | objid::bigint)::text
       ELSE (classid::bigint << 32 >> 32) || ',' || (objid::bigint << 32 >> 32) END AS key, mode, pid
  FROM pg_locks
 WHERE locktype = 'advisory' AND granted
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// A session of a proof: a thread with a connection.
struct Session {
    statements: Sender<String>,
    outcomes: Receiver<Result<Outcome, String>>,
    thread: JoinHandle<()>,
    pid: i32,
    /// Whether it has not come back from a statement.
    waits: bool,
}

struct Run<'r> {
    cluster: &'r Cluster,
    database: &'r str,
    port: u16,
    observer: Connection,
    patience: Duration,
    sessions: BTreeMap<String, Session>,
    /// What was sent and what came of it.
    transcript: Vec<String>,
}

/// A database for proofs, one after the other.
pub(crate) fn database(cluster: &Cluster, name: &str) -> Result<(), String> {
    observer(cluster, "postgres")?.rows(&format!("CREATE DATABASE {name}")).map(|_| ())
}

fn observer(cluster: &Cluster, database: &str) -> Result<Connection, String> {
    Connection::open(&cluster.directory, DIRECT, database, "observer").map_err(|error| error.to_string())
}

/// Runs what one side does and holds it against what is expected of a side: the same one, but where the proof itself is
/// tested. Gives the transcript, or why it is no proof. Nothing of it stays in the database.
pub(crate) fn run(
    cluster: &Cluster,
    database: &str,
    proof: &Proof,
    does: Side,
    expects: Side,
) -> Result<Vec<String>, String> {
    let mut observer = observer(cluster, database)?;
    observer.rows(HELD)?;
    let port = match &proof.pooler {
        Some(pooler) => cluster.pooler(&pooler.mode, pooler.size)?,
        None => DIRECT,
    };
    let patience = if does == expects { PATIENCE } else { IMPATIENCE };
    let mut run =
        Run { cluster, database, port, observer, patience, sessions: BTreeMap::new(), transcript: Vec::new() };
    let mut result = Ok(());
    for step in proof.steps.iter().filter(|step| step.side.is_none_or(|side| side == does)) {
        result = run.step(step, expects);
        if result.is_err() {
            break;
        }
    }
    let transcript = run.end()?;
    result.map_err(|why| format!("{why}\n    {}", transcript.join("\n    ")))?;
    Ok(transcript)
}

impl Run<'_> {
    fn step(&mut self, step: &Step, side: Side) -> Result<(), String> {
        let expected: Vec<&Expected> = step.expected(side).collect();
        let name = &step.session;
        match &step.does {
            Does::Leaves => return self.leave(name),
            Does::GoesOn => {
                self.transcript.push(format!("{name} goes on"));
                let session = self.sessions.get(name).ok_or_else(|| format!("{name} is not there"))?;
                if !session.waits {
                    return Err(format!("{name} does not wait"));
                }
            }
            Does::Sends(sql) => {
                self.transcript.push(format!("{name}: {}", sql.replace('\n', "\n   ")));
                let session = self.session(name)?;
                if session.waits {
                    return Err(format!("{name} still waits"));
                }
                session.statements.send(sql.clone()).map_err(|_| format!("{name} is gone"))?;
                session.waits = true;
            }
        }
        if expected.contains(&&Expected::Waits) {
            return self.sees_wait(name);
        }
        let session = self.sessions.get_mut(name).ok_or("no session")?;
        let outcome = match session.outcomes.recv_timeout(self.patience) {
            Ok(outcome) => outcome?,
            Err(RecvTimeoutError::Timeout) => return Err(format!("{name} waits, and should not")),
            Err(RecvTimeoutError::Disconnected) => return Err(format!("{name} is gone")),
        };
        session.waits = false;
        self.tell(&outcome);
        compare(&outcome, &expected)
    }

    fn tell(&mut self, outcome: &Outcome) {
        self.transcript.extend(outcome.warnings.iter().map(|(state, text)| format!("  WARNING {state}: {text}")));
        // A function that returns void returns an empty text.
        let rows = outcome.lines().into_iter().filter(|line| !line.is_empty()).take(12);
        self.transcript.extend(rows.map(|line| format!("  {line}")));
        match (&outcome.error, outcome.tag.as_str()) {
            (Some((state, text)), _) => self.transcript.push(format!("  ERROR {state}: {text}")),
            (None, "SELECT 0") => self.transcript.push("  (0 rows)".to_owned()),
            (None, tag) if tag.starts_with("SELECT ") => {}
            (None, "BEGIN" | "COMMIT" | "ROLLBACK" | "SAVEPOINT") => {}
            (None, tag) => self.transcript.push(format!("  {tag}")),
        }
    }

    /// The session of a name; `S` goes to the server itself, whatever is in front of it.
    fn session(&mut self, name: &str) -> Result<&mut Session, String> {
        if !self.sessions.contains_key(name) {
            let port = if name == "S" { DIRECT } else { self.port };
            let mut connection = Connection::open(&self.cluster.directory, port, self.database, name)
                .map_err(|error| format!("{name} cannot connect: {error}"))?;
            let pid = connection.pid;
            let (statements, orders) = channel::<String>();
            let (results, outcomes) = channel();
            let thread = std::thread::spawn(move || {
                for sql in orders {
                    let outcome = connection.query(&sql).map_err(|error| error.to_string());
                    if results.send(outcome).is_err() {
                        break;
                    }
                }
            });
            let session = Session { statements, outcomes, thread, pid, waits: false };
            self.sessions.insert(name.to_owned(), session);
        }
        self.sessions.get_mut(name).ok_or_else(|| "no session".to_owned())
    }

    /// Waits until the server says that all who have not come back wait for locks.
    fn sees_wait(&mut self, name: &str) -> Result<(), String> {
        let waiting = self.sessions.values().filter(|session| session.waits).count();
        let sql =
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let start = Instant::now();
        while start.elapsed() < self.patience {
            if let Some(session) = self.sessions.get_mut(name)
                && let Ok(outcome) = session.outcomes.try_recv()
            {
                session.waits = false;
                self.tell(&outcome?);
                return Err(format!("{name} does not wait"));
            }
            if self.observer.rows(sql)? == [waiting.to_string()] {
                self.transcript.push("  waits".to_owned());
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("{name} does not come back, and waits for no lock"))
    }

    fn leave(&mut self, name: &str) -> Result<(), String> {
        self.transcript.push(format!("{name} leaves"));
        let Session { statements, thread, pid, .. } =
            self.sessions.remove(name).ok_or_else(|| format!("{name} is not there"))?;
        drop(statements);
        thread.join().map_err(|_| format!("{name} died"))?;
        if self.port != DIRECT {
            // A pooler gives its clients numbers of their own, so there is no process to wait for.
            std::thread::sleep(Duration::from_millis(300));
            return Ok(());
        }
        let start = Instant::now();
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE pid = {pid}");
        while self.observer.rows(&sql)? != ["0"] {
            if start.elapsed() > self.patience {
                return Err(format!("{name} does not end"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Ends every session, those that wait and those of a pooler too, and leaves the database as it was.
    fn end(mut self) -> Result<Vec<String>, String> {
        let others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let start = Instant::now();
        self.observer.rows(&format!("SELECT pg_terminate_backend(pid) {others}"))?;
        while self.observer.rows(&format!("SELECT count(*) {others}"))? != ["0"] {
            if start.elapsed() > PATIENCE {
                return Err("a session does not end".to_owned());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        for (_, session) in std::mem::take(&mut self.sessions) {
            drop(session.statements);
            session.thread.join().map_err(|_| "a thread died")?;
        }
        self.observer.rows("SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public")?;
        Ok(self.transcript)
    }
}

/// Holds an outcome against what is expected; what is not expected must not be there.
fn compare(outcome: &Outcome, expected: &[&Expected]) -> Result<(), String> {
    let failed = outcome.error.as_ref().map(|(state, _)| state.clone());
    let fails = expected.iter().find_map(|expected| match expected {
        Expected::Fails(state) => Some(state.clone()),
        _ => None,
    });
    if failed != fails {
        return Err(format!("fails with {failed:?}, expected {fails:?}"));
    }
    let warned: Vec<&String> = outcome.warnings.iter().map(|(state, _)| state).collect();
    let warns: Vec<&String> = expected
        .iter()
        .filter_map(|expected| match expected {
            Expected::Warns(state) => Some(state),
            _ => None,
        })
        .collect();
    if warned != warns {
        return Err(format!("warns with {warned:?}, expected {warns:?}"));
    }
    let rows: Vec<&String> = expected
        .iter()
        .filter_map(|expected| match expected {
            Expected::Row(row) => Some(row),
            _ => None,
        })
        .collect();
    let lines = outcome.lines();
    if (!rows.is_empty() || expected.contains(&&Expected::NoRow)) && lines.iter().ne(rows.iter().copied()) {
        return Err(format!("returns {lines:?}, expected {rows:?}"));
    }
    for expected in expected {
        if let Expected::Changes(count) = expected
            && outcome.tag.rsplit(' ').next() != Some(&count.to_string())
        {
            return Err(format!("`{}`, expected {count} rows", outcome.tag));
        }
    }
    Ok(())
}
