//! Answers that go into names which nobody reads, or nowhere.

use super::answer::{Taken, given};
use super::value::{Answer, Val};
use super::{Run, answer::Part};
use crate::host::code::{Argument, Binding, ExprId, Flow, Target, Value};
use crate::language::HostLanguage;
use crate::span::Span;

/// Methods that give the row or the value of a query and keep nothing of it, beside those of [`given`].
const FETCHES: &[&str] = &[
    "ExecuteScalar",
    "ExecuteScalarAsync",
    "Query",
    "QueryAsync",
    "QueryFirst",
    "QueryFirstAsync",
    "QueryRow",
    "QueryRowContext",
    "QueryRowx",
    "QueryRowxContext",
    "QuerySingle",
    "QuerySingleAsync",
    "queryForList",
    "queryForMap",
    "queryForObject",
    "fetch_all",
    "fetch_one",
    "fetch_optional",
    "get_result",
    "query_one",
    "query_opt",
    "query_row",
];

/// Words that may read a variable whose name does not stand there.
const READS_ALL: &[&str] = &["$$", "binding", "eval(", "extract(", "get_defined_vars", "include", "locals()", "vars()"];

impl<'s> Run<'_, 's, '_> {
    /// A declaration or assignment whose names get these values: whether an answer of the server goes into names that stand
    /// nowhere else.
    pub(super) fn bound_for_nothing(&mut self, binding: &Binding<'s>, val: &Val, parts: &[Val], before: &Taken) {
        let Some(value) = binding.value.filter(|value| self.is_chain(*value)) else { return };
        let of = self.program.code.exprs[value].span;
        if self.is_last(of) {
            return;
        }
        let mut answer = match val {
            Val::Answer(got) if binding.targets.is_empty() && self.is_wildcard(of) => Some(*got),
            _ => None,
        };
        for (target, part) in binding.targets.iter().zip(parts) {
            if let Val::Answer(got) = part {
                if !self.is_never_read(target, of) {
                    return;
                }
                answer = Some(*got);
            }
        }
        if let Some(answer) = answer {
            self.ignored(answer, before);
        }
    }

    /// Whether an assignment ends its block, whose value it then is.
    fn is_last(&self, value: Span) -> bool {
        const ENDS: &[&str] = &["end", "else", "elsif", "ensure", "in ", "rescue", "when", "}", ")"];
        let rest = self.after(value).trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        matches!(self.program.language, HostLanguage::Ruby | HostLanguage::Elixir)
            && ENDS.iter().any(|end| rest.starts_with(end))
    }

    /// Whether what gets a value is Rust's `_`, which is no name.
    fn is_wildcard(&self, value: Span) -> bool {
        let before = self.program.text.get(..value.start).unwrap_or_default().trim_end();
        let declared = before.strip_suffix('=').and_then(|before| before.rsplit("let ").next()).unwrap_or_default();
        let pattern = declared.split(':').next().unwrap_or_default().trim();
        self.program.language == HostLanguage::Rust && pattern == "_"
    }

    /// A statement that is a call: whether it gives an answer that nothing takes.
    pub(super) fn thrown_away(&mut self, expr: ExprId, val: &Val, before: &Taken) {
        let Val::Answer(answer) = val else { return };
        let code = self.program.code;
        let mut at = expr;
        let call = loop {
            match code.exprs.get(at).map(|expr| &expr.value) {
                Some(Value::Propagate(inner)) => at = *inner,
                // `query() ?: false`, which nobody takes either.
                Some(Value::Logic { and: false, operands: [first, second] })
                    if matches!(code.exprs.get(*second).map(|expr| &expr.value), Some(Value::Constant(_))) =>
                {
                    at = *first;
                }
                Some(Value::Call(call)) => break &code.calls[*call],
                _ => return,
            }
        };
        // A cursor keeps the rows.
        let keeps = self.program.language == HostLanguage::Python && call.name.starts_with("exec");
        let gives = given(self.program.language, "", call.name) != Part::Unknown || FETCHES.contains(&call.name);
        let function =
            |given: &Argument<'_>| matches!(code.exprs.get(given.value).map(|e| &e.value), Some(Value::Function(_)));
        if gives && !keeps && !call.arguments.iter().any(function) {
            self.ignored(*answer, before);
        }
    }

