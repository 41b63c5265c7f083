//! Where a connection string points. It says where the host stands in the text, which a URL parser with its normal form
//! cannot; and what it does not understand (several hosts, a host from a variable) has no host rather than a wrong one.
//! Nothing that may be a password is ever taken for a host.

use std::ops::Range;

/// A connection string, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Connection {
    /// The host, lower case, where there is one.
    pub(super) host: Option<String>,
    pub(super) port: Option<u16>,
    pub(super) user: Option<String>,
    pub(super) database: Option<String>,
    /// Names and values of what stands after the `?`, or of the other words, names in lower case.
    pub(super) parameters: Vec<Parameter>,
    /// Host and port in the text.
    pub(super) place: Option<Range<usize>>,
    /// The scheme with its `://`, which is no secret.
    pub(super) scheme: Range<usize>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) value: String,
    /// Both in the text.
    pub(super) place: Range<usize>,
}

/// The connection string that a text is.
pub(super) fn connection(text: &str) -> Option<Connection> {
    url(text, 0).or_else(|| words(text))
}

/// The first connection URL in a command.
pub(super) fn inside(text: &str) -> Option<Connection> {
    let lower = text.to_ascii_lowercase();
    let at = lower.find("postgres://").or_else(|| lower.find("postgresql://"))?;
    let end = text[at..].find(|c: char| c.is_whitespace() || "'\"`,".contains(c)).map_or(text.len(), |n| at + n);
    url(&text[..end], at)
}

/// Schemes that mean PostgreSQL, without what a driver adds after a `+`.
const SCHEMES: &[&str] = &[
    "postgres",
    "postgresql",
    "jdbc:postgresql",
    "r2dbc:postgresql",
    "r2dbc:pool:postgresql",
    "jdbc:otel:postgresql",
    "ecto",
    "postgis",
];

fn url(text: &str, from: usize) -> Option<Connection> {
    let colon = from + text[from..].find("://")?;
    let scheme = text[from..colon].to_ascii_lowercase();
    let known = scheme.split('+').next().unwrap_or_default();
    if !SCHEMES.contains(&known) {
        return None;
    }
    let start = colon + "://".len();
    let mut found = Connection { scheme: from..start, ..Connection::default() };
    let end = text[start..].find(['/', '?', '#']).map_or(text.len(), |n| start + n);
    // An `@` further on: the password holds one of these characters, and nobody knows where the host begins.
    if text[end..].contains('@') {
        return Some(found);
    }
    let at = text[start..end].rfind('@').map_or(start, |n| start + n + 1);
    if at > start {
        let user = text[start..at - 1].split(':').next().unwrap_or_default();
        found.user = Some(user.to_owned());
    }
    found.locate(text, at..end);
    let query = text[end..].find('?').map_or(text.len(), |n| end + n);
    let database = text[end..query].trim_start_matches('/');
    found.database = (!database.is_empty()).then(|| database.to_owned());
    let mut at = (query + 1).min(text.len());
    for pair in text[at..].split(['&', ';']) {
        found.parameter(pair, at..at + pair.len());
        at += pair.len() + 1;
    }
    Some(found)
}

/// `host=db port=5432 dbname=app`, or the same with semicolons.
fn words(text: &str) -> Option<Connection> {
    let mut found = Connection::default();
    let mut known = 0;
    let mut rest = 0;
    let separators: &[char] = if text.contains(';') { &[';'] } else { &[' ', '\t', '\n', '\r'] };
    while let Some((name, value)) = next_word(text, &mut rest, separators) {
        let word = text[name.clone()].trim().to_ascii_lowercase();
        let content = text[value.clone()].to_owned();
        match word.as_str() {
            "host" => {
                found.locate(text, value);
                known += 1;
            }
            "port" => {
                found.port = content.trim().parse().ok();
                known += 1;
            }
            "user" | "username" | "user id" => {
                found.user = Some(content);
                known += 1;
            }
            "dbname" | "database" => {
                found.database = Some(content);
                known += 1;
            }
            "password" | "sslmode" => known += 1,
            _ => found.parameters.push(Parameter { name: word, value: content, place: name.start..value.end }),
        }
    }
    (known > 1 && (found.host.is_some() || found.database.is_some())).then_some(found)
}

/// The names and values of a libpq connection string.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || next_word(text, &mut rest, &[' ', '\t', '\n', '\r']))
        .map(|(name, value)| (&text[name], &text[value]))
}

