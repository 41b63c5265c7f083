//! What holds for every text.

use super::{assert_exact, read, source};
use proptest::prelude::*;

/// How a language writes characters.
struct Writer {
    path: &'static str,
    around: (&'static str, &'static str),
    /// One character, in the way that a number chooses.
    write: fn(char, u8) -> String,
}

/// A character that needs no escape in any language.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '"' | '\\' | '$' | '#' | '{' | '}' | '`' | '\'' | '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

fn utf16(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

fn bytes(c: char, write: fn(u8) -> String) -> String {
    c.encode_utf8(&mut [0; 4]).bytes().map(write).collect()
}

fn backslash(c: char) -> Option<String> {
    matches!(c, '"' | '\\').then(|| format!("\\{c}"))
}

/// Of several ways, one; the first for a plain character is itself.
fn choose(c: char, how: u8, ways: &[String]) -> String {
    if is_plain(c) && how.is_multiple_of(2) {
        return c.to_string();
    }
    backslash(c).unwrap_or_else(|| ways[usize::from(how / 2) % ways.len()].clone())
}

fn writers() -> Vec<Writer> {
    let eight: fn(char, u8) -> String = |c, how| {
        let short =
            if c < '\u{10000}' { format!("\\u{:04x}", u32::from(c)) } else { format!("\\U{:08x}", u32::from(c)) };
        choose(c, how, &[short, format!("\\U{:08x}", u32::from(c))])
    };
    let java: fn(char, u8) -> String = |c, how| match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        _ => choose(c, how, &[utf16(c)]),
    };
    let ruby: fn(char, u8) -> String = |c, how| {
        let octal = bytes(c, |byte| format!("\\{byte:03o}"));
        choose(c, how, &[bytes(c, |byte| format!("\\x{byte:02X}")), octal, format!("\\u{{{:x}}}", u32::from(c))])
    };
    vec![
        Writer { path: "a.py", around: ("q = \"", "\"\n"), write: eight },
        Writer {
            path: "a.py",
            around: ("q = f'''", "'''\n"),
            write: |c, how| match c {
                '{' | '}' => format!("{c}{c}"),
                '\'' => "\\'".to_owned(),
                _ => choose(c, how, &[format!("\\U{:08x}", u32::from(c))]),
            },
        },
        Writer {
            path: "a.js",
            around: ("q = \"", "\";\n"),
            write: |c, how| choose(c, how, &[utf16(c), format!("\\u{{{:x}}}", u32::from(c))]),
        },
        Writer {
            path: "a.ts",
            around: ("q = `", "`;\n"),
            write: |c, how| match c {
                '`' | '$' | '{' => format!("\\{c}"),
                _ => choose(c, how, &[utf16(c)]),
            },
        },
        Writer {
            path: "a.go",
            around: ("package p\nvar q = \"", "\"\n"),
            write: |c, how| {
                choose(c, how, &[bytes(c, |byte| format!("\\x{byte:02x}")), format!("\\U{:08x}", u32::from(c))])
            },
        },
        Writer {
            path: "a.rs",
            around: ("const Q: &str = \"", "\";\n"),
            write: |c, how| choose(c, how, &[format!("\\u{{{:x}}}", u32::from(c))]),
        },
        Writer { path: "A.java", around: ("class A { String q = \"", "\"; }\n"), write: java },
        Writer {
            path: "a.kt",
            around: ("val q = \"", "\"\n"),
            write: |c, how| match c {
                '$' => "\\u0024".to_owned(),
                _ => choose(c, how, &[utf16(c)]),
            },
        },
        Writer { path: "a.cs", around: ("class A { string q = \"", "\"; }\n"), write: eight },
        Writer {
            path: "a.cs",
            around: ("class A { string q = @\"", "\"; }\n"),
            write: |c, _| {
                if c == '"' { "\"\"".to_owned() } else { c.to_string() }
            },
        },
        Writer { path: "a.rb", around: ("q = \"", "\"\n"), write: ruby },
        Writer {
            path: "a.rb",
            around: ("q = '", "'\n"),
            write: |c, _| {
                if matches!(c, '\'' | '\\') { format!("\\{c}") } else { c.to_string() }
            },
        },
        Writer { path: "a.php", around: ("<?php $q = \"", "\";\n"), write: ruby },
        Writer {
            path: "a.ex",
            around: ("q = \"", "\"\n"),
            write: |c, how| {
                choose(c, how, &[bytes(c, |byte| format!("\\x{byte:02X}")), format!("\\u{{{:x}}}", u32::from(c))])
            },
        },
        Writer { path: "a.scala", around: ("object A { val q = \"", "\" }\n"), write: java },
    ]
}

