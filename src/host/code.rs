//! What host code does, in one shape for all languages: functions, their statements in order, the calls in them, and the
//! declarations that say what a name stands for. Nothing here knows of SQL or of client libraries.
//!
//! Everything lies in arenas and is named by index. A kind of syntax that says nothing about control flow or values is
//! [`Value::Other`] with its parts in the order in which they run, so that no call is lost.

mod build;
mod csharp;
mod elixir;
mod go;
mod java;
mod javascript;
mod kotlin;
mod language;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
#[cfg(test)]
mod tests;

use crate::language::HostLanguage;
use crate::span::Span;
use std::borrow::Cow;
use tree_sitter::Tree;

/// Index of an expression in [`Code::exprs`].
pub type ExprId = usize;
/// Index of a statement in [`Code::stmts`].
pub type StmtId = usize;
/// Index of a call in [`Code::calls`].
pub type CallId = usize;
/// Index of a function in [`Code::functions`].
pub type FunctionId = usize;
/// Index of a class in [`Code::classes`].
pub type ClassId = usize;

/// The code of one source.
#[derive(Debug, Default)]
pub struct Code<'s> {
    /// Expressions.
    pub exprs: Vec<Expr<'s>>,
    /// Statements.
    pub stmts: Vec<Stmt<'s>>,
    /// Calls, constructions, macros; each is the value of one expression.
    pub calls: Vec<Call<'s>>,
    /// Functions, methods and closures, the outer before what is in it. The first is the file itself: what runs when it
    /// is loaded.
    pub functions: Vec<Function<'s>>,
    /// Classes, structs, modules, objects, impl blocks; several may have one name.
    pub classes: Vec<Class<'s>>,
    /// What the file imports.
    pub imports: Vec<Import<'s>>,
    /// Whether any call may throw: not in Go and Rust, where errors are values.
    pub throws: bool,
}

/// An expression.
#[derive(Debug)]
pub struct Expr<'s> {
    /// All of it.
    pub span: Span,
    /// What it is.
    pub value: Value<'s>,
}

/// What an expression is. Brackets, casts, `await`, `!!`, borrowing and dereferencing are looked through.
#[derive(Debug)]
pub enum Value<'s> {
    /// A variable, constant, function or type: `conn`. Also `self`, `this`, `super`. PHP's without `$`.
    Name(&'s str),
    /// `of.name`, `of::name`, `of->name`, `of?.name`; Ruby's `@name`, Elixir's module attribute `@name` and a method call
    /// without receiver on an implicit `this` are no members of anything: names.
    Member {
        /// What stands before.
        of: ExprId,
        /// The name.
        name: &'s str,
        /// Where the name is.
        at: Span,
    },
    /// A call.
    Call(CallId),
    /// A string literal, alone or as it stands in an expression that puts a text together; the span is the key to
    /// [`super::Host::literals`]. Its holes.
    Text(Vec<ExprId>),
    /// A number, boolean, null or another constant, as it is written.
    Constant(&'s str),
    /// A function as a value: closure, lambda, block.
    Function(FunctionId),
    /// `!x`, `not x`.
    Not(ExprId),
    /// `a && b`, `a || b` and their like; `and` is true for the former.
    Logic {
        /// Whether both must hold.
        and: bool,
        /// The operands: the second runs only if the first does not decide.
        operands: [ExprId; 2],
    },
    /// A comparison or another operator with two operands.
    Binary {
        /// As it is written: `==`, `!=`, `+`.
        operator: &'s str,
        /// The operands.
        operands: [ExprId; 2],
    },
    /// An assignment inside an expression, or a named argument that binds: `x := f()`.
    Assign {
        /// What is assigned to.
        target: ExprId,
        /// The value.
        value: ExprId,
    },
    /// Rust's `e?`: leaves the function where `e` is an error.
    Propagate(ExprId),
    /// Statements that give a value: `if`, `match`, `try`, a block. Ternaries are [`Flow::If`].
    Block(StmtId),
    /// A tuple, list, set, map or struct literal; fields and entries with their names.
    Items(Vec<Argument<'s>>),
    /// Anything else, with its parts in order.
    Other(Vec<ExprId>),
}

/// A call.
#[derive(Debug)]
pub struct Call<'s> {
    /// The expression that it is the value of.
    pub expr: ExprId,
    /// What is called: a name or a member; of a construction the type.
    pub callee: ExprId,
    /// The last name: `execute` of `self.conn.execute`. Empty where something nameless is called. Macros without `!`.
    pub name: &'s str,
    /// From the name to the end of the call.
    pub from_name: Span,
    /// Types in brackets after the name, as written, without the brackets.
    pub types: &'s str,
    /// The arguments, a block or trailing closure last.
    pub arguments: Vec<Argument<'s>>,
    /// `new T(…)`, `T { … }`.
    pub constructs: bool,
    /// Whether `await` waits for it.
    pub awaited: bool,
    /// `go f()`, `spawn`, an un-awaited start: what it does happens at another time.
    pub elsewhere: bool,
}

/// An argument, or an entry of a literal.
#[derive(Debug)]
pub struct Argument<'s> {
    /// Its keyword or key.
    pub name: Option<&'s str>,
    /// Its value.
    pub value: ExprId,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt<'s> {
    /// All of it.
    pub span: Span,
    /// What it does.
    pub flow: Flow<'s>,
}

