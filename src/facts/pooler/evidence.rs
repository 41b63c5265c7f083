//! From a connection string to what stands between its program and the server.

use super::Setting;
use super::connection::{Connection, Parameter, connection, inside};
use super::group::{Entry, Group};
use super::pgbouncer::{Mode, PgBouncer, Pooling};
use crate::finding::{FileId, Place};
use crate::source::Source;
use crate::span::Span;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Longer values are no connection strings.
const MAX_LEN: usize = 4096;

/// What stands between a program and the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A pooler that may change the server session at every transaction.
    Transaction {
        /// Where that is set, if elsewhere than in the setting itself.
        at: Option<Place>,
        /// What shows it: a phrase.
        why: &'static str,
    },
    /// PgBouncer, in a mode that nothing shows.
    PgBouncer,
    /// A pooler that keeps the server session for as long as the connection.
    Session,
    /// Nothing that shows.
    Direct,
}

impl Evidence {
    /// Whether the pooler may change the server session at every transaction.
    pub const fn is_transaction(&self) -> bool {
        matches!(self, Self::Transaction { .. })
    }

    fn of(pooling: Pooling) -> Self {
        match pooling.0 {
            Mode::Transaction => Self::Transaction { at: pooling.1, why: "PgBouncer pools by transaction" },
            Mode::Session => Self::Session,
        }
    }
}

/// Everything that was read.
pub(super) struct Tree<'t> {
    pub(super) poolers: &'t [PgBouncer],
    pub(super) groups: &'t [Group],
}

/// The names of a host that stands by itself, and the ends that may stand before them.
const HOST_PREFIXES: &[&str] =
    &["PG", "PGSQL_", "POSTGRES_", "POSTGRESQL_", "DB_", "DATABASE_", "DB_POSTGRES_", "POSTGRES_DB_"];

