//! Python.

use super::build::{Builder, Lowered, Way, span_of};
use super::language::{Parts, Shape, Syntax, no_case, opens_nothing};
use super::{Argument, Binding, Exit, ExprId, Flow, Handler, Import, StmtId, Target, Value};
use crate::span::Span;
use std::borrow::Cow;
use tree_sitter::Node;

const FUNCTION: Parts = Parts { name: "name", parameters: "parameters", returns: "return_type", body: "body" };
const LAMBDA: Parts = Parts { name: "name", parameters: "parameters", returns: "return_type", body: "body" };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "decorated_definition",
                "function_definition",
                "with_statement",
                "match_statement",
                "assert_statement",
                "assignment",
                "augmented_assignment",
                "conditional_expression",
                "list_comprehension",
                "set_comprehension",
                "dictionary_comprehension",
                "generator_expression",
                "import_statement",
                "import_from_statement",
                "future_import_statement",
                "yield",
            ],
        ),
        (
            Shape::Skip,
            &[
                "comment",
                "type",
                "pass_statement",
                "global_statement",
                "nonlocal_statement",
                "type_alias_statement",
                "keyword_separator",
                "positional_separator",
                "type_conversion",
            ],
        ),
        (Shape::Name, &["identifier", "keyword_identifier"]),
        (Shape::Constant, &["integer", "float", "true", "false", "none", "ellipsis"]),
        (Shape::Through(""), &["parenthesized_expression", "list_splat_pattern", "dictionary_splat_pattern"]),
        (Shape::Through(""), &["as_pattern_target", "type_parameter"]),
        (Shape::Await(""), &["await"]),
        (Shape::Member("object", "attribute"), &["attribute"]),
        (Shape::Call("function", "arguments"), &["call"]),
        (Shape::Keyword("name", "value"), &["keyword_argument"]),
        (Shape::Keyword("key", "value"), &["pair"]),
        (Shape::Binary, &["binary_operator", "boolean_operator", "comparison_operator"]),
        (Shape::Unary("argument"), &["not_operator", "unary_operator"]),
        (Shape::Items, &["tuple", "list", "set", "dictionary"]),
        (Shape::Items, &["expression_list", "pattern_list", "tuple_pattern", "list_pattern"]),
        (Shape::Assign("name", "value"), &["named_expression"]),
        (Shape::Closure(&LAMBDA), &["lambda"]),
        (Shape::Class("name", "superclasses", "body"), &["class_definition"]),
        (Shape::Annotation(""), &["decorator"]),
        (Shape::Parameter("", "type", "default"), &["typed_parameter"]),
        (Shape::Parameter("name", "type", "value"), &["typed_default_parameter", "default_parameter"]),
        (Shape::Sequence, &["module", "block"]),
        (Shape::Run, &["expression_statement", "delete_statement"]),
        (Shape::Return(""), &["return_statement"]),
        (Shape::Throw(""), &["raise_statement"]),
        (Shape::Break(""), &["break_statement"]),
        (Shape::Continue(""), &["continue_statement"]),
        (Shape::If("condition", "consequence", "alternative"), &["if_statement", "elif_clause"]),
        (Shape::Else("body"), &["else_clause"]),
        (Shape::While("condition", "body"), &["while_statement"]),
        (Shape::Each("left", "right", "body"), &["for_statement"]),
        (Shape::Try("body"), &["try_statement"]),
        (Shape::Catch, &["except_clause", "except_group_clause"]),
        (Shape::Finally(""), &["finally_clause"]),
    ],
    own,
    handler,
    using: opens_nothing,
    target: None,
    case: no_case,
    throws: true,
    breaks_cases: false,
    gives_last: false,
    starts_unawaited: false,
    leaves: &[("sys.exit", false), ("os._exit", true), ("os.abort", true), ("exit", false), ("quit", false)],
    starts: &[
        ("create_task", true),
        ("ensure_future", true),
        ("run_coroutine_threadsafe", true),
        ("start_soon", false),
        ("call_later", false),
        ("call_soon", false),
        ("call_soon_threadsafe", false),
        ("add_task", false),
        ("apply_async", false),
        ("submit", false),
        ("Thread", false),
        ("Timer", false),
    ],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "decorated_definition" => {
            b.own_annotations(node);
            let definition = b.part(node, "definition")?;
            return Some(b.stmt(definition).map_or(Lowered::Nothing, Lowered::Stmt));
        }
        "function_definition" => {
            function(b, node);
            Lowered::Nothing
        }
        // The caller's block runs here, or its loop.
        "yield" => {
            let values: Vec<_> =
                b.named(node).into_iter().map(|part| Argument { name: None, value: b.expr(part) }).collect();
            let at = Span::new(node.start_byte(), node.start_byte() + "yield".len());
            let callee = b.push(at, Value::Name("yield"));
            let call = b.call(node, callee, "", values);
            Lowered::Expr(b.code.calls[call].expr)
        }
        "with_statement" => with(b, node),
        "match_statement" => matches(b, node),
        "assert_statement" => {
            let mut parts = b.named(node).into_iter();
            let condition = parts.next()?;
            let condition = b.expr(condition);
            let not = b.push(span_of(node), Value::Not(condition));
            let value = parts.next().map(|message| b.expr(message));
            let then = b.push_stmt(span_of(node), Flow::Exit(Exit::Throw { value, dies: false }));
            Lowered::Flow(Flow::If { condition: not, binds: Vec::new(), then, otherwise: None })
        }
        "assignment" => return assignment(b, node, statement),
        "augmented_assignment" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            b.augmented(node, left, right)
        }
        "conditional_expression" => {
            let parts = b.named(node);
            let [then, condition, otherwise] = parts.as_slice() else { return None };
            let condition = b.expr(*condition);
            let then = b.gives(*then);
            let otherwise = Some(b.gives(*otherwise));
            Lowered::Flow(Flow::If { condition, binds: Vec::new(), then, otherwise })
        }
        "import_statement" | "import_from_statement" | "future_import_statement" => {
            import(b, node);
            Lowered::Nothing
        }
        _ => comprehension(b, node)?,
    })
}