/// What a statement does.
#[derive(Debug)]
pub enum Flow<'s> {
    /// One after the other.
    Sequence(Vec<StmtId>),
    /// A block that a `break` with its label leaves: a labelled one, a `switch` with a `break` that is not the last of its
    /// case (label `switch`), a loop with an `else` together with that (label `else`).
    Block {
        /// Its label.
        label: &'s str,
        /// What is in it.
        body: StmtId,
    },
    /// Runs an expression and drops, or in the last place of an expression language gives, its value.
    Run(ExprId),
    /// Declares or assigns.
    Bind(Binding<'s>),
    /// Two ways. Several `elif` nest. A `switch` is a chain of these whose condition is [`Value::Binary`] `==`, or a
    /// match whose condition is the pattern as [`Value::Other`]; `unless` has a [`Value::Not`].
    If {
        /// What decides; its calls run first.
        condition: ExprId,
        /// Names that the condition binds when it holds: `if let Some(x) = e`, a `case` pattern. Their values are parts of
        /// the condition, or of that of the first case, and do not run again.
        binds: Vec<Binding<'s>>,
        /// When it holds.
        then: StmtId,
        /// When it does not.
        otherwise: Option<StmtId>,
    },
    /// Rounds.
    Loop {
        /// Its label.
        label: Option<&'s str>,
        /// `while` has a condition, a loop over values what is gone through.
        condition: Option<ExprId>,
        /// The variables of a loop over values; their value is what is gone through, which does not run again.
        binds: Vec<Binding<'s>>,
        /// A round, what a `for(;;)` does between rounds included.
        body: StmtId,
        /// Left only by an exit inside.
        endless: bool,
        /// The first round runs in any case: `do … while`.
        once: bool,
    },
    /// Statements that may throw, with what catches and what runs in any case.
    Try {
        /// What may throw.
        body: StmtId,
        /// What catches.
        handlers: Vec<Handler<'s>>,
        /// Runs after a body that did not throw: Python's and Ruby's `else`.
        otherwise: Option<StmtId>,
        /// Runs in any case.
        finally: Option<StmtId>,
    },
    /// `with`, `using`, try-with-resources: what is opened is closed at the end, in any case. A `using` declaration has the
    /// rest of its block as the body.
    With {
        /// What is opened, with the name it gets.
        items: Vec<Binding<'s>>,
        /// What runs with it.
        body: StmtId,
    },
    /// Go's `defer`, Swift-like cleanup: runs when the function is left. The call, whose arguments are evaluated now.
    Defer(ExprId),
    /// Leaves.
    Exit(Exit<'s>),
}

/// Leaving a place.
#[derive(Debug)]
pub enum Exit<'s> {
    /// `return`, with what is returned. The last expression of a body in an expression language is one too.
    Return(Option<ExprId>),
    /// `return` in a block or inline lambda that leaves the function around it: Ruby's, Kotlin's without a label.
    ReturnOuter(Option<ExprId>),
    /// `throw`, `raise`, `panic`; the process' end as well, with `dies`.
    Throw {
        /// What.
        value: Option<ExprId>,
        /// Nothing runs afterwards: `os.Exit`, `process.exit`.
        dies: bool,
    },
    /// Leaves the loop with this label, or the innermost; in a closure without one the call that it is given to.
    Break(Option<&'s str>),
    /// Goes to its next round. Ruby's `retry` goes to that of a loop with the label `retry` around the statements.
    Continue(Option<&'s str>),
}

/// A handler of exceptions.
#[derive(Debug)]
pub struct Handler<'s> {
    /// The types it catches as written, or a pattern; empty where it catches all.
    pub catches: &'s str,
    /// Whether it catches every error that a client library throws: `except Exception`, `catch (e)`, `rescue`,
    /// `catch (Throwable t)`, `NonFatal(e)`.
    pub all: bool,
    /// The name of what was caught.
    pub binds: Option<&'s str>,
    /// What it does.
    pub body: StmtId,
}

/// A declaration or an assignment.
#[derive(Debug)]
pub struct Binding<'s> {
    /// What gets the value: one name, or several that take it apart (`conn, err :=`, `const {rows} =`, `{:ok, r} =`);
    /// with a place or name in the value where that is written.
    pub targets: Vec<Target<'s>>,
    /// The type as written.
    pub ty: Option<&'s str>,
    /// The value.
    pub value: Option<ExprId>,
    /// A declaration of new names, and no assignment to old ones.
    pub declares: bool,
}

