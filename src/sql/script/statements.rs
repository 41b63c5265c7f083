//! What a script's statements say about how a runner must send them.

use crate::span::SqlSpan;
use crate::sql::lex::{Token, TokenKind};

/// Whether a statement is one that PostgreSQL refuses inside a transaction.
pub(super) fn refuse_transaction(text: &str, tokens: &[Token]) -> bool {
    tokens.split(|token| token.kind == TokenKind::Semicolon).any(|statement| {
        let words: Vec<String> = statement
            .iter()
            .filter(|token| !token.kind.is_trivia())
            .take(4)
            .map_while(|token| (token.kind == TokenKind::Word).then(|| &text[token.span().range()]))
            .map(str::to_ascii_lowercase)
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "unique").collect();
        match words.as_slice() {
            ["create" | "drop", "index", "concurrently", ..]
            | ["create" | "drop", "database" | "tablespace" | "subscription", ..]
            | ["alter", "system", ..]
            | ["discard", "all", ..]
            | ["vacuum", ..] => true,
            ["reindex", rest @ ..] => {
                rest.iter().any(|word| matches!(*word, "concurrently" | "schema" | "database" | "system"))
            }
            _ => false,
        }
    })
}

/// Whether two statements of the span go to the server as one string, where a runner cuts a script after each line that
/// ends in `;` and leaves whole what stands between `StatementBegin` and `StatementEnd`.
pub(super) fn share_a_string(text: &str, tokens: &[Token], span: SqlSpan) -> bool {
    let first = tokens.partition_point(|token| token.span().start < span.start);
    let mut inside = false;
    let mut ended = None;
    for token in tokens[first..].iter().take_while(|token| token.span().start < span.end) {
        match token.kind {
            TokenKind::Comment => {
                let comment = text[token.span().range()].trim_end().to_ascii_lowercase();
                let begins = comment.ends_with("statementbegin");
                if begins || comment.ends_with("statementend") {
                    inside = begins;
                    ended = None;
                }
            }
            TokenKind::Semicolon => ended = Some(token.span().end),
            kind if kind.is_trivia() => {}
            _ => {
                if let Some(end) = ended.take()
                    && (inside || !text[end..token.span().start].contains('\n'))
                {
                    return true;
                }
            }
        }
    }
    false
}
