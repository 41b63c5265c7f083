//! Conditions and sort keys that a query builder is given as text: they become the query that the builder makes of them, as
//! far as the host statement around shows it.

use crate::host::{CallSite, Literal, Position};
use crate::language::{HostLanguage, SCRIPT};
use crate::pattern::ascii;
use crate::region::{Builder, Region, SegmentKind};
use crate::span::{Span, SqlSpan};
use regex::Regex;
use std::sync::LazyLock;

/// Methods and keywords that take a condition.
const CONDITIONS: &[&str] = &[
    "and",
    "andWhere",
    "and_where",
    "filter",
    "having",
    "havingRaw",
    "or_where",
    "orWhere",
    "orWhereRaw",
    "where",
    "Where",
    "whereRaw",
    "where_raw",
];

/// Those that take sort keys.
const ORDERS: &[&str] = &["Order", "addOrderBy", "order", "orderBy", "orderByRaw", "order_by"];

/// Those that take what a query without a table gives.
const LISTS: &[&str] = &["select", "Select"];

/// Calls that make a piece of SQL of a text, inside such a method.
const PIECES: &[&str] = &["Arel.sql", "condition", "cust", "field", "fragment", "lit", "literal", "raw", "sql", "text"];

/// How long a host statement may be, in bytes.
const LONGEST: usize = 4096;

/// Where a piece stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    List,
    Where,
    OrderBy,
}

/// The query around a text that calls an advisory function, where it is a condition or a sort key of a query builder.
pub(super) fn query<'s>(
    text: &'s str,
    language: HostLanguage,
    calls: &[CallSite<'s>],
    literal: &Literal<'s>,
) -> Option<Region<'s>> {
    let sql = literal.region.text();
    if literal.documentation || !is_condition(sql) {
        return None;
    }
    let around = text.get(literal.statement.range()).filter(|around| around.len() <= LONGEST)?;
    // What its rows are drawn from may be fixed before.
    static FENCES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(
            r#"(?i)subquery|with_cte|\bwith\w*\(|materialized|lateral|\.cte\(|\bfrom\w*\(\s*["'`]?\s*\(|\(\s*select\s"#,
        )
        .ok()
    });
    if FENCES.as_ref().is_none_or(|fences| fences.is_match(around)) {
        return None;
    }
    let place = place(calls, literal).filter(|place| *place != Place::List || reads_nothing(around))?;
    let at = Span::new(literal.region.span().start, literal.region.span().start);
    let end = Span::new(literal.region.span().end, literal.region.span().end);
    let mut builder = Builder::new();
    let columns = columns(text, language, calls, literal);
    // What it qualifies its columns by is a table of the query.
    let table = columns.iter().map(|(_, column)| *column).chain([sql]).find_map(qualifier).unwrap_or("t");
    let others = others(around, place);
    let before = match place {
        Place::List => "SELECT ".to_owned(),
        Place::Where => format!("SELECT * FROM {table} WHERE {others}("),
        Place::OrderBy => format!("SELECT * FROM {table} ORDER BY "),
    };
    builder.push(SegmentKind::Escape, &before, at);
    copy(literal, &columns, &mut builder);
    let sort = if place == Place::Where { sort_key(around) } else { None };
    let close = if place == Place::Where { ")" } else { "" };
    let sort = sort.map_or(String::new(), |key| format!(" ORDER BY {key}"));
    let limit = if place != Place::List && is_limited(around) { " LIMIT 1" } else { "" };
    builder.push(SegmentKind::Escape, &format!("{close}{sort}{limit}"), end);
    Some(builder.finish(literal.region.span()))
}

/// Whether a text is a condition or a sort key with an advisory call in it, and no sentence about one.
fn is_condition(sql: &str) -> bool {
    static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(concat!(
            r"(?is)^(?:.*(?:[(=,]|\b(?:and|or|not|when|then)\b))?\s*(?:pg_catalog\.)?pg_(?:try_)?advisory_\w*lock\w*\([^()]*(?:\([^()]*\)[^()]*)*\)",
            r"\s*(?:$|[)=<>!:,]|(?:and|or|asc|desc|then|is\s+(?:not\s+)?(?:true|false|null))\b)",
        ))
        .ok()
    });
    CONDITION.as_ref().is_some_and(|known| known.is_match(sql))
}

/// What the first column in a text is qualified by.
fn qualifier(sql: &str) -> Option<&str> {
    static COLUMN: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?:^|[(,=\s])([A-Za-z_]\w*)\.[A-Za-z_]\w*\s*(?:$|[),:=])").ok());
    Some(COLUMN.as_ref()?.captures(sql)?.get(1)?.as_str())
}

