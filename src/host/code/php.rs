//! PHP.

mod jumps;

use super::build::{Builder, Case, Lowered, Way, last_part, span_of};
use super::language::{Parts, Shape, Syntax, opens_nothing};
use super::{Binding, CallId, Exit, ExprId, Flow, Handler, Import, StmtId, Value};
use crate::span::Span;
use std::borrow::Cow;
use tree_sitter::Node;

const FUNCTION: Parts = Parts { name: "name", parameters: "parameters", returns: "return_type", body: "body" };
const CLOSURE: Parts = Parts { name: "", ..FUNCTION };
const HOOK: Parts = Parts { name: "#name", ..FUNCTION };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "namespace_definition",
                "namespace_use_declaration",
                "class_declaration",
                "interface_declaration",
                "trait_declaration",
                "enum_declaration",
                "use_declaration",
                "const_declaration",
                "property_declaration",
                "enum_case",
                "function_definition",
                "method_declaration",
                "attribute",
                "expression_statement",
                "member_access_expression",
                "nullsafe_member_access_expression",
                "function_call_expression",
                "member_call_expression",
                "nullsafe_member_call_expression",
                "scoped_call_expression",
                "object_creation_expression",
                "augmented_assignment_expression",
                "conditional_expression",
                "match_expression",
                "switch_statement",
                "for_statement",
                "foreach_statement",
                "while_statement",
                "do_statement",
                "break_statement",
                "continue_statement",
                "exit_statement",
                "unset_statement",
                "goto_statement",
                "static_variable_declaration",
            ],
        ),
        (
            Shape::Skip,
            &[
                "comment",
                "text",
                "text_interpolation",
                "php_tag",
                "php_end_tag",
                "attribute_list",
                "global_declaration",
                "named_label_statement",
                "declare_directive",
                "empty_statement",
                "visibility_modifier",
                "static_modifier",
                "readonly_modifier",
                "abstract_modifier",
                "final_modifier",
                "var_modifier",
                "variadic_placeholder",
                "cast_type",
                "named_type",
                "primitive_type",
                "optional_type",
                "union_type",
                "intersection_type",
            ],
        ),
        (Shape::Name, &["variable_name", "name", "qualified_name", "relative_name", "namespace_name"]),
        (Shape::Name, &["relative_scope"]),
        (Shape::Constant, &["integer", "float", "boolean", "null"]),
        (
            Shape::Through(""),
            &["parenthesized_expression", "by_ref", "clone_expression", "error_suppression_expression"],
        ),
        (Shape::Through("value"), &["cast_expression"]),
        (Shape::Member("scope", "name"), &["scoped_property_access_expression"]),
        (Shape::Member("", "$"), &["class_constant_access_expression"]),
        (Shape::Keyword("name", "$"), &["argument"]),
        (Shape::Keyword("", "$"), &["array_element_initializer"]),
        (Shape::Binary, &["binary_expression"]),
        (Shape::Unary("argument"), &["unary_op_expression"]),
        (Shape::Items, &["array_creation_expression", "list_literal"]),
        (Shape::Assign("left", "right"), &["assignment_expression", "reference_assignment_expression"]),
        (Shape::Closure(&CLOSURE), &["anonymous_function", "arrow_function"]),
        (Shape::Function(&HOOK), &["property_hook"]),
        (Shape::Parameter("name", "type", "default_value"), &["simple_parameter", "property_promotion_parameter"]),
        (Shape::Parameter("name", "type", "default_value"), &["variadic_parameter"]),
        (Shape::Sequence, &["program", "compound_statement", "colon_block"]),
        (Shape::Run, &["echo_statement", "sequence_expression", "function_static_declaration"]),
        (Shape::Return(""), &["return_statement"]),
        (Shape::Throw(""), &["throw_expression"]),
        (Shape::If("condition", "body", "alternative"), &["if_statement", "else_if_clause"]),
        (Shape::Else("body"), &["else_clause"]),
        (Shape::Try("body"), &["try_statement"]),
        (Shape::Catch, &["catch_clause"]),
        (Shape::Finally("body"), &["finally_clause"]),
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
    leaves: &[("exit", true), ("die", true), ("dd", true), ("abort", false)],
    starts: &[
        ("register_shutdown_function", false),
        ("async", false),
        ("defer", false),
        ("go", false),
        ("dispatchAfterResponse", false),
    ],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "namespace_definition" => match b.part(node, "body") {
            Some(body) => b.stmt(body).map_or(Lowered::Nothing, Lowered::Stmt),
            None => Lowered::Nothing,
        },
        "namespace_use_declaration" => {
            import(b, node);
            Lowered::Nothing
        }
        "function_definition" | "method_declaration" => {
            attributes(b, node);
            b.declare_function(node, &FUNCTION);
            Lowered::Nothing
        }
        "class_declaration" | "interface_declaration" | "trait_declaration" | "enum_declaration" => {
            attributes(b, node);
            let name = b.part(node, "name").map_or("", |name| b.slice(name));
            class(b, node, name)
        }
        "use_declaration" => {
            let names: Vec<&'s str> =
                b.named(node).into_iter().filter(|name| name.kind() != "use_list").map(|name| b.slice(name)).collect();
            if let Some(class) = b.class {
                b.code.classes[class].bases.extend(names);
            }
            Lowered::Nothing
        }
        "const_declaration" => constants(b, node),
        "property_declaration" => {
            properties(b, node);
            Lowered::Nothing
        }
        "enum_case" => {
            let name = b.part(node, "name")?;
            let value = b.expr_at(node, "value");
            let field = b.binding(name, value, true);
            b.field(field);
            Lowered::Nothing
        }
        "attribute" => {
            let callee = b.expr_at(node, "")?;
            let Some(arguments) = b.part(node, "parameters") else { return Some(Lowered::Expr(callee)) };
            let arguments = b.arguments(arguments);
            let call = b.call(node, callee, "", arguments);
            Lowered::Expr(b.code.calls[call].expr)
        }
        "expression_statement" => {
            let inside = b.part(node, "")?;
            if matches!(b.slice(inside), "exit" | "die") {
                return Some(Lowered::Flow(Flow::Exit(Exit::Throw { value: None, dies: true })));
            }
            return Some(b.stmt(inside).map_or(Lowered::Nothing, Lowered::Stmt));
        }
        "member_access_expression" | "nullsafe_member_access_expression" => {
            Lowered::Expr(member(b, b.part(node, "object")?, b.part(node, "name")?))
        }
        "function_call_expression"
        | "member_call_expression"
        | "nullsafe_member_call_expression"
        | "scoped_call_expression" => {
            let callee = match b.part(node, "function") {
                Some(function) => b.expr(function),
                None => {
                    let of = b.part(node, "object").or_else(|| b.part(node, "scope"))?;
                    member(b, of, b.part(node, "name")?)
                }
            };
            let arguments = b.part(node, "arguments")?;
            if b.part(arguments, "#variadic_placeholder").is_some() {
                // `f(...)` is the function.
                return Some(Lowered::Expr(callee));
            }
            let arguments = b.arguments(arguments);
            let call = b.call(node, callee, "", arguments);
            Lowered::Expr(b.code.calls[call].expr)
        }
        "object_creation_expression" => Lowered::Expr(construction(b, node)?),
        "augmented_assignment_expression" => {
            let (left, right) = (b.part(node, "left")?, b.part(node, "right")?);
            b.augmented(node, left, right)
        }
        "conditional_expression" => {
            let condition = b.expr_at(node, "condition")?;
            let otherwise = b.part(node, "alternative")?;
            let Some(then) = b.part(node, "body") else {
                let operands = [condition, b.expr(otherwise)];
                return Some(Lowered::Value(Value::Logic { and: false, operands }));
            };
            let then = b.gives(then);
            let otherwise = Some(b.gives(otherwise));
            Lowered::Flow(Flow::If { condition, binds: Vec::new(), then, otherwise })
        }
        "match_expression" => matches(b, node)?,
        "switch_statement" => {
            let subject = b.expr_at(node, "condition").filter(|subject| !b.is_true(*subject));
            let cases = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
            b.switch(node, subject, cases)
        }
        "for_statement" | "while_statement" | "do_statement" => {
            jumps::name_loop(b, node);
            b.flow(
                node,
                match node.kind() {
                    "for_statement" => Shape::For("initialize", "condition", "update", "body"),
                    "while_statement" => Shape::While("condition", "body"),
                    _ => Shape::DoWhile("body", "condition"),
                },
            )
        }
        "foreach_statement" => each(b, node)?,
        "break_statement" | "continue_statement" => jumps::exit(b, node),
        "exit_statement" => Lowered::Flow(Flow::Exit(Exit::Throw { value: b.expr_at(node, ""), dies: true })),
        "unset_statement" => {
            let parts = b.named(node);
            Lowered::Value(Value::Other(b.exprs(parts)))
        }
        "goto_statement" => {
            // Where it goes is not followed.
            b.current().has_error = true;
            Lowered::Nothing
        }
        "static_variable_declaration" if statement => {
            let name = b.part(node, "name")?;
            let value = b.part(node, "value");
            Lowered::Stmt(b.bind(node, name, None, value, true))
        }
        _ => return None,
    })
}

