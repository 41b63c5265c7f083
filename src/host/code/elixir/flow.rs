//! Calls that decide what runs.

use super::{leave_with, operands, operator_of, pattern, statements};
use crate::host::code::build::{Builder, Lowered, Way, span_of};
use crate::host::code::{Binding, Exit, ExprId, Flow, FunctionId, Handler, StmtId, Value};
use crate::span::Span;
use std::collections::VecDeque;
use tree_sitter::Node;

/// The parts of a call with a block, or with `do: …, else: …`.
struct Parts<'t> {
    /// The arguments, without those parts.
    arguments: Vec<Node<'t>>,
    /// Other keywords.
    options: Vec<Node<'t>>,
    /// Name, all of it, what is in it.
    sections: Vec<(&'static str, Node<'t>, Vec<Node<'t>>)>,
}

impl<'t> Parts<'t> {
    fn section(&self, name: &str) -> Option<(Node<'t>, Vec<Node<'t>>)> {
        let (_, node, inside) = self.sections.iter().find(|(section, ..)| *section == name)?;
        Some((*node, inside.clone()))
    }
}

fn parts<'t>(b: &Builder<'_, 't>, node: Node<'t>) -> Parts<'t> {
    let name = |word: &str| ["do", "else", "rescue", "catch", "after"].into_iter().find(|name| *name == word);
    let mut parts = Parts { arguments: Vec::new(), options: Vec::new(), sections: Vec::new() };
    for argument in b.part(node, "#arguments").map(|arguments| b.named(arguments)).unwrap_or_default() {
        if argument.kind() != "keywords" {
            parts.arguments.push(argument);
            continue;
        }
        for pair in b.named(argument) {
            match (b.part(pair, "key").and_then(|key| name(b.key(key))), b.part(pair, "value")) {
                (Some(name), Some(value)) => parts.sections.push((name, value, vec![value])),
                (None, Some(value)) => parts.options.push(value),
                _ => {}
            }
        }
    }
    let Some(block) = b.part(node, "#do_block") else { return parts };
    let mut body = Vec::new();
    for child in b.named(block) {
        match child.kind().strip_suffix("_block").and_then(name) {
            Some(name) => parts.sections.push((name, child, b.named(child))),
            None => body.push(child),
        }
    }
    parts.sections.insert(0, ("do", block, body));
    parts
}

fn section<'t>(b: &mut Builder<'_, 't>, parts: &Parts<'t>, name: &str) -> Option<StmtId> {
    let (node, inside) = parts.section(name)?;
    Some(statements(b, inside, node))
}

/// What a call of that name decides; `None` where it is a call like others.
pub(super) fn special<'s, 't>(
    b: &mut Builder<'s, 't>,
    node: Node<'t>,
    name: &str,
    first: Option<ExprId>,
) -> Option<Lowered<'s>> {
    if !matches!(name, "if" | "unless" | "case" | "cond" | "with" | "try" | "for" | "receive") {
        return None;
    }
    let parts = parts(b, node);
    parts.section("do")?;
    match name {
        "if" | "unless" => {
            let mut condition = match first {
                Some(first) => first,
                None => b.expr(*parts.arguments.first()?),
            };
            if name == "unless" {
                condition = b.push(b.code.exprs[condition].span, Value::Not(condition));
            }
            let then = section(b, &parts, "do")?;
            let otherwise = section(b, &parts, "else");
            Some(Lowered::Flow(Flow::If { condition, binds: Vec::new(), then, otherwise }))
        }
        "case" => {
            let subject = match first {
                Some(first) => first,
                None => b.expr(*parts.arguments.first()?),
            };
            let (_, clauses) = parts.section("do")?;
            Some(Lowered::Stmt(cases(b, node, Some(subject), clauses)))
        }
        "receive" => {
            let (_, mut clauses) = parts.section("do")?;
            clauses.extend(parts.section("after").map(|(_, clauses)| clauses).unwrap_or_default());
            Some(Lowered::Stmt(cases(b, node, None, clauses)))
        }
        "cond" => {
            let (_, clauses) = parts.section("do")?;
            let (mut ways, mut otherwise) = (Vec::new(), None);
            for clause in clauses.into_iter().filter(|clause| clause.kind() == "stab_clause") {
                let decides = b.part(clause, "left").and_then(|left| b.part(left, ""));
                let condition = decides.map(|decides| b.expr(decides));
                let then = body(b, clause);
                match condition {
                    Some(condition) if !b.is_true(condition) => {
                        ways.push(Way { condition, binds: Vec::new(), then, start: clause.start_byte() });
                    }
                    _ => otherwise = Some(then),
                }
            }
            Some(Lowered::Stmt(b.chain(node, ways, otherwise)))
        }
        "with" => with(b, node, &parts),
        "try" => {
            let body = section(b, &parts, "do")?;
            Some(Lowered::Stmt(attempt(b, node, &parts, body)))
        }
        _ => rounds(b, node, &parts),
    }
}

