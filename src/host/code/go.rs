//! Go.

use super::build::{Builder, Case, Lowered, Way, last_part, span_of};
use super::language::{Parts, Shape, Syntax, opens_nothing};
use super::{Binding, Flow, Handler, Import, StmtId, Value};
use std::borrow::Cow;
use tree_sitter::Node;

const FUNCTION: Parts = Parts { name: "name", parameters: "parameters", returns: "result", body: "body" };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "method_declaration",
                "type_spec",
                "import_spec",
                "const_spec",
                "var_spec",
                "short_var_declaration",
                "assignment_statement",
                "for_statement",
                "expression_switch_statement",
                "type_switch_statement",
                "select_statement",
                "receive_statement",
                "defer_statement",
                "go_statement",
                "goto_statement",
                "call_expression",
                "type_conversion_expression",
                "composite_literal",
            ],
        ),
        (
            Shape::Skip,
            &[
                "comment",
                "package_clause",
                "type_parameter_list",
                "slice_type",
                "array_type",
                "map_type",
                "channel_type",
                "function_type",
                "interface_type",
                "struct_type",
                "pointer_type",
                "empty_statement",
                "fallthrough_statement",
                "label_name",
                "type_alias",
            ],
        ),
        (Shape::Name, &["identifier", "type_identifier", "field_identifier", "package_identifier", "blank_identifier"]),
        (Shape::Constant, &["int_literal", "float_literal", "imaginary_literal", "rune_literal"]),
        (Shape::Constant, &["true", "false", "nil", "iota"]),
        (Shape::Through(""), &["parenthesized_expression", "literal_element", "variadic_argument"]),
        (Shape::Through("operand"), &["type_assertion_expression"]),
        (Shape::Member("operand", "field"), &["selector_expression"]),
        (Shape::Member("package", "name"), &["qualified_type"]),
        (Shape::Through("type"), &["generic_type"]),
        (Shape::Keyword("key", "value"), &["keyed_element"]),
        (Shape::Binary, &["binary_expression"]),
        (Shape::Unary("operand"), &["unary_expression"]),
        (Shape::Items, &["expression_list", "literal_value"]),
        (Shape::Closure(&FUNCTION), &["func_literal"]),
        (Shape::Function(&FUNCTION), &["function_declaration"]),
        (Shape::Parameter("name", "type", "default"), &["parameter_declaration", "variadic_parameter_declaration"]),
        (Shape::Sequence, &["source_file", "block", "statement_list"]),
        (Shape::Run, &["expression_statement", "inc_statement", "dec_statement"]),
        (Shape::Return(""), &["return_statement"]),
        (Shape::Break(""), &["break_statement"]),
        (Shape::Continue(""), &["continue_statement"]),
        (Shape::If("condition", "consequence", "alternative"), &["if_statement"]),
        (Shape::Labeled("label", "$"), &["labeled_statement"]),
    ],
    own,
    handler: |b, node| Handler { catches: "", all: false, binds: None, body: b.empty(node.start_byte()) },
    using: opens_nothing,
    target: None,
    case,
    throws: false,
    breaks_cases: true,
    gives_last: false,
    starts_unawaited: false,
    leaves: &[
        ("panic", false),
        ("os.Exit", true),
        ("syscall.Exit", true),
        ("runtime.Goexit", false),
        ("log.Panic", false),
        ("log.Panicf", false),
        ("log.Panicln", false),
        ("t.Fatal", false),
        ("t.Fatalf", false),
        ("t.FailNow", false),
        ("t.Skip", false),
        ("t.Skipf", false),
        ("t.SkipNow", false),
        ("b.Fatal", false),
        ("b.Fatalf", false),
        ("tb.Fatal", false),
        ("tb.Fatalf", false),
        ("*.Fatal", true),
        ("*.Fatalf", true),
        ("*.Fatalln", true),
    ],
    starts: &[("AfterFunc", false)],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, _: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "method_declaration" => {
            method(b, node);
            Lowered::Nothing
        }
        "type_spec" => {
            type_spec(b, node);
            Lowered::Nothing
        }
        "import_spec" => {
            import(b, node);
            Lowered::Nothing
        }
        "const_spec" | "var_spec" => {
            let names = b.fields(node, "name");
            let (ty, value) = (b.part(node, "type"), b.part(node, "value"));
            Lowered::Stmt(b.bind_names(node, &names, ty, value))
        }
        "short_var_declaration" => {
            let left = b.part(node, "left")?;
            let right = b.part(node, "right");
            Lowered::Stmt(b.bind(node, left, None, right, true))
        }
        "assignment_statement" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            if b.part(node, "operator").is_some_and(|operator| b.slice(operator) == "=") {
                Lowered::Stmt(b.bind(node, left, None, Some(right), false))
            } else {
                b.augmented(node, left, right)
            }
        }
        "for_statement" => rounds(b, node),
        "expression_switch_statement" => {
            let first = b.part(node, "initializer").and_then(|first| b.stmt(first));
            let subject = b.expr_at(node, "value");
            let cases = b.named(node);
            let switch = b.switch(node, subject, cases);
            after(b, node, first, switch)
        }
        "type_switch_statement" => type_switch(b, node),
        "select_statement" => select(b, node),
        "receive_statement" => {
            let right = b.part(node, "right")?;
            match b.part(node, "left") {
                Some(left) => Lowered::Stmt(b.bind(node, left, None, Some(right), true)),
                None => Lowered::Expr(b.expr(right)),
            }
        }
        "defer_statement" => Lowered::Flow(Flow::Defer(b.expr_at(node, "")?)),
        "go_statement" => {
            let started = b.expr_at(node, "")?;
            if let Value::Call(call) = b.code.exprs[started].value {
                b.code.calls[call].elsewhere = true;
            }
            Lowered::Flow(Flow::Run(started))
        }
        "goto_statement" => {
            // Where it goes is not followed.
            b.current().has_error = true;
            Lowered::Nothing
        }
        "call_expression" => {
            let function = b.part(node, "function")?;
            let types = b.part(node, "type_arguments");
            // `f[T](…)` is an index for the grammar.
            let (function, types) = match (function.kind(), types) {
                ("index_expression", None) => (b.part(function, "operand")?, b.part(function, "index")),
                _ => (function, types),
            };
            let callee = b.expr(function);
            let types = types.map_or("", |types| b.slice(types));
            let arguments = b.part(node, "arguments").map(|arguments| b.arguments(arguments)).unwrap_or_default();
            let call = b.call(node, callee, types, arguments);
            Lowered::Expr(b.code.calls[call].expr)
        }
        "type_conversion_expression" => {
            let (ty, operand) = (b.part(node, "type")?, b.part(node, "operand")?);
            if ty.kind() != "generic_type" {
                return Some(Lowered::Expr(b.expr(operand)));
            }
            let callee = b.expr(ty);
            let types = b.part(ty, "type_arguments").map_or("", |types| b.slice(types));
            let argument = b.argument(operand);
            let call = b.call(node, callee, types, argument.into_iter().collect());
            Lowered::Expr(b.code.calls[call].expr)
        }
        "composite_literal" => {
            let (ty, body) = (b.part(node, "type")?, b.part(node, "body")?);
            if !matches!(ty.kind(), "type_identifier" | "qualified_type" | "generic_type") {
                return Some(Lowered::Value(Value::Items(b.arguments(body))));
            }
            let callee = b.expr(ty);
            let arguments = b.arguments(body);
            let call = b.call(node, callee, "", arguments);
            b.code.calls[call].constructs = true;
            Lowered::Expr(b.code.calls[call].expr)
        }
        _ => return None,
    })
}

