//! CREATE FUNCTION, CREATE PROCEDURE and DO: what is declared, and where the body stands.

use super::cursor::{Cursor, Tokens};
use super::lex::{Token, TokenKind};
use super::literal;
use crate::region::Region;
use crate::span::SqlSpan;

mod arguments;
mod identity;

pub use identity::{Identity, drops, identity};

/// A function, a procedure or a DO block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Which statement it is.
    pub kind: RoutineKind,
    /// The schema in front of the name, folded.
    pub schema: Option<String>,
    /// The name, folded; DO has none.
    pub name: Option<String>,
    /// Where the name stands, its schema included.
    pub name_span: Option<SqlSpan>,
    /// The declared arguments, in order.
    pub arguments: Vec<Argument>,
    /// What follows RETURNS.
    pub returns: Returns,
    /// What the body is written in.
    pub language: Language,
    /// IMMUTABLE, STABLE or (when nothing is said) VOLATILE.
    pub volatility: Volatility,
    /// A NULL argument gives NULL without a call.
    pub strict: bool,
    /// `SET name TO value` clauses: in force while the routine runs.
    pub set_options: Vec<SetOption>,
    /// The code.
    pub body: BodyForm,
}

/// Which statement defines the routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutineKind {
    /// CREATE FUNCTION.
    Function,
    /// CREATE PROCEDURE.
    Procedure,
    /// DO.
    Do,
}

/// One declared argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, folded.
    pub name: Option<String>,
    /// Its type, folded, with single spaces: `timestamp with time zone`.
    pub ty: String,
    /// Which way it goes.
    pub mode: ArgumentMode,
    /// Callers may leave it out.
    pub has_default: bool,
}

/// Which way an argument goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentMode {
    /// IN, or nothing.
    In,
    /// OUT.
    Out,
    /// INOUT, IN OUT.
    InOut,
    /// VARIADIC.
    Variadic,
}

/// What a routine returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returns {
    /// No RETURNS: a procedure, a DO block, or a function with OUT arguments.
    Nothing,
    /// `trigger`
    Trigger,
    /// `event_trigger`
    EventTrigger,
    /// `void`
    Void,
    /// `SETOF type`
    Setof(String),
    /// `TABLE (name type, …)`
    Table(Vec<Argument>),
    /// A type.
    Type(String),
}

/// What a body is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// `plpgsql`; DO blocks that name none.
    Plpgsql,
    /// `sql`; BEGIN ATOMIC and RETURN bodies that name none.
    Sql,
    /// Any other, in lower case; empty where a quoted body names none, which the server refuses.
    Other(String),
}

/// What a routine promises about its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volatility {
    /// Anything may happen.
    Volatile,
    /// Reads alone; the same within a statement.
    Stable,
    /// A function of its arguments.
    Immutable,
}

/// `SET name TO value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetOption {
    /// The parameter, folded: `lock_timeout`.
    pub name: String,
    /// The value as written, folded: `'5s'`, `from current`.
    pub value: String,
}

/// Where a body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// A string constant, continuation lines and quotes included.
    Quoted(SqlSpan),
    /// The statements between BEGIN ATOMIC and END.
    Atomic(Tokens),
    /// The expression after RETURN.
    Return(Tokens),
    /// None was found.
    None,
}