/// What a clause does.
fn body<'t>(b: &mut Builder<'_, 't>, clause: Node<'t>) -> StmtId {
    match b.part(clause, "right") {
        Some(body) => {
            let nodes = b.named(body);
            statements(b, nodes, body)
        }
        None => b.empty(clause.end_byte()),
    }
}

/// The patterns of a clause, and its guard.
fn head<'t>(b: &Builder<'_, 't>, clause: Node<'t>) -> (Vec<Node<'t>>, Option<Node<'t>>) {
    let Some(left) = b.part(clause, "left") else { return (Vec::new(), None) };
    let (patterns, guard) = match operands(b, left, "when") {
        Some((patterns, guard)) => (patterns, Some(guard)),
        None => (left, None),
    };
    (b.named(patterns), guard)
}

/// Clauses of which one is taken: the last where no other is.
fn cases<'t>(b: &mut Builder<'_, 't>, node: Node<'t>, subject: Option<ExprId>, clauses: Vec<Node<'t>>) -> StmtId {
    let clauses: Vec<Node<'t>> = clauses.into_iter().filter(|clause| clause.kind() == "stab_clause").collect();
    let last = clauses.len().saturating_sub(1);
    let mut left = subject;
    let (mut ways, mut otherwise): (Vec<Way<'_>>, _) = (Vec::new(), None);
    for (index, clause) in clauses.into_iter().enumerate() {
        let (patterns, guard) = head(b, clause);
        let plain = |kind: &str| matches!(kind, "boolean" | "nil" | "atom" | "integer" | "string");
        let literal = patterns.first().copied().filter(|first| patterns.len() == 1 && plain(first.kind()));
        let certain = index == last && guard.is_none() && (!ways.is_empty() || subject.is_none());
        let targets = pattern::targets(b, patterns);
        let fits = match literal {
            _ if certain => b.push(span_of(clause), Value::Constant("true")),
            Some(literal) if subject.is_some() => b.one_of(&mut left, vec![literal], span_of(clause)),
            _ => b.fits(&mut left, span_of(clause)),
        };
        let mut binds = Vec::new();
        if !targets.is_empty() {
            binds.push(Binding { targets, ty: None, value: subject, declares: true });
        }
        let condition = match guard {
            Some(guard) => {
                let guard = b.expr(guard);
                b.push(span_of(clause), Value::Logic { and: true, operands: [fits, guard] })
            }
            None => fits,
        };
        let then = body(b, clause);
        if certain && binds.is_empty() {
            otherwise = Some(then);
        } else {
            ways.push(Way { condition, binds, then, start: clause.start_byte() });
        }
    }
    let first = subject.filter(|_| ways.is_empty());
    let chain = b.chain(node, ways, otherwise);
    match first {
        Some(first) => {
            let first = b.run(first, span_of(node));
            b.push_stmt(span_of(node), Flow::Sequence(vec![first, chain]))
        }
        None => chain,
    }
}