/// A statement after the one that stands in its head.
fn after<'s>(b: &mut Builder<'s, '_>, node: Node<'_>, first: Option<StmtId>, then: Lowered<'s>) -> Lowered<'s> {
    let Some(first) = first else { return then };
    let then = match then {
        Lowered::Stmt(stmt) => stmt,
        Lowered::Flow(flow) => b.push_stmt(span_of(node), flow),
        _ => return Lowered::Stmt(first),
    };
    Lowered::Flow(Flow::Sequence(vec![first, then]))
}

fn method<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let receiver = b.part(node, "receiver").and_then(|receiver| b.part(receiver, "#parameter_declaration"));
    let this = receiver.and_then(|receiver| b.part(receiver, "name")).map(|name| b.slice(name));
    let around = b.class;
    if let Some(ty) = receiver.and_then(|receiver| b.part(receiver, "type")) {
        let name = last_part(b.slice(ty).trim_start_matches(['*', '(', ' ']));
        b.class = Some(b.class_apart(name, span_of(ty)));
    }
    let id = b.declare_function(node, &FUNCTION);
    b.class = around;
    b.code.functions[id].this = this.filter(|this| *this != "_");
}

/// A struct with its fields, or an interface.
fn type_spec<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let (Some(name), Some(ty)) = (b.part(node, "name"), b.part(node, "type")) else { return };
    if !matches!(ty.kind(), "struct_type" | "interface_type") {
        return;
    }
    let id = b.class_apart(b.slice(name), span_of(node));
    b.code.classes[id].span = span_of(node);
    let fields = b.part(ty, "#field_declaration_list").map(|list| b.named(list)).unwrap_or_default();
    for field in fields {
        let Some(ty) = b.part(field, "type").map(|ty| b.type_of(ty)) else { continue };
        let names = b.fields(field, "name");
        if names.is_empty() {
            b.code.classes[id].bases.push(ty.trim_start_matches('*'));
        }
        for name in names {
            let binding = Binding { ty: Some(ty), ..b.binding(name, None, true) };
            b.code.classes[id].fields.push(binding);
        }
    }
}

