//! Rust.

mod cases;
mod macros;

use super::build::{Builder, Lowered, PLACES, last_part, span_of};
use super::language::{Parts, Shape, Syntax, no_case, opens_nothing};
use super::{Binding, Exit, ExprId, Flow, Handler, Import, StmtId, Target, Value};
use std::borrow::Cow;
use tree_sitter::Node;

const FUNCTION: Parts = Parts { name: "name", parameters: "parameters", returns: "return_type", body: "body" };
const CLOSURE: Parts = Parts { name: "", ..FUNCTION };
const BLOCK: Parts = Parts { name: "", parameters: "", returns: "", body: "#block" };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "use_declaration",
                "extern_crate_declaration",
                "mod_item",
                "foreign_mod_item",
                "attribute_item",
                "struct_item",
                "impl_item",
                "trait_item",
                "enum_item",
                "function_item",
                "function_signature_item",
                "const_item",
                "static_item",
                "type_item",
                "union_item",
                "macro_definition",
                "block",
                "let_declaration",
                "compound_assignment_expr",
                "if_expression",
                "match_expression",
                "while_expression",
                "loop_expression",
                "for_expression",
                "break_expression",
                "call_expression",
                "macro_invocation",
                "struct_expression",
                "scoped_identifier",
                "scoped_type_identifier",
                "try_expression",
                "let_condition",
                "let_chain",
            ],
        ),
        (
            Shape::Skip,
            &[
                "line_comment",
                "block_comment",
                "inner_attribute_item",
                "associated_type",
                "empty_statement",
                "visibility_modifier",
                "mutable_specifier",
                "function_modifiers",
                "self_parameter",
                "type_parameters",
                "type_arguments",
                "where_clause",
                "lifetime",
                "label",
                "bracketed_type",
                "array_type",
                "tuple_type",
                "reference_type",
                "pointer_type",
                "function_type",
                "dynamic_type",
                "abstract_type",
                "remaining_field_pattern",
                "range_pattern",
                "negative_literal",
            ],
        ),
        (Shape::Name, &["identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"]),
        (Shape::Name, &["primitive_type", "self", "crate", "super", "metavariable"]),
        (Shape::Constant, &["integer_literal", "float_literal", "boolean_literal", "char_literal", "unit_expression"]),
        (Shape::Through(""), &["parenthesized_expression", "or_pattern", "captured_pattern"]),
        (Shape::Through("$"), &["mut_pattern", "ref_pattern", "reference_pattern"]),
        (Shape::Through("value"), &["reference_expression", "type_cast_expression"]),
        (Shape::Through("type"), &["generic_type", "generic_type_with_turbofish"]),
        (Shape::Through("#block"), &["unsafe_block", "const_block", "try_block", "gen_block"]),
        (Shape::Await(""), &["await_expression"]),
        (Shape::Member("value", "field"), &["field_expression"]),
        (Shape::Keyword("field", "value"), &["field_initializer"]),
        (Shape::Keyword("name", "$"), &["field_pattern"]),
        (Shape::Shorthand, &["shorthand_field_initializer"]),
        (Shape::Variant("type"), &["tuple_struct_pattern", "struct_pattern"]),
        (Shape::Binary, &["binary_expression"]),
        (Shape::Unary(""), &["unary_expression"]),
        (Shape::Items, &["tuple_expression", "array_expression", "tuple_pattern", "slice_pattern"]),
        (Shape::Assign("left", "right"), &["assignment_expression"]),
        (Shape::Closure(&CLOSURE), &["closure_expression"]),
        (Shape::Closure(&BLOCK), &["async_block"]),
        (Shape::Parameter("pattern", "type", "default"), &["parameter"]),
        (Shape::Sequence, &["source_file", "declaration_list"]),
        (Shape::Run, &["expression_statement"]),
        (Shape::Return(""), &["return_expression"]),
        (Shape::Continue("#label"), &["continue_expression"]),
    ],
    own,
    handler: |b, node| Handler { catches: "", all: false, binds: None, body: b.empty(node.start_byte()) },
    using: opens_nothing,
    target: None,
    case: no_case,
    throws: false,
    breaks_cases: false,
    gives_last: true,
    starts_unawaited: false,
    leaves: &[
        ("panic", false),
        ("todo", false),
        ("unimplemented", false),
        ("unreachable", true),
        // Apart, so that it is not taken for a use of it here.
        (concat!("std", "::process::exit"), true),
        ("process::exit", true),
        (concat!("std", "::process::abort"), true),
        ("process::abort", true),
    ],
    starts: &[
        ("spawn", true),
        ("spawn_local", true),
        ("spawn_on", true),
        ("spawn_blocking", false),
        ("spawn_unchecked", false),
    ],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, _: bool) -> Option<Lowered<'s>> {
    let declares = matches!(
        node.kind(),
        "function_item" | "function_signature_item" | "struct_item" | "enum_item" | "impl_item" | "trait_item"
    );
    if !declares && node.kind() != "attribute_item" {
        // Attributes of what is no function and no class.
        b.pending.clear();
    }
    Some(match node.kind() {
        "use_declaration" => {
            imports(b, node);
            Lowered::Nothing
        }
        "extern_crate_declaration" => {
            let path = b.slice(b.part(node, "name")?);
            let name = b.part(node, "alias").map_or(path, |alias| b.slice(alias));
            b.code.imports.push(Import { path: Cow::Borrowed(path), name, span: span_of(node) });
            Lowered::Nothing
        }
        "mod_item" | "foreign_mod_item" => {
            let body = b.part(node, "body")?;
            b.stmt(body).map_or(Lowered::Nothing, Lowered::Stmt)
        }
        "attribute_item" => {
            attribute(b, node);
            Lowered::Nothing
        }
        "struct_item" | "enum_item" => {
            structure(b, node);
            Lowered::Nothing
        }
        "impl_item" | "trait_item" => return implementation(b, node),
        "function_item" | "function_signature_item" => {
            function(b, node);
            Lowered::Nothing
        }
        "const_item" | "static_item" => {
            let name = b.part(node, "name")?;
            let (ty, value) = (b.part(node, "type"), b.part(node, "value"));
            if b.class.is_none() {
                return Some(Lowered::Stmt(b.bind(node, name, ty, value, true)));
            }
            let value = value.map(|value| b.expr(value));
            let ty = ty.map(|ty| b.type_of(ty));
            let field = Binding { ty, ..b.binding(name, value, true) };
            b.field(field);
            Lowered::Nothing
        }
        "type_item" | "union_item" | "macro_definition" => Lowered::Nothing,
        "block" => block(b, node),
        "let_declaration" => declaration(b, node)?,
        "compound_assignment_expr" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            b.augmented(node, left, right)
        }
        "if_expression" => cases::branches(b, node)?,
        "match_expression" => cases::matches(b, node)?,
        "while_expression" => {
            let label = b.part(node, "#label").map(|label| b.label_of(label));
            let mut binds = Vec::new();
            let condition = b.part(node, "condition")?;
            let condition = cases::condition(b, condition, &mut binds);
            let endless = b.is_true(condition);
            let condition = Some(condition).filter(|_| !endless);
            let body = b.part(node, "body");
            let body = b.loop_body(body, node.end_byte());
            Lowered::Flow(Flow::Loop { label, condition, binds, body, endless, once: false })
        }
        "loop_expression" => {
            let label = b.part(node, "#label").map(|label| b.label_of(label));
            let body = b.part(node, "body");
            let body = b.loop_body(body, node.end_byte());
            Lowered::Flow(Flow::Loop { label, condition: None, binds: Vec::new(), body, endless: true, once: false })
        }
        "for_expression" => {
            let label = b.part(node, "#label").map(|label| b.label_of(label));
            b.name_loop(label);
            b.flow(node, Shape::Each("pattern", "value", "body"))
        }
        "break_expression" => {
            let label = b.part(node, "#label");
            let value = b.named(node).into_iter().find(|child| Some(*child) != label);
            let first = value.map(|value| b.gives(value));
            let exit = Flow::Exit(Exit::Break(label.map(|label| b.label_of(label))));
            let Some(first) = first else { return Some(Lowered::Flow(exit)) };
            let exit = b.push_stmt(span_of(node), exit);
            Lowered::Flow(Flow::Sequence(vec![first, exit]))
        }
        "call_expression" => {
            let function = b.part(node, "function")?;
            let (function, types) = match function.kind() {
                "generic_function" => (b.part(function, "function")?, b.part(function, "type_arguments")),
                _ => (function, None),
            };
            let callee = b.expr(function);
            let types = types.map_or("", |types| b.slice(types));
            let arguments = b.part(node, "arguments").map(|arguments| b.arguments(arguments)).unwrap_or_default();
            let call = b.call(node, callee, types, arguments);
            Lowered::Expr(b.code.calls[call].expr)
        }
        "macro_invocation" => macros::invocation(b, node)?,
        "struct_expression" => {
            let (name, body) = (b.part(node, "name")?, b.part(node, "body")?);
            let callee = b.expr(name);
            let arguments = b.arguments(body);
            let call = b.call(node, callee, "", arguments);
            b.code.calls[call].constructs = true;
            Lowered::Expr(b.code.calls[call].expr)
        }
        "scoped_identifier" | "scoped_type_identifier" => {
            let name = b.part(node, "name")?;
            match b.part(node, "path") {
                Some(path) => {
                    let of = b.expr(path);
                    Lowered::Value(Value::Member { of, name: b.slice(name), at: span_of(name) })
                }
                None => Lowered::Value(Value::Name(b.slice(name))),
            }
        }
        "try_expression" => Lowered::Value(Value::Propagate(b.expr_at(node, "")?)),
        "let_condition" | "let_chain" => {
            let mut binds = Vec::new();
            Lowered::Expr(cases::condition(b, node, &mut binds))
        }
        _ => return None,
    })
}