/// `with a <- f(), b <- g() do … else … end`: each must fit, or what is otherwise done is done.
fn with<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, parts: &Parts<'t>) -> Option<Lowered<'s>> {
    enum Step<'s> {
        Fits(ExprId, Vec<Binding<'s>>),
        Runs(StmtId),
    }
    let mut steps = Vec::new();
    for clause in &parts.arguments {
        let Some((left, right)) = operands(b, *clause, "<-") else {
            steps.extend(b.stmt(*clause).map(|stmt| (clause.start_byte(), Step::Runs(stmt))));
            continue;
        };
        let (pattern, guard) = match operands(b, left, "when") {
            Some((pattern, guard)) => (pattern, Some(guard)),
            None => (left, None),
        };
        let value = b.expr(right);
        let binding = pattern::binding(b, pattern, Some(value));
        let fits = match pattern.kind() {
            // Always.
            "identifier" if guard.is_none() => {
                let bind = b.push_stmt(span_of(*clause), Flow::Bind(binding));
                steps.push((clause.start_byte(), Step::Runs(bind)));
                continue;
            }
            "boolean" | "nil" | "atom" => {
                let with = b.expr(pattern);
                b.push(span_of(*clause), Value::Binary { operator: "==", operands: [value, with] })
            }
            _ => b.push(span_of(*clause), Value::Other(vec![value])),
        };
        let condition = match guard {
            Some(guard) => {
                let guard = b.expr(guard);
                b.push(span_of(*clause), Value::Logic { and: true, operands: [fits, guard] })
            }
            None => fits,
        };
        let binds = if binding.targets.is_empty() { Vec::new() } else { vec![binding] };
        steps.push((clause.start_byte(), Step::Fits(condition, binds)));
    }
    let span = span_of(node);
    let mut done = section(b, parts, "do")?;
    let otherwise = parts.section("else").map(|(node, clauses)| cases(b, node, None, clauses));
    let deciding = steps.iter().filter(|(_, step)| matches!(step, Step::Fits(..))).count();
    let leaves = otherwise.filter(|_| deciding > 1);
    let alone = otherwise.filter(|_| deciding == 1);
    if leaves.is_some() {
        let leave = leave_with(b, b.code.stmts[done].span.end);
        let place = Span::new(b.code.stmts[done].span.start, span.end);
        let mut stmts = match &b.code.stmts[done].flow {
            Flow::Sequence(stmts) => stmts.clone(),
            _ => vec![done],
        };
        stmts.push(leave);
        done = b.push_stmt(place, Flow::Sequence(stmts));
    }
    let mut rest = VecDeque::from([done]);
    for (start, step) in steps.into_iter().rev() {
        let place = Span::new(start, span.end);
        match step {
            Step::Runs(stmt) => rest.push_front(stmt),
            Step::Fits(condition, binds) => {
                let then = b.push_stmt(place, Flow::Sequence(rest.into()));
                let decides = Flow::If { condition, binds, then, otherwise: alone };
                rest = VecDeque::from([b.push_stmt(place, decides)]);
            }
        }
    }
    let flow = Flow::Sequence(rest.into());
    let Some(otherwise) = leaves else { return Some(Lowered::Flow(flow)) };
    let tried = b.push_stmt(span, flow);
    let body = b.push_stmt(span, Flow::Sequence(vec![tried, otherwise]));
    Some(Lowered::Flow(Flow::Block { label: "with", body }))
}

/// The body of a function, with what it does about errors.
pub(super) fn guarded_body<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> StmtId {
    let parts = parts(b, node);
    match section(b, &parts, "do") {
        Some(body) => attempt(b, node, &parts, body),
        None => b.empty(node.end_byte()),
    }
}

fn attempt<'t>(b: &mut Builder<'_, 't>, node: Node<'t>, parts: &Parts<'t>, body: StmtId) -> StmtId {
    let mut handlers = Vec::new();
    for name in ["rescue", "catch"] {
        let clauses = parts.section(name).map(|(_, clauses)| clauses).unwrap_or_default();
        for clause in clauses.into_iter().filter(|clause| clause.kind() == "stab_clause") {
            handlers.push(handler(b, clause, name == "rescue"));
        }
    }
    let otherwise = parts.section("else").map(|(node, clauses)| cases(b, node, None, clauses));
    let finally = section(b, parts, "after");
    if handlers.is_empty() && otherwise.is_none() && finally.is_none() {
        return body;
    }
    b.push_stmt(span_of(node), Flow::Try { body, handlers, otherwise, finally })
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, clause: Node<'t>, rescues: bool) -> Handler<'s> {
    let (patterns, guard) = head(b, clause);
    let mut catches = match (patterns.first(), patterns.last()) {
        (Some(first), Some(last)) => b.text.get(first.start_byte()..last.end_byte()).unwrap_or_default(),
        _ => "",
    };
    let is_name = |node: &Node<'t>| node.kind() == "identifier";
    let mut all = guard.is_none() && patterns.iter().all(is_name) && (rescues || patterns.len() == 2);
    let mut binds = patterns.last().copied().filter(is_name);
    if let Some((name, types)) = patterns.first().and_then(|pattern| operands(b, *pattern, "in")) {
        catches = b.slice(types);
        all = catches == "_";
        binds = Some(name).filter(is_name);
    }
    let binds = binds.map(|name| b.slice(name)).filter(|name| *name != "_");
    let catches = if all { "" } else { catches };
    let body = body(b, clause);
    Handler { catches, all, binds, body }
}

