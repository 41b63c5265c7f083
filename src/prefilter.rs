//! Which bytes are worth reading as SQL: one search over a file's raw content, before anything is parsed.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// Everything that a rule can start from. `limit`, `fetch`, `min` and `max` stand for a queue claim that has no locking
/// clause.
/// Comments may stand between any two words, so a word before a comment is enough.
static LOCKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)advisory_|skip(?:\s+locked|\s*(?:/\*|--))|for(?:\s+(?:no\s|key\s|update|share)|\s*(?:/\*|--))|pg_locks|\block\s+table\b|\(\s*select\s+(?:min|max)\s*\(|\blimit\b|\bfetch\s",
    )
    .ok()
});

/// What the catalog is built from.
static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)\b(?:create|alter|drop)(?:\s+[a-z]+){0,3}(?:\s+(?:table|index|function|procedure)\b|\s*(?:/\*|--))",
    )
    .ok()
});

/// DDL of tables and keys as it stands in a string, where the words of [`KEYS`] are prose more often than not.
static DECLARES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)\b(?:create\s+(?:(?:global|local)\s+)?(?:(?:unlogged|temp|temporary)\s+)?table|create\s+unique\s+index|alter\s+(?:table|index)|drop\s+(?:table|index))\b",
    )
    .ok()
});

/// Whether the content may declare a table or a key in a string of a host language.
pub fn may_declare(content: &[u8]) -> bool {
    DECLARES.as_ref().is_none_or(|pattern| pattern.is_match(content))
}

/// Whether the content may hold a lock.
pub fn may_lock(content: &[u8]) -> bool {
    LOCKS.as_ref().is_none_or(|pattern| pattern.is_match(content))
}

/// Whether the content names an advisory function, which no other database has.
pub fn names_advisory(content: &[u8]) -> bool {
    static ADVISORY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i-u)pg_(?:try_)?advisory_").ok());
    ADVISORY.as_ref().is_none_or(|pattern| pattern.is_match(content))
}

/// A search for calls of any of the named functions; `None` without names.
pub fn calls<'n>(names: impl Iterator<Item = &'n str>) -> Option<Regex> {
    let mut names: Vec<String> = names.map(regex::escape).collect();
    names.sort();
    if names.is_empty() {
        return None;
    }
    Regex::new(&format!(r"(?i-u)(?:{})\s*\(", names.join("|"))).ok()
}

/// A search for the names of tables and keys in what may declare them.
#[derive(Debug)]
pub struct Names {
    whole: Option<Regex>,
    last: Option<Regex>,
}

impl Names {
    /// A search for any of `names`.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let (mut whole, mut last) = (Vec::new(), Vec::new());
        for name in names {
            let mut words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
            let Some(word) = words.pop() else { continue };
            // A class has the name of one: `OrderItem` of `order_items`.
            let stem = ["ies", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
            let stem = if stem.is_empty() { word } else { stem };
            words.push(stem);
            last.push(regex::escape(stem));
            whole.push(words.into_iter().map(regex::escape).collect::<Vec<_>>().join("_*"));
        }
        let search = |mut names: Vec<String>| {
            names.sort();
            names.dedup();
            Regex::new(&format!("(?i)(?:{})", names.join("|"))).ok()
        };
        Self { whole: search(whole), last: search(last) }
    }

    /// Whether the content may name one: as it stands, as the class of its rows, in any case. `in_parts` says that the
    /// name may be put together, of which the last word stands there for certain.
    pub fn is_in(&self, content: &[u8], in_parts: bool) -> bool {
        let search = if in_parts { &self.last } else { &self.whole };
        search.as_ref().is_none_or(|pattern| pattern.is_match(content))
    }
}

/// Whether a configuration file may say how somebody connects to PostgreSQL.
pub fn may_connect(content: &[u8]) -> bool {
    static CONNECTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i-u)postgres|pgbouncer|pool_?mode|pghost|(?:db|database)_host|\bhost\s*[=:]|\bkind:\s*service\b")
            .ok()
    });
    CONNECTS.as_ref().is_none_or(|pattern| pattern.is_match(content))
}

/// Whether the content may define a table, an index or a function.
pub fn may_define(content: &[u8]) -> bool {
    KEYS.as_ref().is_none_or(|pattern| pattern.is_match(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_declarations_have_them() {
        let names = Names::new(["order_items", "shop_category", "Boxes"].into_iter());
        for text in ["CREATE TABLE ORDER_ITEMS", "class OrderItem", "'order_item'", "box", "ShopCategories"] {
            assert_eq!(names.is_in(text.as_bytes(), false), text != "ShopCategories", "{text}");
        }
        assert!(!names.is_in(b"class Category(Model)", false) && names.is_in(b"class Category(Model)", true));
        assert!(!names.is_in(b"class Order", true));
    }

    #[test]
    fn every_spelling_that_a_rule_starts_from() {
        for text in [
            "select PG_TRY_ADVISORY_XACT_LOCK(1)",
            "for update",
            "FOR\n  NO KEY UPDATE",
            "for /* c */ share",
            "FOR -- c\n KEY SHARE",
            "skip\tlocked",
            "where id = (select id from t limit 1)",
            "fetch first 1 rows only",
            "id = (SELECT min(id) FROM t)",
            "lock table t",
        ] {
            assert!(may_lock(text.as_bytes()), "{text}");
        }
        assert!(!may_lock(b"update t set before = 1; -- unlimited, forshare"));
        assert!(may_define(b"CREATE UNLOGGED TABLE t ();") && may_define(b"create or replace function f()"));
        assert!(may_define(b"CREATE /* c */ TABLE t ();") && may_define(b"create unique--c\nindex i on t (a)"));
        assert!(!may_define(b"insert into table_index values (1)"));
        for text in
            ["create table t", "CREATE TEMP\n TABLE t", "Create Unique Index i", "\"alter table t", "drop index i"]
        {
            assert!(may_declare(text.as_bytes()), "{text}");
        }
        assert!(!may_declare(b"// create a new table, then drop the index of the function"));
    }
}
