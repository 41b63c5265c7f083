//! JavaScript, TypeScript, TSX.

use super::build::{Builder, Case, Lowered, span_of};
use super::language::{Parts, Shape, Syntax};
use super::{Binding, Flow, Handler, Import, StmtId, Value};
use std::borrow::Cow;
use tree_sitter::Node;

const FUNCTION: Parts = Parts { name: "name", parameters: "parameters", returns: "return_type", body: "body" };
const ARROW: Parts = Parts { name: "", parameters: "parameters", returns: "return_type", body: "body" };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "import_statement",
                "variable_declarator",
                "public_field_definition",
                "field_definition",
                "class",
                "class_declaration",
                "abstract_class_declaration",
                "class_static_block",
                "enum_declaration",
                "interface_declaration",
                "type_alias_declaration",
                "call_expression",
                "unary_expression",
                "augmented_assignment_expression",
                "switch_statement",
            ],
        ),
        (
            Shape::Skip,
            &[
                "comment",
                "html_comment",
                "hash_bang_line",
                "empty_statement",
                "debugger_statement",
                "optional_chain",
                "accessibility_modifier",
                "override_modifier",
                "type_annotation",
                "type_arguments",
                "type_parameters",
                "predefined_type",
                "generic_type",
                "array_type",
                "object_type",
                "union_type",
                "function_type",
                "literal_type",
                "template_literal_type",
                "abstract_method_signature",
                "method_signature",
                "property_signature",
                "index_signature",
                "function_signature",
                "ambient_declaration",
                "export_clause",
                "jsx_text",
                "undefined",
            ],
        ),
        (
            Shape::Name,
            &[
                "identifier",
                "property_identifier",
                "private_property_identifier",
                "type_identifier",
                "this",
                "super",
                "import",
                "meta_property",
            ],
        ),
        (Shape::Constant, &["number", "true", "false", "null", "regex"]),
        (Shape::Through(""), &["parenthesized_expression", "as_expression", "satisfies_expression"]),
        (Shape::Through(""), &["non_null_expression", "instantiation_expression", "rest_pattern"]),
        (Shape::Through("$"), &["type_assertion"]),
        (Shape::Through("body"), &["internal_module", "module"]),
        (Shape::Await(""), &["await_expression"]),
        (Shape::Member("object", "property"), &["member_expression", "nested_identifier"]),
        (Shape::Construct("constructor", "arguments"), &["new_expression"]),
        (Shape::Keyword("key", "value"), &["pair", "pair_pattern"]),
        (Shape::Shorthand, &["shorthand_property_identifier", "shorthand_property_identifier_pattern"]),
        (Shape::Default("left", "right"), &["object_assignment_pattern", "assignment_pattern"]),
        (Shape::Items, &["object", "array", "object_pattern", "array_pattern"]),
        (Shape::Binary, &["binary_expression"]),
        (Shape::Unary("argument"), &["update_expression"]),
        (Shape::Choice("condition", "consequence", "alternative"), &["ternary_expression"]),
        (Shape::Assign("left", "right"), &["assignment_expression"]),
        (Shape::Closure(&ARROW), &["arrow_function"]),
        (Shape::Closure(&FUNCTION), &["function_expression", "generator_function"]),
        (Shape::Function(&FUNCTION), &["function_declaration", "generator_function_declaration", "method_definition"]),
        (Shape::Annotation(""), &["decorator"]),
        (Shape::Parameter("pattern", "type", "value"), &["required_parameter", "optional_parameter"]),
        (Shape::Sequence, &["program", "statement_block"]),
        (Shape::Using, &["expression_statement", "lexical_declaration", "variable_declaration", "using_declaration"]),
        (Shape::Return(""), &["return_statement"]),
        (Shape::Throw(""), &["throw_statement"]),
        (Shape::Break("label"), &["break_statement"]),
        (Shape::Continue("label"), &["continue_statement"]),
        (Shape::If("condition", "consequence", "alternative"), &["if_statement"]),
        (Shape::Else(""), &["else_clause"]),
        (Shape::While("condition", "body"), &["while_statement"]),
        (Shape::DoWhile("body", "condition"), &["do_statement"]),
        (Shape::Each("left", "right", "body"), &["for_in_statement"]),
        (Shape::For("initializer", "condition", "increment", "body"), &["for_statement"]),
        (Shape::Labeled("label", "body"), &["labeled_statement"]),
        (Shape::Try("body"), &["try_statement"]),
        (Shape::Catch, &["catch_clause"]),
        (Shape::Finally("body"), &["finally_clause"]),
    ],
    own,
    handler,
    using,
    target: None,
    case,
    throws: true,
    breaks_cases: true,
    gives_last: false,
    starts_unawaited: true,
    leaves: &[("process.exit", true), ("process.abort", true), ("Deno.exit", true)],
    starts: &[
        ("setTimeout", false),
        ("setInterval", false),
        ("setImmediate", false),
        ("queueMicrotask", false),
        ("nextTick", false),
        ("waitUntil", true),
    ],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "import_statement" => {
            import(b, node);
            Lowered::Nothing
        }
        "variable_declarator" => {
            let name = b.part(node, "name")?;
            let (ty, value) = (b.part(node, "type"), b.part(node, "value"));
            let stmt = b.bind(node, name, ty, value, true);
            required(b, node, stmt);
            Lowered::Stmt(stmt)
        }
        "public_field_definition" | "field_definition" => {
            b.own_annotations(node);
            b.pending.clear();
            let name = b.part(node, "name").or_else(|| b.part(node, "property"))?;
            let ty = b.part(node, "type").map(|ty| b.type_of(ty));
            let value = b.expr_at(node, "value");
            let binding = Binding { ty, ..b.binding(name, value, true) };
            b.field(binding);
            Lowered::Nothing
        }
        "class" | "class_declaration" | "abstract_class_declaration" => {
            let mut bases = Vec::new();
            for base in b.part(node, "#class_heritage").map(|heritage| b.named(heritage)).unwrap_or_default() {
                match base.kind() {
                    "extends_clause" => bases.extend(b.fields(base, "value")),
                    "implements_clause" => bases.extend(b.named(base)),
                    _ => bases.push(base),
                }
            }
            let name = b.part(node, "name").map_or("", |name| b.slice(name));
            let body = b.part(node, "body");
            b.class_of(node, name, bases, body)
        }
        "class_static_block" => {
            let body = b.part(node, "body");
            b.initializer(node, "static", body);
            Lowered::Nothing
        }
        "enum_declaration" | "interface_declaration" | "type_alias_declaration" => {
            shape_of(b, node);
            Lowered::Nothing
        }
        "call_expression" => {
            let function = b.part(node, "function")?;
            // `await f<T>(…)` is a call of `await f` for the grammar.
            let awaited = function.kind() == "await_expression";
            let function = if awaited { b.part(function, "")? } else { function };
            let callee = b.expr(function);
            let types = b.part(node, "type_arguments").map_or("", |types| b.slice(types));
            let arguments = b.part(node, "arguments").map(|arguments| b.arguments(arguments)).unwrap_or_default();
            let call = b.call(node, callee, types, arguments);
            let expr = b.code.calls[call].expr;
            if awaited {
                b.awaited(expr);
            }
            Lowered::Expr(expr)
        }
        "unary_expression" => {
            let operator = b.part(node, "operator").map_or("", |operator| b.slice(operator));
            if operator != "void" {
                return Some(b.value(node, Shape::Unary("argument")));
            }
            let expr = b.expr_at(node, "argument")?;
            if let Value::Call(call) = b.code.exprs[expr].value {
                b.code.calls[call].elsewhere = true;
            }
            Lowered::Expr(expr)
        }
        "augmented_assignment_expression" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            if statement {
                return Some(b.augmented(node, left, right));
            }
            let target = b.expr(left);
            let value = b.expr(right);
            Lowered::Value(Value::Assign { target, value })
        }
        "switch_statement" => {
            let subject = b.expr_at(node, "value");
            let cases = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
            b.switch(node, subject, cases)
        }
        _ => return None,
    })
}