/// `for x <- xs, y = f(x), c, into: … do … end`
fn rounds<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, parts: &Parts<'t>) -> Option<Lowered<'s>> {
    enum Step<'s> {
        Each(ExprId, Binding<'s>),
        Binds(StmtId),
        If(ExprId),
    }
    let span = span_of(node);
    let mut steps = Vec::new();
    for clause in &parts.arguments {
        let start = clause.start_byte();
        if let Some((pattern, through)) = operands(b, *clause, "<-") {
            let through = b.expr(through);
            steps.push((start, Step::Each(through, pattern::binding(b, pattern, Some(through)))));
        } else if operator_of(b, *clause) == "=" {
            steps.extend(b.stmt(*clause).map(|stmt| (start, Step::Binds(stmt))));
        } else {
            steps.push((start, Step::If(b.expr(*clause))));
        }
    }
    let mut before = Vec::new();
    for option in &parts.options {
        let option = b.expr(*option);
        if matches!(b.code.exprs[option].value, Value::Call(_)) {
            before.push(b.run(option, Span::new(span.start, span.start)));
        }
    }
    let (inside, nodes) = parts.section("do")?;
    let mut done = if nodes.iter().any(|node| node.kind() == "stab_clause") {
        cases(b, inside, None, nodes)
    } else {
        statements(b, nodes, inside)
    };
    let mut rest: VecDeque<StmtId> = VecDeque::new();
    for (start, step) in steps.into_iter().rev() {
        let place = Span::new(start, span.end);
        if !rest.is_empty() && !matches!(step, Step::Binds(_)) {
            rest.push_back(done);
            done = b.push_stmt(place, Flow::Sequence(std::mem::take(&mut rest).into()));
        }
        let flow = match step {
            Step::Binds(stmt) => {
                rest.push_front(stmt);
                continue;
            }
            Step::If(condition) => Flow::If { condition, binds: Vec::new(), then: done, otherwise: None },
            Step::Each(through, binding) => Flow::Loop {
                label: None,
                condition: Some(through),
                binds: vec![binding],
                body: done,
                endless: false,
                once: false,
            },
        };
        done = b.push_stmt(place, flow);
    }
    before.extend(rest);
    before.push(done);
    Some(Lowered::Flow(Flow::Sequence(before)))
}

/// `fn … -> … end` with its clauses.
pub(super) fn closure<'t>(b: &mut Builder<'_, 't>, node: Node<'t>, clauses: Vec<Node<'t>>) -> FunctionId {
    let around = b.begin_function(node, "", Span::new(node.start_byte(), node.start_byte()));
    let (patterns, guard) = clauses.first().map(|first| head(b, *first)).unwrap_or_default();
    let parameters = patterns.into_iter().map(|parameter| pattern::parameter(b, parameter)).collect();
    b.current().parameters = parameters;
    let body = match clauses.as_slice() {
        [only] if guard.is_none() => body(b, *only),
        _ => cases(b, node, None, clauses),
    };
    b.give_last(body);
    b.current().body = body;
    b.end_function(around)
}

/// `&f(&1, x)`
pub(super) fn capture<'t>(b: &mut Builder<'_, 't>, node: Node<'t>, operand: Node<'t>) -> FunctionId {
    let around = b.begin_function(node, "", Span::new(node.start_byte(), node.start_byte()));
    let value = b.expr(operand);
    let body = b.push_stmt(span_of(operand), Flow::Exit(Exit::Return(Some(value))));
    b.current().body = body;
    b.end_function(around)
}

/// The block of a call, as a function that is given to it.
pub(super) fn block_function<'t>(b: &mut Builder<'_, 't>, block: Node<'t>) -> FunctionId {
    let around = b.begin_function(block, "", Span::new(block.start_byte(), block.start_byte()));
    let nodes = b.named(block);
    let body = if nodes.iter().any(|node| node.kind() == "stab_clause") {
        cases(b, block, None, nodes)
    } else {
        statements(b, nodes, block)
    };
    b.give_last(body);
    b.current().body = body;
    b.end_function(around)
}
