//! Answers of the server: which part of one a value is, and who looks at the boolean in it.
//!
//! A query that asks for a lock gives one row, with `true` or `false` in it. Its rows, and the row, are there in any case, so
//! whoever asks whether they are has asked for nothing.

use super::Run;
use super::value::{Answer, Val};
use crate::flow::lower::SessionId;
use crate::flow::{Answer as Says, SiteId};
use crate::host::code::{Call, ExprId, Target, Value};
use crate::language::HostLanguage;
use crate::sql::clause::{Clause, Select};
use crate::statement::Statement;
use std::collections::{HashMap, HashSet};

/// Which part of an answer a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// What the call gives is not known: perhaps the boolean.
    Unknown,
    /// The result with all its rows: an object, a list, a cursor.
    Rows,
    /// One row: an object, a list, a tuple.
    Row,
    /// The boolean.
    Value,
    /// The boolean as a text, `t` or `f`, which are both true to the language.
    Text,
}

/// Methods and properties that say how many rows there are, or whether there is one.
const EXIST: &[&str] = &[
    "next",
    "Next",
    "length",
    "size",
    "rowCount",
    "rowcount",
    "RowsAffected",
    "count",
    "Count",
    "isEmpty",
    "empty",
    "any",
    "any?",
    "empty?",
    "none?",
    "Read",
    "ReadAsync",
    "HasRows",
    "is_some",
    "is_none",
    "isPresent",
    "num_rows",
    "pg_num_rows",
    "len",
    "ntuples",
    "num_tuples",
];

/// Functions that do the same with what they are given.
const COUNTS: &[&str] = &["count", "empty", "len", "sizeof"];

/// The same, true where there is none.
const ABSENT: &[&str] = &["IsDBNull", "IsNull", "blank?", "empty?", "isNull", "is_null", "nil?", "none?"];

/// The same for what says nothing at all.
const SILENT: &[&str] = &["close", "Close", "Err", "Dispose", "DisposeAsync", "pg_free_result"];

/// Methods that take the value out of a row and decide nothing.
const PLAIN: &[&str] = &[
    "GetBoolean",
    "await",
    "context",
    "expect",
    "get",
    "getBoolean",
    "getObject",
    "into_inner",
    "try_get",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "wrap_err",
];

/// The sites that somebody looks at, and those of which somebody asks whether there is a row.
#[derive(Debug, Default)]
pub(super) struct Asking {
    /// What got the answer may do anything with it.
    read: HashSet<SiteId>,
    /// How often the boolean was taken out of the row.
    taken: HashMap<SiteId, usize>,
    /// Nobody got more than whether there is something.
    exist: HashSet<SiteId>,
    /// Of which somebody asked that last.
    row: Option<SiteId>,
    /// What ran them is a method that a table of a client library names.
    evident: HashSet<SiteId>,
    /// The client gives booleans as texts.
    texts: HashSet<SiteId>,
}

/// How often booleans had been taken out of rows at some time.
pub(super) type Taken = HashMap<SiteId, usize>;