/// An enum's values, or what an interface or a type's literal says of an object, as the fields of a class.
fn shape_of<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let Some(name) = b.part(node, "name").map(|name| b.slice(name)) else { return };
    let Some(body) = b.part(node, "body").or_else(|| b.part(node, "value")) else { return };
    if !matches!(body.kind(), "enum_body" | "interface_body" | "object_type") {
        return;
    }
    let around = b.class.take();
    let class = b.class_named(name, span_of(node));
    b.class = Some(class);
    for member in b.named(body).into_iter().filter(|member| !member.kind().starts_with("method")) {
        let Some(name) = b.part(member, "name") else { continue };
        let ty = b.part(member, "type").map(|ty| b.type_of(ty));
        let value = b.expr_at(member, "value");
        let binding = Binding { ty, ..b.binding(name, value, true) };
        b.field(binding);
    }
    b.class = around;
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let binds = b.part(node, "parameter").map(|parameter| b.slice(parameter));
    let body = b.part(node, "body");
    let body = b.body(body, node.end_byte());
    Handler { catches: "", all: true, binds, body }
}

/// `using a = …`, which TypeScript's grammar takes for an assignment after a word.
fn using<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Vec<Binding<'s>>> {
    let mut items = Vec::new();
    if node.kind() == "using_declaration" {
        for declarator in b.named(node) {
            let (Some(name), value) = (b.part(declarator, "name"), b.part(declarator, "value")) else { continue };
            let value = value.map(|value| b.expr(value));
            items.push(b.binding(name, value, true));
        }
        return Some(items);
    }
    let mut inner = b.part(node, "").filter(|_| node.kind() == "expression_statement")?;
    if inner.kind() == "await_expression" {
        inner = b.part(inner, "")?;
    }
    if inner.kind() != "assignment_expression" || !b.has_word(inner, "using") {
        return None;
    }
    let (left, right) = (b.part(inner, "left")?, b.part(inner, "right")?);
    let value = b.expr(right);
    items.push(b.binding(left, Some(value), true));
    Some(items)
}