/// Which part of its query a literal is.
fn place(calls: &[CallSite<'_>], literal: &Literal<'_>) -> Option<Place> {
    let mut argument = literal.argument?;
    let mut is_piece = false;
    loop {
        let call = calls.get(argument.call)?;
        if let Position::Keyword(keyword @ ("where" | "or_where" | "having" | "order_by")) = argument.position {
            return Some(if keyword == "order_by" { Place::OrderBy } else { Place::Where });
        }
        let name = call.callee.name;
        // A builder's method is one of something: a language's own `filter` takes no text.
        if CONDITIONS.contains(&name) {
            return Some(Place::Where);
        }
        if ORDERS.contains(&name) {
            return Some(Place::OrderBy);
        }
        if LISTS.contains(&name) && is_piece {
            return Some(Place::List);
        }
        PIECES.contains(&name).then_some(())?;
        is_piece = true;
        argument = call.outer?;
    }
}

/// Whether a host statement names no table that its query would read.
fn reads_nothing(around: &str) -> bool {
    static TABLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r#"(?i)from|table|join|\b(?:query|knex|db)\w*\(\s*['"`\w]|where|model|repo"#).ok());
    TABLE.as_ref().is_some_and(|table| !table.is_match(around))
}

/// The text with columns in the places of those that host code names.
fn copy(literal: &Literal<'_>, columns: &[(SqlSpan, &str)], builder: &mut Builder) {
    let region = &literal.region;
    let mut from = 0;
    for &(at, column) in columns {
        region.copy(SqlSpan::new(from, at.start), builder);
        builder.push(SegmentKind::Escape, column, region.to_source(at));
        from = at.end;
    }
    region.copy(SqlSpan::new(from, region.text().len()), builder);
}

/// The columns that host code names for parts of a text, in its order: for a placeholder of Ecto's `fragment`, in a hole of
/// Drizzle's template.
fn columns<'s>(
    text: &'s str,
    language: HostLanguage,
    calls: &[CallSite<'s>],
    literal: &Literal<'s>,
) -> Vec<(SqlSpan, &'s str)> {
    static COLUMN: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"^[A-Za-z_]\w*\.[A-Za-z_]\w*$").ok());
    let is_column = |text: &str| COLUMN.as_ref().is_some_and(|column| column.is_match(text));
    let region = &literal.region;
    if SCRIPT.contains(&language) {
        let around = text.get(literal.statement.range()).unwrap_or_default();
        // What is selected from is a table, and its members are columns.
        let is_table = |name: &str| ["from(", "update("].iter().any(|call| around.contains(&format!(".{call}{name})")));
        let named = |hole: SqlSpan| {
            let inside = text.get(region.to_source(hole).range())?;
            let inside = inside.strip_prefix("${")?.strip_suffix('}')?.trim();
            (is_column(inside) && is_table(inside.split('.').next()?)).then_some((hole, inside))
        };
        return region.holes().filter_map(named).collect();
    }
    let call = literal.argument.and_then(|argument| calls.get(argument.call));
    let Some(call) = call.filter(|call| language == HostLanguage::Elixir && call.callee.name == "fragment") else {
        return Vec::new();
    };
    let rest = text.get(literal.span.end..call.span.end).unwrap_or_default();
    let arguments = rest.trim_end_matches(')').split(',').skip(1).map(str::trim);
    let placeholders = region.text().match_indices('?').map(|(at, _)| SqlSpan::new(at, at + 1));
    placeholders
        .zip(arguments)
        .filter(|(_, one)| is_column(one) && one.starts_with(|c: char| !c.is_uppercase()))
        .collect()
}

/// The other conditions of the host statement.
fn others(around: &str, place: Place) -> &'static str {
    static WHERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r"\b(?:or_?|and_?)?(?i:where)(?:Raw|_raw|Not|In)?\b\s*[:(]|\.(?:filter|filter_by|and|not)\(").ok()
    });
    let many = WHERE.as_ref().is_some_and(|known| known.find_iter(around).take(2).count() > 1);
    if many && place == Place::Where { "c AND " } else { "" }
}

/// The first column that the host statement sorts by.
fn sort_key(around: &str) -> Option<String> {
    static SORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r#"\b(?:order_by|orderBy|orderByRaw|addOrderBy|order|Order|latest|oldest)\b\s*[:(]\s*(?:\[\w+\]\s*,\s*)?\[?\s*(?:(?:asc|desc)(?:_nulls_\w+)?:\s*|(?:asc|desc)\()?[:"'`]?(?:\w+\.)*(\w+)"#).ok()
    });
    Some(SORT.as_ref()?.captures(around)?.get(1)?.as_str().to_owned())
}

/// Whether the host statement asks for a number of rows.
fn is_limited(around: &str) -> bool {
    static LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r"\b(?:limit|Limit|take|forPage|paginate)\b\s*[:(]|\.(?:first!?|take!?|last)\b|(?:->|\.)(?:first|firstOrFail|First|Take)\(").ok()
    });
    LIMIT.as_ref().is_some_and(|known| known.is_match(around))
}
