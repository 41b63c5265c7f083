//! What becomes of a query's result, as far as its host statement says. Where it does not, the result counts as read.

use super::Program;
use super::expression::Expression;
use crate::host::Literal;
use crate::language::{HostLanguage, Language};
use crate::pattern::ascii;
use crate::source::Source;
use crate::sql::lex::beginning;
use crate::sql::script::Expects;
use crate::statement::Use;
use regex::Regex;
use std::sync::LazyLock;

/// Calls that give no rows in the languages named, whatever the query does. Sources: the reference pages of
/// `database/sql`, pgx, sqlx (both), tokio-postgres, diesel, ADO.NET, EF Core, Dapper, JDBC, PDO, Doctrine DBAL, Laravel,
/// Prisma.
const NO_ROWS: &[(&[HostLanguage], &[&str])] = &[
    (&[HostLanguage::Go], &["Exec", "ExecContext", "MustExec", "MustExecContext", "NamedExec", "NamedExecContext"]),
    (&[HostLanguage::Rust], &["batch_execute", "execute", "execute_unprepared"]),
    (
        &[HostLanguage::CSharp],
        &[
            "Execute",
            "ExecuteAsync",
            "ExecuteNonQuery",
            "ExecuteNonQueryAsync",
            "ExecuteSql",
            "ExecuteSqlAsync",
            "ExecuteSqlCommand",
            "ExecuteSqlInterpolated",
            "ExecuteSqlInterpolatedAsync",
            "ExecuteSqlRaw",
            "ExecuteSqlRawAsync",
        ],
    ),
    (&[HostLanguage::Java, HostLanguage::Kotlin, HostLanguage::Scala], &["executeUpdate", "executeLargeUpdate"]),
    (&[HostLanguage::Php], &["affectingStatement", "exec", "executeStatement", "statement", "unprepared"]),
    (&[HostLanguage::JavaScript, HostLanguage::TypeScript, HostLanguage::Tsx], &["$executeRaw", "$executeRawUnsafe"]),
];

/// Calls that fail where there is no row.
const ONE_ROW: &[&str] = &[
    "First",
    "FirstAsync",
    "Get",
    "GetContext",
    "QueryRow",
    "QueryRowContext",
    "QueryRowx",
    "QuerySingle",
    "QuerySingleAsync",
    "Single",
    "SingleAsync",
    "executeTakeFirstOrThrow",
    "fetch_one",
    "find_by!",
    "findOneOrFail",
    "firstOrFail",
    "getSingleResult",
    "one",
    "queryForMap",
    "queryForObject",
    "query_one",
    "query_row",
    "scalar_one",
    "single",
    "sole",
    "unique",
];

/// Calls whose value is the result, so that it is lost where nothing takes it.
const GIVES: &[&str] = &[
    "$queryRaw",
    "$queryRawUnsafe",
    "ExecuteScalar",
    "ExecuteScalarAsync",
    "exec",
    "exec_params",
    "exec_query",
    "execute",
    "fetch",
    "fetchAssociative",
    "fetchOne",
    "fetchrow",
    "fetchval",
    "getSingleResult",
    "pg_query",
    "pg_query_params",
    "query",
    "query!",
    "raw",
    "scalar",
    "select",
    "selectOne",
    "select_all",
    "select_one",
    "select_value",
    "sql",
];

/// How much of a function is looked through for what is done with a variable, in bytes.
const LONGEST_FUNCTION: usize = 1 << 15;

/// What becomes of the result; the function ends at `end`.
pub(super) fn of(
    source: &Source,
    program: &Program<'_>,
    literal: &Literal<'_>,
    expression: &Expression<'_>,
    end: usize,
) -> Use {
    let Language::Host(language) = source.language() else { return Use::Returned(Expects::Unknown) };
    let text = source.text();
    let runs = expression.runs.is_some() || literal.tag.is_some();
    if matches!(literal.annotation, Some("Query" | "NativeQuery" | "SqlQuery")) {
        return Use::Returned(of_declaration(text, literal));
    }
    if !runs {
        return Use::Returned(Expects::Unknown);
    }
    let gives_none = |names: &[&str]| expression.calls_any(names);
    if NO_ROWS.iter().any(|(languages, names)| languages.contains(&language) && gives_none(names)) {
        return Use::Dropped;
    }
    let template = expression.receiver.to_ascii_lowercase().ends_with("template");
    if template && matches!(expression.names.as_slice(), ["execute" | "update"]) {
        return Use::Dropped;
    }
    if is_lost(source, language, program, expression, end) {
        return Use::Dropped;
    }
    Use::Returned(if expression.calls_any(ONE_ROW) { Expects::One } else { Expects::Unknown })
}

/// How many rows a method that is declared by its query gives back, by its type.
fn of_declaration(text: &str, literal: &Literal<'_>) -> Expects {
    static MANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r"^[^;{]*?\b(?:List|Collection|Set|Stream|Page|Slice|Iterable|Flux|Flow|Array|Sequence)\b").ok()
    });
    let rest = text.get(literal.span.end..).unwrap_or_default();
    let many = MANY.as_ref().is_none_or(|many| many.is_match(rest));
    if many { Expects::Many } else { Expects::One }
}