fn function<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let id = b.declare_function(node, &FUNCTION);
    let function = &b.code.functions[id];
    let is_static =
        function.annotations.iter().any(|of| matches!(b.code.exprs[*of].value, Value::Name("staticmethod")));
    if function.class.is_some() && !is_static && !function.parameters.is_empty() {
        let this = b.code.functions[id].parameters.remove(0);
        b.code.functions[id].this = Some(this.name);
    }
}

fn assignment<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    let left = b.part(node, "left")?;
    let right = b.part(node, "right");
    if !statement {
        let value = right.map(|right| b.expr(right))?;
        let target = b.expr(left);
        return Some(Lowered::Value(Value::Assign { target, value }));
    }
    let ty = b.part(node, "type");
    if b.class.is_none() {
        let declares = ty.is_some();
        return Some(Lowered::Stmt(b.bind(node, left, ty, right, declares)));
    }
    let value = right.map(|right| b.expr(right));
    let ty = ty.map(|ty| b.type_of(ty));
    let binding = Binding { ty, ..b.binding(left, value, true) };
    b.field(binding);
    Some(Lowered::Nothing)
}

/// `with a as b, c:`
fn with<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let waits = b.has_word(node, "async");
    let mut items = Vec::new();
    let clause = b.part(node, "#with_clause").map(|clause| b.named(clause)).unwrap_or_default();
    for item in clause {
        let Some(value) = b.part(item, "value") else { continue };
        let (value, alias) = match value.kind() {
            "as_pattern" => (b.part(value, "").unwrap_or(value), b.part(value, "alias")),
            _ => (value, None),
        };
        let value = b.expr(value);
        if waits {
            b.awaited(value);
        }
        items.push(match alias {
            Some(alias) => b.binding(alias, Some(value), true),
            None => Binding { targets: Vec::new(), ty: None, value: Some(value), declares: true },
        });
    }
    let body = b.part(node, "body");
    let body = b.body(body, node.end_byte());
    Lowered::Flow(Flow::With { items, body })
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let value = b.part(node, "value");
    let (types, binds) = match value {
        Some(value) if value.kind() == "as_pattern" => {
            (b.part(value, ""), b.part(value, "alias").map(|alias| b.slice(alias)))
        }
        _ => (value, None),
    };
    let catches = types.map_or("", |types| b.slice(types));
    let mut names = catches.trim_matches(['(', ')']).split(',').map(str::trim);
    let all = catches.is_empty() || names.any(|name| matches!(name, "Exception" | "BaseException"));
    let computed = types
        .map(|types| b.expr(types))
        .filter(|types| !matches!(b.code.exprs[*types].value, Value::Name(_) | Value::Member { .. } | Value::Items(_)));
    let body = b.part(node, "#block");
    let mut body = b.body(body, node.end_byte());
    if let Some(computed) = computed {
        let first = b.run(computed, Span::new(node.start_byte(), node.start_byte()));
        body = b.push_stmt(span_of(node), Flow::Sequence(vec![first, body]));
    }
    Handler { catches, all, binds, body }
}

fn matches<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let subjects = b.fields(node, "subject");
    let span = span_of(node);
    let subject = match subjects.as_slice() {
        [only] => b.expr(*only),
        _ => {
            let parts = b.exprs(subjects);
            b.push(Span::new(span.start, span.start), Value::Other(parts))
        }
    };
    let mut ways: Vec<Way<'s>> = Vec::new();
    let mut otherwise = None;
    let mut left = Some(subject);
    let cases = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
    for case in cases.into_iter().filter(|case| case.kind() == "case_clause") {
        let patterns: Vec<Node<'t>> = b.named(case).into_iter().filter(|part| part.kind() == "case_pattern").collect();
        let guard = b.part(case, "guard").and_then(|guard| b.part(guard, ""));
        let body = b.part(case, "consequence");
        let any = matches!(patterns.as_slice(), [only] if only.named_child_count() == 0);
        if any && guard.is_none() {
            otherwise = Some(b.body(body, case.end_byte()));
            break;
        }
        let mut binds = Vec::new();
        let condition = condition(b, case, &patterns, &mut left, subject, &mut binds);
        let condition = match guard {
            Some(guard) => {
                let guard = b.expr(guard);
                b.push(span_of(case), Value::Logic { and: true, operands: [condition, guard] })
            }
            None => condition,
        };
        let then = b.body(body, case.end_byte());
        ways.push(Way { condition, binds, then, start: case.start_byte() });
    }
    if ways.is_empty() {
        let first = b.run(subject, span);
        let stmts: Vec<StmtId> = std::iter::once(first).chain(otherwise).collect();
        return Lowered::Flow(Flow::Sequence(stmts));
    }
    Lowered::Stmt(b.chain(node, ways, otherwise))
}