/// `of->name`, `of::name`; a name that is computed is no member's.
fn member<'t>(b: &mut Builder<'_, 't>, of: Node<'t>, name: Node<'t>) -> ExprId {
    let span = span_of(of).join(span_of(name));
    let of = b.expr(of);
    if name.kind() != "name" {
        let name = b.expr(name);
        return b.push(span, Value::Other(vec![of, name]));
    }
    let at = span_of(name);
    let name = b.slice(name);
    b.push(span, Value::Member { of, name, at })
}

fn construction<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<ExprId> {
    let anonymous = b.part(node, "#anonymous_class");
    let arguments = b.part(anonymous.unwrap_or(node), "#arguments");
    let constructed = |b: &mut Builder<'_, 't>, call: CallId| {
        b.code.calls[call].constructs = true;
        b.code.calls[call].expr
    };
    let Some(anonymous) = anonymous else {
        let callee = b.expr_at(node, "")?;
        let arguments = arguments.map(|arguments| b.arguments(arguments)).unwrap_or_default();
        let call = b.call(node, callee, "", arguments);
        return Some(constructed(b, call));
    };
    let arguments = arguments.map(|arguments| b.arguments(arguments)).unwrap_or_default();
    let around = b.class;
    attributes(b, anonymous);
    class(b, anonymous, "");
    b.class = around;
    let start = anonymous.start_byte();
    let callee = b.push(Span::new(start, start), Value::Other(Vec::new()));
    let call = b.call(node, callee, "", arguments);
    Some(constructed(b, call))
}

