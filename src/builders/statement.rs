//! What one statement of a query builder does, for those who know on which session it runs.

use super::chain::{Link, chain};
use super::is_script;
use crate::language::HostLanguage;
use crate::span::Span;

use HostLanguage::{Go, JavaScript, Php, Python, Ruby};

/// A statement by its calls.
#[derive(Clone, Debug)]
pub struct Statement {
    /// All of its calls.
    pub span: Span,
    /// What it is about, in names that other statements of the same function have for the same: tables, lower case; in gorm the
    /// variable that is filled or saved.
    pub tables: Vec<String>,
    /// It writes.
    pub writes: bool,
    /// The call that locks the rows that it reads, if it runs here and is no part of another query.
    pub locks: Option<Span>,
}

/// Calls that name the table.
const NAMES_TABLE: &[&str] =
    &["delete", "deleteFrom", "from", "insert", "insertInto", "into", "selectFrom", "table", "update", "updateTable"];

/// Calls that write.
const WRITES: &[&str] =
    &["decrement", "del", "delete", "increment", "insert", "insertGetId", "update", "updateOrInsert", "upsert"];

/// Calls that run what was put together.
const RUNS: &[&str] = &[
    "Find",
    "First",
    "Last",
    "Scan",
    "Take",
    "execute",
    "executeTakeFirst",
    "executeTakeFirstOrThrow",
    "find",
    "firstOrFail",
    "get",
    "sole",
    "then",
    "value",
];

/// Whether row locks of a language's query builders are followed on their sessions.
pub fn is_followed(language: HostLanguage) -> bool {
    is_script(language) || matches!(language, Go | Php | Ruby)
}

/// Calls that read a dataset of Sequel.
const DATASET_RUNS: &[&str] = &[
    "all",
    "each",
    "first",
    "first!",
    "get",
    "map",
    "select_map",
    "single_record",
    "single_record!",
    "single_value",
    "to_a",
];

/// The statement that begins at `call.start` and whose call on a handle ends at `call.end`.
pub fn statement(text: &str, call: Span, language: HostLanguage) -> Option<Statement> {
    if !is_followed(language) {
        return None;
    }
    let head = text.get(call.range())?;
    if language == Ruby {
        return dataset(text, call);
    }
    let start = call.start + (head.len() - head.trim_start_matches(['$', '@', '*', '&', '(']).len());
    let (links, own) = chain(text, start);
    let links = links.get(own..)?;
    let on = links.iter().find(|link| link.span.end == call.end)?;
    let awaited = text.get(..call.start)?.trim_end().ends_with("await");
    let runs = |link: &Link<'_>| RUNS.contains(&link.name) || language == Php && matches!(link.name, "first" | "pluck");
    let locks = links.iter().find(|link| is_lock(link, language)).map(|link| link.span);
    Some(Statement {
        span: links.iter().fold(call, |span, link| span.join(link.span)),
        tables: tables(links, on, language),
        writes: language != Go && links.iter().any(|link| WRITES.contains(&link.name)),
        locks: locks.filter(|_| awaited && is_script(language) || links.iter().any(runs)),
    })
}

/// Sequel: `DB[:items].where(…).for_update.first`.
fn dataset(text: &str, call: Span) -> Option<Statement> {
    let head = text.get(call.range())?;
    let (_, rest) = head.split_once('[')?;
    let (table, rest) = rest.split_once(']')?;
    let first = rest.strip_prefix('.')?;
    let (links, own) = chain(text, call.end - first.len());
    let links = links.get(own..)?;
    let locks = links.iter().find(|link| matches!(link.name, "for_update" | "for_no_key_update"));
    let runs = |link: &Link<'_>| DATASET_RUNS.contains(&link.name);
    Some(Statement {
        span: links.iter().fold(call, |span, link| span.join(link.span)),
        tables: name(table.trim_start_matches(':')).into_iter().collect(),
        writes: links.iter().any(|link| WRITES.contains(&link.name)),
        locks: locks.filter(|_| links.iter().any(runs)).map(|link| link.span),
    })
}

fn is_lock(link: &Link<'_>, language: HostLanguage) -> bool {
    match link.name {
        "forUpdate" | "forNoKeyUpdate" => is_script(language),
        "for" => is_script(language) && link.args.trim_start_matches(['"', '\'', '`']).starts_with(['u', 'n']),
        "lockForUpdate" => language == Php,
        "Clauses" => language == Go && link.args.trim_start().starts_with("clause.Locking{"),
        "For" => language == Go && link.args.trim_start_matches(['"', '`', ' ']).starts_with(['U', 'N', 'u', 'n']),
        _ => false,
    }
}

