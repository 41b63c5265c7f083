//! What the server knows a routine by: its name and the types of what callers pass.

use super::{Argument, ArgumentMode, Routine, arguments};
use crate::sql::cursor::Cursor;
use crate::sql::lex::{Token, TokenKind};
use crate::sql::literal;

/// A routine's name, and which of those of that name it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The schema, where written.
    pub schema: Option<String>,
    /// The name.
    pub name: String,
    /// The types of the arguments; `None` where DROP names no list, which means the only one.
    pub types: Option<Vec<String>>,
}

impl Identity {
    fn new(schema: Option<&str>, name: &str, arguments: Option<&[Argument]>) -> Self {
        let passed = |argument: &&Argument| argument.mode != ArgumentMode::Out;
        let types = |list: &[Argument]| list.iter().filter(passed).map(|argument| type_name(&argument.ty)).collect();
        Self { schema: schema.map(str::to_owned), name: name.to_owned(), types: arguments.map(types) }
    }

    /// Whether both may be the same routine: what is written without a schema may be in any.
    pub fn matches(&self, other: &Self) -> bool {
        let types = self.types.as_ref().zip(other.types.as_ref());
        self.matches_name(other) && types.is_none_or(|(types, others)| types == others)
    }

    /// Whether the names may be those of one routine, or of one that is overloaded.
    pub fn matches_name(&self, other: &Self) -> bool {
        let schemas = self.schema.as_ref().zip(other.schema.as_ref());
        self.name == other.name && schemas.is_none_or(|(schema, other)| schema == other)
    }
}

/// The identity of the routine that a statement defines; DO has none.
pub fn identity(routine: &Routine) -> Option<Identity> {
    Some(Identity::new(routine.schema.as_deref(), routine.name.as_deref()?, Some(&routine.arguments)))
}

/// The routines that a statement drops; `tokens` are those of the one statement.
pub fn drops(text: &str, tokens: &[Token]) -> Vec<Identity> {
    let cursor = Cursor::new(text, tokens);
    if !cursor.is_word(0, "drop") || !cursor.is_any(1, &["function", "procedure", "routine"]) {
        return Vec::new();
    }
    let from = if cursor.is_word(2, "if") && cursor.is_word(3, "exists") { 4 } else { 2 };
    let mut found = Vec::new();
    for (from, to) in cursor.list(from, cursor.until(from, &["cascade", "restrict"])) {
        let end = cursor.path_end(from).min(to);
        if end == from {
            continue;
        }
        let part = |at: usize| literal::identifier(cursor.text(at));
        let schema = (end - from >= 3).then(|| part(end - 3));
        let has_list = cursor.kind(end) == Some(TokenKind::LeftParen) && cursor.is_paired(end);
        let arguments = has_list.then(|| arguments::arguments(&cursor, end + 1, cursor.after(end) - 1));
        found.push(Identity::new(schema.as_deref(), &part(end - 1), arguments.as_deref()));
    }
    found
}

/// A type in one spelling: without what it is limited to, and under the first of its names.
fn type_name(ty: &str) -> String {
    let mut name = String::new();
    let mut depth = 0_usize;
    for c in ty.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => name.push(c),
            _ => {}
        }
    }
    let (name, brackets) = name.split_once('[').map_or((name.as_str(), ""), |(name, _)| (name, "[]"));
    let words: Vec<&str> = name.split_whitespace().collect();
    let name = words.join(" ");
    let name = name.strip_prefix("pg_catalog.").or_else(|| name.strip_prefix("public.")).unwrap_or(&name);
    let name = match name {
        "int" | "int4" => "integer",
        "int8" => "bigint",
        "int2" => "smallint",
        "bool" => "boolean",
        "decimal" => "numeric",
        "varchar" | "char varying" => "character varying",
        "char" | "bpchar" => "character",
        "float" | "float8" => "double precision",
        "float4" => "real",
        "timestamptz" => "timestamp with time zone",
        "timestamp without time zone" => "timestamp",
        "timetz" => "time with time zone",
        "time without time zone" => "time",
        other => other,
    };
    format!("{name}{brackets}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::lex::lex;
    use crate::sql::routine::routine;

    fn dropped(text: &str) -> Vec<Identity> {
        drops(text, &lex(text))
    }

    #[test]
    fn what_is_dropped_is_what_was_defined() {
        let text = "CREATE FUNCTION f(a_ varchar(20), b int4[] DEFAULT NULL, OUT c text) RETURNS text AS ''";
        let defined = routine(text, &lex(text)).and_then(|routine| identity(&routine)).unwrap();
        for (drop, is_it) in [
            ("DROP FUNCTION f", true),
            ("drop routine if exists public.f (a_ character varying, integer []) cascade;", true),
            ("DROP FUNCTION g(int), F(character varying, b int[])", true),
            ("DROP FUNCTION f(text, int[])", false),
            ("DROP FUNCTION s.f", true),
            ("DROP TABLE f", false),
        ] {
            assert_eq!(dropped(drop).iter().any(|one| one.matches(&defined)), is_it, "{drop}");
        }
    }
}
