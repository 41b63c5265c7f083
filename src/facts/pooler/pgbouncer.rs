//! The PgBouncers of a tree: where each listens, and how it pools for whom.

use super::connection;
use super::group::{Entry, Group, Service};
use super::lines::lines;
use crate::finding::{FileId, Place};
use crate::language::Config;
use std::collections::HashMap;

/// How long a client keeps its server session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As long as its own connection.
    Session,
    /// For a transaction, or for less.
    Transaction,
}

/// A mode and where it is set; PgBouncer's default is set nowhere.
pub(super) type Pooling = (Mode, Option<Place>);

/// One PgBouncer, or one configuration file of it.
#[derive(Clone, Debug)]
pub(super) struct PgBouncer {
    pub(super) file: FileId,
    directory: String,
    /// The names by which a connection reaches it, lower case; none for a configuration file alone.
    pub(super) hosts: Vec<String>,
    pub(super) pod: Option<usize>,
    pub(super) port: Option<u16>,
    /// `None` where nothing says it.
    default: Option<Pooling>,
    databases: HashMap<String, Pooling>,
    users: HashMap<String, Pooling>,
    /// Files that its service reads, as far as they are its own.
    mounts: Vec<String>,
}

impl PgBouncer {
    /// The PgBouncer that a service is.
    pub(super) fn of_service(group: &Group, services: &[Service]) -> Option<Self> {
        let setting = group.ending("POOL_MODE").or_else(|| group.ending("POOLMODE"));
        let says = |text: &String| text.to_ascii_lowercase().contains("pgbouncer");
        let named = group.hosts.iter().any(says) || says(&group.owner);
        let is_one = group.program.iter().any(says) || named && setting.is_some();
        if !is_one {
            return None;
        }
        let mut found = Self::empty(group);
        found.hosts = group.hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        let selects = |service: &&Service| {
            !service.selector.is_empty() && service.selector.iter().all(|pair| group.labels.contains(pair))
        };
        found.hosts.extend(services.iter().filter(selects).map(|service| service.name.to_ascii_lowercase()));
        let port = ["LISTEN_PORT", "PGBOUNCER_PORT", "PGBOUNCER_LISTEN_PORT"].iter().find_map(|n| group.get(n));
        found.port = port.and_then(|entry| given(&entry.value).parse().ok());
        found.default = setting.and_then(|entry| pooling(group, entry));
        found.mounts.clone_from(&group.mounts);
        found.mounts.extend(group.program.iter().cloned());
        Some(found)
    }

    /// The PgBouncer of a configuration file: its three sections.
    pub(super) fn of_file(groups: &[Group]) -> Option<Self> {
        let section = |name: &'static str| groups.iter().filter(move |group| group.owner.eq_ignore_ascii_case(name));
        let main = section("pgbouncer").next()?;
        let mut found = Self::empty(main);
        found.port = Some(6432);
        found.default = Some((Mode::Session, None));
        for group in section("pgbouncer") {
            if let Some(entry) = group.get("pool_mode") {
                found.default = pooling(group, entry);
            }
            if let Some(entry) = group.get("listen_port") {
                found.port = entry.value.parse().ok();
            }
        }
        for (name, modes) in [("databases", &mut found.databases), ("users", &mut found.users)] {
            for group in section(name) {
                for entry in &group.entries {
                    if let Some(mode) = word(&entry.value, "pool_mode").and_then(mode) {
                        modes.insert(entry.name.clone(), (mode, Some(group.place(entry.name_span))));
                    }
                }
            }
        }
        Some(found)
    }

    /// The PgBouncer whose configuration file is the value of an entry: a ConfigMap.
    pub(super) fn of_value(group: &Group, entry: &Entry) -> Option<Self> {
        let text = &entry.value;
        let mut found = None;
        for line in lines(text, Config::Ini).into_iter().filter(|line| line.section == "pgbouncer") {
            let this = found.get_or_insert_with(|| Self {
                port: Some(6432),
                default: Some((Mode::Session, None)),
                ..Self::empty(group)
            });
            let value = &text[line.value.range()];
            match &text[line.key.range()] {
                "pool_mode" => this.default = mode(value).map(|mode| (mode, Some(group.place(entry.name_span)))),
                "listen_port" => this.port = value.parse().ok(),
                _ => {}
            }
        }
        found
    }

    fn empty(group: &Group) -> Self {
        Self {
            file: group.file,
            directory: group.directory.clone(),
            hosts: Vec::new(),
            pod: group.pod,
            port: None,
            default: None,
            databases: HashMap::new(),
            users: HashMap::new(),
            mounts: Vec::new(),
        }
    }

    /// Takes over what the configuration file says that the service reads: one that is mounted, or that lies where its
    /// image is built. `path` is the file's, relative to the root.
    pub(super) fn adopt(&mut self, path: &str, file: &Self) {
        let reads = |mount: &String| {
            let from = mount.split(':').next().unwrap_or_default().trim_start_matches("./");
            let whole = if self.directory.is_empty() { from.to_owned() } else { format!("{}/{from}", self.directory) };
            let (whole, path) = (whole.trim_end_matches('/').to_ascii_lowercase(), path.to_ascii_lowercase());
            !from.is_empty() && (path == whole || path.strip_prefix(&whole).is_some_and(|rest| rest.starts_with('/')))
        };
        if self.default.is_none() && self.mounts.iter().any(reads) {
            self.default = file.default;
            self.databases.clone_from(&file.databases);
            self.users.clone_from(&file.users);
            self.port = self.port.or(file.port);
        }
    }

    /// How it pools for a client: a user's mode goes before a database's, which goes before the default.
    pub(super) fn mode(&self, user: Option<&str>, database: Option<&str>) -> Option<Pooling> {
        let of = |modes: &HashMap<String, Pooling>, name: Option<&str>| name.and_then(|n| modes.get(n)).copied();
        of(&self.users, user)
            .or_else(|| of(&self.databases, database))
            .or_else(|| of(&self.databases, Some("*")))
            .or(self.default)
    }
}

fn pooling(group: &Group, entry: &Entry) -> Option<Pooling> {
    mode(given(&entry.value)).map(|mode| (mode, Some(group.place(entry.whole))))
}

fn mode(word: &str) -> Option<Mode> {
    match word.trim().trim_matches(['"', '\'']).to_ascii_lowercase().as_str() {
        "session" => Some(Mode::Session),
        "transaction" | "statement" => Some(Mode::Transaction),
        _ => None,
    }
}

/// The value of a word in a libpq connection string.
fn word<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    connection::pairs(text).find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// What Compose puts in where a variable is not set: `${POOL_MODE:-transaction}`.
fn given(value: &str) -> &str {
    let inside = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    inside.and_then(|inside| inside.split_once(":-").or_else(|| inside.split_once('-'))).map_or(value, |(_, v)| v)
}
