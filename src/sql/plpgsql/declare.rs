//! The declarations between DECLARE and BEGIN.

use super::Declaration;
use super::parser::Parser;
use crate::sql::literal;

impl Parser<'_> {
    /// One declaration with its semicolon; None, and not complete, for anything else.
    pub(super) fn declaration(&mut self) -> Option<Declaration> {
        let start = self.at;
        let end = self.cursor.until(start, &[]);
        self.at = end;
        let ended = self.eat_semicolon();
        self.complete &= ended;
        if !self.cursor.is_name(start) {
            self.complete = false;
            return None;
        }
        let cursor = &self.cursor;
        let name = literal::identifier(cursor.text(start));
        let span = cursor.span(start, end);
        let made = |ty: String, constant, default, cursor_query| {
            Some(Declaration { name, ty, constant, default, cursor_query, span })
        };
        let mut at = start + 1;
        if cursor.is_word(at, "alias") && cursor.is_word(at + 1, "for") {
            return made("alias".to_owned(), false, Some(cursor.tokens(at + 2, end)), None);
        }
        let scroll = if cursor.is_word(at, "no") { 2 } else { 1 };
        let keyword = if cursor.is_word(at + scroll - 1, "scroll") { at + scroll } else { at };
        if cursor.is_word(keyword, "cursor") {
            let head = cursor.until(keyword + 1, &["for", "is"]).min(end);
            let query = (head < end).then(|| cursor.tokens(head + 1, end));
            self.complete &= query.is_some();
            return made("cursor".to_owned(), false, None, query);
        }
        let constant = cursor.is_word(at, "constant");
        at += usize::from(constant);
        let mut ty_end = at;
        let mut value = at;
        while value < end {
            if cursor.is_operator(value, ":=") || cursor.is_operator(value, "=") || cursor.is_word(value, "default") {
                break;
            }
            // COLLATE and NOT NULL stand between the type and the value.
            if ty_end == value && !(value > at && cursor.is_any(value, &["collate", "not"])) {
                ty_end = cursor.after(value).min(end);
            }
            value = cursor.after(value);
        }
        self.complete &= ty_end > at;
        let default = (value < end).then(|| cursor.tokens(value + 1, end));
        made(cursor.folded(at, ty_end), constant, default, None)
    }
}