fn tables(links: &[Link<'_>], on: &Link<'_>, language: HostLanguage) -> Vec<String> {
    if language == Go {
        let named = links.iter().filter(|link| matches!(link.name, "Model" | "Table") || link.span == on.span);
        return named.filter_map(|link| name(link.args)).collect();
    }
    // `knex('wallet')`: the handle itself is called.
    let is_quoted = on.args.trim_start().starts_with(['"', '\'', '`']);
    let named = links.iter().filter(|link| {
        NAMES_TABLE.contains(&link.name) && !link.args.trim_start().starts_with('{')
            || is_quoted && link.span == on.span
    });
    named.filter_map(|link| name(link.args)).take(1).collect()
}

/// The name that the first argument is: of a table in quotes, of a variable that stands for one, of a struct.
fn name(args: &str) -> Option<String> {
    let first = args.split(',').next()?.trim().trim_start_matches(['&', '*']);
    let plain = first.trim_matches(['"', '\'', '`']);
    let word = plain.split_whitespace().next()?;
    let last = word.rsplit('.').next()?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let stem = last.strip_suffix("{}").unwrap_or(last);
    (!stem.is_empty() && stem.chars().all(is_name)).then(|| last.to_lowercase())
}

/// The rows that a model reads and locks.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the code calls them: the model, the variable that gets them; lower case.
    pub tables: Vec<String>,
    /// The call that locks.
    pub locks: Span,
}

/// Calls of models that run the query.
const LOADS: &[&str] = &[
    "find",
    "findOrFail",
    "find_by",
    "find_by!",
    "find_sole_by",
    "first",
    "first!",
    "firstOrFail",
    "get",
    "sole",
    "take",
    "take!",
    "to_a",
];

/// The same in Django, where no manager is asked.
const EVALUATES: &[&str] = &["get", "first", "last", "earliest", "latest", "aget", "afirst"];

/// `account = Account.lock.find(id)`, `$wallet = Wallet::where(…)->lockForUpdate()->first()`, `account.lock!`,
/// `Wallet.objects.select_for_update().get(pk=pk)`, `await Wallet.findByPk(id, { lock: true })`: by the call that runs it.
pub fn model(text: &str, call: Span, language: HostLanguage) -> Option<Model> {
    let (links, own) = chain(text, call.start);
    let links = links.get(..=own)?;
    let (first, last) = (links.first()?, links.last()?);
    if language == Python || is_script(language) {
        let locks = match language {
            Python if EVALUATES.contains(&last.name) => {
                links.iter().find(|link| link.name == "select_for_update").map(|link| link.span)?
            }
            Python => return None,
            _ => sequelize(text, links)?,
        };
        let is_model = first.name.starts_with(|c: char| c.is_ascii_uppercase());
        let assigned = assigned(text, first.span.start);
        return is_model.then(|| Model { tables: names(first, assigned), locks });
    }
    if language == Ruby && last.name == "lock!" && links.len() == 2 {
        return Some(Model { tables: vec![first.name.trim_start_matches('@').to_lowercase()], locks: last.span });
    }
    let locks = links.iter().find(|link| match language {
        Ruby => link.name == "lock" && (link.args.is_empty() || link.args.contains("FOR ") || link.args == "true"),
        _ => link.name == "lockForUpdate",
    })?;
    if !LOADS.contains(&last.name) || !first.name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    let assigned = assigned(text, first.span.start)?;
    Some(Model { tables: names(first, Some(assigned)), locks: locks.span })
}

/// What code calls a model and the variable that gets its rows.
fn names(model: &Link<'_>, assigned: Option<String>) -> Vec<String> {
    let model = model.name.to_lowercase();
    let other = assigned.filter(|name| *name != model);
    std::iter::once(model).chain(other).collect()
}

/// The variable that gets what begins at an offset, lower case.
fn assigned(text: &str, at: usize) -> Option<String> {
    let before = text.get(..at)?.trim_end();
    let before = before.strip_suffix("await").unwrap_or(before).trim_end().strip_suffix('=')?.trim_end();
    let start = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    Some(before[start..].to_lowercase()).filter(|name| !name.is_empty())
}

/// The option by which a finder of Sequelize locks: alone, with no transaction beside it, and all options in sight.
fn sequelize(text: &str, links: &[Link<'_>]) -> Option<Span> {
    let [_, find] = links else { return None };
    let plain = !["transaction", "skipLocked", "..."].iter().any(|word| find.args.contains(word));
    if !matches!(find.name, "findByPk" | "findOne" | "findAll") || !plain || !find.args.trim_end().ends_with('}') {
        return None;
    }
    let said = text.get(find.span.range())?;
    let mut options =
        super::spellings::spellings(JavaScript).filter(|(_, spelling)| spelling.option && !spelling.skips);
    let found = options.find_map(|(pattern, _)| pattern.find(said))?;
    Some(Span::new(find.span.start + found.start(), find.span.start + found.end()))
}
