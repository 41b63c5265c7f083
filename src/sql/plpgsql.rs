//! PL/pgSQL bodies: the block structure as our own tree, the SQL and the expressions in it as runs of tokens.
//! Terminators are found as the server's grammar finds them
//! (<https://www.postgresql.org/docs/current/plpgsql.html>): by word, outside parentheses.

use super::cursor::Tokens;
use super::lex::Token;
use crate::span::SqlSpan;

mod declare;
mod dynamic;
mod loops;
mod parser;
mod simple;
mod walk;

pub use dynamic::{STAND_IN, dynamic_sql};
pub use walk::Command;

/// A body: options, one block, and whether all of it was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// `#variable_conflict use_column` and the like, folded, without the `#`.
    pub options: Vec<String>,
    /// The outermost block. Where the text has none, its body holds what there is.
    pub block: Block,
    /// What follows the block's END; the server takes nothing there.
    pub rest: Vec<Statement>,
    /// No statement is [`StatementKind::Unknown`] and nothing was missing.
    pub complete: bool,
}

/// `[<<label>>] [DECLARE …] BEGIN … [EXCEPTION …] END`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its label, folded.
    pub label: Option<String>,
    /// What DECLARE declares.
    pub declarations: Vec<Declaration>,
    /// The statements up to EXCEPTION or END.
    pub body: Vec<Statement>,
    /// What EXCEPTION handles.
    pub handlers: Vec<Handler>,
    /// From the label to the word after END, without the semicolon.
    pub span: SqlSpan,
}

/// One declared variable, cursor or alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its name, folded.
    pub name: String,
    /// Its type, folded, with single spaces; `cursor` for a cursor, `alias` for an alias.
    pub ty: String,
    /// Cannot be assigned to.
    pub constant: bool,
    /// The initial value; of an alias, the name it stands for.
    pub default: Option<Tokens>,
    /// The query of a bound cursor.
    pub cursor_query: Option<Tokens>,
    /// Without the semicolon.
    pub span: SqlSpan,
}

/// `WHEN condition OR … THEN …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// In lower case: `others`, `unique_violation`, `sqlstate '25P02'`.
    pub conditions: Vec<String>,
    /// What runs.
    pub body: Vec<Statement>,
    /// From WHEN to the last statement, without its semicolon.
    pub span: SqlSpan,
}

/// A statement and where it stands, label included, semicolon not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands.
    pub span: SqlSpan,
}