/// What a method of a connection, cursor or result gives. Sources: the reference pages of the clients in `drivers`.
pub(super) fn given(language: HostLanguage, driver: &str, name: &str) -> Part {
    use HostLanguage::{CSharp, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Tsx, TypeScript};
    let (rows, row, value): (&[&str], &[&str], &[&str]) = match language {
        // What tags a template has the caller's own name.
        JavaScript | TypeScript | Tsx if matches!(driver, "postgres.js" | "Bun") => return Part::Rows,
        JavaScript | TypeScript | Tsx => (
            &["query", "raw", "execute", "queryRaw", "queryRawUnsafe", "any", "many", "manyOrNone", "rows"],
            &["one", "oneOrNone", "maybeOne", "first"],
            &["oneFirst", "maybeOneFirst"],
        ),
        Python => (
            &["execute", "execute_sql", "exec", "exec_driver_sql", "fetch", "fetchall", "all"],
            &["fetchone", "fetchrow", "first", "one", "one_or_none"],
            &["fetchval", "scalar", "scalar_one", "scalar_one_or_none"],
        ),
        Ruby => (
            &[
                "exec",
                "exec_params",
                "async_exec",
                "async_exec_params",
                "execute",
                "exec_query",
                "select_all",
                "to_a",
                "values",
            ],
            &["first", "select_one"],
            &["select_value", "getvalue", "get", "single_value"],
        ),
        Php => (
            &["query", "executeQuery", "fetchAll", "fetchAllAssociative", "select", "pg_query", "pg_query_params"],
            &[
                "fetch",
                "fetchAssociative",
                "fetchNumeric",
                "fetchObject",
                "selectOne",
                "pg_fetch_assoc",
                "pg_fetch_array",
                "pg_fetch_row",
                "pg_fetch_object",
            ],
            &["fetchColumn", "fetchOne", "pg_fetch_result", "scalar"],
        ),
        Go => (&["Query", "QueryContext", "Queryx", "QueryxContext"], &[], &[]),
        // What `execute` gives says whether there is a result.
        Java | Kotlin => (&["execute", "executeQuery"], &[], &["getBoolean"]),
        CSharp => (&["ExecuteReader", "ExecuteReaderAsync"], &[], &[]),
        _ => (&[], &[], &[]),
    };
    match name {
        name if rows.contains(&name) => Part::Rows,
        name if row.contains(&name) => Part::Row,
        name if value.contains(&name) => Part::Value,
        _ => Part::Unknown,
    }
}

/// What makes values of rows before anybody sees them.
const MAPPERS: &[&str] = &["scalar_row", "row_factory", "FETCH_COLUMN", "setFetchMode"];

/// Whether a file may have rows made into something else.
pub(super) fn maps_rows(text: &str) -> bool {
    MAPPERS.iter().any(|word| text.contains(word))
}

/// Whether a statement gives one row whatever becomes of its locks.
pub(super) fn always_one_row(statement: &Statement<'_>) -> bool {
    let tree = &statement.tree;
    let [root] = tree.roots() else { return false };
    let query = tree.query(*root);
    let plain = |select: &Select| select.from.is_empty() && select.condition.is_none() && select.having.is_none();
    query.select().is_some_and(plain)
        && query.offset.is_none()
        && statement.locks.iter().all(|lock| lock.call.query == Some(*root) && lock.call.clause == Clause::List)
}

impl<'s> Run<'_, 's, '_> {
    /// Somebody looks at an answer.
    pub(super) fn read(&mut self, answer: Answer) {
        if let Some(site) = answer.site {
            self.asking.read.insert(site);
            self.builder.answered(site, Says::Read);
        }
    }

    /// Somebody takes the boolean out of an answer: what becomes of it is seen where it goes.
    pub(super) fn take(&mut self, answer: Answer) {
        if let Some(site) = answer.site {
            *self.asking.taken.entry(site).or_default() += 1;
            self.builder.answered(site, Says::Read);
        }
    }

    /// How often booleans have been taken out of rows so far.
    pub(super) fn taken_so_far(&self) -> Taken {
        self.asking.taken.clone()
    }

    /// Nobody gets at what has been taken out of an answer since then.
    pub(super) fn ignored(&mut self, answer: Answer, before: &Taken) {
        let Some(site) = answer.site.filter(|site| self.asking.evident.contains(site)) else { return };
        self.asking.taken.insert(site, before.get(&site).copied().unwrap_or_default());
        self.asking.exist.insert(site);
    }

    /// A method that the table of a client library names has run a statement.
    pub(super) fn is_evident(&mut self, site: Option<SiteId>, driver: &str) {
        let Some(site) = site else { return };
        self.asking.evident.insert(site);
        // Without a type map everything is a text: <https://deveiate.org/code/pg/PG/Result.html>,
        // <https://www.php.net/manual/en/function.pg-fetch-result.php>.
        let maps = || ["type_map", "TypeMap"].iter().any(|word| self.program.text.contains(word));
        if driver == "pgsql" || driver == "pg" && self.program.language == HostLanguage::Ruby && !maps() {
            self.asking.texts.insert(site);
        }
    }

