//! Finding servers on this machine, and keeping throw-away clusters of them.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;

/// Directories with `initdb` and `postgres`, separated as in PATH.
const BINS: &str = "LOCKLINT_PG_BINS";

/// The account that runs the servers where this runs as root, which PostgreSQL refuses.
const USER: &str = "LOCKLINT_PG_USER";

/// The PgBouncer to use.
const BOUNCER: &str = "LOCKLINT_PGBOUNCER";

/// The servers to prove things on: those that are named, or else the newest of Debian's.
pub(crate) fn found() -> Vec<PathBuf> {
    if let Some(named) = env::var_os(BINS) {
        return env::split_paths(&named).filter(|path| !path.as_os_str().is_empty()).collect();
    }
    let entries = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let bins = entries.map(|entry| entry.path().join("bin")).filter(|bin| bin.join("initdb").is_file());
    let major = |bin: &PathBuf| bin.parent()?.file_name()?.to_str()?.parse::<u32>().ok();
    bins.max_by_key(major).into_iter().collect()
}

/// The PgBouncer, if there is one.
pub(crate) fn bouncer() -> Option<PathBuf> {
    let named = env::var_os(BOUNCER).map(PathBuf::from);
    let usual = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|path| path.is_file())
}

/// A running cluster. It ends when this is dropped, or this process is.
pub(crate) struct Cluster {
    pub(crate) directory: PathBuf,
    keeper: Child,
    orders: Mutex<Option<(ChildStdin, u16)>>,
}

impl Cluster {
    pub(crate) fn start(bin: &Path, bouncer: Option<&Path>) -> Result<Self, String> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", include_str!("keeper.sh"), "keeper"]).arg(bin);
        command.arg(bouncer.map_or_else(OsString::new, |path| path.as_os_str().to_owned()));
        command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        if let Some((user, group)) = other_user()? {
            command.uid(user).gid(group).env("HOME", "/");
        }
        let mut keeper = command.spawn().map_err(|error| format!("/bin/sh: {error}"))?;
        let (orders, output) = (keeper.stdin.take(), keeper.stdout.take());
        let mut directory = String::new();
        BufReader::new(output.ok_or("no output")?).read_line(&mut directory).map_err(|error| error.to_string())?;
        if directory.trim().is_empty() {
            let _ = keeper.wait();
            return Err(format!("no cluster came up from {}", bin.display()));
        }
        let orders = Mutex::new(orders.map(|orders| (orders, 6000)));
        Ok(Self { directory: directory.trim().into(), keeper, orders })
    }

    /// The port of a new PgBouncer.
    pub(crate) fn pooler(&self, mode: &str, size: u32) -> Result<u16, String> {
        let mut orders = self.orders.lock().map_err(|_| "a thread died")?;
        let (orders, port) = orders.as_mut().ok_or("the keeper is gone")?;
        *port += 1;
        writeln!(orders, "{port} {mode} {size}").map_err(|error| error.to_string())?;
        Ok(*port)
    }

    /// Ends it, after which nothing of it may run or lie about.
    pub(crate) fn end(self) -> Result<(), String> {
        let directory = self.directory.clone();
        drop(self);
        if directory.exists() {
            return Err(format!("{} is left", directory.display()));
        }
        let name = directory.as_os_str().as_bytes();
        for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            if command.windows(name.len()).any(|part| part == name) {
                return Err(format!("{} still runs: {}", process.path().display(), String::from_utf8_lossy(&command)));
            }
        }
        Ok(())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Ok(mut orders) = self.orders.lock() {
            orders.take();
        }
        let _ = self.keeper.wait();
    }
}

/// Who else runs the servers, where this runs as root: user and group.
fn other_user() -> Result<Option<(u32, u32)>, String> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let own = status.split('\n').find_map(|line| line.strip_prefix("Uid:")).unwrap_or_default();
    if own.split_whitespace().nth(1) != Some("0") {
        return Ok(None);
    }
    let name = env::var(USER).unwrap_or_else(|_| "postgres".to_owned());
    let accounts = std::fs::read_to_string("/etc/passwd").map_err(|error| error.to_string())?;
    let of = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
    };
    let account = accounts.split('\n').find(|line| line.split(':').next() == Some(&name)).and_then(of);
    account.map(Some).ok_or_else(|| format!("this runs as root, and there is no account `{name}`: set {USER}"))
}
