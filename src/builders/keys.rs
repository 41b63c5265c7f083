//! Which column a builder's condition fixes, and what its name says of it.

use super::chain::Link;
use crate::language::HostLanguage;
use crate::pattern::ascii;
use crate::span::Span;
use regex::Regex;
use std::sync::LazyLock;

/// How sure it is that a column is a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The library says so, or the column is called `id`.
    Name,
    /// Its name is one that keys have.
    Guess,
}

/// Calls whose only argument is the value of the primary key.
const BY_KEY: &[&str] = &[
    "find",
    "findById",
    "findByPk",
    "findOneById",
    "findOrFail",
    "find_by_id",
    "find_by_pk",
    "get",
    "get!",
    "getById",
    "whereId",
    "whereKey",
];

/// Calls with conditions.
const WHERE: &[&str] = &[
    "First",
    "Take",
    "Where",
    "andWhere",
    "filter",
    "filter_by",
    "find",
    "findFirst",
    "findOne",
    "findOneBy",
    "findOneOrFail",
    "find_by",
    "find_by!",
    "first",
    "from",
    "get",
    "get_by",
    "get_by!",
    "get_object_or_404",
    "get_or_none",
    "where",
];

/// An equality with one value, in the spellings of all libraries; the first group that takes part is the column.
static EQUALITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii(concat!(
        // `.id == x`, `j.id == ^id`, `eq(t.id, x)`, `id.eq(x)`, `T.ID.eq(x)`, `job.ID(id)`
        r"\.(\w+)\s*==\s*[\w^]|\beq\(\s*\w+\.(\w+)\s*,|(?:^|\W)(\w+)\.eq\(|^\s*\w+\.(ID|UUID)\(\w",
        // `'id', x`, `"j"."id" = ?`, `id = :id`
        r"|^\s*[\x22'`](?:\w+\.)?(\w+)[\x22'`]\s*,\s*(?:[\x22']=[\x22']\s*,)?|[\x22'`\s.](\w+)[\x22]?\s*=\s*[:?$@]",
        // `{"id": x}`, `Eq{"j.id": x}`, `"id" => x`
        r"|(?:^|[{(,])\s*[\x22'](?:\w+\.)?(\w+)[\x22']\s*(?:=>|:)\s*[\w$@(\x22'^]",
        // `id: x`, `pk=x`, `:id => x`, `{ id }`
        r"|(?:^|[{(,\s:])(\w+)[\x22']?\s*(?:=>|:|=)\s*[\w$@(\x22'^]|\{\s*(\w+)\s*[,}]",
    ))
    .ok()
});

