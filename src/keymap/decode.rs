//! From a row of `pg_locks` to the places that may have put it there.

use super::{KeyUse, value, values};
use crate::sql::advisory::{Key, KeyPart};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// An advisory lock as `pg_locks` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row {
    /// High half of a bigint key, or the first key; as bits.
    pub classid: u32,
    /// Low half of a bigint key, or the second key; as bits.
    pub objid: u32,
    /// Whether it is of the two-key form: `objsubid` is 2 and not 1.
    pub pair: bool,
}

/// How well a use fits a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fit {
    /// It takes this very key.
    Exact,
    /// The first of its two keys is that of the row, and the second is known at run time alone.
    Class,
    /// The key is known at run time alone, and may be this.
    Possible,
}

impl Fit {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Class => "class",
            Self::Possible => "possible",
        }
    }
}

impl Row {
    /// The row of a bigint key.
    pub fn of_bigint(key: i64) -> Self {
        let (classid, objid) = halves(key);
        Self { classid, objid, pair: false }
    }

    /// The row of two integer keys, where they are in range.
    pub fn of_pair(first: i64, second: i64) -> Option<Self> {
        let bits = |key: i64| i32::try_from(key).ok().map(i32::cast_unsigned);
        Some(Self { classid: bits(first)?, objid: bits(second)?, pair: true })
    }

    /// The row of a key, where its numbers can be told.
    pub fn of(key: &Key) -> Option<Self> {
        match values(key)? {
            (key, None) => Some(Self::of_bigint(key)),
            (first, Some(second)) => Self::of_pair(first, second),
        }
    }

    /// The key as numbers: of the two-key form two.
    pub fn values(self) -> (i64, Option<i64>) {
        let signed = |bits: u32| i64::from(bits.cast_signed());
        if self.pair {
            (signed(self.classid), Some(signed(self.objid)))
        } else {
            ((u64::from(self.classid) << 32 | u64::from(self.objid)).cast_signed(), None)
        }
    }

    /// The key as its caller wrote it.
    pub fn key(self) -> Key {
        match self.values() {
            (first, Some(second)) => Key::Pair(KeyPart::Constant(first), KeyPart::Constant(second)),
            (key, None) => Key::Bigint(KeyPart::Constant(key)),
        }
    }

    /// How a use fits, if it may.
    pub fn fit(self, key: &Key) -> Option<Fit> {
        let row = self.values();
        if let Some(values) = values(key) {
            return (values == row).then_some(Fit::Exact);
        }
        match (key, row) {
            (Key::Bigint(part), (number, None)) => may_be(part, number).then_some(Fit::Possible),
            (Key::Pair(first, second), (class, Some(object))) => {
                if !may_be(second, object) {
                    return None;
                }
                match value(first) {
                    Some(known) => (known == class).then_some(Fit::Class),
                    None => may_be(first, class).then_some(Fit::Possible),
                }
            }
            _ => None,
        }
    }

    /// The uses that fit best, best first; those that are merely possible only where nothing fits better.
    pub fn uses(self, uses: &[KeyUse]) -> Vec<(Fit, &KeyUse)> {
        let mut found: Vec<_> = uses.iter().filter_map(|used| Some((self.fit(&used.key)?, used))).collect();
        found.sort_by_key(|(fit, used)| (*fit, used.at));
        if found.first().is_some_and(|(fit, _)| *fit < Fit::Possible) {
            found.retain(|(fit, _)| *fit < Fit::Possible);
        }
        found
    }
}

/// The halves of a bigint key, as bits.
fn halves(key: i64) -> (u32, u32) {
    let bits = key.cast_unsigned();
    let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (half(bits >> 32), half(bits))
}

/// Whether a part of a key may be a number at run time.
fn may_be(part: &KeyPart, number: i64) -> bool {
    match part {
        KeyPart::Null => false,
        KeyPart::Constant(_) => value(part) == Some(number),
        // hashtext gives an integer, whatever its argument is.
        KeyPart::Expression { text, .. } if is_call(text, "hashtext(") => i32::try_from(number).is_ok(),
        KeyPart::Expression { .. } => value(part).is_none_or(|known| known == number),
    }
}

/// Whether an expression is one call, and no sum of several.
fn is_call(text: &str, head: &str) -> bool {
    text.strip_prefix(head).and_then(|rest| rest.strip_suffix(')')).is_some_and(|inner| !inner.contains(['(', ')']))
}

impl FromStr for Row {
    type Err = String;

    /// `classid:objid:objsubid`
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no classid:objid:objsubid of an advisory lock, such as 0:42:1 or 8101:7:2");
        let parts: Vec<&str> = text.split(':').map(str::trim).collect();
        let [classid, objid, objsubid] = parts[..] else { return Err(wrong()) };
        let (Ok(classid), Ok(objid)) = (classid.parse(), objid.parse()) else { return Err(wrong()) };
        match objsubid {
            "1" => Ok(Self { classid, objid, pair: false }),
            "2" => Ok(Self { classid, objid, pair: true }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.classid, self.objid, if self.pair { 2 } else { 1 })
    }
}

