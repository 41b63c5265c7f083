//! Java.

use super::build::{Builder, Case, Lowered, span_of};
use super::language::{Parts, Shape, Syntax, opens_nothing};
use super::{Binding, Flow, Handler, Import, Value};
use std::borrow::Cow;
use tree_sitter::Node;

const METHOD: Parts = Parts { name: "name", parameters: "parameters", returns: "type", body: "body" };
const LAMBDA: Parts = Parts { name: "", parameters: "parameters", returns: "type", body: "body" };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "import_declaration",
                "class_declaration",
                "record_declaration",
                "interface_declaration",
                "enum_declaration",
                "enum_constant",
                "static_initializer",
                "field_declaration",
                "constant_declaration",
                "local_variable_declaration",
                "enhanced_for_statement",
                "method_invocation",
                "explicit_constructor_invocation",
                "object_creation_expression",
                "method_reference",
                "assignment_expression",
                "switch_expression",
                "switch_statement",
                "synchronized_statement",
                "try_with_resources_statement",
                "assert_statement",
            ],
        ),
        (
            Shape::Skip,
            &[
                "line_comment",
                "block_comment",
                "package_declaration",
                "module_declaration",
                "modifiers",
                "type_arguments",
                "type_parameters",
                "generic_type",
                "integral_type",
                "floating_point_type",
                "boolean_type",
                "void_type",
                "array_type",
                "dimensions",
                "throws",
                "class_literal",
                "receiver_parameter",
            ],
        ),
        (Shape::Name, &["identifier", "type_identifier", "this", "super"]),
        (
            Shape::Constant,
            &[
                "decimal_integer_literal",
                "hex_integer_literal",
                "octal_integer_literal",
                "binary_integer_literal",
                "decimal_floating_point_literal",
                "hex_floating_point_literal",
                "character_literal",
                "true",
                "false",
                "null_literal",
            ],
        ),
        (Shape::Through(""), &["parenthesized_expression", "condition"]),
        (Shape::Through("value"), &["cast_expression"]),
        (Shape::Through("name"), &["variable_declarator"]),
        (Shape::Member("object", "field"), &["field_access"]),
        (Shape::Member("scope", "name"), &["scoped_identifier"]),
        (Shape::Keyword("key", "value"), &["element_value_pair"]),
        (Shape::Binary, &["binary_expression"]),
        (Shape::Unary("operand"), &["unary_expression"]),
        (Shape::Items, &["array_initializer", "element_value_array_initializer"]),
        (Shape::Choice("condition", "consequence", "alternative"), &["ternary_expression"]),
        (Shape::Closure(&LAMBDA), &["lambda_expression"]),
        (
            Shape::Function(&METHOD),
            &["method_declaration", "constructor_declaration", "compact_constructor_declaration"],
        ),
        (Shape::Annotation("name"), &["annotation", "marker_annotation"]),
        (Shape::Parameter("name", "type", "default"), &["formal_parameter"]),
        (Shape::Parameter("#variable_declarator", "type", "default"), &["spread_parameter"]),
        (Shape::Sequence, &["program", "block", "constructor_body"]),
        (Shape::Run, &["expression_statement", "yield_statement"]),
        (Shape::Return(""), &["return_statement"]),
        (Shape::Throw(""), &["throw_statement"]),
        (Shape::Break(""), &["break_statement"]),
        (Shape::Continue(""), &["continue_statement"]),
        (Shape::If("condition", "consequence", "alternative"), &["if_statement"]),
        (Shape::While("condition", "body"), &["while_statement"]),
        (Shape::DoWhile("body", "condition"), &["do_statement"]),
        (Shape::For("init", "condition", "update", "body"), &["for_statement"]),
        (Shape::Labeled("", "$"), &["labeled_statement"]),
        (Shape::Try("body"), &["try_statement"]),
        (Shape::Catch, &["catch_clause"]),
        (Shape::Finally(""), &["finally_clause"]),
    ],
    own,
    handler,
    using: opens_nothing,
    target: None,
    case,
    throws: true,
    breaks_cases: true,
    gives_last: false,
    starts_unawaited: false,
    leaves: &[("System.exit", true)],
    starts: &[
        ("submit", false),
        ("runAsync", false),
        ("supplyAsync", false),
        ("schedule", false),
        ("scheduleAtFixedRate", false),
        ("scheduleWithFixedDelay", false),
        ("startVirtualThread", false),
        ("Thread", false),
    ],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "import_declaration" => {
            let path = b.part(node, "").map(|path| b.slice(path))?;
            let all = b.part(node, "#asterisk").is_some();
            let name = if all { "*" } else { path.rsplit('.').next().unwrap_or(path) };
            b.code.imports.push(Import { path: Cow::Borrowed(path), name, span: span_of(node) });
            Lowered::Nothing
        }
        "class_declaration" | "record_declaration" | "interface_declaration" | "enum_declaration" => class(b, node),
        "enum_constant" => {
            // Each is made when the class is loaded.
            if let Some(arguments) = b.part(node, "arguments") {
                let items = b.arguments(arguments);
                let value = b.push(span_of(node), Value::Items(items));
                let binding = Binding { ..b.binding(b.part(node, "name")?, Some(value), true) };
                b.field(binding);
            }
            match b.part(node, "body") {
                Some(body) => b.define_class(node, "", Vec::new(), Some(body)),
                None => Lowered::Nothing,
            }
        }
        "static_initializer" => {
            let body = b.part(node, "#block");
            b.initializer(node, "static", body);
            Lowered::Nothing
        }
        "field_declaration" | "constant_declaration" => {
            b.own_annotations(node);
            b.pending.clear();
            let ty = b.part(node, "type").map(|ty| b.type_of(ty));
            for declarator in b.fields(node, "declarator") {
                let Some(name) = b.part(declarator, "name") else { continue };
                let value = b.expr_at(declarator, "value");
                let binding = Binding { ty, ..b.binding(name, value, true) };
                b.field(binding);
            }
            Lowered::Nothing
        }
        "local_variable_declaration" => {
            b.own_annotations(node);
            b.pending.clear();
            let ty = b.part(node, "type");
            let mut stmts = Vec::new();
            for declarator in b.fields(node, "declarator") {
                let Some(name) = b.part(declarator, "name") else { continue };
                let value = b.part(declarator, "value");
                stmts.push(b.bind(node, name, ty, value, true));
            }
            match stmts.as_slice() {
                [only] => Lowered::Stmt(*only),
                _ => Lowered::Flow(Flow::Sequence(stmts)),
            }
        }
        "enhanced_for_statement" => {
            let label = b.take_label();
            let condition = b.expr_at(node, "value");
            let ty = b.part(node, "type").map(|ty| b.type_of(ty));
            let name = b.part(node, "name")?;
            let binds = vec![Binding { ty, ..b.binding(name, condition, true) }];
            let body = b.part(node, "body");
            let body = b.loop_body(body, node.end_byte());
            Lowered::Flow(Flow::Loop { label, condition, binds, body, endless: false, once: false })
        }
        "method_invocation" | "explicit_constructor_invocation" => call(b, node)?,
        "object_creation_expression" => {
            let ty = b.part(node, "type")?;
            let (base, types) = match ty.kind() {
                "generic_type" => (b.part(ty, "")?, b.part(ty, "#type_arguments").map_or("", |types| b.slice(types))),
                _ => (ty, ""),
            };
            let callee = match base.kind() {
                // `a.b.C`
                "scoped_type_identifier" => b.push(span_of(base), Value::Name(b.slice(base))),
                _ => b.expr(base),
            };
            let arguments = b.part(node, "arguments").map(|arguments| b.arguments(arguments)).unwrap_or_default();
            let call = b.call(node, callee, types, arguments);
            b.code.calls[call].constructs = true;
            let expr = b.code.calls[call].expr;
            if let Some(body) = b.part(node, "#class_body") {
                let bases = vec![b.slice(ty)];
                b.define_class(node, "", bases, Some(body));
            }
            Lowered::Expr(expr)
        }
        "method_reference" => {
            let parts = b.named(node);
            let [of, name] = parts.as_slice() else { return None };
            let of = b.expr(*of);
            Lowered::Value(Value::Member { of, name: b.slice(*name), at: span_of(*name) })
        }
        "assignment_expression" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            let plain = b.part(node, "operator").is_none_or(|operator| b.slice(operator) == "=");
            if statement {
                return Some(if plain {
                    Lowered::Stmt(b.bind(node, left, None, Some(right), false))
                } else {
                    b.augmented(node, left, right)
                });
            }
            let value = b.expr(right);
            let target = b.expr(left);
            Lowered::Value(Value::Assign { target, value })
        }
        "switch_expression" | "switch_statement" => {
            let subject = b.expr_at(node, "condition");
            let cases = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
            b.switch(node, subject, cases)
        }
        "synchronized_statement" => {
            let on = b.part(node, "#parenthesized_expression").and_then(|on| b.stmt(on));
            let body = b.part(node, "body");
            let body = b.body(body, node.end_byte());
            Lowered::Flow(Flow::Sequence(on.into_iter().chain([body]).collect()))
        }
        "try_with_resources_statement" => try_with(b, node),
        "assert_statement" => {
            // Off unless asked for.
            let parts = b.named(node);
            Lowered::Value(Value::Other(b.exprs(parts)))
        }
        _ => return None,
    })
}