/// What a statement does. Runs of tokens leave the keywords and the semicolon out unless told otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// A nested block.
    Block(Block),
    /// IF and ELSIF arms, and ELSE.
    If {
        /// Conditions with what runs.
        arms: Vec<(Tokens, Vec<Statement>)>,
        /// ELSE.
        otherwise: Option<Vec<Statement>>,
    },
    /// CASE as a statement. Without ELSE, a value that no arm takes raises `case_not_found`.
    Case {
        /// What the arms are compared with.
        subject: Option<Tokens>,
        /// Values or conditions with what runs.
        arms: Vec<(Tokens, Vec<Statement>)>,
        /// ELSE.
        otherwise: Option<Vec<Statement>>,
    },
    /// Any loop.
    Loop {
        /// Its label, folded.
        label: Option<String>,
        /// What it runs over.
        kind: LoopKind,
        /// What runs.
        body: Vec<Statement>,
    },
    /// EXIT: leaves a loop, or a labelled block.
    Exit {
        /// Which one; the innermost loop if not said.
        label: Option<String>,
        /// WHEN.
        when: Option<Tokens>,
    },
    /// CONTINUE.
    Continue {
        /// Which loop; the innermost if not said.
        label: Option<String>,
        /// WHEN.
        when: Option<Tokens>,
    },
    /// RETURN, with its value.
    Return(Option<Tokens>),
    /// RETURN NEXT, which goes on; no value where the function has OUT arguments.
    ReturnNext(Option<Tokens>),
    /// RETURN QUERY, which goes on.
    ReturnQuery(Tokens),
    /// RETURN QUERY EXECUTE, which goes on.
    ReturnQueryExecute {
        /// The expression that gives the text.
        command: Tokens,
        /// USING.
        using: Vec<Tokens>,
    },
    /// RAISE.
    Raise {
        /// EXCEPTION if not said.
        level: RaiseLevel,
        /// RAISE alone: the error at hand goes on.
        reraise: bool,
        /// In lower case, as in [`Handler::conditions`], from a condition name, SQLSTATE or ERRCODE constant.
        condition: Option<String>,
        /// All that follows the level: format, values, USING.
        tokens: Tokens,
    },
    /// ASSERT: condition and message.
    Assert(Tokens),
    /// PERFORM: a select list and what follows it; the result is thrown away.
    Perform(Tokens),
    /// `target := value`, or with `=`.
    Assign {
        /// Folded, with fields and subscripts: `r.items[1]`.
        target: String,
        /// The expression, which may go on with FROM like a query.
        value: Tokens,
    },
    /// GET DIAGNOSTICS: targets with items, in lower case: `("n", "row_count")`.
    GetDiagnostics {
        /// STACKED: about the error being handled.
        stacked: bool,
        /// Targets with items.
        items: Vec<(String, String)>,
    },
    /// CALL, the word included.
    Call(Tokens),
    /// COMMIT.
    Commit {
        /// AND CHAIN.
        chain: bool,
    },
    /// ROLLBACK.
    Rollback {
        /// AND CHAIN.
        chain: bool,
    },
    /// An SQL statement.
    Sql {
        /// The whole of it; an INTO clause stands within.
        tokens: Tokens,
        /// The INTO clause.
        into: Option<Into>,
    },
    /// EXECUTE.
    Execute {
        /// The expression that gives the text.
        command: Tokens,
        /// INTO.
        into: Option<Into>,
        /// USING.
        using: Vec<Tokens>,
    },
    /// OPEN.
    Open {
        /// The cursor variable, folded.
        cursor: String,
        /// The arguments of a bound cursor, parentheses left out.
        arguments: Option<Tokens>,
        /// FOR query.
        query: Option<Tokens>,
        /// FOR EXECUTE.
        execute: Option<Tokens>,
        /// USING.
        using: Vec<Tokens>,
    },
    /// FETCH.
    Fetch {
        /// The cursor variable, folded.
        cursor: String,
        /// NEXT, `ABSOLUTE n` and so on.
        direction: Option<Tokens>,
        /// INTO.
        into: Option<Into>,
    },
    /// MOVE.
    Move {
        /// The cursor variable, folded.
        cursor: String,
        /// NEXT, `ABSOLUTE n` and so on.
        direction: Option<Tokens>,
    },
    /// CLOSE.
    Close {
        /// The cursor variable, folded.
        cursor: String,
    },
    /// NULL.
    Null,
    /// What was not understood, up to its semicolon.
    Unknown(Tokens),
}

/// What a loop runs over. Targets are folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// LOOP: until something leaves it.
    Forever,
    /// WHILE.
    While(Tokens),
    /// FOR over integers.
    ForRange {
        /// The loop variable.
        target: String,
        /// Downwards.
        reverse: bool,
        /// The first bound as written.
        from: Tokens,
        /// The second bound as written.
        to: Tokens,
        /// BY.
        by: Option<Tokens>,
    },
    /// FOR over the rows of a query.
    ForQuery {
        /// The loop variables.
        target: Vec<String>,
        /// The query.
        query: Tokens,
    },
    /// FOR … IN EXECUTE.
    ForExecute {
        /// The loop variables.
        target: Vec<String>,
        /// The expression that gives the text.
        command: Tokens,
        /// USING.
        using: Vec<Tokens>,
    },
    /// FOR over a bound cursor.
    ForCursor {
        /// The loop variables.
        target: Vec<String>,
        /// The cursor variable.
        cursor: String,
        /// Its arguments, parentheses left out.
        arguments: Option<Tokens>,
    },
    /// FOREACH over an array.
    Foreach {
        /// The loop variables.
        target: Vec<String>,
        /// The array.
        array: Tokens,
    },
}

/// An INTO clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Into {
    /// The variables, folded.
    pub targets: Vec<String>,
    /// STRICT: anything but one row raises.
    pub strict: bool,
    /// From INTO to the last target.
    pub tokens: Tokens,
}

/// How loud RAISE is. Only an exception ends anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaiseLevel {
    /// EXCEPTION
    Exception,
    /// WARNING
    Warning,
    /// NOTICE
    Notice,
    /// INFO
    Info,
    /// LOG
    Log,
    /// DEBUG
    Debug,
}

/// The body with this text, whatever it is. `tokens` are those of the whole text.
pub fn parse(text: &str, tokens: &[Token]) -> Body {
    parser::parse(text, tokens)
}

#[cfg(test)]
mod tests;
