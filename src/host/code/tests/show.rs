//! Code as text, for tests.

use crate::host::code::{Argument, Binding, Code, Exit, ExprId, Flow, Parameter, StmtId, Target, Value};
use std::fmt::Write;

/// Imports, classes and functions; the file itself comes first, without a head.
pub(super) fn show(text: &str, code: &Code<'_>) -> String {
    let mut show = Show { text, code, out: String::new() };
    for import in &code.imports {
        let _ = writeln!(show.out, "import {} as {}", import.path, import.name);
    }
    for class in &code.classes {
        show.annotations(&class.annotations);
        let _ = writeln!(show.out, "class {}({})", class.name, class.bases.join(", "));
        for field in &class.fields {
            let field = show.binding(field);
            let _ = writeln!(show.out, "  {field}");
        }
    }
    for (id, function) in code.functions.iter().enumerate() {
        let mut depth = 0;
        if id > 0 {
            show.annotations(&function.annotations);
            let class = function.class.map(|class| format!("{}.", code.classes[class].name)).unwrap_or_default();
            let this = function.this.map(|this| format!("{this}; ")).unwrap_or_default();
            let parameters: Vec<String> = function.parameters.iter().map(|of| show.parameter(of)).collect();
            let returns = function.returns.map(|returns| format!(" -> {returns}")).unwrap_or_default();
            let start = if function.is_async { "async " } else { "" };
            let error = if function.has_error { " (error)" } else { "" };
            let parameters = parameters.join(", ");
            let _ = writeln!(show.out, "{start}fn#{id} {class}{}({this}{parameters}){returns}{error}", function.name);
            depth = 1;
        }
        show.stmt(function.body, depth);
    }
    show.out
}

struct Show<'a, 's> {
    text: &'s str,
    code: &'a Code<'s>,
    out: String,
}

