//! Branches of CASE that constants close: the planner drops them (`eval_const_expressions`), so that nothing in them runs.

use super::Tree;
use crate::sql::lex::TokenKind;

/// The part of a CASE in which a place lies, and what closes it, read from right to left.
#[derive(Default)]
struct Branch {
    /// The place follows a THEN of its own.
    then: bool,
    /// The last keyword met.
    met: Option<usize>,
    /// How many WHEN were met.
    whens: usize,
    /// Its own condition is false, or an earlier one true.
    closed: bool,
}

impl Tree<'_> {
    /// Whether a token stands in a branch of a CASE, or of one around it, that is never reached: `CASE WHEN false THEN …`.
    pub(super) fn is_dead(&self, index: usize) -> bool {
        let (mut brackets, mut cases) = (0_usize, 0_usize);
        let mut branch = Branch::default();
        for at in (0..index).rev() {
            match self.kind(at) {
                Some(TokenKind::RightParen | TokenKind::RightBracket) => brackets += 1,
                Some(TokenKind::LeftParen | TokenKind::LeftBracket) => match brackets.checked_sub(1) {
                    Some(fewer) => brackets = fewer,
                    // What is around the brackets closes what is in them. A CASE begins and ends in the same ones.
                    None => (branch, cases) = (Branch::default(), 0),
                },
                Some(TokenKind::Semicolon) => return false,
                _ if brackets > 0 => {}
                Some(TokenKind::Word) => match self.word(at) {
                    "end" => cases += 1,
                    "case" if cases > 0 => cases -= 1,
                    "case" => {
                        // With a value after CASE the conditions are compared with that.
                        if branch.closed && branch.met == Some(at + 1) {
                            return true;
                        }
                        branch = Branch::default();
                    }
                    word @ ("when" | "then" | "else") if cases == 0 => self.meet(word, at, &mut branch),
                    _ => {}
                },
                _ => {}
            }
        }
        false
    }

    fn meet(&self, word: &str, at: usize, branch: &mut Branch) {
        match word {
            "then" if branch.met.is_none() => branch.then = true,
            "when" => {
                branch.whens += 1;
                let mine = branch.then && branch.whens == 1;
                let is_one = branch.met == Some(at + 2);
                // The condition in which the place itself lies has no THEN before it.
                let closes =
                    if mine { ["false", "null"].contains(&self.word(at + 1)) } else { self.word(at + 1) == "true" };
                branch.closed |= is_one && closes;
            }
            _ => {}
        }
        branch.met = Some(at);
    }
}
