//! Names that are known only when other files were read: of tables and keys in what may declare them, of functions where
//! they are called. There may be thousands, so one automaton finds all.

use super::host::{ends_in_word, is_quote, is_space, is_word};
use aho_corasick::{AhoCorasick, MatchKind};
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

/// Words before the name of what is created, changed or dropped.
const BEFORE: &[&str] =
    &["table", "exists", "only", "on", "of", "to", "constraint", "index", "concurrently", "class", "model"];

/// A search for the names of tables and keys in what may declare them.
#[derive(Debug)]
pub struct Names {
    /// Where they may stand: as a whole, and the last word of each.
    whole: Option<AhoCorasick>,
    last: Option<AhoCorasick>,
    /// Their plain forms.
    plain: HashSet<Vec<u8>>,
}

impl Names {
    /// A search for any of `names`; without names all that is asked about may hold one.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let (mut whole, mut last, mut plain_names) = (BTreeSet::new(), BTreeSet::new(), HashSet::new());
        for name in names {
            let mut words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
            let Some(word) = words.pop() else { continue };
            let stem = stem(word);
            words.push(stem);
            last.insert(stem.to_owned());
            // A table, and the class of its rows.
            whole.extend([words.join("_"), words.concat()]);
            plain_names.insert(plain(name.as_bytes()));
        }
        Self { whole: search_for(whole, true), last: search_for(last, true), plain: plain_names }
    }

    /// Whether the content may declare one, or change it: the name stands there in any case, as it is or as the class of its
    /// rows, in quotes, as a symbol or after a word of DDL. `in_parts` says that the name may be put together, of which
    /// the last word stands there for certain.
    pub fn is_in(&self, content: &[u8], in_parts: bool) -> bool {
        if self.plain.is_empty() {
            return true;
        }
        let search = if in_parts { &self.last } else { &self.whole };
        search
            .as_ref()
            .is_none_or(|search| search.find_iter(content).any(|found| self.stands(content, found.range(), in_parts)))
    }

    /// Whether what was found is one of the names, and where a name is declared.
    fn stands(&self, content: &[u8], found: Range<usize>, in_parts: bool) -> bool {
        let is_part = |byte: &u8| is_word(byte) || !byte.is_ascii();
        let start = content[..found.start].iter().rposition(|byte| !is_part(byte)).map_or(0, |at| at + 1);
        if !names(&content[..start]) {
            return false;
        }
        let rest = &content[found.end..];
        let end = found.end + rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        let name = &content[found.clone()];
        // A name that only quotes make one is not held against the word that it begins with.
        !name.iter().all(is_part)
            || if in_parts {
                plain(&content[found.start..end]) == plain(name)
            } else {
                self.plain.contains(&plain(&content[start..end]))
            }
    }
}

/// A search for calls of functions.
#[derive(Debug)]
pub struct Called(AhoCorasick);

impl Called {
    /// A search for any of `names`, in any case where `folded`; `None` without names.
    pub fn new<'n>(names: impl Iterator<Item = &'n str>, folded: bool) -> Option<Self> {
        let names: BTreeSet<&str> = names.collect();
        if names.is_empty() { None } else { search_for(names, folded).map(Self) }
    }

    /// Whether the content may call one.
    pub fn is_in(&self, content: &[u8]) -> bool {
        self.0.find_iter(content).any(|name| {
            let after = content[name.end()..].iter().find(|byte| !is_space(byte));
            after == Some(&b'(') && !ends_in_word(&content[..name.start()])
        })
    }
}

/// A search for names, the longest first: what stands around them says whether one is meant.
pub(super) fn search_for(names: BTreeSet<impl AsRef<[u8]>>, folded: bool) -> Option<AhoCorasick> {
    let mut search = AhoCorasick::builder();
    search.ascii_case_insensitive(folded).match_kind(MatchKind::LeftmostLongest).build(names).ok()
}

/// A word without what plurals end in: `categor` of `category` and `categories`.
fn stem(word: &str) -> &str {
    let stem = word.trim_end_matches(['s', 'e', 'i', 'y', 'S', 'E', 'I', 'Y']);
    if stem.is_empty() { word } else { stem }
}

/// A name as that of the class of its rows: `OrderItem` is one of `order_items`.
fn plain(name: &[u8]) -> Vec<u8> {
    let mut plain: Vec<u8> = name.iter().filter(|&&byte| byte != b'_').map(u8::to_ascii_lowercase).collect();
    let kept = plain.iter().rposition(|byte| !b"seiy".contains(byte)).map_or(plain.len(), |last| last + 1);
    plain.truncate(kept);
    plain
}

/// Whether what follows stands where a name does.
fn names(mut before: &[u8]) -> bool {
    // Of a qualified name the first part counts.
    while let Some(schema) = before.strip_suffix(b".") {
        let quoted = schema.last().is_none_or(|last| is_quote(last) || *last == b'}');
        let start = schema.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1);
        if quoted || start == schema.len() {
            return quoted;
        }
        before = &schema[..start];
    }
    let Some(last) = before.last() else { return false };
    // What is put in at run time may stand before the rest of a name.
    if is_quote(last) || matches!(last, b':' | b'}') {
        return true;
    }
    if !is_space(last) {
        return before.ends_with(b"*/");
    }
    let text = before.trim_ascii_end();
    let word = |word: &&str| {
        let start = text.len().checked_sub(word.len());
        start.is_some_and(|start| text[start..].eq_ignore_ascii_case(word.as_bytes()) && !ends_in_word(&text[..start]))
    };
    text.ends_with(b"*/") || BEFORE.iter().any(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_declarations_have_them() {
        let names = Names::new(["order_items", "shop_category", "Boxes", "addresses", "odd name"].into_iter());
        for text in [
            "CREATE TABLE ORDER_ITEMS",
            "class OrderItem",
            "'order_item'",
            "on box",
            "alter table only public.boxes",
            "exists \"s\".\"boxes\"",
            "`${schema}.boxes`",
            "table /* c */ box",
            "create_table :boxes",
            "data class Address(",
            "\"odd name\"",
            "model Box {",
        ] {
            assert!(names.is_in(text.as_bytes(), false), "{text}");
        }
        for text in
            ["class ShopCategories2", "'boxes_archive'", "insert into boxes", "self.boxes", "a box", "big_box", ""]
        {
            assert!(!names.is_in(text.as_bytes(), false), "{text}");
        }
        assert!(!names.is_in(b"class Category(Model)", false) && names.is_in(b"class Category(Model)", true));
        assert!(names.is_in(b"create_table \"#{prefix}_boxes\"", true) && names.is_in(b"class MyBox(", true));
        assert!(!names.is_in(b"class Order", true));
        assert!(Names::new([].into_iter()).is_in(b"", false));
    }
}