fn class<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, name: &'s str) -> Lowered<'s> {
    let mut bases = Vec::new();
    for clause in b.named(node) {
        if matches!(clause.kind(), "base_clause" | "class_interface_clause") {
            bases.extend(b.named(clause).into_iter().map(|base| b.slice(base)));
        }
    }
    let body = b.part(node, "body");
    b.define_class(node, name, bases, body)
}

/// What is declared next has the attributes of this node.
fn attributes<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let Some(list) = b.part(node, "attributes") else { return };
    let pending = std::mem::take(&mut b.pending);
    let attributes: Vec<Node<'t>> = b.named(list).into_iter().flat_map(|group| b.named(group)).collect();
    let attributes = b.exprs(attributes);
    b.pending = pending;
    b.pending.extend(attributes);
}

/// `const A = 1, B = 2;`
fn constants<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let ty = b.part(node, "type");
    let mut stmts: Vec<StmtId> = Vec::new();
    for element in b.named(node).into_iter().filter(|element| element.kind() == "const_element") {
        let (Some(name), Some(value)) = (b.part(element, ""), b.part(element, "$")) else { continue };
        if b.class.is_none() {
            stmts.push(b.bind(element, name, ty, Some(value), true));
            continue;
        }
        let value = Some(b.expr(value));
        let ty = ty.map(|ty| b.type_of(ty));
        let field = Binding { ty, ..b.binding(name, value, true) };
        b.field(field);
    }
    match stmts.as_slice() {
        [] => Lowered::Nothing,
        [only] => Lowered::Stmt(*only),
        _ => Lowered::Flow(Flow::Sequence(stmts)),
    }
}

fn properties<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let ty = b.part(node, "type").map(|ty| b.type_of(ty));
    for part in b.named(node) {
        match part.kind() {
            "property_element" => {
                let Some(name) = b.part(part, "name") else { continue };
                let value = b.expr_at(part, "default_value");
                let field = Binding { ty, ..b.binding(name, value, true) };
                b.field(field);
            }
            "property_hook_list" => {
                for hook in b.named(part) {
                    b.stmt(hook);
                }
            }
            _ => {}
        }
    }
}