impl Tree<'_> {
    /// The connection settings, by file and place, and what of their files may be shown.
    pub(super) fn settings(&self, sources: &BTreeMap<FileId, Source>) -> (Vec<Setting>, Vec<Place>) {
        let mut found = Vec::new();
        let mut shown = Vec::new();
        for (index, group) in self.groups.iter().enumerate() {
            let path = sources.get(&group.file).map(|source| Arc::clone(source.path())).unwrap_or_default();
            let entries = group.entries.iter().map(|entry| (entry, false));
            for (entry, is_command) in entries.chain(group.commands.iter().map(|entry| (entry, true))) {
                // Only a name is told, never what somebody put where a name belongs.
                if !is_name(&entry.name) {
                    continue;
                }
                let Some(connection) = self.connection(group, entry, is_command) else { continue };
                let evidence = self.evidence(group, &connection);
                let place = |range: &std::ops::Range<usize>| {
                    let start = entry.verbatim?.start;
                    Some(group.place(Span::new(start + range.start, start + range.end)))
                };
                let host = connection.place.as_ref().and_then(place);
                if evidence.is_transaction() {
                    let parameters = connection.parameters.iter().filter(|p| prepared(p).is_some() || is_flag(p));
                    shown.extend(parameters.filter_map(|parameter| place(&parameter.place)));
                    shown.extend(host.into_iter().chain([group.place(entry.name_span)]));
                    shown.extend(place(&connection.scheme));
                    if let Evidence::Transaction { at: Some(at), .. } = evidence {
                        shown.push(at);
                    }
                }
                found.push(Setting {
                    name: entry.name.clone(),
                    at: host.unwrap_or(group.place(entry.name_span)),
                    target: target(&connection),
                    local: evidence == Evidence::Direct && is_local(connection.host.as_deref()),
                    evidence,
                    path: Arc::clone(&path),
                    group: index,
                    is_command,
                });
            }
        }
        self.passed_on(sources, &mut found);
        found.sort_by_key(|setting| setting.at);
        (found, shown)
    }

    /// Adds the settings whose value comes from elsewhere: from another setting that is known, or from where nobody sees.
    fn passed_on(&self, sources: &BTreeMap<FileId, Source>, found: &mut Vec<Setting>) {
        let mut known: HashMap<String, Option<usize>> = HashMap::new();
        for (index, setting) in found.iter().enumerate() {
            let same = |other: usize| found[other].evidence.is_transaction() == setting.evidence.is_transaction();
            known
                .entry(setting.name.clone())
                .and_modify(|first| *first = first.filter(|&other| same(other)))
                .or_insert(Some(index));
        }
        for (index, group) in self.groups.iter().enumerate() {
            let is_open = |entry: &&Entry| is_connection(&entry.name) && connection(&entry.value).is_none();
            for entry in group.entries.iter().filter(is_open) {
                let Some(from) = variable(&entry.value) else { continue };
                let value = known.get(from).and_then(|&index| index).map(|index| found[index].clone());
                let unknown = Setting {
                    name: String::new(),
                    at: group.place(entry.name_span),
                    target: "its host".to_owned(),
                    evidence: Evidence::Direct,
                    path: sources.get(&group.file).map(|s| Arc::clone(s.path())).unwrap_or_default(),
                    local: false,
                    group: index,
                    is_command: false,
                };
                found.push(Setting {
                    name: entry.name.clone(),
                    group: index,
                    is_command: false,
                    ..value.unwrap_or(unknown)
                });
            }
        }
    }

    /// The connection that an entry describes: a connection string, or a host with the port and the rest beside it.
    fn connection(&self, group: &Group, entry: &Entry, is_command: bool) -> Option<Connection> {
        if entry.value.len() > MAX_LEN {
            return None;
        }
        if is_command {
            return inside(&entry.value);
        }
        if let Some(mut found) = connection(&entry.value) {
            self.beside(group, entry, &mut found);
            return Some(found);
        }
        let upper = entry.name.to_ascii_uppercase();
        let prefix = upper.strip_suffix("HOST").or_else(|| upper.strip_suffix("SERVER"))?;
        let rails = prefix.is_empty() && group.get("adapter").is_some_and(|a| a.value.starts_with("postg"));
        if !rails && !HOST_PREFIXES.contains(&prefix) || entry.value.is_empty() {
            return None;
        }
        let value = |word: &str| group.get(&format!("{prefix}{word}")).map(|entry| entry.value.clone());
        let mut found = Connection { port: value("PORT").and_then(|port| port.parse().ok()), ..Connection::default() };
        // MySQL's port, behind a name that says only "database".
        if found.port == Some(3306) {
            return None;
        }
        let port = found.port;
        found.locate(&entry.value, 0..entry.value.len());
        found.port = found.port.or(port);
        found.user = value("USER").or_else(|| value("USERNAME"));
        found.database = ["NAME", "DATABASE", "DB"].iter().find_map(|word| value(word));
        self.beside(group, entry, &mut found);
        Some(found)
    }

    /// Options of the same connection that have entries of their own.
    fn beside(&self, group: &Group, entry: &Entry, found: &mut Connection) {
        let path = entry.name.rsplit_once('.').map_or("", |(path, _)| path);
        for name in ["prepared_statements", "prepare", "hikari.data-source-properties.prepareThreshold"] {
            let whole = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            if let Some(option) = group.get(&whole) {
                found.option(name, &option.value);
            }
        }
    }

    fn evidence(&self, group: &Group, connection: &Connection) -> Evidence {
        let host = connection.host.as_deref().unwrap_or_default();
        let named = self.named(group, connection);
        let is_server = |server: &&Group| server.program.iter().any(|image| image.contains("postgres"));
        if named.is_empty() && self.beside_in_file(group, host).is_some_and(|server| is_server(&server)) {
            return Evidence::Direct;
        }
        let mut says_pgbouncer = !named.is_empty();
        let mut candidates = named;
        if candidates.is_empty() && (connection.port == Some(6432) || host.contains("pgbouncer")) {
            says_pgbouncer = true;
            // A PgBouncer that lies outside the tree has the configuration that lies in it.
            let port = connection.port.unwrap_or(6432);
            let listens = |pooler: &&PgBouncer| pooler.port.is_none_or(|known| known == port);
            candidates = self.poolers.iter().filter(listens).collect();
        }
        let mode = |pooler: &PgBouncer| pooler.mode(connection.user.as_deref(), connection.database.as_deref());
        if let Some(pooling) = candidates.first().and_then(|first| mode(first))
            && candidates.iter().all(|pooler| mode(pooler).is_some_and(|other| other.0 == pooling.0))
        {
            return Evidence::of(pooling);
        }
        // A mode that nothing shows may still be shown by the connection's own options.
        own(connection).unwrap_or(if says_pgbouncer { Evidence::PgBouncer } else { Evidence::Direct })
    }

    /// The PgBouncers that a host names, those of the same file before others.
    fn named(&self, group: &Group, connection: &Connection) -> Vec<&PgBouncer> {
        let Some(host) = connection.host.as_deref() else { return Vec::new() };
        let in_pod = |pooler: &PgBouncer| {
            group.pod.is_some()
                && (pooler.file, pooler.pod) == (group.file, group.pod)
                && is_local(Some(host))
                && connection.port.is_none_or(|port| port == pooler.port.unwrap_or(6432))
        };
        let is_meant = |pooler: &&PgBouncer| in_pod(pooler) || pooler.hosts.iter().any(|name| reaches(host, name));
        let mut found: Vec<&PgBouncer> = self.poolers.iter().filter(is_meant).collect();
        if found.iter().any(|pooler| pooler.file == group.file) {
            found.retain(|pooler| pooler.file == group.file);
        }
        found
    }

    /// The program of the same file that a host names.
    fn beside_in_file(&self, group: &Group, host: &str) -> Option<&Group> {
        let is_host = |name: &String| name.eq_ignore_ascii_case(host);
        self.groups.iter().find(|other| other.file == group.file && other.hosts.iter().any(is_host))
    }
}