/// The call that fixes a key. In a join a condition may fix that of the other table.
pub(super) fn key(language: HostLanguage, links: &[Link<'_>]) -> Option<(Span, Evidence)> {
    let joins = |link: &Link<'_>| link.name.to_ascii_lowercase().contains("join") || link.args.contains("join:");
    let joined = links.iter().any(joins);
    let found = links.iter().filter_map(|link| {
        let evidence = by_key(language, link).or_else(|| of_condition(language, link).filter(|_| !joined))?;
        Some((link.span, evidence))
    });
    found.min_by_key(|(_, evidence)| *evidence).or_else(|| {
        // The row is there already: `order.lock!("FOR UPDATE SKIP LOCKED")`.
        links.iter().find(|link| matches!(link.name, "lock!" | "with_lock")).map(|link| (link.span, Evidence::Name))
    })
}

/// The value of the primary key alone.
fn by_key(language: HostLanguage, link: &Link<'_>) -> Option<Evidence> {
    let args = link.args.trim();
    let plain = !args.is_empty() && args.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.$@&[]'\"():*".contains(&b));
    // `params[:id]` and `:id` name nothing, `id: 1` does.
    let named = args.contains('=')
        || args.match_indices(':').any(|(at, _)| {
            let before = args[..at].chars().next_back();
            !args[at..].starts_with("::") && before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        });
    if BY_KEY.contains(&link.name) && plain && !named && !is_many(args) {
        return Some(Evidence::Name);
    }
    // Sequelize's `findByPk(id, { lock: true, skipLocked: true })`.
    if link.name == "findByPk"
        && let Some((value, options)) = args.split_once(',')
        && options.trim_start().starts_with('{')
        && !is_many(value)
    {
        return Some(Evidence::Name);
    }
    // gorm's `First(&x, id)`, Ecto's and MikroORM's `get(Model, id)`.
    if let Some((_, value)) = args.split_once(',')
        && matches!(
            (language, link.name),
            (HostLanguage::Go, "First" | "Take") | (HostLanguage::Elixir, "get" | "get!")
        )
        && value.trim().bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
    {
        return Some(Evidence::Name);
    }
    None
}

fn of_condition(language: HostLanguage, link: &Link<'_>) -> Option<Evidence> {
    let args = link.args.trim();
    if !WHERE.contains(&link.name) {
        return None;
    }
    if language == HostLanguage::Go
        && let Some(evidence) = predicate(args)
    {
        return Some(evidence);
    }
    let columns = EQUALITY.as_ref()?.captures_iter(args).filter_map(|found| {
        let column = found.iter().skip(1).flatten().next()?;
        // Where the value's first character is part of the match, it counts.
        let matched = found.get(0)?;
        let from = matched.end() - usize::from(!matched.as_str().ends_with(['(', ',']));
        let value = args.get(from..).unwrap_or_default();
        evidence(column.as_str()).filter(|_| !is_many(value) && !is_column(language, value))
    });
    columns.min()
}

/// ent: `order.ID(id)`, `giftcard.CodeEQ(code)` is an equality, `order.CodeIn(…)` and its kin are none.
fn predicate(args: &str) -> Option<Evidence> {
    static PREDICATE: LazyLock<Option<Regex>> = LazyLock::new(|| ascii(r"(?:^|[\s,(])[a-z]\w*\.([A-Z]\w*)\(\w").ok());
    const OTHERS: &[&str] = &["In", "NEQ", "GT", "GTE", "LT", "LTE", "Contains", "Fold", "Prefix", "Suffix", "Nil"];
    let columns = PREDICATE.as_ref()?.captures_iter(args).filter_map(|found| {
        let name = found.get(1)?.as_str();
        let is_other = name.starts_with("Has") || OTHERS.iter().any(|other| name.ends_with(other));
        let column = name.strip_suffix("EQ").unwrap_or(name);
        let last = column.char_indices().rev().find(|(_, c)| c.is_ascii_uppercase()).map_or(0, |(at, _)| at);
        let last = if column.ends_with("ID") { column } else { &column[last..] };
        evidence(last).filter(|_| !is_other)
    });
    columns.min()
}

/// Whether what a column is compared with is a column of another table, as far as its spelling says.
fn is_column(language: HostLanguage, value: &str) -> bool {
    let value = value.trim_start();
    let len = value.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(value.len());
    let dotted = value[len..].starts_with('.') && len > 0;
    match language {
        HostLanguage::Elixir => dotted,
        HostLanguage::Python | HostLanguage::Java | HostLanguage::Kotlin | HostLanguage::Scala => {
            dotted && value.starts_with(|c: char| c.is_ascii_uppercase())
        }
        _ => false,
    }
}

/// Whether a value is a list: in brackets, or called so.
fn is_many(value: &str) -> bool {
    let value = value.trim_start_matches([' ', '\'', '"', '^', '@', '$', ':', '=']);
    let name = value.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).next().unwrap_or_default();
    value.starts_with(['[', '(']) || name.ends_with("ids") || name.ends_with("Ids") || name.ends_with("keys")
}

fn evidence(column: &str) -> Option<Evidence> {
    let lower = column.to_ascii_lowercase();
    if matches!(lower.as_str(), "id" | "pk" | "uuid" | "guid" | "ulid") {
        return Some(Evidence::Name);
    }
    const NAMES: &[&str] = &["code", "email", "key", "number", "ref", "reference", "sku", "slug", "token", "username"];
    let last = lower.rsplit('_').next().unwrap_or_default();
    NAMES.contains(&last).then_some(Evidence::Guess)
}
