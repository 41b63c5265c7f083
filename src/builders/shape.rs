//! What else a query says beside its lock: joins, bounds, and what the server does not lock with.

use super::chain::Link;
use super::{Refused, is_script};
use crate::language::HostLanguage;
use crate::pattern::ascii;
use crate::span::Span;
use regex::Regex;
use std::sync::LazyLock;

use HostLanguage::{Elixir, Go, Java, Kotlin, Php, Python, Ruby, Rust, Scala};

/// A query with its lock.
#[derive(Clone, Copy)]
pub(super) struct Query<'a, 's> {
    pub(super) text: &'s str,
    pub(super) language: HostLanguage,
    pub(super) links: &'a [Link<'s>],
    /// The call or option that locks.
    pub(super) at: Span,
    pub(super) whole: Span,
}

/// Inner joins, by name. Outer ones the server does not lock, or the conditions make inner ones of them.
const JOINS: &[&str] = &[
    "InnerJoins",
    "Join",
    "Joins",
    "innerJoin",
    "innerJoinAndMapOne",
    "innerJoinAndSelect",
    "inner_join",
    "join",
    "joins",
    "select_related",
];

/// Aggregates by method, which libraries turn into the select list of the same query.
const SCRIPT_AGGREGATES: &[&str] =
    &["avg", "avgDistinct", "count", "countDistinct", "max", "min", "sum", "sumDistinct"];
const PHP_AGGREGATES: &[&str] = &["aggregate", "average", "avg", "count", "max", "min", "sum"];
const RUBY_AGGREGATES: &[&str] = &["average", "calculate", "count", "maximum", "minimum", "sum"];

/// Methods that run the query: what is called on the rows then is no part of it.
const RUNS: &[&str] = &[
    "all",
    "chunk",
    "chunkById",
    "cursor",
    "each",
    "execute",
    "executeTakeFirst",
    "executeTakeFirstOrThrow",
    "fetch",
    "fetchInto",
    "fetchOne",
    "find",
    "first",
    "firstOrFail",
    "get",
    "getMany",
    "getOne",
    "lazy",
    "load",
    "map",
    "pluck",
    "sole",
    "take",
    "then",
    "to_a",
];

/// Methods at the end of a query that asks for all its rows.
const MANY: &[&str] = &[
    "All",
    "Find",
    "all",
    "each",
    "execute",
    "fetch",
    "fetchAll",
    "fetchInto",
    "findAll",
    "find_each",
    "get",
    "getMany",
    "get_results",
    "load",
    "to_a",
];

/// What bounds how many rows there are: words of conditions with a list or a sub-select, and of limits.
static BOUNDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(concat!(
        r"(?i)limit|first|last|\btake|\bone\b|one_|single|batch|find_each|slice|chunk|\btop\b|find_by|getOne|findOne",
        r"|\[\s*\w*:|__in\b|in_\(|inArray|whereIn|[\x22']in[\x22']|\.in\(|\bin \^|\bIN\s*\(|is_in|ids\b|any\(|subquery|exists|max_|page",
    ))
    .ok()
});