/// Statements; a value that is dropped at the end is not what the block gives.
fn block<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let nodes = b.named(node);
    let dropped = nodes.last().is_some_and(|last| {
        let ended = last.child_count().checked_sub(1).and_then(|end| last.child(end));
        last.kind() == "expression_statement" && ended.is_some_and(|ended| ended.kind() == ";")
    });
    let mut stmts: Vec<StmtId> = nodes.into_iter().filter_map(|node| b.stmt(node)).collect();
    if dropped && stmts.last().is_some_and(|last| !matches!(b.code.stmts[*last].flow, Flow::Exit(_))) {
        stmts.push(b.empty(node.end_byte()));
    }
    let body = Flow::Sequence(stmts);
    match b.part(node, "#label").map(|label| b.label_of(label)) {
        Some(label) => {
            let body = b.push_stmt(span_of(node), body);
            Lowered::Flow(Flow::Block { label, body })
        }
        None => Lowered::Flow(body),
    }
}

/// What a pattern binds: constants in it are no names.
fn binding<'s, 't>(b: &mut Builder<'s, 't>, pattern: Node<'t>, value: Option<ExprId>) -> Binding<'s> {
    let mut binding = b.binding(pattern, value, true);
    binding.targets.retain(|target| {
        let is_name = matches!(b.code.exprs[target.expr].value, Value::Name(_));
        is_name && target.name.starts_with(|c: char| c == '_' || c.is_alphabetic() && !c.is_uppercase())
    });
    binding
}

/// `let p: T = e else { … };`
fn declaration<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let pattern = b.part(node, "pattern")?;
    let value = b.expr_at(node, "value");
    let ty = b.part(node, "type").map(|ty| b.type_of(ty));
    let binding = Binding { ty, ..binding(b, pattern, value) };
    let (Some(otherwise), Some(value)) = (b.part(node, "alternative"), value) else {
        return Some(Lowered::Flow(Flow::Bind(binding)));
    };
    let condition = b.push(span_of(node), Value::Other(vec![value]));
    let then = b.empty(pattern.end_byte());
    let otherwise = Some(b.body(Some(otherwise), node.end_byte()));
    Some(Lowered::Flow(Flow::If { condition, binds: vec![binding], then, otherwise }))
}

