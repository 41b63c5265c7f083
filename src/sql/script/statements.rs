//! What a script's statements say about how a runner must send them.

use super::{Expects, Section, SectionKind};
use crate::span::SqlSpan;
use crate::sql::lex::{Token, TokenKind};
use crate::sql::split::{Piece, split};

/// The first word of a statement, lower case.
fn first_word(text: &str, tokens: &[Token], piece: &Piece) -> String {
    let first = tokens[piece.tokens.clone()].first();
    first.map_or(String::new(), |first| text[first.span().range()].to_ascii_lowercase())
}

/// Whether a statement has parameters that a client library fills in. psql's variables and those of templates are none, nor
/// are those of what is prepared or created.
pub(super) fn take_parameters(text: &str, tokens: &[Token]) -> bool {
    let is_parameter = |token: &Token| {
        let mut bytes = text[token.span().range()].bytes();
        match token.kind {
            TokenKind::Param => true,
            TokenKind::Hole => match bytes.next() {
                Some(b'?' | b'%') => true,
                Some(b'$') => bytes.next() != Some(b'{'),
                Some(b'@') => !bytes.any(|byte| byte == b'@'),
                _ => false,
            },
            _ => false,
        }
    };
    tokens.iter().all(|token| token.kind != TokenKind::PsqlCommand)
        && split(text, tokens).iter().any(|piece| {
            tokens[piece.tokens.clone()].iter().any(is_parameter)
                && !matches!(first_word(text, tokens, piece).as_str(), "prepare" | "create")
        })
}

/// The statements as queries that are run one at a time; all in one where some begin or end transactions.
pub(super) fn queries(whole: &Section, text: &str, tokens: &[Token]) -> Vec<Section> {
    let pieces = split(text, tokens);
    let is_control = |piece: &Piece| {
        matches!(first_word(text, tokens, piece).as_str(), "begin" | "start" | "commit" | "end" | "rollback" | "abort")
    };
    if pieces.iter().any(is_control) {
        return vec![whole.clone()];
    }
    let mut start = 0;
    let mut sections: Vec<Section> = Vec::new();
    for piece in &pieces {
        let terminator = tokens.get(piece.tokens.end).filter(|token| token.kind == TokenKind::Semicolon);
        let last = terminator.or_else(|| tokens.get(piece.tokens.end.checked_sub(1)?));
        let end = last.map_or(start, |token| token.span().end);
        let kind = SectionKind::Query { expects: Expects::Unknown };
        sections.push(Section { kind, span: SqlSpan::new(start, end), ..whole.clone() });
        start = end;
    }
    if let Some(last) = sections.last_mut() {
        last.span.end = text.len();
    }
    sections
}

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