impl<'s> Query<'_, 's> {
    /// The text of the call or option that locks.
    fn said(self) -> &'s str {
        self.slice(self.at)
    }

    fn slice(self, span: Span) -> &'s str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Whether the lock names its tables.
    fn names_tables(self) -> bool {
        static OF: LazyLock<Option<Regex>> = LazyLock::new(|| {
            ascii(concat!(
                r#"(?i)\bof\s*(?:=|:)|(?:update|share)\s+of\b|Table:|^for(?:NoKey)?(?:Update|Share|KeyShare)\(\s*[^\s)]"#,
                r#"|^setLock\([^,]*,[^,]*,|\btables:"#,
            ))
            .ok()
        });
        let says = |text: &str| OF.as_ref().is_none_or(|pattern| pattern.is_match(text));
        says(self.said())
            || self.links.iter().any(|link| {
                let name = link.name.to_ascii_lowercase();
                let locks = name.contains("lock") || name.starts_with("for");
                link.name == "of" || link.span != self.at && locks && says(self.slice(link.span))
                    // Options stand in the call that reads.
                    || link.span.contains(self.at) && link.span != self.at && says(link.args)
            })
    }

    /// The call that joins a table whose rows the lock is for as well.
    pub(super) fn joined(self) -> Option<Span> {
        let found = match self.option() {
            Some(call) => self.joins_in(call).then_some(call.span),
            None => self.links.iter().find(|link| JOINS.contains(&link.name) && self.joins(link)).map(|link| link.span),
        };
        found.filter(|_| !self.names_tables())
    }

    /// The call that the lock is an argument of.
    fn option(self) -> Option<&'s Link<'s>>
    where
        Self: 's,
    {
        self.links.iter().find(|link| link.span != self.at && link.span.contains(self.at))
    }

    /// Whether options ask for an inner join.
    fn joins_in(self, call: &Link<'_>) -> bool {
        match self.language {
            // `from(j in Job, join: c in assoc(j, :customer), lock: "…")`
            Elixir => {
                static JOIN: LazyLock<Option<Regex>> =
                    LazyLock::new(|| ascii(r"\b(?:inner_)?join:\s*\w+\s+in\s+(?:assoc\(|[A-Z])").ok());
                JOIN.as_ref().is_some_and(|pattern| pattern.is_match(call.args))
            }
            // Sequelize: an include is an outer join unless it is required.
            language if is_script(language) => call.args.contains("include:") && call.args.contains("required: true"),
            _ => false,
        }
    }

    /// Whether a call joins a table and not a sub-select, and locks both sides.
    fn joins(self, link: &Link<'_>) -> bool {
        let args = link.args.trim();
        let first = args.split(',').next().unwrap_or_default().trim();
        let lower = args.to_ascii_lowercase();
        let quoted = first.starts_with(['\'', '"', '`']);
        match (self.language, link.name) {
            (Python, "select_related") => quoted,
            (Python, "join") => {
                first.starts_with(|c: char| c.is_ascii_uppercase())
                    && !["isouter=true", "full=true", "outer", ".lateral"].iter().any(|word| lower.contains(word))
            }
            (Ruby, "joins") => {
                first.starts_with(':')
                    || lower.trim_start_matches(['"', '\'']).starts_with("join ")
                    || lower.trim_start_matches(['"', '\'']).starts_with("inner join ")
            }
            (Ruby, "join" | "inner_join") => first.starts_with(':'),
            (Go, "Joins" | "Join") => {
                let said = lower.trim_start_matches(['"', '`']);
                (said.starts_with("join ") || said.starts_with("inner join ")) && !said.contains("(select")
            }
            (Go, "InnerJoins") => quoted,
            (Rust, "inner_join") => true,
            (Php, "join") => quoted && !self.is_named_query(first),
            (Elixir, "join") => {
                static SOURCE: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"\bin (?:assoc\(|[A-Z])").ok());
                first == ":inner" && SOURCE.as_ref().is_some_and(|pattern| pattern.is_match(args))
            }
            (Java | Kotlin | Scala, "join" | "innerJoin") => {
                let last = first.rsplit('.').next().unwrap_or_default();
                last.starts_with(|c: char| c.is_ascii_uppercase()) && self.is_table(first)
            }
            (language, "join" | "innerJoin" | "innerJoinAndSelect" | "innerJoinAndMapOne") if is_script(language) => {
                quoted && !self.is_named_query(first) || self.is_table(first)
            }
            _ => false,
        }
    }

    /// Whether a name in quotes is that of a WITH query in this file, whose rows are not locked.
    fn is_named_query(self, quoted: &str) -> bool {
        let name = quoted.trim_matches(['\'', '"', '`']).split_whitespace().next().unwrap_or_default();
        self.text.match_indices("ith").any(|(at, _)| {
            let after = self.text[at..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            let inside = after.strip_prefix('(').map(str::trim_start).unwrap_or_default();
            inside.trim_start_matches(['\'', '"', '`']).starts_with(name) && inside.starts_with(['\'', '"', '`'])
        })
    }

    /// Whether an argument is a table that is declared elsewhere, and no query of this file.
    fn is_table(self, name: &str) -> bool {
        let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
        let last = name.rsplit('.').next().unwrap_or_default();
        let lower = last.to_ascii_lowercase();
        let is_query =
            ["sq", "sub", "cte", "query", "latest", "ranked", "counts"].iter().any(|word| lower.contains(word));
        let declared = ["const", "let", "var", "val", "Table"].iter().any(|word| {
            let needle = format!("{word} {last} = ");
            self.text.find(&needle).is_some_and(|at| !self.text[at + needle.len()..].starts_with("pgTable"))
        });
        plain && !is_query && !declared
    }

    /// Whether nothing bounds how many rows come, as far as the function around says.
    pub(super) fn is_open(self, function: Span) -> bool {
        let runs = |link: &Link<'_>| link.span.end > self.at.end && MANY.contains(&link.name);
        let before = self.text.get(function.start..self.whole.start).unwrap_or_default().trim_end();
        let iterated = before.ends_with(" in") || before.ends_with("list(") || before.ends_with("await");
        let all = self.links.iter().any(runs)
            || match self.language {
                Python => before.ends_with(" in") || before.ends_with("list("),
                language if is_script(language) => iterated && self.is_last(),
                _ => false,
            };
        all && !BOUNDED.as_ref().is_none_or(|pattern| pattern.is_match(self.slice(function)))
    }

    /// Whether the call that locks ends the query.
    fn is_last(self) -> bool {
        self.whole.end == self.at.end
    }

    /// What the server refuses to lock with.
    pub(super) fn refused(self) -> Option<Refused> {
        let end = self.links.iter().position(|link| link.span.start > self.at.start && RUNS.contains(&link.name));
        let query = self.links.get(..end.unwrap_or(self.links.len()))?;
        let own = query.iter().position(|link| link.span.contains(self.at))?;
        let (before, after) = query.split_at(own);
        let has = |names: &[&str]| query.iter().any(|link| names.contains(&link.name));
        let limited = has(&["limit", "offset", "distinct", "Limit", "Offset", "skip", "forPage"]);
        let refused = |link: Option<&Link<'_>>, what: &'static str| link.map(|link| Refused { what, at: link.span });
        const AGGREGATE: &str = "aggregate functions";
        let found = match self.language {
            Php => refused(after.iter().find(|link| PHP_AGGREGATES.contains(&link.name)), AGGREGATE),
            // With a limit the rows are counted in a query around them.
            Ruby if !limited && is_relation(query, &query[own]) => {
                refused(after.iter().find(|link| RUBY_AGGREGATES.contains(&link.name)), AGGREGATE)
            }
            Go if !limited => refused(after.iter().find(|link| link.name == "Count"), AGGREGATE),
            Elixir if !limited => refused(
                after.iter().find(|link| {
                    link.name == "aggregate"
                        && [":count", ":max", ":min", ":sum", ":avg"].iter().any(|name| link.args.starts_with(name))
                }),
                AGGREGATE,
            ),
            language if is_script(language) => {
                let is_aggregate = |link: &&Link<'_>| {
                    SCRIPT_AGGREGATES.contains(&link.name) && is_column(link.args)
                        || matches!(link.name, "select" | "addSelect") && has_aggregate(language, link.args)
                };
                refused(query.iter().find(is_aggregate), AGGREGATE)
            }
            Python | Java | Kotlin | Scala => {
                let selects = |link: &&Link<'_>| {
                    matches!(link.name, "select" | "query" | "with_only_columns" | "selectCount")
                        && (link.name == "selectCount" || has_aggregate(self.language, link.args))
                };
                refused(before.iter().find(selects), AGGREGATE)
            }
            _ => None,
        };
        found
            .or_else(|| {
                let grouped = |link: &&Link<'_>| {
                    matches!(link.name, "groupBy" | "group_by" | "Group" | "group") && !link.args.trim().is_empty()
                };
                refused(query.iter().find(grouped), "GROUP BY clause")
            })
            .or_else(|| {
                let distinct = |link: &&Link<'_>| {
                    matches!(link.name, "distinct" | "distinctOn" | "selectDistinct" | "selectDistinctOn" | "Distinct")
                        && !link.args.contains("alse")
                };
                refused(query.iter().find(distinct), "DISTINCT clause")
            })
    }
}