impl<'s> Show<'_, 's> {
    fn annotations(&mut self, annotations: &[ExprId]) {
        for annotation in annotations {
            let annotation = self.expr(*annotation);
            let _ = writeln!(self.out, "@{annotation}");
        }
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.out, "{:1$}{line}", "", depth * 2);
    }

    fn parameter(&self, parameter: &Parameter<'_>) -> String {
        let mut shown = parameter.name.to_owned();
        if !parameter.parts.is_empty() {
            shown = format!("{{{}}}", parameter.parts.join(", "));
        }
        if let Some(ty) = parameter.ty {
            shown += &format!(": {ty}");
        }
        if let Some(default) = parameter.default {
            shown += &format!(" = {}", self.expr(default));
        }
        shown
    }

    fn target(&self, target: &Target<'_>) -> String {
        let part = target.part.map(|part| format!(".{part}")).unwrap_or_default();
        format!("{}{part}", self.expr(target.expr))
    }

    fn binding(&self, binding: &Binding<'_>) -> String {
        let targets: Vec<String> = binding.targets.iter().map(|target| self.target(target)).collect();
        let mut shown = targets.join(", ");
        if let Some(ty) = binding.ty {
            shown += &format!(": {ty}");
        }
        if let Some(value) = binding.value {
            shown += &format!(" {} {}", if binding.declares { ":=" } else { "=" }, self.expr(value));
        }
        shown
    }

    fn argument(&self, argument: &Argument<'_>) -> String {
        let name = argument.name.map(|name| format!("{name}: ")).unwrap_or_default();
        format!("{name}{}", self.expr(argument.value))
    }

    fn list(&self, exprs: &[ExprId]) -> String {
        exprs.iter().map(|expr| self.expr(*expr)).collect::<Vec<_>>().join(" ")
    }

    fn expr(&self, expr: ExprId) -> String {
        let expr = &self.code.exprs[expr];
        match &expr.value {
            Value::Name(name) | Value::Constant(name) => (*name).to_owned(),
            Value::Member { of, name, .. } => format!("{}.{name}", self.expr(*of)),
            Value::Call(call) => {
                let call = &self.code.calls[*call];
                let arguments: Vec<String> = call.arguments.iter().map(|of| self.argument(of)).collect();
                let before = [(call.awaited, "await "), (call.elsewhere, "start "), (call.constructs, "new ")];
                let before: String = before.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
                let types = if call.types.is_empty() { String::new() } else { format!("<{}>", call.types) };
                format!("{before}{}{types}({})", self.expr(call.callee), arguments.join(", "))
            }
            Value::Text(holes) => {
                let text = self.text[expr.span.range()].split_whitespace().collect::<Vec<_>>().join(" ");
                if holes.is_empty() { text } else { format!("{text}<{}>", self.list(holes)) }
            }
            Value::Function(function) => format!("fn#{function}"),
            Value::Not(of) => format!("!{}", self.expr(*of)),
            Value::Logic { and, operands: [a, b] } => {
                format!("({} {} {})", self.expr(*a), if *and { "and" } else { "or" }, self.expr(*b))
            }
            Value::Binary { operator, operands: [a, b] } => {
                format!("({} {operator} {})", self.expr(*a), self.expr(*b))
            }
            Value::Assign { target, value } => format!("({} = {})", self.expr(*target), self.expr(*value)),
            Value::Propagate(of) => format!("{}?", self.expr(*of)),
            Value::Block(stmt) => {
                let mut inner = Show { text: self.text, code: self.code, out: String::new() };
                inner.stmt(*stmt, 0);
                let lines: Vec<&str> = inner.out.trim_end().split('\n').map(str::trim).collect();
                format!("{{ {} }}", lines.join("; "))
            }
            Value::Items(items) => {
                format!("[{}]", items.iter().map(|item| self.argument(item)).collect::<Vec<_>>().join(", "))
            }
            Value::Other(parts) => format!("<{}>", self.list(parts)),
        }
    }

    fn binds(&self, binds: &[Binding<'_>]) -> String {
        // Their values are in the condition.
        let names: Vec<String> = binds
            .iter()
            .flat_map(|binding| {
                let ty = binding.ty.map(|ty| format!(": {ty}")).unwrap_or_default();
                binding.targets.iter().map(move |target| self.target(target) + &ty)
            })
            .collect();
        if names.is_empty() { String::new() } else { format!(" binds {}", names.join(", ")) }
    }

    fn stmt(&mut self, stmt: StmtId, depth: usize) {
        match &self.code.stmts[stmt].flow {
            Flow::Sequence(stmts) => stmts.iter().for_each(|stmt| self.stmt(*stmt, depth)),
            Flow::Block { label, body } => {
                self.line(depth, &format!("block {label}"));
                self.stmt(*body, depth + 1);
            }
            Flow::Run(expr) => self.line(depth, &self.expr(*expr)),
            Flow::Bind(binding) => self.line(depth, &self.binding(binding)),
            Flow::If { condition, binds, then, otherwise } => {
                self.line(depth, &format!("if {}{}", self.expr(*condition), self.binds(binds)));
                self.stmt(*then, depth + 1);
                if let Some(otherwise) = otherwise {
                    self.line(depth, "else");
                    self.stmt(*otherwise, depth + 1);
                }
            }
            Flow::Loop { label, condition, binds, body, endless, once } => {
                let label = label.map(|label| format!(" {label}")).unwrap_or_default();
                let condition = condition.map(|of| format!(" {}", self.expr(of))).unwrap_or_default();
                let endless = if *endless { " endless" } else { "" };
                let once = if *once { " once" } else { "" };
                self.line(depth, &format!("loop{label}{endless}{once}{condition}{}", self.binds(binds)));
                self.stmt(*body, depth + 1);
            }
            Flow::Try { body, handlers, otherwise, finally } => {
                self.line(depth, "try");
                self.stmt(*body, depth + 1);
                for handler in handlers {
                    let binds = handler.binds.map(|binds| format!(" as {binds}")).unwrap_or_default();
                    let all = if handler.all { " all" } else { "" };
                    let catches = if handler.catches.is_empty() { "" } else { &format!(" {}", handler.catches) };
                    self.line(depth, &format!("catch{all}{catches}{binds}"));
                    self.stmt(handler.body, depth + 1);
                }
                for (word, part) in [("otherwise", otherwise), ("finally", finally)] {
                    if let Some(part) = part {
                        self.line(depth, word);
                        self.stmt(*part, depth + 1);
                    }
                }
            }
            Flow::With { items, body } => {
                let items: Vec<String> = items.iter().map(|item| self.binding(item)).collect();
                self.line(depth, &format!("with {}", items.join(", ").trim()));
                self.stmt(*body, depth + 1);
            }
            Flow::Defer(expr) => self.line(depth, &format!("defer {}", self.expr(*expr))),
            Flow::Exit(exit) => {
                let line = match exit {
                    Exit::Return(value) => format!("return {}", value.map_or(String::new(), |value| self.expr(value))),
                    Exit::ReturnOuter(value) => {
                        format!("return outer {}", value.map_or(String::new(), |value| self.expr(value)))
                    }
                    Exit::Throw { value, dies } => {
                        let value = value.map_or(String::new(), |value| self.expr(value));
                        format!("{} {value}", if *dies { "die" } else { "throw" })
                    }
                    Exit::Break(label) => format!("break {}", label.unwrap_or_default()),
                    Exit::Continue(label) => format!("continue {}", label.unwrap_or_default()),
                };
                self.line(depth, line.trim_end());
            }
        }
    }
}
