//! Regular expressions over code, and the words of its names.

use regex::{Error, Regex};

/// An expression whose `\w`, `\d`, `\s` and `\b` are those of ASCII. For the letters of all scripts to be in each of its sets
/// an expression is compiled for milliseconds, which is most of the time that one file takes; names in code have few others.
///
/// # Errors
/// Where it is no expression.
pub fn ascii(pattern: &str) -> Result<Regex, Error> {
    let mut plain = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('w') => plain.push_str("[0-9A-Za-z_]"),
            Some('d') => plain.push_str("[0-9]"),
            // The space has a number, for verbose expressions leave out what is white.
            Some('s') => plain.push_str(r"[\t\n\v\f\r\x20]"),
            Some('b') => plain.push_str(r"(?-u:\b)"),
            Some('B') => plain.push_str(r"(?-u:\B)"),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    Regex::new(&plain)
}

/// The words of a name, or of a text with names in it, lower case: `slotName`, `SLOT_NAME` and `slot.name` are `slot`, `name`.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_small = false;
    for c in text.chars().chain([' ']) {
        let begins = !c.is_alphanumeric() || c.is_uppercase() && after_small;
        if begins && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
        after_small = !c.is_uppercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words_however_they_are_written() {
        for name in ["slotName", "slot_name", "SLOT_NAME", "slot.name", "hashtext(slotName)"] {
            assert!(words(name).ends_with(&["slot".to_owned(), "name".to_owned()]), "{name}");
        }
        assert_eq!(words("HTTPPool2.run"), ["httppool2", "run"]);
        assert!(words(" …").is_empty());
    }

    #[test]
    fn sets_of_ascii_stand_where_the_short_forms_do() {
        let word = ascii(r"^[^\W\d][\w.]*\s+\\d\b").unwrap();
        assert!(word.is_match("a.b1 \t\\d"));
        assert!(!word.is_match("1a \\d") && !word.is_match("a \\dx"));
        assert!(ascii(r"^\w$").unwrap().is_match("z") && !ascii(r"^\w$").unwrap().is_match("é"));
        assert!(ascii(r"(?x) ^ a \s b $").unwrap().is_match("a b"));
        assert!(ascii("(").is_err());
    }
}