/// The condition of a case, and what it binds.
fn condition<'s, 't>(
    b: &mut Builder<'s, 't>,
    case: Node<'t>,
    patterns: &[Node<'t>],
    left: &mut Option<ExprId>,
    subject: ExprId,
    binds: &mut Vec<Binding<'s>>,
) -> ExprId {
    let literal = |b: &Builder<'s, 't>, pattern: Node<'t>| {
        let inside = b.part(pattern, "")?;
        matches!(inside.kind(), "string" | "integer" | "float" | "true" | "false" | "none").then_some(inside)
    };
    if let [only] = patterns
        && let Some(value) = literal(b, *only)
    {
        return b.one_of(left, vec![value], span_of(case));
    }
    let span = patterns.iter().map(|pattern| span_of(*pattern)).reduce(Span::join).unwrap_or(span_of(case));
    let mut targets: Vec<Target<'s>> = Vec::new();
    let mut todo: Vec<(Node<'t>, Option<&'s str>)> = patterns.iter().rev().map(|pattern| (*pattern, None)).collect();
    while let Some((pattern, part)) = todo.pop() {
        let children = b.named(pattern);
        let names = match pattern.kind() {
            "dotted_name" if children.len() == 1 => true,
            "dotted_name" | "string" => continue,
            "identifier" => true,
            _ => false,
        };
        if names {
            let expr = b.name(pattern);
            targets.push(Target { expr, name: b.slice(pattern), part });
            continue;
        }
        // Of a class and of an argument the name binds nothing.
        let (skip, part) = match pattern.kind() {
            "class_pattern" => (1, part),
            "keyword_pattern" => (1, part.or(children.first().map(|name| b.slice(*name)))),
            _ => (0, part),
        };
        let key = b.fields(pattern, "key");
        todo.extend(
            children.into_iter().skip(skip).filter(|child| !key.contains(child)).rev().map(|child| (child, part)),
        );
    }
    if !targets.is_empty() {
        binds.push(Binding { targets, ty: None, value: Some(subject), declares: true });
    }
    b.fits(left, span)
}

/// `[value for x in xs if c]`: rounds.
fn comprehension<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    enum Clause<'s> {
        Rounds(ExprId, Binding<'s>),
        If(ExprId),
    }
    let body = b.part(node, "body")?;
    let mut clauses = Vec::new();
    for clause in b.named(node).into_iter().filter(|child| *child != body) {
        match clause.kind() {
            "for_in_clause" => {
                let (left, right) = (b.part(clause, "left")?, b.fields(clause, "right").pop()?);
                let through = b.expr(right);
                if b.has_word(clause, "async") {
                    b.awaited(through);
                }
                let binds = b.binding(left, Some(through), true);
                clauses.push(Clause::Rounds(through, binds));
            }
            _ => {
                let condition = b.expr_at(clause, "")?;
                clauses.push(Clause::If(condition));
            }
        }
    }
    let mut stmt = b.gives(body);
    let span = span_of(node);
    while let Some(clause) = clauses.pop() {
        let flow = match clause {
            Clause::If(condition) => Flow::If { condition, binds: Vec::new(), then: stmt, otherwise: None },
            Clause::Rounds(through, binds) => Flow::Loop {
                label: None,
                condition: Some(through),
                binds: vec![binds],
                body: stmt,
                endless: false,
                once: false,
            },
        };
        stmt = b.push_stmt(span, flow);
    }
    Some(Lowered::Stmt(stmt))
}

fn import<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let span = span_of(node);
    let module = b.part(node, "module_name").map(|module| b.slice(module));
    for name in b.fields(node, "name") {
        let original = b.part(name, "name").map_or(b.slice(name), |name| b.slice(name));
        let alias = b.part(name, "alias").map(|alias| b.slice(alias));
        let path = match module {
            Some(module) if module.ends_with('.') => Cow::Owned(format!("{module}{original}")),
            Some(module) => Cow::Owned(format!("{module}.{original}")),
            None => Cow::Borrowed(original),
        };
        // `import a.b` makes `a` known.
        let first = original.split('.').next().unwrap_or(original);
        b.code.imports.push(Import {
            path,
            name: alias.unwrap_or(if module.is_some() { original } else { first }),
            span,
        });
    }
    if let Some(module) = module.filter(|_| b.part(node, "#wildcard_import").is_some()) {
        b.code.imports.push(Import { path: Cow::Borrowed(module), name: "*", span });
    }
}
