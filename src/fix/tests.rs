use super::*;
use crate::span::Span;
use proptest::prelude::*;

fn fix(edits: &[(usize, usize, &str)]) -> Fix {
    let edit = |&(start, end, text): &(usize, usize, &str)| Edit { span: Span::new(start, end), text: text.to_owned() };
    Fix { title: String::new(), safe: true, edits: edits.iter().map(edit).collect() }
}

/// The content with the fixes made, and how many those are.
fn made(content: &[u8], fixes: &[Fix]) -> (Vec<u8>, usize) {
    let (edits, count) = choose(content.len(), fixes);
    (apply(content, edits), count)
}

#[test]
fn edits_are_made_and_nothing_else() {
    let content = b"\xEF\xBB\xBFab\xFFcd\r\n";
    let (out, count) = made(content, &[fix(&[(6, 7, "X"), (9, 9, "!")]), fix(&[(3, 4, "")])]);
    assert_eq!((out.as_slice(), count), (&b"\xEF\xBB\xBFb\xFFXd\r!\n"[..], 2));
}

#[test]
fn of_two_that_meet_the_first_is_made() {
    let fixes = [fix(&[(2, 4, "x")]), fix(&[(0, 1, "y"), (3, 5, "z")]), fix(&[(4, 4, "w")]), fix(&[(6, 7, "v")])];
    assert_eq!(made(b"abcdefgh", &fixes), (b"abxefvh".to_vec(), 2));
    assert_eq!(made(b"ab", &[fix(&[(1, 3, "x")]), fix(&[])]), (b"ab".to_vec(), 0));
}

proptest! {
    #[test]
    fn what_no_edit_covers_is_kept(content: Vec<u8>, spans in prop::collection::vec((0usize..64, 0usize..8), 0..8)) {
        let fixes: Vec<Fix> = spans.iter().map(|&(start, length)| fix(&[(start, start + length, "")])).collect();
        let (out, count) = made(&content, &fixes);
        let gone: usize = content.len() - out.len();
        prop_assert!(gone <= spans.iter().map(|(_, length)| length).sum());
        prop_assert!(count <= fixes.len());
        // What is left is a subsequence.
        let mut rest = content.iter();
        prop_assert!(out.iter().all(|byte| rest.any(|other| other == byte)));
    }
}
