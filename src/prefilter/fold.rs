//! A search for a few words in any case, at the speed of one for a few plain words: the content is folded to lower case
//! piece by piece on the stack. A search that knows every case of every word has to be made of several.

use super::names::search_for;
use aho_corasick::AhoCorasick;
use std::collections::BTreeSet;
use std::ops::{ControlFlow, Range};

/// How much is folded at once, in bytes: it stays in the fastest cache.
const PIECE: usize = 1 << 13;

/// A search for words.
#[derive(Debug)]
pub(super) struct Folded {
    words: AhoCorasick,
    /// How long the longest word is, in bytes.
    longest: usize,
}

impl Folded {
    /// A search for words in lower case, none of them empty or the beginning of another.
    pub(super) fn new(words: &[&str]) -> Option<Self> {
        let longest = words.iter().map(|word| word.len()).max()?;
        let words: BTreeSet<&str> = words.iter().copied().collect();
        Some(Self { words: search_for(words, false)?, longest })
    }

    /// Gives where the words stand to `each`, in order, until that breaks.
    pub(super) fn find(
        &self,
        content: &[u8],
        mut each: impl FnMut(Range<usize>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut buffer = [0; PIECE];
        let mut start = 0;
        while start < content.len() {
            let end = content.len().min(start + PIECE);
            let piece = &mut buffer[..end - start];
            piece.copy_from_slice(&content[start..end]);
            piece.make_ascii_lowercase();
            // A word that the end of the piece cuts is found in the next.
            let mut next = if end == content.len() { end } else { end - (self.longest - 1) };
            for found in self.words.find_iter(&*piece) {
                next = next.max(start + found.end());
                each(start + found.start()..start + found.end())?;
            }
            start = next;
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_a_piece_ends() {
        let words = Folded::new(&["locked", "update", "lock:"]).unwrap();
        let found = |content: &[u8]| {
            let mut all = Vec::new();
            let _ = words.find(content, |word| {
                all.push(word);
                ControlFlow::Continue(())
            });
            all
        };
        for start in (PIECE - 8..PIECE + 2).chain(2 * PIECE - 16..2 * PIECE + 2) {
            let mut content = vec![b'x'; start];
            content.extend(b"LoCKeDUPDATE lock");
            assert_eq!(found(&content), [start..start + 6, start + 6..start + 12], "{start}");
            content.push(b':');
            assert_eq!(found(&content).last(), Some(&(start + 13..start + 18)), "{start}");
        }
        assert!(found(b"").is_empty() && found(b"lock").is_empty());
    }

    #[test]
    fn a_search_ends_where_it_is_told_to() {
        let words = Folded::new(&["a"]).unwrap();
        let mut seen = 0;
        let end = words.find(&vec![b'A'; 3 * PIECE], |_| {
            seen += 1;
            if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(end.is_break() && seen == 2);
    }
}