/// `match` compares one by one. What no arm is equal to is an error of the program, after which nothing is asked.
fn matches<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let span = span_of(node);
    let mut subject = b.expr_at(node, "condition").filter(|subject| !b.is_true(*subject));
    let mut ways: Vec<Way<'s>> = Vec::new();
    let mut otherwise = None;
    for arm in b.part(node, "body").map(|body| b.named(body)).unwrap_or_default() {
        let Some(value) = b.part(arm, "return_expression") else { continue };
        let Some(conditions) = b.part(arm, "conditional_expressions") else {
            otherwise = Some(b.gives(value));
            continue;
        };
        let values = b.named(conditions);
        let condition = b.one_of(&mut subject, values, span_of(arm));
        let then = b.gives(value);
        ways.push(Way { condition, binds: Vec::new(), then, start: arm.start_byte() });
    }
    let end = Span::new(span.end, span.end);
    let otherwise = otherwise.unwrap_or_else(|| b.push_stmt(end, Flow::Exit(Exit::Throw { value: None, dies: true })));
    let first = subject.filter(|_| ways.is_empty()).map(|subject| b.run(subject, span));
    let chain = b.chain(node, ways, Some(otherwise));
    Some(match first {
        Some(first) => Lowered::Flow(Flow::Sequence(vec![first, chain])),
        None => Lowered::Stmt(chain),
    })
}

fn each<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    jumps::name_loop(b, node);
    let label = b.take_label();
    let parts = b.named(node);
    let [through, variable, ..] = parts.as_slice() else { return None };
    let through = b.expr(*through);
    let mut targets = Vec::new();
    if variable.kind() == "pair" {
        for (place, variable) in ["0", "1"].into_iter().zip(b.named(*variable)) {
            b.targets(variable, Some(place), &mut targets);
        }
    } else {
        b.targets(*variable, None, &mut targets);
    }
    let binds = vec![Binding { targets, ty: None, value: Some(through), declares: true }];
    let body = b.part(node, "body");
    let body = b.loop_body(body, node.end_byte());
    let condition = Some(through);
    Some(Lowered::Flow(Flow::Loop { label, condition, binds, body, endless: false, once: false }))
}

fn case<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<Case<'t>> {
    let default = node.kind() == "default_statement";
    if !default && node.kind() != "case_statement" {
        return None;
    }
    let values: Vec<Node<'t>> = b.part(node, "value").into_iter().collect();
    let body = b.named(node).into_iter().filter(|child| !values.contains(child)).collect();
    Some(Case { node, values, default, guard: None, body, falls: true })
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let types = b.part(node, "type");
    let all = types
        .map(|types| b.named(types))
        .unwrap_or_default()
        .into_iter()
        .any(|ty| matches!(last_part(b.slice(ty)), "Throwable" | "Exception"));
    let binds = b.part(node, "name").map(|name| b.slice(name).trim_start_matches('$'));
    let body = b.part(node, "body");
    Handler { catches: types.map_or("", |types| b.slice(types)), all, binds, body: b.body(body, node.end_byte()) }
}

/// `use A\B\C as D;`, `use A\{B, C\D};`
fn import<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let span = span_of(node);
    let group = b.part(node, "body");
    let prefix = group.and_then(|_| b.part(node, "#namespace_name")).map(|prefix| b.slice(prefix));
    for clause in b.named(group.unwrap_or(node)).into_iter().filter(|clause| clause.kind() == "namespace_use_clause") {
        let parts = b.named(clause);
        let alias = b.part(clause, "alias");
        let path = parts.into_iter().find(|part| Some(*part) != alias && part.kind().ends_with("name"));
        let Some(path) = path.map(|path| b.slice(path).trim_start_matches('\\')) else { continue };
        let name = alias.map_or(last_part(path), |alias| b.slice(alias));
        let path = match prefix {
            Some(prefix) => Cow::Owned(format!("{}\\{path}", prefix.trim_matches('\\'))),
            None => Cow::Borrowed(path),
        };
        b.code.imports.push(Import { path, name, span });
    }
}