/// Whether the program cannot get at the result: nothing takes it, or what it takes for the answer is something else.
fn is_lost(
    source: &Source,
    language: HostLanguage,
    program: &Program<'_>,
    expression: &Expression<'_>,
    end: usize,
) -> bool {
    use HostLanguage::{Elixir, JavaScript, Kotlin, Php, Python, Ruby, Rust, Scala, Tsx, TypeScript};
    let text = source.text();
    let last = expression.names.last().copied().unwrap_or_default();
    if expression.passed || expression.indexed || !GIVES.contains(&last) {
        return false;
    }
    let before = expression.before;
    let before = before.strip_suffix("await").map_or(before, str::trim_end);
    let bare = before.is_empty() && expression.after.trim_matches([';', ' ', '\n', '?']).is_empty();
    match language {
        Python if last == "execute" && expression.names.len() == 1 => {
            // A cursor keeps the rows for a later fetch, and is no answer itself.
            let condition = ["if", "if not", "while not", "elif", "assert"].contains(&before);
            condition && expression.after.starts_with(':')
                || bare && (expression.made || is_asyncpg(text) && expression.before.ends_with("await"))
        }
        Python | Php => bare,
        JavaScript | TypeScript | Tsx => bare || is_truth_of_result(text, program, expression, end),
        // Anorm says whether there are rows, and nothing of what is in them.
        Scala if last == "execute" && beginning(text, IMPORTS).contains("import anorm") => true,
        // A value that something runs later: doobie, skunk.
        Scala if matches!(last, "query" | "sql") => false,
        Ruby | Kotlin | Scala => bare && !is_last(text, expression.span.end, end),
        Elixir => {
            let ignores = |pattern: &str| {
                let inside = pattern.rsplit_once("{:ok, _").map(|(_, rest)| rest);
                inside.is_some_and(|rest| rest.trim_end_matches("<-").trim_end_matches('=').trim_end().ends_with('}'))
            };
            let clause = text.get(expression.span.end..end).unwrap_or_default().trim_start();
            let clause = clause.strip_prefix("do").unwrap_or_default().trim_start();
            let taken = before == "case"
                && clause.starts_with("{:ok, _")
                && clause.split_once("->").is_some_and(|(pattern, _)| pattern.trim_end().ends_with('}'));
            ignores(before) || taken || bare && !is_last(text, expression.span.end, end)
        }
        Rust => false,
        _ => bare && last != "execute" && last != "query",
    }
}

/// How much of a file its imports are looked for in, in bytes.
const IMPORTS: usize = 1 << 13;

fn is_asyncpg(text: &str) -> bool {
    beginning(text, IMPORTS).contains("asyncpg")
}

/// Whether the object that a query gives, which is there whatever the rows say, is taken for the answer:
/// `const got = await client.query(…); if (!got) …`.
fn is_truth_of_result(text: &str, program: &Program<'_>, expression: &Expression<'_>, end: usize) -> bool {
    let imports = beginning(text, IMPORTS);
    // `pg` gives an object, Prisma and others an array: both are true.
    let known =
        ["\"pg\"", "'pg'", "@prisma/client", "postgres", "typeorm", "knex"].iter().any(|name| imports.contains(name));
    if !known {
        return false;
    }
    let before = expression.before;
    let before = before.strip_suffix("await").map_or(before, str::trim_end);
    let opens = before.trim_end_matches(['!', '(', ' ']);
    if (opens == "if" || opens == "while") && before.contains('(') {
        return expression.after.starts_with(')');
    }
    let Some(assigned) = before.strip_suffix('=') else { return false };
    if !expression.after.trim_matches(';').is_empty() {
        return false;
    }
    let mut words = assigned.split_whitespace();
    let (Some("const" | "let" | "var"), Some(name), None) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return false;
    }
    let rest = text.get(expression.span.end..end).unwrap_or_default();
    if rest.len() > LONGEST_FUNCTION {
        return false;
    }
    let mut decides = false;
    for (at, _) in rest.match_indices(name) {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let (head, tail) = (&rest[..at], &rest[at + name.len()..]);
        if head.ends_with(is_name) || tail.starts_with(is_name) {
            continue;
        }
        let head = head.trim_end_matches(['!', '(', ' ']);
        if !(head.ends_with("if") && tail.starts_with(')')) || program.in_comment(expression.span.end + at) {
            return false;
        }
        decides = true;
    }
    decides
}

/// Whether what ends at `from` is the last expression of its block, and so the block's value.
fn is_last(text: &str, from: usize, end: usize) -> bool {
    let rest = text.get(from..end).unwrap_or_default().trim_start_matches(|c: char| c.is_whitespace() || c == ';');
    const ENDS: &[&str] = &["end", "else", "elsif", "rescue", "ensure", "when", "after", "catch", "in ", "case "];
    rest.is_empty() || rest.starts_with(['}', ')', ',']) || ENDS.iter().any(|word| rest.starts_with(word))
}

/// Whether anything but closing marks stands between the query and the end of its function.
pub(super) fn work_follows(text: &str, literal: &Literal<'_>, expression: &Expression<'_>, end: usize) -> bool {
    let from = expression.span.end.max(literal.span.end);
    let rest = text.get(from..end).unwrap_or_default();
    let returned = expression.before.starts_with("return") || expression.before.ends_with("return");
    let mut words = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    !returned && words.any(|word| !matches!(word, "end" | "await" | "nil" | "return"))
}
