//! A configuration file as a report may show it: the names, hosts and modes that a finding is about, and nothing else.

use crate::source::Source;
use crate::span::Span;

/// The source with everything but the `shown` spans and the line ends replaced, character by character, by marks of the
/// same length, so that every offset and column stays.
pub(super) fn redacted(source: &Source, shown: &[Span]) -> Option<Source> {
    let mut shown = shown.to_vec();
    shown.sort();
    let mut next = shown.iter().peekable();
    let mut until = 0;
    let mut text = String::with_capacity(source.text().len());
    for (at, c) in source.text().char_indices() {
        while let Some(span) = next.next_if(|span| span.start <= at) {
            until = until.max(span.end);
        }
        let kept = at < until || matches!(c, '\n' | '\r' | ' ' | '\t' | '\u{FEFF}');
        text.push(if kept { c } else { mask(c) });
    }
    Source::new(source.path().clone(), source.language(), text.into_bytes()).ok()
}

/// A mark with as many bytes, and as many UTF-16 units.
const fn mask(c: char) -> char {
    match c.len_utf8() {
        1 => '*',
        2 => '·',
        3 => '•',
        _ => '𐄁',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Config, Language};

    #[test]
    fn only_what_is_shown_stays_and_all_positions_do() {
        let text = "A=pässwörd€😀@host\r\n\tB=x";
        let language = Language::Config(Config::Env);
        let source = Source::new(".env".into(), language, text.as_bytes().to_vec()).unwrap();
        let host = text.find("host").unwrap();
        let shown = [Span::new(host, host + 4), Span::new(0, 1), Span::new(host + 1, host + 2)];
        let redacted = redacted(&source, &shown).unwrap();
        assert_eq!(redacted.text(), "A**·***·**•𐄁*host\r\n\t***");
        assert_eq!(redacted.text().len(), text.len());
        let units = |text: &str| text.encode_utf16().count();
        assert_eq!(units(redacted.text()), units(text));
    }
}