fn function<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let id = b.declare_function(node, &FUNCTION);
    let is_async = b.part(node, "#function_modifiers").is_some_and(|modifiers| b.has_word(modifiers, "async"));
    let this = b.part(node, "parameters").is_some_and(|all| b.part(all, "#self_parameter").is_some());
    let function = &mut b.code.functions[id];
    function.is_async = is_async;
    let before = function.parameters.len();
    function.parameters.retain(|parameter| parameter.name != "self");
    function.this = Some("self").filter(|_| this || function.parameters.len() < before);
}

/// What is declared next has the attribute.
fn attribute<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let Some(attribute) = b.part(node, "") else { return };
    let Some(name) = b.part(attribute, "") else { return };
    let pending = std::mem::take(&mut b.pending);
    let mut expr = b.expr(name);
    if let Some(arguments) = b.part(attribute, "arguments") {
        let arguments = macros::arguments(b, arguments);
        let call = b.call(attribute, expr, "", arguments);
        expr = b.code.calls[call].expr;
    }
    b.pending = pending;
    b.pending.push(expr);
}

fn structure<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let name = b.part(node, "name").map_or("", |name| b.slice(name));
    b.define_class(node, name, Vec::new(), None);
    let Some(class) = b.code.classes.len().checked_sub(1) else { return };
    let Some(body) = b.part(node, "body") else { return };
    if body.kind() == "ordered_field_declaration_list" {
        for (ty, name) in b.fields(body, "type").into_iter().zip(PLACES) {
            let expr = b.push(span_of(ty), Value::Name(name));
            let targets = vec![Target { expr, name, part: None }];
            let ty = Some(b.type_of(ty));
            b.code.classes[class].fields.push(Binding { targets, ty, value: None, declares: true });
        }
    }
    for field in b.named(body).into_iter().filter(|field| field.kind() == "field_declaration") {
        let Some(name) = b.part(field, "name") else { continue };
        let ty = b.part(field, "type").map(|ty| b.type_of(ty));
        let field = Binding { ty, ..b.binding(name, None, true) };
        b.code.classes[class].fields.push(field);
    }
}