    /// What the boolean of an answer is.
    fn boolean(&self, answer: Answer) -> Part {
        if answer.site.is_some_and(|site| self.asking.texts.contains(&site)) { Part::Text } else { Part::Value }
    }

    /// An answer is given to something that is not followed.
    pub(super) fn read_val(&mut self, val: &Val) {
        if let Val::Answer(answer) = val {
            self.read(*answer);
        }
    }

    /// Somebody asks whether there is a result, or a row.
    pub(super) fn exists(&mut self, answer: Answer) {
        if let Some(site) = answer.site.filter(|_| matches!(answer.part, Part::Rows | Part::Row | Part::Text)) {
            self.asking.exist.insert(site);
            self.asking.row = Some(site);
            if let Some(taken) = self.asking.taken.get_mut(&site).filter(|_| answer.part == Part::Text) {
                *taken = taken.saturating_sub(1);
            }
        }
    }

    /// Java's `return statement.execute()`: who gets that gets no more than whether there is a result.
    pub(super) fn gives_existence(&mut self, value: ExprId, val: &Val) -> bool {
        let code = self.program.code;
        let Some(Value::Call(call)) = code.exprs.get(value).map(|expr| &expr.value) else { return false };
        let is_jvm = matches!(self.program.language, HostLanguage::Java | HostLanguage::Kotlin);
        let (true, "execute", Val::Answer(answer)) = (is_jvm, code.calls[*call].name, val) else { return false };
        self.exists(*answer);
        true
    }

    /// What runs, and the site of which it asked last whether there is a row.
    pub(super) fn asking_for_row<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> (T, Option<SiteId>) {
        let before = self.asking.row.take();
        let given = run(self);
        (given, std::mem::replace(&mut self.asking.row, before))
    }

    /// A function that says how many rows there are: whether the call is one.
    pub(super) fn is_counted(&mut self, call: &Call<'s>, vals: &[Val]) -> bool {
        let callee = self.program.code.exprs.get(call.callee).map(|expr| &expr.value);
        let [Val::Answer(answer)] = vals else { return false };
        let counts = COUNTS.contains(&call.name) && matches!(callee, Some(Value::Name(_)));
        if counts && matches!(answer.part, Part::Rows | Part::Row) {
            self.exists(*answer);
            return true;
        }
        false
    }

    /// What a call makes of an answer that is its only argument, where that is the same boolean or the other one:
    /// `bool(locked)`, `Boolean.TRUE.equals(locked)`.
    pub(super) fn cast(&self, call: &Call<'s>, vals: &[Val]) -> Option<Val> {
        const SAME: &[&str] =
            &["bool", "Bool", "Boolean", "boolval", "isTrue", "parseBoolean", "toBoolean", "ToBoolean", "valueOf"];
        let [Val::Answer(answer)] = vals else { return None };
        let callee = self.program.code.exprs.get(call.callee).map_or("", |expr| self.slice(expr.span));
        let same = match call.name {
            "equals" if callee.ends_with("TRUE.equals") => true,
            "equals" if callee.ends_with("FALSE.equals") => false,
            "isNotTrue" | "isFalse" => false,
            name if SAME.contains(&name) => true,
            _ => return None,
        };
        (answer.part != Part::Text).then_some(Val::Answer(Answer { granted: answer.granted == same, ..*answer }))
    }

    /// Somebody looks at a boolean of an answer, and nothing else is known of that.
    pub(super) fn decides(&mut self, answer: Answer) {
        if let Some(site) = answer.site.filter(|_| matches!(answer.part, Part::Value | Part::Unknown)) {
            *self.asking.taken.entry(site).or_default() += 1;
        }
    }

    /// Python: a cursor keeps the rows until somebody fetches them. Whoever gets the cursor may.
    pub(super) fn unread(&mut self, answer: Answer, session: SessionId) {
        const GOES_ON: &[&str] = &[" in cur", "(cur)", "(cursor)", "yield", " in c:"];
        let session = &self.sessions.all[session];
        if self.program.language != HostLanguage::Python || session.is_parameter || session.is_field || session.escapes
        {
            return;
        }
        let root = self.frames.first().and_then(|frame| self.program.code.functions.get(frame.function));
        let text = root.map_or("", |function| self.slice(function.span));
        if !GOES_ON.iter().any(|word| text.contains(word)) {
            self.exists(answer);
        }
    }

