//! What the call that makes a handle says of its sessions.

use super::Run;
use super::value::Handle;
use crate::driver::size::{is_size, limits_to_one, overflows_never};
use crate::flow::lower::SessionId;
use crate::flow::{Begins, Size};
use crate::host::code::{ExprId, FunctionId, Value, integer};
use crate::language::HostLanguage;

/// How many arguments of the call that makes a handle are looked at, with those inside them.
const MAX_ARGUMENTS: usize = 64;

/// Words in the names of values that may say how large a pool is.
const OPTIONS: &[&str] = &["cfg", "conf", "opt", "param", "pool", "prop", "setting"];

impl<'s> Run<'_, 's, '_> {
    /// Rails: a class that says which database it connects to does not use that of the application.
    pub(super) fn other_database(&self, handle: &Handle) -> Option<String> {
        let says = |word: &str| self.program.text.contains(word);
        let other = handle.driver.name == "Active Record" && (says("connects_to ") || says("establish_connection"));
        other.then(|| "connects_to".to_owned())
    }

    /// Whether some function of the file makes a pool one connection, which may be any of its pools.
    pub(super) fn limits_to_one(&self) -> bool {
        *self.names.of_one.get_or_init(|| limits_to_one(self.program.text.as_bytes(), self.program.language))
    }

    /// What the call that makes a handle says of its sessions: autocommit, the size of a pool, where the address comes from.
    pub(super) fn settle(&mut self, id: SessionId, made: ExprId, function: FunctionId) {
        let code = self.program.code;
        let Some(Value::Call(call)) = code.exprs.get(made).map(|expr| &expr.value) else { return };
        if self.sessions.all[id].driver == "JDBC" && self.is_configured_here(*call, function) {
            self.sessions.all[id].begins = Begins::Never;
        }
        let mut open: Vec<(Option<&str>, ExprId)> =
            code.calls[*call].arguments.iter().map(|argument| (argument.name, argument.value)).collect();
        // `PgPoolOptions::new().max_connections(5).connect(url)`
        let mut callee = code.calls[*call].callee;
        while let Some(Value::Member { of, .. }) = code.exprs.get(callee).map(|expr| &expr.value)
            && let Some(Value::Call(call)) = code.exprs.get(*of).map(|expr| &expr.value)
        {
            let call = &code.calls[*call];
            open.extend(call.arguments.iter().map(|argument| (Some(call.name), argument.value)));
            callee = call.callee;
        }
        let (mut seen, mut size) = (0_usize, Size::Default);
        while let Some((name, value)) = open.pop() {
            seen += 1;
            let Some(expr) = code.exprs.get(value).filter(|_| seen < MAX_ARGUMENTS) else { continue };
            let text = self.slice(expr.span);
            match name {
                Some("autocommit" | "autoCommit") => {
                    let on = matches!(text, "True" | "true");
                    self.sessions.all[id].begins = if on { Begins::Never } else { Begins::ByItself };
                }
                Some("isolation_level") if text.contains("AUTOCOMMIT") => {
                    self.sessions.all[id].begins = Begins::Never;
                }
                Some(name) if is_size(name) => size = self.size_of(value, function),
                _ => {}
            }
            match &expr.value {
                Value::Items(items) => open.extend(items.iter().map(|item| (item.name, item.value))),
                Value::Call(call) => {
                    open.extend(code.calls[*call].arguments.iter().map(|argument| (argument.name, argument.value)));
                }
                Value::Name(known) => {
                    let declared = self.names.local(function, known);
                    match declared.and_then(|declared| declared.value) {
                        Some(value) => open.push((None, value)),
                        None if size == Size::Default && may_size(known) => size = Size::Unknown,
                        None => {}
                    }
                }
                Value::Member { name: known, .. } if size == Size::Default && may_size(known) => size = Size::Unknown,
                _ => {}
            }
            if self.sessions.all[id].setting.is_none() {
                self.sessions.all[id].setting = variable(text);
            }
        }
        self.sessions.all[id].size = size;
    }

    /// The size that a value says.
    fn size_of(&self, value: ExprId, function: FunctionId) -> Size {
        let code = self.program.code;
        let constant = |id: ExprId| match code.exprs.get(id).map(|expr| &expr.value) {
            Some(Value::Constant(text)) => integer(text),
            _ => None,
        };
        let named = || match code.exprs.get(value).map(|expr| &expr.value) {
            Some(Value::Name(name)) => constant(self.names.local(function, name)?.value?),
            _ => None,
        };
        match constant(value).or_else(named) {
            // SQLAlchemy opens more where all of its pool are lent.
            Some(1)
                if self.program.language == HostLanguage::Python
                    && self.names.uses(&["SQLAlchemy"])
                    && !overflows_never(self.program.text.as_bytes()) =>
            {
                Size::Many
            }
            Some(1) => Size::One,
            Some(_) => Size::Many,
            None => Size::Unknown,
        }
    }

    /// Whether an argument is 1, as a number or by the name of one.
    pub(super) fn is_one(&self, value: ExprId) -> bool {
        self.size_of(value, self.function()) == Size::One
    }
}

/// Whether a value by this name may say how large a pool is.
fn may_size(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    OPTIONS.iter().any(|word| name.contains(word))
}

/// The variable of the environment that a piece of code reads: `os.environ["DATABASE_URL"]`, `process.env.DATABASE_URL`.
fn variable(text: &str) -> Option<String> {
    let reads = ["environ", "getenv", "process.env", "ENV", "env", "Env", "config", "Config", "Deno.env"];
    let at = reads.iter().filter_map(|known| text.find(known)).min()?;
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let rest = &text[at..];
    let name = rest.split(|c: char| !is_part(c)).find(|word| word.len() > 4 && word.contains('_'));
    name.map(str::to_owned)
}