/// The next `name=value`, the value without its quotes; `None` where the text is something else.
fn next_word(text: &str, rest: &mut usize, separators: &[char]) -> Option<(Range<usize>, Range<usize>)> {
    let start = *rest + (text[*rest..].len() - text[*rest..].trim_start_matches([' ', ';', '\t', '\n', '\r']).len());
    let equals = start + text[start..].find('=')?;
    let name = start..equals;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ' ';
    if name.is_empty() || !text[name.clone()].chars().all(plain) {
        return None;
    }
    let value = equals + 1;
    let quote = text[value..].chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote else {
        let end = text[value..].find(separators).map_or(text.len(), |n| value + n);
        *rest = end;
        return Some((name, value..end));
    };
    let mut escaped = false;
    for (at, c) in text[value + 1..].char_indices() {
        if c == quote && !escaped {
            *rest = value + 1 + at + 1;
            return Some((name, value + 1..value + 1 + at));
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

impl Connection {
    /// Adds an option that stands elsewhere.
    pub(super) fn option(&mut self, name: &str, value: &str) {
        let (name, value) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
        self.parameters.push(Parameter { name, value, place: 0..0 });
    }

    /// Takes `host` or `host:port` from a stretch of the text, if it is one.
    pub(super) fn locate(&mut self, text: &str, place: Range<usize>) {
        let words = &text[place.clone()];
        let (host, port) = match words.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (words, None),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-[]:".contains(c);
        let port_number = port.map(str::parse::<u16>);
        if host.is_empty() || !host.chars().all(plain) || matches!(port_number, Some(Err(_))) {
            return;
        }
        self.host = Some(host.to_ascii_lowercase());
        self.port = port_number.and_then(Result::ok).or(self.port);
        self.place = Some(place);
    }

    fn parameter(&mut self, pair: &str, place: Range<usize>) {
        if let Some((name, value)) = pair.split_once('=') {
            let name = name.to_ascii_lowercase();
            match name.as_str() {
                "user" => self.user = Some(value.to_owned()),
                _ => self.parameters.push(Parameter { name, value: value.to_ascii_lowercase(), place }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<&str>, Option<u16>, Option<String>) {
        let found = connection(text).unwrap_or_else(|| panic!("{text}"));
        (found.place.map(|place| &text[place]), found.port, found.host)
    }

    #[test]
    fn urls_of_every_driver() {
        for text in [
            "postgres://u:p@PgBouncer:6432/app?sslmode=disable",
            "postgresql+asyncpg://u@pgbouncer:6432",
            "jdbc:postgresql://pgbouncer:6432/app?prepareThreshold=0",
            "r2dbc:pool:postgresql://pgbouncer:6432/app",
            "ecto://u:p%40x@pgbouncer:6432/app",
            "postgres://u:${PASSWORD}@pgbouncer:6432/${NAME}",
        ] {
            let (place, port, host) = read(text);
            assert_eq!((port, host.as_deref()), (Some(6432), Some("pgbouncer")), "{text}");
            assert_eq!(place.map(str::to_ascii_lowercase).as_deref(), Some("pgbouncer:6432"), "{text}");
        }
        assert_eq!(read("postgres:///app").2, None);
        assert_eq!(read("postgres://[::1]:5432/app").2.as_deref(), Some("[::1]"));
        for text in ["mysql://u@h/d", "http://pgbouncer:6432", "", "://", "postgres", "pool_mode=transaction"] {
            assert_eq!(connection(text), None, "{text}");
        }
    }

    #[test]
    fn words_of_libpq_and_of_npgsql() {
        let libpq = connection("user=u password='a host=\\'x' host=db port=6432 dbname=app").unwrap();
        assert_eq!((libpq.host.as_deref(), libpq.port), (Some("db"), Some(6432)));
        assert_eq!((libpq.user.as_deref(), libpq.database.as_deref()), (Some("u"), Some("app")));
        let npgsql = connection("Host=db;Port=6432;Username=u;Password=a b;No Reset On Close=true").unwrap();
        assert_eq!((npgsql.host.as_deref(), npgsql.port), (Some("db"), Some(6432)));
        assert_eq!(npgsql.parameters[0].name, "no reset on close");
    }

    #[test]
    fn what_may_be_a_password_is_no_host() {
        for text in [
            "postgres://u:1234/x@host:5432/db",
            "postgres://u:p@1234/x@host:5432/db",
            "postgres://u:1234?x@host/db",
            "postgres://u:1234#x@host/db",
            "postgres://u:${A}@${HOST}:5432/db",
            "postgres://one:5432,two:5432/db",
            "postgres://host:secret/db",
        ] {
            let (place, _, host) = read(text);
            assert_eq!((place, host), (None, None), "{text}");
        }
    }

    #[test]
    fn a_command_may_hold_one() {
        let text = "migrate -database 'postgres://u:p@pgbouncer:6432/a?x-migrations-table=m' up";
        let found = inside(text).unwrap();
        assert_eq!(found.place.map(|place| &text[place]), Some("pgbouncer:6432"));
        assert_eq!(&text[found.scheme], "postgres://");
        assert_eq!(inside("goose up"), None);
    }
}
