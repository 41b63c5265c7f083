//! One finding, told by every format and by the server, selects one text: positions of each are turned back into text by
//! a counter of this test's own.

use crate::command::{run, tree};
use crate::server::Client;
use serde_json::Value;
use std::collections::BTreeMap;

const LOCK: &str = "pg_advisory_lock(7)";
const WIDE: &str = "pg_advisory_lock(\r\n  7\r\n)";

/// Path, text, and what is wrong in it.
const FILES: &[(&str, &str, &str)] = &[
    ("a/bom.sql", "\u{FEFF}BEGIN; SELECT pg_advisory_lock(7); COMMIT;\n", LOCK),
    ("a/cr.sql", "BEGIN;\r-- b\rSELECT pg_advisory_lock(7);\rCOMMIT;\r", LOCK),
    ("a/crlf.sql", "BEGIN;\r\nSELECT 'é', pg_advisory_lock(\r\n  7\r\n);\r\nCOMMIT;\r\n", WIDE),
    ("a/end.sql", "\n\nBEGIN; UPDATE t SET a = 1; SELECT pg_advisory_lock(7)", LOCK),
    ("a/host.py", HOST, LOCK),
    ("a/tab é %.sql", "BEGIN;\tSELECT\t'ß😀e\u{301}',\tpg_advisory_lock(7); COMMIT;", LOCK),
];
const HOST: &str = "import psycopg\n\ndef work(conn: psycopg.Connection):\n    with conn.transaction():\n        \
                    conn.execute('SELECT \\'ß😀\\', pg_advisory_lock(7)')\n        conn.execute('UPDATE t SET a = 1')\n";

/// The rest of a text from a 1-based line and column on; `unit` is how much of a column a character is.
fn from(text: &str, line: u64, column: u64, unit: fn(char) -> usize) -> &str {
    let mut rest = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    for _ in 1..line {
        let end = rest.find(['\r', '\n']).unwrap();
        rest = rest[end..].strip_prefix("\r\n").unwrap_or(&rest[end + 1..]);
    }
    let mut left = usize::try_from(column).unwrap() - 1;
    while left > 0 {
        let first = rest.chars().next().unwrap();
        assert!(!matches!(first, '\r' | '\n'), "column {column} is beyond line {line}");
        left -= unit(first);
        rest = &rest[first.len_utf8()..];
    }
    rest
}

fn between(text: &str, [start, end]: [(u64, u64); 2], unit: fn(char) -> usize) -> String {
    let (start, end) = (from(text, start.0, start.1, unit), from(text, end.0, end.1, unit));
    start[..start.len() - end.len()].to_owned()
}

const fn character(_: char) -> usize {
    1
}

/// Path, beginning and, where a format tells it, end.
type Place = (String, (u64, u64), Option<(u64, u64)>);

/// What each place of a report selects, by path. A place without an end selects as much as is marked.
fn selected(places: Vec<Place>) -> BTreeMap<String, String> {
    let of = |(path, start, end): Place| {
        let (_, text, marked) = FILES.iter().find(|(known, ..)| *known == path).unwrap_or_else(|| panic!("{path}"));
        let one = match end {
            Some(end) => between(text, [start, end], character),
            None => {
                let rest = from(text, start.0, start.1, character);
                rest.get(..marked.len()).unwrap_or(rest).to_owned()
            }
        };
        (path, one)
    };
    places.into_iter().map(of).collect()
}

/// `path:line:column` at the beginning of a line.
fn place(line: &str) -> Place {
    let mut parts = line.splitn(4, ':');
    let mut next = || parts.next().unwrap();
    (next().to_owned(), (next().parse().unwrap(), next().trim().parse().unwrap()), None)
}