    /// Answers of which nobody has asked more than whether they are there.
    pub(super) fn settle_answers(&mut self) {
        for &site in self.asking.exist.difference(&self.asking.read) {
            if self.asking.taken.get(&site).is_none_or(|taken| *taken == 0) {
                self.builder.answered(site, Says::Dropped);
            }
        }
    }

    /// A part of an answer by a property or method. `None` for what is no part of it.
    pub(super) fn part_named(&mut self, answer: Answer, name: &str, is_call: bool) -> Option<Answer> {
        if EXIST.contains(&name) {
            self.exists(answer);
            return None;
        }
        if SILENT.contains(&name) {
            return None;
        }
        if ABSENT.contains(&name) {
            self.exists(answer);
            // `WHERE pg_try_advisory_lock(id)`: there is no row where it was not granted.
            return (answer.part == Part::Unknown).then_some(Answer { granted: !answer.granted, ..answer });
        }
        let known = given(self.program.language, "", name);
        let part = match (answer.part, known) {
            (Part::Unknown, _) => Part::Unknown,
            (Part::Rows, part @ (Part::Rows | Part::Row)) => part,
            (Part::Text, _) => Part::Value,
            _ => self.boolean(answer),
        };
        // What a row calls a column by is the query's own name.
        let column = !is_call && answer.part == Part::Row;
        let plain = (known != Part::Unknown || PLAIN.contains(&name) || column) && answer.part != Part::Text;
        match part {
            Part::Rows | Part::Row => {}
            _ if plain => self.take(answer),
            _ => self.read(answer),
        }
        Some(Answer { part, ..answer })
    }

    /// An element of an answer: a row, or the boolean in it.
    pub(super) fn element(&mut self, answer: Answer) -> Answer {
        let part = match answer.part {
            Part::Rows => Part::Row,
            Part::Row => self.boolean(answer),
            Part::Value | Part::Text => Part::Value,
            Part::Unknown => Part::Unknown,
        };
        if part != Part::Row {
            self.take(answer);
        }
        Answer { part, ..answer }
    }

    /// What a name in a pattern gets of an answer: `const [row] = …`, `const { rows } = …`.
    pub(super) fn taken_apart(&mut self, answer: Answer, target: &Target<'s>) -> Val {
        let Some(part) = target.part.filter(|_| answer.part != Part::Unknown) else { return Val::Answer(answer) };
        let at = self.program.code.exprs.get(target.expr).map_or(0, |expr| expr.span.start);
        let before = self.program.text.get(..at).unwrap_or_default().trim_end();
        let in_list = before.strip_suffix('[').map(str::trim_end);
        let is_index = part.bytes().all(|byte| byte.is_ascii_digit());
        Val::Answer(match in_list {
            // `const { rowCount } = …`
            None if EXIST.contains(&part) && before.ends_with(['{', ',', ':']) => {
                self.exists(answer);
                return Val::Nothing;
            }
            Some(outer) if is_index && !outer.ends_with(['[', ':']) => self.element(answer),
            Some(outer) if part == "rows" && outer.ends_with(':') => Answer { part: Part::Row, ..answer },
            None if part == "rows"
                && (target.name == part || before.ends_with(':'))
                && before.ends_with(['{', ',', ':']) =>
            {
                Answer { part: Part::Rows, ..answer }
            }
            // Go's several values are no pattern.
            None if self.program.language == HostLanguage::Go => answer,
            _ => {
                self.take(answer);
                Answer { part: self.boolean(answer), ..answer }
            }
        })
    }

    /// A comparison: with nothing it asks whether there is a row.
    pub(super) fn compared_with(&mut self, val: &Val, with: &Val) {
        let Val::Answer(answer) = val else { return };
        match answer.part {
            Part::Rows | Part::Row | Part::Text if matches!(with, Val::Null) => self.exists(*answer),
            Part::Rows | Part::Row | Part::Text => self.read(*answer),
            Part::Value | Part::Unknown => {}
        }
    }
}
