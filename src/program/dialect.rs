//! Code for several databases has each one's SQL side by side.

use crate::host::Literal;

/// Other databases, as arms of a choice name them.
const OTHERS: &[&str] = &["mysql", "mariadb", "sqlite", "mssql", "sqlserver", "oracle"];

/// Whether a literal stands in the arm of a choice that is for another database: `Self::MySql => "…"`, `case "mysql":`,
/// `if dialect == "sqlite" {`.
pub(super) fn is_for_another(text: &str, literal: &Literal<'_>) -> bool {
    let before = text.get(..literal.span.start).unwrap_or_default();
    let mut lines = before.rsplit('\n');
    let line = lines.next().unwrap_or_default();
    let arm = |line: &str| {
        let line = line.trim();
        let head = line.rfind("=>").or_else(|| line.rfind("->")).map(|arrow| &line[..arrow]);
        let case = ["case ", "when "].iter().any(|word| line.starts_with(word)).then_some(line);
        let asks =
            ["if ", "if(", "elif ", "elsif "].iter().any(|word| line.contains(word)) && line.ends_with(['{', ':', ')']);
        let asked =
            (asks && !["!=", " !", "(!", "not ", "else", "~="].iter().any(|word| line.contains(word))).then_some(line);
        head.or(case).or(asked).map(|head| {
            let head = head.to_ascii_lowercase();
            OTHERS.iter().any(|other| head.contains(other)) && !head.contains("postgres")
        })
    };
    arm(line).or_else(|| lines.next().and_then(arm)).unwrap_or_default() || is_of_constant(text, literal)
}

/// How far into a declaration its name stands, in bytes.
const NAME: usize = 80;

/// Whether a literal belongs to a constant for another database: `Dialect MY_SQL_8 = Dialect.builder("8").lock("…")`.
fn is_of_constant(text: &str, literal: &Literal<'_>) -> bool {
    let head = text.get(literal.statement.start..literal.span.start).unwrap_or_default();
    let head = head.char_indices().nth(NAME).map_or(head, |(end, _)| &head[..end]);
    let mut words = head.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| {
        let is_constant = !word.chars().any(char::is_lowercase);
        let name = word.replace('_', "").to_ascii_lowercase();
        is_constant && OTHERS.iter().any(|other| name.starts_with(other)) && !name.contains("postgres")
    })
}