/// The rows in what a query printed: `classid:objid:objsubid` anywhere, or three columns of these names, as psql prints
/// them with `|` between, or with tabs or commas; without names (`psql -At`) lines of three numbers in that order.
pub fn rows(text: &str) -> Vec<Row> {
    let mut found: Vec<Row> = Vec::new();
    let mut columns = None;
    for line in text.split(['\n', '\r']) {
        let cells: Vec<&str> = line.split(['|', '\t', ',']).map(str::trim).collect();
        let of = |name: &str| cells.iter().position(|cell| cell.trim_matches('"') == name);
        if let (Some(class), Some(object), Some(form)) = (of("classid"), of("objid"), of("objsubid")) {
            columns = Some([class, object, form]);
            continue;
        }
        let words = line.split(|c: char| !(c.is_ascii_digit() || c == ':')).filter_map(|word| word.parse::<Row>().ok());
        let cell = |index: usize| cells.get(index).map_or("", |cell| cell.trim_matches('"'));
        let columns = columns.or_else(|| (cells.len() == 3).then_some([0, 1, 2]));
        let named = columns.and_then(|columns| {
            let [class, object, form] = columns.map(cell);
            format!("{class}:{object}:{form}").parse().ok()
        });
        found.extend(words.chain(named));
    }
    found
}

/// The rows without repetitions, in order.
pub fn each_once(mut rows: Vec<Row>) -> Vec<Row> {
    let mut seen = HashSet::new();
    rows.retain(|row| seen.insert(*row));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Row {
        text.parse().expect("a row")
    }

    #[test]
    fn halves_have_no_sign() {
        assert_eq!(row("0:42:1").values(), (42, None));
        assert_eq!(row("4294967295:4294967295:1").values(), (-1, None));
        assert_eq!(row("1:1:1").values(), (4294967297, None));
        assert_eq!(row("7:4294967295:2").values(), (7, Some(-1)));
        assert_eq!(row("7:4294967295:2").key().to_string(), "(7, -1)");
        assert_eq!(row("7:4294967295:2").to_string(), "7:4294967295:2");
        for wrong in ["", "1:2", "1:2:3", "-1:2:1", "4294967296:0:1", "1:2:1:1"] {
            assert!(wrong.parse::<Row>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn fits() {
        let expression = |text: &str, constant| KeyPart::Expression { text: text.to_owned(), constant, opaque: false };
        let class = |second| Key::Pair(KeyPart::Constant(7), second);
        for (at, key, fit) in [
            ("0:42:1", Key::Bigint(KeyPart::Constant(42)), Some(Fit::Exact)),
            ("0:42:2", Key::Bigint(KeyPart::Constant(42)), None),
            ("0:42:1", Key::Bigint(expression("$1", false)), Some(Fit::Possible)),
            ("0:1074944137:1", Key::Bigint(expression("hashtext('x')", true)), Some(Fit::Exact)),
            ("0:1074944138:1", Key::Bigint(expression("hashtext('x')", true)), None),
            ("1:0:1", Key::Bigint(expression("hashtext(name)", false)), None),
            ("1:0:1", Key::Bigint(expression("hashtext(a) * hashtext(b)", false)), Some(Fit::Possible)),
            ("7:9:2", class(expression("$1", false)), Some(Fit::Class)),
            ("8:9:2", class(expression("$1", false)), None),
            ("7:1074944137:2", class(expression("hashtext('x')", true)), Some(Fit::Exact)),
            ("7:9:2", class(expression("hashtext('x')", true)), None),
            ("7:9:2", class(KeyPart::Null), None),
        ] {
            assert_eq!(row(at).fit(&key), fit, "{at} {key}");
        }
    }

    #[test]
    fn rows_are_found_in_what_psql_prints() {
        let table = " pid | classid | objid | objsubid \n-----+---------+-------+----------\n  12 |       0 |    42 |        1\n  13 |    8101 |     7 |        2\n  14 |       0 |    42 |        1\n(3 rows)\n";
        assert_eq!(rows(table), [row("0:42:1"), row("8101:7:2"), row("0:42:1")]);
        assert_eq!(each_once(rows(table)), [row("0:42:1"), row("8101:7:2")]);
        assert_eq!(rows("objid,classid,objsubid\n42,0,1\n"), [row("0:42:1")]);
        assert_eq!(rows("waits | 0:42:1 | 2026-01-01 12:30:15\n"), [row("0:42:1")]);
        assert_eq!(rows("nothing here\n"), []);
        // `psql -At`, with other separators, and as CSV.
        let both = [row("0:42:1"), row("8101:7:2")];
        assert_eq!(rows("0|42|1\n8101|7|2\n"), both);
        assert_eq!(rows("0\t42\t1\r\n8101\t7\t2\r\n"), both);
        assert_eq!(rows("0,42,1\n\"8101\",\"7\",\"2\"\n"), both);
        assert_eq!(rows("0|42|3\n1|2\n12|0|42|1\na|42|1\n"), []);
    }
}
