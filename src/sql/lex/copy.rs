//! The data of `COPY … FROM stdin`.

use super::{Lexer, TokenKind, line_end};

impl Lexer<'_> {
    /// If the statement just ended is `COPY … FROM stdin`, its data become one token.
    pub(super) fn copy_data(&mut self, at: usize, end: usize) -> usize {
        if !self.is_copy_from_stdin() {
            return at;
        }
        if !self.may_search() {
            return at;
        }
        let data_end = match copy_data_end(self.bytes, end) {
            Ok(data_end) => data_end,
            Err(read) => {
                self.in_vain(read - end);
                return at;
            }
        };
        let line = line_end(self.bytes, end);
        if line > end {
            self.token(TokenKind::Comment, end, line);
        }
        self.token(TokenKind::CopyData, line, data_end);
        data_end
    }

    fn is_copy_from_stdin(&self) -> bool {
        let last = self.tokens.last().map(|t| &self.text[t.span().range()]);
        if let Some(line) = last.filter(|line| line.starts_with('\\')) {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            return words[0].eq_ignore_ascii_case("\\copy")
                && words.windows(2).any(|w| w[0].eq_ignore_ascii_case("from") && w[1].eq_ignore_ascii_case("stdin"));
        }
        let mut words = self.tokens[self.statement..]
            .iter()
            .filter(|t| t.kind == TokenKind::Word)
            .map(|t| &self.text[t.span().range()]);
        if !words.next().is_some_and(|word| word.eq_ignore_ascii_case("copy")) {
            return false;
        }
        let mut from = false;
        for word in words {
            if from && word.eq_ignore_ascii_case("stdin") {
                return true;
            }
            from = word.eq_ignore_ascii_case("from");
        }
        false
    }
}

/// The end of the `COPY` data that begins on the line after `at`: after `\.`. Where the next line is blank, a comment or
/// another command, or where no `\.` comes, the end of what was read to know that.
fn copy_data_end(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let rest = bytes[at..].iter().position(|byte| !matches!(byte, b' ' | b'\t')).map_or(bytes.len(), |n| at + n);
    if !matches!(bytes.get(rest..), Some([] | [b'\n' | b'\r', ..] | [b'-', b'-', ..])) {
        return Err(rest);
    }
    let line = line_end(bytes, rest);
    let mut first = true;
    let mut start = line + 1;
    if bytes.get(line) == Some(&b'\r') && bytes.get(start) == Some(&b'\n') {
        start += 1;
    }
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |n| start + n);
        let text = bytes[start..end].trim_ascii_end();
        if text == b"\\." {
            return Ok(start + 2);
        }
        if first && (text.is_empty() || text.starts_with(b"--")) {
            return Err(end);
        }
        first = false;
        start = end + 1;
    }
    Err(bytes.len())
}