/// Ruby: whether a chain is one of Active Record, by a model, a condition, or a column, and its lock is one.
fn is_relation(query: &[Link<'_>], lock: &Link<'_>) -> bool {
    let locks = lock.args.is_empty() || lock.args.trim() == "true" || lock.args.contains("FOR ");
    let known = |link: &Link<'_>| {
        matches!(link.name, "where" | "joins" | "order" | "includes" | "not") || link.args.starts_with(':')
    };
    locks
        && (query.iter().any(known)
            || query.first().is_some_and(|link| link.name.starts_with(|c: char| c.is_uppercase())))
}

/// Whether the arguments of an aggregate by method are a column: no function, and not nothing.
fn is_column(args: &str) -> bool {
    let args = args.trim();
    args.starts_with(['\'', '"', '`', '{']) && !args.contains("=>")
}

/// Whether a select list holds an aggregate itself, and no sub-select that does.
fn has_aggregate(language: HostLanguage, args: &str) -> bool {
    static SCRIPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        ascii(r"\bfn\.(?:max|min|count|countAll|sum|avg)\b|(?:^|[\s:{(\[,])(?:max|min|count|sum|avg|countDistinct)\((?:\w+\.\w+)?\)").ok()
    });
    static PYTHON: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"\bfunc\.(?:max|min|count|sum|avg|array_agg|string_agg)\(").ok());
    static JOOQ: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii(r"(?:^|[\s(,.])(?:max|min|count|sum|avg|countDistinct)\(").ok());
    let pattern = match language {
        Python => &PYTHON,
        Java | Kotlin | Scala => &JOOQ,
        _ => &SCRIPT,
    };
    let inner = ["selectFrom", "select(", "selectOne", ".from(", "subquery", "over(", "scalar"];
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(args)) && !inner.iter().any(|word| args.contains(word))
}