fn class<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let mut bases = Vec::new();
    for place in ["#superclass", "#super_interfaces", "#extends_interfaces"] {
        let Some(clause) = b.part(node, place) else { continue };
        for base in b.named(clause) {
            if base.kind() == "type_list" {
                bases.extend(b.named(base).into_iter().map(|base| b.slice(base)));
            } else {
                bases.push(b.slice(base));
            }
        }
    }
    let name = b.part(node, "name").map_or("", |name| b.slice(name));
    let next = b.code.classes.len();
    let body = b.part(node, "body");
    let defined = b.define_class(node, name, bases, body);
    // What a record is made of.
    for component in b.part(node, "parameters").map(|parameters| b.named(parameters)).unwrap_or_default() {
        let Some(name) = b.part(component, "name") else { continue };
        let ty = b.part(component, "type").map(|ty| b.type_of(ty));
        let field = Binding { ty, ..b.binding(name, None, true) };
        b.code.classes[next].fields.push(field);
    }
    defined
}

fn call<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let name = b.part(node, "name").or_else(|| b.part(node, "constructor"))?;
    let callee = match b.part(node, "object") {
        Some(object) => {
            let of = b.expr(object);
            let at = span_of(name);
            b.push(span_of(object).join(at), Value::Member { of, name: b.slice(name), at })
        }
        None => b.name(name),
    };
    let types = b.part(node, "type_arguments").map_or("", |types| b.slice(types));
    let arguments = b.part(node, "arguments").map(|arguments| b.arguments(arguments)).unwrap_or_default();
    let call = b.call(node, callee, types, arguments);
    let lambda = |b: &Builder<'s, 't>| {
        let first = b.code.calls[call].arguments.first()?;
        Some(matches!(b.code.exprs[first.value].value, Value::Function(_)))
    };
    // An executor's, and not a statement's.
    if b.slice(name) == "execute" && lambda(b) == Some(true) {
        b.code.calls[call].elsewhere = true;
    }
    Some(Lowered::Expr(b.code.calls[call].expr))
}