/// What gets a value.
#[derive(Debug)]
pub struct Target<'s> {
    /// A name or member expression: `conn`, `self.conn`.
    pub expr: ExprId,
    /// The last name.
    pub name: &'s str,
    /// The part of the value: an index or a field, as written (`0`, `rows`, `ok`); in a pattern in a pattern that of the
    /// outer one.
    pub part: Option<&'s str>,
}

/// A parameter.
#[derive(Debug)]
pub struct Parameter<'s> {
    /// Its name; empty for a pattern.
    pub name: &'s str,
    /// Names that a pattern takes out of it.
    pub parts: Vec<&'s str>,
    /// Its type as written.
    pub ty: Option<&'s str>,
    /// Its default value.
    pub default: Option<ExprId>,
    /// Its annotations.
    pub annotations: Vec<ExprId>,
}

/// A function, method, closure, or the file itself.
#[derive(Debug)]
pub struct Function<'s> {
    /// Its name; empty for a closure without one and for the file.
    pub name: &'s str,
    /// All of it.
    pub span: Span,
    /// Where its name is; the start of a closure.
    pub at: Span,
    /// The function that it stands in; `None` for the file.
    pub outer: Option<FunctionId>,
    /// The class that it is a method of.
    pub class: Option<ClassId>,
    /// Go's receiver, or an explicit `self`: its name.
    pub this: Option<&'s str>,
    /// Its parameters, the receiver left out.
    pub parameters: Vec<Parameter<'s>>,
    /// The type it gives, as written.
    pub returns: Option<&'s str>,
    /// Annotations, attributes, decorators, as expressions: names or calls.
    pub annotations: Vec<ExprId>,
    /// What it does.
    pub body: StmtId,
    /// `async`, `suspend`.
    pub is_async: bool,
    /// A block or lambda in which a plain `return` leaves the function around.
    pub is_block: bool,
    /// Whether there are syntax errors in it: its paths are not judged.
    pub has_error: bool,
}

/// A class, struct, module, object or impl block.
#[derive(Debug)]
pub struct Class<'s> {
    /// Its name, without type parameters.
    pub name: &'s str,
    /// All of it.
    pub span: Span,
    /// What it extends, implements or includes, as written.
    pub bases: Vec<&'s str>,
    /// Annotations and decorators.
    pub annotations: Vec<ExprId>,
    /// Fields and properties declared in its body, whose values run in no function, primary-constructor parameters that are fields, promoted ones.
    /// Assignments in methods are found in those.
    pub fields: Vec<Binding<'s>>,
}

/// An import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import<'s> {
    /// What is imported: the module as written, and after a point what is imported from it by name, where that is written
    /// apart: `github.com/jackc/pgx/v5/pgxpool`, `psycopg_pool.ConnectionPool`, `pg`, `pg.Pool`.
    pub path: Cow<'s, str>,
    /// The name it has in the file; `*` where everything in it has its own.
    pub name: &'s str,
    /// All of the statement.
    pub span: Span,
}

impl Code<'_> {
    /// The integer that an expression is: `8101`, `8101L as i64`, `int64(8101)`.
    pub fn number(&self, value: ExprId) -> Option<i64> {
        let mut value = &self.exprs.get(value)?.value;
        if let Value::Other(parts) = value
            && let [part] = parts[..]
        {
            value = &self.exprs.get(part)?.value;
        }
        let Value::Constant(text) = value else { return None };
        i64::try_from(integer(text)?).ok()
    }
}

/// The code of a text with its tree, and where the texts in it are.
pub(super) fn code<'s>(text: &'s str, host: HostLanguage, tree: &Tree, texts: Vec<(Span, Span)>) -> Code<'s> {
    build::Builder::new(text, host, language::of(host), texts).file(tree.root_node())
}

/// An integer as these languages write it. None for `017`, which is octal in some of them and decimal in others.
pub fn integer(text: &str) -> Option<i128> {
    let text: String = text.chars().filter(|c| *c != '_').collect();
    let text = text.trim();
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest.trim()));
    let lower = text.to_ascii_lowercase();
    let typed = ["i64", "i32", "u64", "u32", "isize", "usize", "ul", "lu", "l", "n", "u"];
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0b") => (&lower[2..], 2),
        Some("0o") => (&lower[2..], 8),
        _ => (lower.as_str(), 10),
    };
    let parse = |digits: &str| i128::from_str_radix(digits, radix).ok();
    if radix == 10 && digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit() {
        return None;
    }
    let value = parse(digits).or_else(|| typed.iter().find_map(|suffix| parse(digits.strip_suffix(suffix)?)))?;
    Some(if negative { -value } else { value })
}