/// `impl T for S { … }`, `trait T: S { … }`.
fn implementation<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let name = b.part(node, "type").or_else(|| b.part(node, "name"))?;
    let name = last_part(b.slice(name).trim_start_matches(['&', '(']));
    let mut bases: Vec<&'s str> = b.part(node, "trait").map(|base| b.slice(base)).into_iter().collect();
    if let Some(bounds) = b.part(node, "bounds") {
        bases.extend(b.named(bounds).into_iter().map(|bound| b.slice(bound)));
    }
    let body = b.part(node, "body");
    Some(b.define_class(node, name, bases, body))
}

/// `use a::{b::C as D, e::*};`: one import each.
fn imports<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let span = span_of(node);
    let mut todo: Vec<(Node<'t>, String)> = Vec::new();
    todo.extend(b.part(node, "argument").map(|argument| (argument, String::new())));
    while let Some((part, before)) = todo.pop() {
        let joined = |path: &str| {
            if before.is_empty() { path.to_owned() } else { format!("{before}::{path}") }
        };
        let (path, name) = match part.kind() {
            "scoped_use_list" | "use_list" => {
                let before = b.part(part, "path").map_or(before.clone(), |path| joined(b.slice(path)));
                let list = b.part(part, "list").unwrap_or(part);
                todo.extend(b.named(list).into_iter().rev().map(|inside| (inside, before.clone())));
                continue;
            }
            "use_wildcard" => {
                let path = b.part(part, "").map_or(before.clone(), |path| joined(b.slice(path)));
                (path, "*")
            }
            "use_as_clause" => {
                let (Some(path), Some(alias)) = (b.part(part, "path"), b.part(part, "alias")) else { continue };
                let is_self = path.kind() == "self" && !before.is_empty();
                (if is_self { before } else { joined(b.slice(path)) }, b.slice(alias))
            }
            "self" if !before.is_empty() => {
                // The name is that of the list's path, which is written before it.
                let list = part.parent().and_then(|list| list.parent()).and_then(|list| b.part(list, "path"));
                (before, list.map_or("self", |path| last_part(b.slice(path))))
            }
            _ => (joined(b.slice(part)), last_part(b.slice(part))),
        };
        b.code.imports.push(Import { path: Cow::Owned(path), name, span });
    }
}