fn import<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let Some(path) = b.part(node, "path").map(|path| b.slice(path).trim_matches(['"', '`'])) else { return };
    let name = match b.part(node, "name").map(|name| b.slice(name)) {
        Some(".") => "*",
        Some(name) => name,
        None => {
            let mut parts = path.rsplit('/');
            let last = parts.next().unwrap_or(path);
            let is_version =
                last.strip_prefix('v').is_some_and(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()));
            if is_version { parts.next().unwrap_or(last) } else { last }
        }
    };
    b.code.imports.push(Import { path: Cow::Borrowed(path), name, span: span_of(node) });
}

fn rounds<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let label = b.take_label();
    let body = b.part(node, "body");
    let clause = b.named(node).into_iter().find(|child| Some(*child) != body);
    let span = span_of(node);
    let (mut first, mut between, mut condition, mut binds) = (None, None, None, Vec::new());
    match clause.map(|clause| (clause, clause.kind())) {
        Some((clause, "for_clause")) => {
            first = b.part(clause, "initializer").and_then(|first| b.stmt(first));
            condition = b.expr_at(clause, "condition");
            between = b.part(clause, "update");
        }
        Some((clause, "range_clause")) => {
            condition = b.expr_at(clause, "right");
            if let Some(left) = b.part(clause, "left") {
                binds.push(b.binding(left, condition, true));
            }
        }
        Some((clause, _)) => condition = Some(b.expr(clause)),
        None => {}
    }
    let mut round = b.loop_body(body, node.end_byte());
    if let Some(between) = between.and_then(|between| b.stmt(between)) {
        round = b.push_stmt(span, Flow::Sequence(vec![round, between]));
    }
    let endless = condition.is_none_or(|condition| b.is_true(condition));
    let condition = condition.filter(|_| !endless);
    let rounds = Flow::Loop { label, condition, binds, body: round, endless, once: false };
    after(b, node, first, Lowered::Flow(rounds))
}

fn case<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<Case<'t>> {
    if !matches!(node.kind(), "expression_case" | "default_case") {
        return None;
    }
    let values = b.part(node, "value").map(|values| b.named(values)).unwrap_or_default();
    let body = b.part(node, "#statement_list").map(|list| b.named(list)).unwrap_or_default();
    let falls = body.last().is_some_and(|last| last.kind() == "fallthrough_statement");
    Some(Case { node, values, default: node.kind() == "default_case", guard: None, body, falls })
}

fn type_switch<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let first = b.part(node, "initializer").and_then(|first| b.stmt(first));
    let Some(subject) = b.expr_at(node, "value") else { return Lowered::Nothing };
    let alias = b.part(node, "alias");
    let mut left = Some(subject);
    let cases = b.named(node);
    let switch = b.ways(node, |b, ways, otherwise| {
        for case in cases {
            if !matches!(case.kind(), "type_case" | "default_case") {
                continue;
            }
            let types = b.fields(case, "type");
            let condition = (case.kind() == "type_case").then(|| b.fits(&mut left, span_of(case)));
            let mut binds = Vec::new();
            if let Some(alias) = alias {
                let ty = types.first().filter(|_| types.len() == 1).map(|ty| b.type_of(*ty));
                binds.push(Binding { ty, ..b.binding(alias, Some(subject), true) });
            }
            let body = b.part(case, "#statement_list");
            let then = b.way_body(body, case.end_byte());
            match condition {
                Some(condition) => ways.push(Way { condition, binds, then, start: case.start_byte() }),
                None => *otherwise = Some(then),
            }
        }
    });
    after(b, node, first, switch)
}

/// One of the cases runs: without a default the last where no other does.
fn select<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let cases = b.named(node);
    let waits = !cases.iter().any(|case| case.kind() == "default_case");
    let last = cases.iter().rposition(|case| case.kind() == "communication_case");
    b.ways(node, |b, ways, otherwise| {
        for (index, case) in cases.into_iter().enumerate() {
            let communication = b.part(case, "communication");
            let body = b.part(case, "#statement_list");
            if waits && Some(index) == last {
                let first = communication.and_then(|communication| b.stmt(communication));
                let then = b.way_body(body, case.end_byte());
                let stmts: Vec<StmtId> = first.into_iter().chain([then]).collect();
                *otherwise = Some(b.push_stmt(span_of(case), Flow::Sequence(stmts)));
                continue;
            }
            let Some(communication) = communication else {
                if case.kind() == "default_case" {
                    *otherwise = Some(b.way_body(body, case.end_byte()));
                }
                continue;
            };
            let value = b.part(communication, "right").unwrap_or(communication);
            let parts = match communication.kind() {
                "receive_statement" => vec![b.expr(value)],
                _ => {
                    let parts = b.named(communication);
                    b.exprs(parts)
                }
            };
            let value = parts.first().copied();
            let condition = b.push(span_of(communication), Value::Other(parts));
            let left = b.part(communication, "left");
            let binds = left.map(|left| b.binding(left, value, true)).into_iter().collect();
            let then = b.way_body(body, case.end_byte());
            ways.push(Way { condition, binds, then, start: case.start_byte() });
        }
    })
}