fn case<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<Case<'t>> {
    let default = node.kind() == "switch_default";
    if !default && node.kind() != "switch_case" {
        return None;
    }
    Some(Case {
        node,
        values: b.fields(node, "value"),
        default,
        guard: None,
        body: b.fields(node, "body"),
        falls: true,
    })
}

/// `import a, { b as c } from 'm'`, `import * as m from 'm'`.
fn import<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let span = span_of(node);
    let clause = b.part(node, "#import_clause").or_else(|| b.part(node, "#import_require_clause"));
    let source = b.part(node, "source").or_else(|| clause.and_then(|clause| b.part(clause, "source")));
    let Some(module) = source.map(|source| b.key(source)) else { return };
    for part in clause.map(|clause| b.named(clause)).unwrap_or_default() {
        match part.kind() {
            "identifier" => b.code.imports.push(Import { path: Cow::Borrowed(module), name: b.slice(part), span }),
            "namespace_import" => {
                let name = b.part(part, "").map_or("*", |name| b.slice(name));
                b.code.imports.push(Import { path: Cow::Borrowed(module), name, span });
            }
            "named_imports" => {
                for specifier in b.named(part) {
                    let Some(original) = b.part(specifier, "name").map(|name| b.key(name)) else { continue };
                    let name = b.part(specifier, "alias").map_or(original, |alias| b.slice(alias));
                    b.code.imports.push(Import { path: imported(module, Some(original)), name, span });
                }
            }
            _ => {}
        }
    }
}

/// The path of what is imported by name; `default` is the module itself.
fn imported<'s>(module: &'s str, name: Option<&'s str>) -> Cow<'s, str> {
    match name.filter(|name| *name != "default") {
        Some(name) => Cow::Owned(format!("{module}.{name}")),
        None => Cow::Borrowed(module),
    }
}

/// `const { a } = require('m')`, `const m = await import('m')` import as well.
fn required<'s>(b: &mut Builder<'s, '_>, node: Node<'_>, stmt: StmtId) {
    let Flow::Bind(binding) = &b.code.stmts[stmt].flow else { return };
    let Some(value) = binding.value else { return };
    let (value, member) = match b.code.exprs[value].value {
        Value::Member { of, name, .. } => (of, Some(name)),
        _ => (value, None),
    };
    let Value::Call(call) = b.code.exprs[value].value else { return };
    let call = &b.code.calls[call];
    let ([argument], "require" | "import") = (call.arguments.as_slice(), call.name) else { return };
    let Value::Text(holes) = &b.code.exprs[argument.value].value else { return };
    if !holes.is_empty() || !matches!(b.code.exprs[call.callee].value, Value::Name(_)) {
        return;
    }
    let text = b.text.get(b.code.exprs[argument.value].span.range()).unwrap_or_default();
    let module = text.trim_matches(['\'', '"', '`']);
    let span = span_of(node);
    let imports: Vec<Import<'s>> = (binding.targets.iter())
        .map(|target| Import { path: imported(module, target.part.or(member)), name: target.name, span })
        .collect();
    b.code.imports.extend(imports);
}
