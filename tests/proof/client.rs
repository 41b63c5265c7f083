//! As much of PostgreSQL's protocol as a proof needs: the simple query, over a Unix socket, without authentication.
//! <https://www.postgresql.org/docs/current/protocol-flow.html>

use std::io::{self, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A connection.
pub(crate) struct Connection {
    stream: BufReader<UnixStream>,
    /// The server process, or what a pooler says is one.
    pub(crate) pid: i32,
}

/// What came of a string of statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// The rows of all statements.
    pub(crate) rows: Vec<Vec<Option<String>>>,
    /// The tag of the last statement: `UPDATE 1`.
    pub(crate) tag: String,
    /// SQLSTATE and text of the error.
    pub(crate) error: Option<(String, String)>,
    /// SQLSTATE and text of each warning.
    pub(crate) warnings: Vec<(String, String)>,
}

impl Outcome {
    /// Rows with their cells joined by `|`.
    pub(crate) fn lines(&self) -> Vec<String> {
        let cell = |cell: &Option<String>| cell.clone().unwrap_or_else(|| "NULL".to_owned());
        self.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|")).collect()
    }
}

impl Connection {
    /// Connects to the socket of a port in a directory, which may not be there yet.
    pub(crate) fn open(directory: &Path, port: u16, database: &str, name: &str) -> io::Result<Self> {
        let path = directory.join(format!(".s.PGSQL.{port}"));
        let mut tries = 0;
        loop {
            match Self::start(&path, database, name) {
                Err(error) if tries < 200 && !matches!(error.kind(), io::ErrorKind::InvalidData) => {
                    tries += 1;
                    std::thread::sleep(Duration::from_millis(50));
                    if tries == 200 {
                        return Err(error);
                    }
                }
                other => return other,
            }
        }
    }

    fn start(path: &Path, database: &str, name: &str) -> io::Result<Self> {
        let mut stream = UnixStream::connect(path)?;
        let mut body = 196_608_i32.to_be_bytes().to_vec();
        for part in ["user", "app", "database", database, "application_name", name] {
            body.extend(part.as_bytes());
            body.push(0);
        }
        body.push(0);
        let length = i32::try_from(body.len() + 4).map_err(io::Error::other)?;
        stream.write_all(&length.to_be_bytes())?;
        stream.write_all(&body)?;
        let mut connection = Self { stream: BufReader::new(stream), pid: 0 };
        let outcome = connection.answer()?;
        match outcome.error {
            // The server is starting up: `cannot_connect_now`.
            Some((state, text)) if state == "57P03" => Err(io::Error::new(io::ErrorKind::WouldBlock, text)),
            Some((state, text)) => Err(io::Error::new(io::ErrorKind::InvalidData, format!("{state} {text}"))),
            None => Ok(connection),
        }
    }

    /// Sends a string of statements and waits for what comes of it.
    pub(crate) fn query(&mut self, sql: &str) -> io::Result<Outcome> {
        let length = i32::try_from(sql.len() + 5).map_err(io::Error::other)?;
        let mut message = vec![b'Q'];
        message.extend(length.to_be_bytes());
        message.extend(sql.as_bytes());
        message.push(0);
        self.stream.get_mut().write_all(&message)?;
        self.answer()
    }

    /// The same where an error is a mistake of this program.
    pub(crate) fn rows(&mut self, sql: &str) -> Result<Vec<String>, String> {
        let outcome = self.query(sql).map_err(|error| format!("{sql}: {error}"))?;
        match outcome.error {
            Some((state, text)) => Err(format!("{sql}: {state} {text}")),
            None => Ok(outcome.lines()),
        }
    }

    /// Everything up to ReadyForQuery, or to the end of a connection that an error ended.
    fn answer(&mut self) -> io::Result<Outcome> {
        let mut outcome = Outcome::default();
        loop {
            let mut head = [0; 5];
            if let Err(error) = self.stream.read_exact(&mut head) {
                return if outcome.error.is_some() { Ok(outcome) } else { Err(error) };
            }
            let length = i32::from_be_bytes([head[1], head[2], head[3], head[4]]);
            let mut body = vec![0; usize::try_from(length - 4).map_err(io::Error::other)?];
            self.stream.read_exact(&mut body)?;
            match head[0] {
                b'Z' => return Ok(outcome),
                b'R' if body != [0; 4] => return Err(io::Error::other("the server wants a password")),
                b'K' => self.pid = number(&body, 0),
                b'C' => outcome.tag = text(&body),
                b'D' => outcome.rows.push(cells(&body)),
                b'E' => {
                    let (state, _, message) = fields(&body);
                    outcome.error = Some((state, message));
                }
                b'N' => {
                    let (state, severity, message) = fields(&body);
                    if severity == "WARNING" {
                        outcome.warnings.push((state, message));
                    }
                }
                _ => {}
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Terminate; who is gone already need not be told.
        let _ = self.stream.get_mut().write_all(&[b'X', 0, 0, 0, 4]);
    }
}

fn number(body: &[u8], at: usize) -> i32 {
    body.get(at..at + 4).map_or(0, |bytes| i32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// A string up to its NUL.
fn text(body: &[u8]) -> String {
    String::from_utf8_lossy(body.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}

fn cells(body: &[u8]) -> Vec<Option<String>> {
    let mut at = 2;
    let mut cells = Vec::new();
    while at < body.len() {
        let length = number(body, at);
        at += 4;
        let value = usize::try_from(length).ok().map(|length| {
            let value = String::from_utf8_lossy(&body[at..at + length]).into_owned();
            at += length;
            value
        });
        cells.push(value);
    }
    cells
}

/// SQLSTATE, severity and text of an error or notice.
fn fields(body: &[u8]) -> (String, String, String) {
    let mut found = (String::new(), String::new(), String::new());
    for field in body.split(|&byte| byte == 0).filter(|field| !field.is_empty()) {
        let value = || String::from_utf8_lossy(&field[1..]).into_owned();
        match field[0] {
            b'C' => found.0 = value(),
            b'V' => found.1 = value(),
            b'M' => found.2 = value(),
            _ => {}
        }
    }
    found
}