fn try_with<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let mut items = Vec::new();
    for resource in b.part(node, "resources").map(|resources| b.named(resources)).unwrap_or_default() {
        let item = match (b.part(resource, "name"), b.part(resource, "value")) {
            (Some(name), Some(value)) => {
                let value = b.expr(value);
                let ty = b.part(resource, "type").map(|ty| b.type_of(ty));
                Binding { ty, ..b.binding(name, Some(value), true) }
            }
            _ => Binding { targets: Vec::new(), ty: None, value: b.expr_at(resource, ""), declares: false },
        };
        items.push(item);
    }
    let inner = b.part(node, "body");
    let start = b.part(node, "resources").map_or(node.start_byte(), |resources| resources.start_byte());
    let end = inner.map_or(node.end_byte(), |inner| inner.end_byte());
    let inner = b.body(inner, node.end_byte());
    let body = b.push_stmt(crate::span::Span::new(start, end), Flow::With { items, body: inner });
    let flow = b.attempt_of(node, body);
    match flow {
        Flow::Try { handlers, finally: None, .. } if handlers.is_empty() => Lowered::Stmt(body),
        flow => Lowered::Flow(flow),
    }
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let parameter = b.part(node, "#catch_formal_parameter");
    let types = parameter.and_then(|parameter| b.part(parameter, "#catch_type"));
    let catches = types.map_or("", |types| b.slice(types));
    let mut types = catches.split('|').map(str::trim);
    // Beside what need not be declared JDBC throws SQLException alone.
    let all = types.clone().any(|ty| matches!(ty, "Exception" | "Throwable"))
        || types.clone().any(|ty| ty == "RuntimeException") && types.any(|ty| ty == "SQLException");
    let binds = parameter.and_then(|parameter| b.part(parameter, "name")).map(|name| b.slice(name));
    let body = b.part(node, "body");
    let body = b.body(body, node.end_byte());
    Handler { catches, all, binds, body }
}

fn case<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<Case<'t>> {
    let falls = node.kind() == "switch_block_statement_group";
    if !falls && node.kind() != "switch_rule" {
        return None;
    }
    let (labels, body): (Vec<_>, Vec<_>) = b.named(node).into_iter().partition(|part| part.kind() == "switch_label");
    let default = labels.iter().any(|label| b.slice(*label).trim_end().ends_with("default"));
    let values = labels.into_iter().flat_map(|label| b.named(label)).collect();
    Some(Case { node, values, default, guard: None, body, falls })
}