/// The routine that a statement defines; `tokens` are those of the one statement. None for every other statement.
pub fn routine(text: &str, tokens: &[Token]) -> Option<Routine> {
    let word = tokens.iter().find(|token| !token.kind.is_trivia()).map(|token| token.span().range());
    let word = text.get(word?).unwrap_or_default();
    if !["create", "do"].iter().any(|verb| word.eq_ignore_ascii_case(verb)) {
        return None;
    }
    let mut reader = Reader {
        cursor: Cursor::new(text, tokens),
        at: 0,
        language: None,
        routine: Routine {
            kind: RoutineKind::Function,
            schema: None,
            name: None,
            name_span: None,
            arguments: Vec::new(),
            returns: Returns::Nothing,
            language: Language::Other(String::new()),
            volatility: Volatility::Volatile,
            strict: false,
            set_options: Vec::new(),
            body: BodyForm::None,
        },
    };
    if reader.eat("do") {
        reader.anonymous()?;
    } else {
        reader.named()?;
    }
    let mut routine = reader.routine;
    routine.language = match reader.language {
        Some(name) if name == "plpgsql" => Language::Plpgsql,
        Some(name) if name == "sql" => Language::Sql,
        Some(name) => Language::Other(name),
        None if routine.kind == RoutineKind::Do => Language::Plpgsql,
        None if matches!(routine.body, BodyForm::Atomic(_) | BodyForm::Return(_)) => Language::Sql,
        None => Language::Other(String::new()),
    };
    Some(routine)
}

/// The text of the routine's body as a region inside `region`, whose text and `tokens` the routine was read from.
pub fn body_region<'s>(region: &Region<'s>, tokens: &[Token], routine: &Routine) -> Option<Region<'s>> {
    match routine.body {
        BodyForm::Quoted(span) => literal::string_region(region, span),
        BodyForm::Atomic(body) | BodyForm::Return(body) => {
            let span = body.span(tokens);
            Some(region.nested(span, [(span, None)]))
        }
        BodyForm::None => None,
    }
}

struct Reader<'t> {
    cursor: Cursor<'t>,
    at: usize,
    language: Option<String>,
    routine: Routine,
}

/// Words that begin a clause after the arguments, and so end a type or a value.
const CLAUSES: &[&str] = &[
    "as",
    "begin",
    "called",
    "cost",
    "external",
    "immutable",
    "language",
    "leakproof",
    "not",
    "parallel",
    "return",
    "returns",
    "rows",
    "security",
    "set",
    "stable",
    "strict",
    "support",
    "transform",
    "volatile",
    "window",
];