#[test]
fn every_format_and_the_server_select_one_text() {
    let files: Vec<(&str, &str)> =
        FILES.iter().map(|(path, text, _)| (*path, *text)).chain([(".git/HEAD", "")]).collect();
    let tree = tree(&files);
    let marked: BTreeMap<String, String> =
        FILES.iter().map(|(path, _, marked)| ((*path).to_owned(), (*marked).to_owned())).collect();
    let told = |format: &str| run(tree.path(), &format!("check --format {format}")).stdout;
    let object = |format: &str| serde_json::from_str::<Value>(&told(format)).unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let pair = |value: &Value, line: &str, column: &str| (number(&value[line]), number(&value[column]));

    let json = object("json")["diagnostics"].as_array().unwrap().clone();
    let positions = json.iter().map(|one| {
        let end = pair(&one["end"], "line", "column");
        (one["path"].as_str().unwrap().to_owned(), pair(&one["start"], "line", "column"), Some(end))
    });
    assert_eq!(selected(positions.collect()), marked);
    for one in &json {
        let (_, text, marked) = FILES.iter().find(|(path, ..)| one["path"] == *path).unwrap();
        let offset = |end: &str| usize::try_from(number(&one[end]["offset"])).unwrap();
        assert_eq!(&text[offset("start")..offset("end")], *marked);
    }

    let sarif = object("sarif")["runs"][0]["results"].as_array().unwrap().clone();
    let places = sarif.iter().map(|one| {
        let place = &one["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let path = uri.replace("%20", " ").replace("%C3%A9", "é").replace("%25", "%");
        let region = &place["region"];
        (path, pair(region, "startLine", "startColumn"), Some(pair(region, "endLine", "endColumn")))
    });
    assert_eq!(selected(places.collect()), marked);

    let github = told("github");
    let places = github.split('\n').filter_map(|line| line.strip_prefix("::error ")).map(|command| {
        let (properties, message) = command.split_once("::").unwrap();
        let property = |name: &str| {
            let pair = properties.split(',').filter_map(|pair| pair.split_once('=')).find(|(known, _)| *known == name);
            pair.map(|(_, value)| value.replace("%25", "%"))
        };
        let count = |name: &str| property(name).map(|value| value.parse::<u64>().unwrap());
        // Of a place over several lines the message has the beginning.
        let start = place(&message.replace("%25", "%")).1;
        let end = count("endColumn").map(|column| (count("endLine").unwrap(), column));
        assert_eq!(start.0, count("line").unwrap());
        assert!(count("col").is_none_or(|column| column == start.1));
        (property("file").unwrap(), start, end)
    });
    assert_eq!(selected(places.collect()), marked);

    assert_eq!(selected(told("concise").trim_end().split('\n').map(place).collect()), marked);
    let text = told("text");
    let headers = text.split('\n').filter_map(|line| line.trim_start().strip_prefix("┌─ "));
    assert_eq!(selected(headers.filter(|line| line.matches(':').count() == 2).map(place).collect()), marked);

    for issue in object("gitlab").as_array().unwrap() {
        let path = issue["location"]["path"].as_str().unwrap();
        let (_, text, marked) = FILES.iter().find(|(known, ..)| *known == path).unwrap();
        let line = from(text, number(&issue["location"]["lines"]["begin"]), 1, character);
        assert!(line.split(['\r', '\n']).next().unwrap().contains(marked.split('\r').next().unwrap()), "{path}");
    }

    for (encoding, unit) in
        [("utf-8", char::len_utf8 as fn(char) -> usize), ("utf-16", char::len_utf16), ("utf-32", character)]
    {
        let mut client = Client::start(tree.path(), &[encoding]);
        for (path, text, marked) in FILES {
            let address = path.replace('%', "%25").replace(' ', "%20").replace('é', "%C3%A9");
            client.open(&address, text);
            let [range] = &client.ranges(&address)[..] else { panic!("{path}") };
            let at = |end: &str| (number(&range[end]["line"]) + 1, number(&range[end]["character"]) + 1);
            assert_eq!(between(text, [at("start"), at("end")], unit), *marked, "{path} in {encoding}");
        }
        assert_eq!(client.end(), Some(0));
    }
}