/// What a connection string shows by itself.
fn own(connection: &Connection) -> Option<Evidence> {
    let host = connection.host.as_deref().unwrap_or_default();
    let transaction = |why| Some(Evidence::Transaction { at: None, why });
    if host.ends_with(".pooler.supabase.com") && connection.port != Some(6543) {
        return Some(Evidence::Session);
    }
    if connection.parameters.iter().any(is_flag) {
        return transaction("`pgbouncer=true` says so");
    }
    if connection.port == Some(6543) {
        return transaction("port 6543 is a transaction-mode pooler's");
    }
    if host.split_once('.').is_some_and(|(first, _)| first.ends_with("-pooler")) {
        return transaction("a `-pooler` host pools by transaction");
    }
    if is_local(connection.host.as_deref()) {
        return None;
    }
    connection.parameters.iter().find_map(prepared).and_then(transaction)
}

/// Ends of names that mean a connection string, whatever their value.
const NAMES: &[&str] = &[
    "CONNECTION_STRING",
    "DATABASE_URI",
    "DATABASE_URL",
    "DATABASE_URL_UNPOOLED",
    "DATASOURCE.URL",
    "DATASOURCE_URL",
    "DBSTRING",
    "DB_DSN",
    "DB_URL",
    "DIRECT_URL",
    "FLYWAY.URL",
    "FLYWAY_URL",
    "LIQUIBASE.URL",
    "LIQUIBASE_COMMAND_URL",
    "LIQUIBASE_URL",
    "PG_URL",
    "POSTGRES_DSN",
    "POSTGRES_PRISMA_URL",
    "POSTGRES_URL",
    "POSTGRES_URL_NON_POOLING",
];

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

fn is_connection(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    NAMES.iter().any(|end| upper.ends_with(end))
}

/// The name of the variable that a value is; empty where the value is nothing, or a template's. `None` for other values,
/// such as another database's URL.
fn variable(value: &str) -> Option<&str> {
    let value = value.trim();
    if value.is_empty() || matches!(value, "~" | "null") || value.contains("{{") || value.contains("<%") {
        return Some("");
    }
    let name = value.strip_prefix('$')?.trim_start_matches('{');
    Some(name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default())
}

/// Whether a host is a service's name, alone or with its namespace behind it.
fn reaches(host: &str, name: &str) -> bool {
    host == name
        || host.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')).is_some_and(|rest| {
            let mut labels = rest.split('.').skip(1);
            labels.next().is_none_or(|label| label == "svc")
        })
}

fn is_local(host: Option<&str>) -> bool {
    host.is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0" | "host.docker.internal"))
}

fn is_flag(parameter: &Parameter) -> bool {
    parameter.name == "pgbouncer" && parameter.value == "true"
}

/// Whether the option switches prepared statements off, as a pooler that changes sessions used to demand.
fn prepared(parameter: &Parameter) -> Option<&'static str> {
    match (parameter.name.as_str(), parameter.value.as_str()) {
        ("preparethreshold" | "hikari.data-source-properties.preparethreshold", "0") => {
            Some("`prepareThreshold=0` is for one")
        }
        ("statement_cache_size" | "prepared_statement_cache_size", "0") => {
            Some("a statement cache of size 0 is for one")
        }
        ("prepare" | "prepared_statements", "false") => Some("prepared statements are off, as one needs"),
        _ => None,
    }
}

/// `host:port`, as far as they are known.
fn target(connection: &Connection) -> String {
    match (&connection.host, connection.port) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.clone(),
        (None, Some(port)) => format!("port {port}"),
        (None, None) => "its host".to_owned(),
    }
}