/// What confuses scanners.
const PIECES: &[&str] = &[
    "\"", "'", "`", "\"\"\"", "'''", "f\"", "r#\"", "$\"", "@\"", "$$\"\"\"", "\\", "\\u", "\\u{", "\\x4", "\\N{", "{",
    "}", "{{", "(", ")", "[", "]", "${", "#{", "$x", "<<~SQL\n", "SQL\n", "<<<SQL\n", "<?php ", "\n", "\r\n", " + ",
    ". ", ", ", "x", "é", "😀", "q = ", "def f", "do\n", "end\n", "class A ", "//", "/*", "*/", "# ", "--", ".format(",
    "%w[a b]", ".join(", "sql", "~s(", "|", "=> ", ";", "@doc ", "1", "SELECT ", "\u{FEFF}",
];

const PATHS: &[&str] =
    &["a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.rs", "A.java", "a.kt", "a.cs", "a.rb", "a.php", "a.ex", "a.scala"];

proptest! {
    #[test]
    fn what_a_language_writes_is_read_back(
        chars in proptest::collection::vec((any::<char>(), any::<u8>()), 0..40),
    ) {
        for writer in writers() {
            let text: String = chars.iter().map(|(c, _)| *c).filter(|c| *c != '\0' && *c != '\r').collect();
            let written: String =
                chars.iter().filter(|(c, _)| *c != '\0' && *c != '\r').map(|&(c, how)| (writer.write)(c, how)).collect();
            let source = source(writer.path, &format!("{}{written}{}", writer.around.0, writer.around.1));
            let host = read(&source);
            assert_exact(&source, &host);
            let found = host.literals.iter().any(|literal| literal.region.text() == text);
            prop_assert!(found, "{}: {written:?} is not {text:?}: {:?}", writer.path, host.literals);
        }
    }

    #[test]
    fn any_text_is_read(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60)) {
        let text = pieces.concat();
        for path in PATHS {
            let source = source(path, &text);
            assert_exact(&source, &read(&source));
        }
    }
}

#[test]
fn depth_costs_no_stack() {
    const DEPTH: usize = 10_000;
    for path in PATHS {
        let text = format!("{}\"b\"{}", "f((\"a\" + ".repeat(DEPTH), "))".repeat(DEPTH));
        let source = source(path, &if path.ends_with("php") { format!("<?php {text}") } else { text });
        let host = read(&source);
        assert_exact(&source, &host);
        assert!(!host.unread && host.literals.len() >= DEPTH, "{path}");
    }
}

#[test]
fn what_the_parser_would_not_finish_is_left() {
    // The grammar of Scala takes minutes for more of this.
    let source = source("a.scala", &format!("{}\"a\"{}", "[".repeat(1_000), "]".repeat(1_000)));
    let host = read(&source);
    assert!(host.unread && host.literals.is_empty());
}

#[test]
fn a_chain_is_one_text() {
    let source = source("a.js", &format!("q = {}'z';", "'a' + x + ".repeat(5_000)));
    let host = read(&source);
    assert_exact(&source, &host);
    assert_eq!(host.literals.len(), 1);
    assert_eq!(host.literals[0].region.holes().count(), 5_000);
}