    /// `Scan(&got)`: the answer goes into the variables that the arguments name.
    pub(super) fn scanned(&mut self, answer: Answer, arguments: &[Argument<'s>]) {
        let code = self.program.code;
        let before = self.taken_so_far();
        self.take(answer);
        let mut ignored = !arguments.is_empty();
        for argument in arguments {
            let Some(expr) = code.exprs.get(argument.value) else { continue };
            let Value::Name(name) = expr.value else {
                ignored = false;
                continue;
            };
            let target = Target { expr: argument.value, name, part: None };
            ignored &= self.program.language == HostLanguage::Go && self.is_never_read(&target, expr.span);
            self.set(name, Val::Answer(answer));
        }
        if ignored {
            self.ignored(answer, &before);
        }
    }

    /// Whether an expression is calls, members and elements of one another: nothing in it decides.
    fn is_chain(&self, mut at: ExprId) -> bool {
        let code = self.program.code;
        loop {
            at = match code.exprs.get(at).map(|expr| &expr.value) {
                Some(Value::Call(call)) => code.calls[*call].callee,
                Some(Value::Member { of, .. }) => *of,
                Some(Value::Propagate(inner)) => *inner,
                Some(Value::Other(parts)) => match parts.first() {
                    Some(first) => *first,
                    None => return false,
                },
                Some(Value::Name(_) | Value::Text(_)) => return true,
                _ => return false,
            };
        }
    }

    /// Whether a name is a variable of a function that stands nowhere in it but where it is declared, and in the value that
    /// it gets. What is found in a comment counts as a use.
    fn is_never_read(&self, target: &Target<'s>, value: Span) -> bool {
        use HostLanguage::{CSharp, Elixir, Go, JavaScript, Ruby, Rust, Scala, Tsx, TypeScript};
        let code = self.program.code;
        let language = self.program.language;
        let name = target.name.trim_start_matches('$');
        if name == "_" && matches!(language, CSharp | Elixir | Go | Rust | Scala) {
            return true;
        }
        let Some(at) = code.exprs.get(target.expr).filter(|at| matches!(at.value, Value::Name(_))) else {
            return false;
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_word) {
            return false;
        }
        // What closures see is the function's around them; what stands in none is the file's, and perhaps another's.
        let root = self.names.chain(self.function()).filter(|&function| function != 0).last();
        let around = match (root, language) {
            (Some(root), _) => code.functions[root].span,
            (None, JavaScript | TypeScript | Tsx | Ruby) => Span::new(0, self.program.text.len()),
            (None, _) => return false,
        };
        let text = self.slice(around);
        if READS_ALL.iter().any(|word| text.contains(word)) {
            return false;
        }
        let declared = |at: Span| {
            code.stmts.iter().any(|stmt| {
                matches!(&stmt.flow, Flow::Bind(binding) if binding.declares
                    && binding.targets.iter().any(|target| code.exprs.get(target.expr).is_some_and(|e| e.span.contains(at))))
            })
        };
        text.match_indices(name).all(|(from, _)| {
            let (head, tail) = (&text[..from], &text[from + name.len()..]);
            let place = Span::new(around.start + from, around.start + from + name.len());
            if head.ends_with(is_word) || tail.starts_with(is_word) {
                return true;
            }
            let line = self.program.text[..place.start].rsplit('\n').next().unwrap_or_default();
            let exported = || line.contains("export");
            is_remark(line, language)
                || at.span.contains(place) && (root.is_some() || !exported())
                || value.contains(place)
                || declared(place)
                || self.is_column(head, place)
        })
    }

    /// Whether a name in a query is that of a column.
    fn is_column(&self, head: &str, place: Span) -> bool {
        let head = head.trim_end_matches('"');
        let word = head.len().checked_sub(4).and_then(|at| head.get(at..)).unwrap_or_default();
        word.eq_ignore_ascii_case(" as ") && self.program.queries.keys().any(|query| query.contains(place))
    }
}

/// Whether a line begins as a comment does, which reads nothing.
fn is_remark(line: &str, language: HostLanguage) -> bool {
    let hash = matches!(language, HostLanguage::Python | HostLanguage::Ruby | HostLanguage::Elixir | HostLanguage::Php);
    let line = line.trim_start();
    line.starts_with("//") || line.starts_with("/*") || line.starts_with("* ") || hash && line.starts_with('#')
}
