//! Placeholders of drivers and templates: what stands where an operand may stand and is filled in at run time.

/// A byte that may begin an identifier; bytes of multi-byte characters may.
pub(super) const fn is_ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// A byte that may stand in an identifier.
pub(super) const fn is_ident(byte: u8) -> bool {
    is_ident_start(byte) || byte.is_ascii_digit() || byte == b'$'
}

/// A byte that operators are made of.
pub(super) const fn is_operator(byte: u8) -> bool {
    matches!(
        byte,
        b'+' | b'-' | b'*' | b'/' | b'<' | b'>' | b'=' | b'~' | b'!' | b'@' | b'#' | b'%' | b'^' | b'&' | b'|' | b'?'
    )
}

/// How far a braced hole may run over its first line: longer ones are blocks of something else.
const MAX_BRACED: usize = 400;

/// The end of the balanced braces that open at `at`; where they are not closed, the end of what was read to know that.
pub(super) fn braces(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let mut depth = 0usize;
    for (index, byte) in bytes.iter().enumerate().skip(at) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1).ok_or(index)?;
                if depth == 0 {
                    return Ok(index + 1);
                }
            }
            b'\n' if index > at + MAX_BRACED => return Err(index),
            b';' if depth == 1 && bytes.get(index + 1).is_some_and(u8::is_ascii_whitespace) => {
                return Err(index);
            }
            _ => {}
        }
        if depth == 0 {
            return Err(index);
        }
    }
    Err(bytes.len().max(at))
}

fn at(bytes: &[u8], index: usize) -> u8 {
    bytes.get(index).copied().unwrap_or(0)
}

fn name_end(bytes: &[u8], mut index: usize) -> usize {
    while is_ident(at(bytes, index)) && at(bytes, index) != b'$' {
        index += 1;
    }
    index
}

/// The end of what the script of an extension has in place of a schema: `@extschema@`, `@extschema:name@`.
fn extension_schema(bytes: &[u8], start: usize) -> Option<usize> {
    let mut end = start + b"@extschema".len();
    if bytes.get(start..end)? != b"@extschema" {
        return None;
    }
    if at(bytes, end) == b':' {
        end = name_end(bytes, end + 1);
    }
    (at(bytes, end) == b'@').then_some(end + 1)
}

/// The end of a hole that is one wherever it stands: `%(name)s`, `%NAME%`, `@extschema@`.
pub(super) fn always(bytes: &[u8], start: usize) -> Option<usize> {
    if at(bytes, start) == b'@' {
        return extension_schema(bytes, start);
    }
    if at(bytes, start + 1) == b'(' {
        let close = name_end(bytes, start + 2);
        return (close > start + 2
            && at(bytes, close) == b')'
            && matches!(at(bytes, close + 1), b's' | b'd' | b'b' | b't'))
        .then_some(close + 2);
    }
    let mut end = start + 1;
    while at(bytes, end).is_ascii_uppercase() || at(bytes, end) == b'_' {
        end += 1;
    }
    (end > start + 2 && at(bytes, end) == b'%').then_some(end + 1)
}

/// The end of a named parameter of pg-promise at `start`: `$(name)`, `$<name>`, `$[name]`, `$/name/`, with a format at its
/// end.
pub(super) fn marked(bytes: &[u8], start: usize) -> Option<usize> {
    let close = match at(bytes, start + 1) {
        b'(' => b')',
        b'<' => b'>',
        b'[' => b']',
        b'/' => b'/',
        _ => return None,
    };
    let name = start + 2;
    let end = name + memchr::memchr(close, bytes.get(name..bytes.len().min(name + MAX_BRACED))?)?;
    let is_part = |byte: &u8| is_ident(*byte) || matches!(byte, b'.' | b':' | b'^' | b'~' | b'#' | b' ');
    let inside = &bytes[name..end];
    (inside.iter().any(|byte| is_ident_start(*byte)) && inside.iter().all(is_part)).then_some(end + 1)
}

/// The end of a placeholder at `start`, where an operand may start.
pub(super) fn placeholder(bytes: &[u8], start: usize) -> Option<usize> {
    let second = at(bytes, start + 1);
    match at(bytes, start) {
        b'?' if !matches!(second, b'|' | b'&' | b'?') => {
            let mut end = start + 1;
            while at(bytes, end).is_ascii_digit() {
                end += 1;
            }
            Some(end)
        }
        b'%' => always(bytes, start).or_else(|| format_verb(bytes, start)),
        b':' if is_ident_start(second) => Some(name_end(bytes, start + 1)),
        b':' if second.is_ascii_digit() => {
            let mut end = start + 1;
            while at(bytes, end).is_ascii_digit() {
                end += 1;
            }
            Some(end)
        }
        b':' if matches!(second, b'\'' | b'"') => {
            let close = memchr::memchr(second, bytes.get(start + 2..)?)?;
            (close > 0 && !bytes[start + 2..start + 2 + close].contains(&b'\n')).then_some(start + close + 3)
        }
        b'@' if is_ident_start(second) => Some(name_end(bytes, start + 1)),
        _ => None,
    }
}

/// `%s`, `%d`, `%v`, `%q`, `%L`, `%I`, `%1$s`, `%[1]s`, `%%s`.
fn format_verb(bytes: &[u8], start: usize) -> Option<usize> {
    let mut index = start + 1;
    if at(bytes, index) == b'%' {
        index += 1;
    }
    if at(bytes, index) == b'[' {
        index += 1;
        while at(bytes, index).is_ascii_digit() {
            index += 1;
        }
        if at(bytes, index) != b']' {
            return None;
        }
        index += 1;
    } else if at(bytes, index).is_ascii_digit() {
        while at(bytes, index).is_ascii_digit() {
            index += 1;
        }
        if at(bytes, index) == b'$' {
            index += 1;
        }
    }
    (matches!(at(bytes, index), b's' | b'd' | b'v' | b'q' | b'L' | b'I') && !is_ident(at(bytes, index + 1)))
        .then_some(index + 1)
}

/// Whether a placeholder is glued to the operator `start..at` that ends before it: `=?`, `=@x`, `=%s`.
pub(super) fn glued_placeholder(bytes: &[u8], start: usize, at: usize) -> bool {
    const BEFORE: &[&[u8]] =
        &[b"=", b"<", b">", b"<=", b">=", b"<>", b"!=", b"||", b"+", b"-", b"*", b"/", b"->", b"->>"];
    let operator = &bytes[start..at];
    BEFORE.contains(&operator)
        // `<@` is an operator of its own.
        && !(operator == b"<" && bytes.get(at) == Some(&b'@'))
        && placeholder(bytes, at).is_some()
}