impl Reader<'_> {
    fn eat(&mut self, keyword: &str) -> bool {
        let found = self.cursor.is_word(self.at, keyword);
        self.at += usize::from(found);
        found
    }

    /// What follows DO.
    fn anonymous(&mut self) -> Option<()> {
        self.routine.kind = RoutineKind::Do;
        while let Some(kind) = self.cursor.kind(self.at) {
            if self.eat("language") {
                self.language();
            } else if kind.is_string() {
                self.quoted();
            } else {
                break;
            }
        }
        matches!(self.routine.body, BodyForm::Quoted(_)).then_some(())
    }

    /// CREATE [OR REPLACE] FUNCTION|PROCEDURE and what follows.
    fn named(&mut self) -> Option<()> {
        if !self.eat("create") {
            return None;
        }
        if self.eat("or") && !self.eat("replace") {
            return None;
        }
        if self.eat("procedure") {
            self.routine.kind = RoutineKind::Procedure;
        } else if !self.eat("function") {
            return None;
        }
        let end = self.cursor.path_end(self.at);
        if end == self.at {
            return None;
        }
        let part = |at: usize| literal::identifier(self.cursor.text(at));
        self.routine.name = Some(part(end - 1));
        if end - self.at >= 3 {
            self.routine.schema = Some(part(end - 3));
        }
        self.routine.name_span = Some(self.cursor.span(self.at, end));
        self.at = end;
        if self.cursor.kind(self.at) == Some(TokenKind::LeftParen) {
            let after = self.cursor.after(self.at);
            if self.cursor.is_paired(self.at) {
                self.routine.arguments = arguments::arguments(&self.cursor, self.at + 1, after - 1);
            }
            self.at = after;
        }
        while self.cursor.kind(self.at).is_some_and(|kind| kind != TokenKind::Semicolon) {
            self.clause();
        }
        Some(())
    }

    fn clause(&mut self) {
        let at = self.at;
        if self.eat("language") {
            self.language();
        } else if self.eat("returns") {
            self.returns();
        } else if self.eat("as") {
            self.quoted();
        } else if self.eat("immutable") {
            self.routine.volatility = Volatility::Immutable;
        } else if self.eat("stable") {
            self.routine.volatility = Volatility::Stable;
        } else if self.eat("volatile") {
            self.routine.volatility = Volatility::Volatile;
        } else if self.eat("strict") {
            self.routine.strict = true;
        } else if self.eat("set") {
            self.set();
        } else if self.eat("begin") {
            if self.eat("atomic") {
                self.atomic();
            }
        } else if self.eat("return") {
            let end = self.cursor.until(self.at, &[]);
            self.routine.body = BodyForm::Return(self.cursor.tokens(self.at, end));
            self.at = end;
        } else {
            self.at = self.cursor.after(at);
        }
    }

    /// The name after LANGUAGE: a word, an identifier or a string.
    fn language(&mut self) {
        let text = self.cursor.text(self.at);
        let name = match self.cursor.kind(self.at) {
            None | Some(TokenKind::Semicolon) => return,
            Some(kind) if kind.is_string() => literal::string_text(text).unwrap_or_else(|| text.to_owned()),
            Some(_) => literal::identifier(text),
        };
        self.language = Some(name.to_ascii_lowercase());
        self.at += 1;
    }

    /// The string constant at hand; a second one (the symbol of a C function) is no body.
    fn quoted(&mut self) {
        if !self.cursor.kind(self.at).is_some_and(TokenKind::is_string) {
            return;
        }
        let end = self.cursor.constant_end(self.at);
        if self.routine.body == BodyForm::None {
            self.routine.body = BodyForm::Quoted(self.cursor.span(self.at, end));
        }
        self.at = end;
    }

    fn returns(&mut self) {
        if self.eat("null") {
            self.routine.strict = true;
            return;
        }
        if self.cursor.is_word(self.at, "table")
            && self.cursor.kind(self.at + 1) == Some(TokenKind::LeftParen)
            && self.cursor.is_paired(self.at + 1)
        {
            let after = self.cursor.after(self.at + 1);
            let columns = arguments::arguments(&self.cursor, self.at + 2, after - 1);
            self.routine.returns = Returns::Table(columns);
            self.at = after;
            return;
        }
        let setof = self.eat("setof");
        let start = self.at;
        // The first word belongs to the type whatever it is.
        let end = self.cursor.until(self.cursor.after(start), CLAUSES).max(start);
        let ty = self.cursor.folded(start, end);
        self.at = end;
        self.routine.returns = match ty.strip_prefix("pg_catalog.").unwrap_or(&ty) {
            _ if setof => Returns::Setof(ty),
            "trigger" => Returns::Trigger,
            "event_trigger" => Returns::EventTrigger,
            "void" => Returns::Void,
            _ => Returns::Type(ty),
        };
    }

    fn set(&mut self) {
        let start = self.at;
        let mut end = self.cursor.path_end(start);
        if self.eat("time") {
            end = start + 2;
        }
        let name = self.cursor.folded(start, end);
        self.at = end.max(start);
        if self.cursor.is_operator(self.at, "=") || self.cursor.is_word(self.at, "to") {
            self.at += 1;
        }
        let value = self.at;
        let end = self.cursor.until(value, CLAUSES);
        self.at = end;
        if !name.is_empty() {
            let value = self.cursor.folded(value, end);
            self.routine.set_options.push(SetOption { name, value });
        }
    }

    /// The statements after BEGIN ATOMIC, up to the END that is no CASE's.
    fn atomic(&mut self) {
        let start = self.at;
        let mut depth = 1usize;
        while self.at < self.cursor.len() {
            if self.cursor.is_any(self.at, &["begin", "case"]) {
                depth += 1;
            } else if self.cursor.is_word(self.at, "end") {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            self.at += 1;
        }
        self.routine.body = BodyForm::Atomic(self.cursor.tokens(start, self.at));
        self.at += 1;
    }
}

#[cfg(test)]
mod tests;
