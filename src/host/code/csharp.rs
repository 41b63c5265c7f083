//! C#.

mod object;

use super::build::{Builder, Case, Lowered, Way, span_of};
use super::language::{Parts, Shape, Syntax};
use super::{Binding, ExprId, Flow, Handler, Import, StmtId, Target, Value};
use crate::span::Span;
use object::{entries, members};
use std::borrow::Cow;
use tree_sitter::Node;

const METHOD: Parts = Parts { name: "name", parameters: "parameters", returns: "returns", body: "body" };
const LOCAL: Parts = Parts { name: "name", parameters: "parameters", returns: "type", body: "body" };
const LAMBDA: Parts = Parts { name: "", parameters: "parameters", returns: "type", body: "body" };

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "using_directive",
                "class_declaration",
                "struct_declaration",
                "record_declaration",
                "interface_declaration",
                "enum_declaration",
                "field_declaration",
                "event_field_declaration",
                "property_declaration",
                "indexer_declaration",
                "constructor_declaration",
                "variable_declaration",
                "using_statement",
                "foreach_statement",
                "lock_statement",
                "switch_statement",
                "switch_expression",
                "is_pattern_expression",
                "invocation_expression",
                "anonymous_object_creation_expression",
                "object_creation_expression",
                "implicit_object_creation_expression",
                "conditional_access_expression",
                "generic_name",
                "assignment_expression",
                "throw_expression",
                "goto_statement",
                "declaration_expression",
            ],
        ),
        (
            Shape::Skip,
            &[
                "comment",
                "extern_alias_directive",
                "global_attribute",
                "attribute_list",
                "modifier",
                "type_parameter_list",
                "type_parameter_constraints_clause",
                "type_argument_list",
                "predefined_type",
                "array_type",
                "nullable_type",
                "implicit_type",
                "empty_statement",
                "accessor_list",
                "typeof_expression",
                "sizeof_expression",
                "delegate_declaration",
                "discard",
                "file_scoped_namespace_declaration",
                "enum_member_declaration",
            ],
        ),
        (Shape::Name, &["identifier", "this", "base"]),
        (Shape::Constant, &["integer_literal", "real_literal", "character_literal", "boolean_literal", "null_literal"]),
        (Shape::Constant, &["default_expression"]),
        (Shape::Through(""), &["parenthesized_expression", "constant_pattern", "arrow_expression_clause"]),
        (Shape::Through("value"), &["cast_expression"]),
        (Shape::Through(""), &["as_expression", "checked_expression", "ref_expression"]),
        (Shape::Await(""), &["await_expression"]),
        (Shape::Member("expression", "name"), &["member_access_expression"]),
        (Shape::Member("qualifier", "name"), &["qualified_name"]),
        (Shape::Keyword("name", "$"), &["argument"]),
        (Shape::Through("$"), &["attribute_argument"]),
        (Shape::Through(""), &["when_clause"]),
        (Shape::Binary, &["binary_expression"]),
        (Shape::Unary("$"), &["prefix_unary_expression"]),
        (Shape::Items, &["tuple_expression", "tuple_pattern", "initializer_expression", "collection_expression"]),
        (Shape::Items, &["parenthesized_variable_designation"]),
        (Shape::Choice("condition", "consequence", "alternative"), &["conditional_expression"]),
        (Shape::Closure(&LAMBDA), &["lambda_expression", "anonymous_method_expression"]),
        (Shape::Function(&METHOD), &["method_declaration", "destructor_declaration", "operator_declaration"]),
        (Shape::Function(&LOCAL), &["local_function_statement", "conversion_operator_declaration"]),
        (Shape::Annotation("name"), &["attribute"]),
        (Shape::Parameter("name", "type", "$"), &["parameter"]),
        (Shape::Name, &["implicit_parameter"]),
        (Shape::Sequence, &["compilation_unit", "block"]),
        (Shape::Through("body"), &["namespace_declaration"]),
        (Shape::Run, &["expression_statement", "global_statement", "yield_statement", "declaration_list"]),
        (Shape::Using, &["local_declaration_statement"]),
        (Shape::Return(""), &["return_statement"]),
        (Shape::Throw(""), &["throw_statement"]),
        (Shape::Break(""), &["break_statement"]),
        (Shape::Continue(""), &["continue_statement"]),
        (Shape::If("condition", "consequence", "alternative"), &["if_statement"]),
        (Shape::While("condition", "body"), &["while_statement"]),
        (Shape::DoWhile("body", "condition"), &["do_statement"]),
        (Shape::For("initializer", "condition", "update", "body"), &["for_statement"]),
        (Shape::Labeled("", "$"), &["labeled_statement"]),
        (Shape::Try("body"), &["try_statement"]),
        (Shape::Catch, &["catch_clause"]),
        (Shape::Finally(""), &["finally_clause"]),
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
    leaves: &[("Environment.Exit", true), ("Environment.FailFast", true)],
    starts: &[("Thread", false), ("StartNew", false), ("QueueUserWorkItem", false), ("Run", false)],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "using_directive" => {
            let alias = b.part(node, "name").map(|alias| b.slice(alias));
            let path = b.part(node, "$").map(|path| b.slice(path))?;
            b.code.imports.push(Import { path: Cow::Borrowed(path), name: alias.unwrap_or("*"), span: span_of(node) });
            Lowered::Nothing
        }
        "class_declaration"
        | "struct_declaration"
        | "record_declaration"
        | "interface_declaration"
        | "enum_declaration" => class(b, node),
        "anonymous_object_creation_expression" => Lowered::Value(Value::Items(members(b, node))),
        "field_declaration" | "event_field_declaration" => {
            let declaration = b.part(node, "#variable_declaration")?;
            for field in bindings(b, declaration) {
                b.field(field);
            }
            Lowered::Nothing
        }
        "property_declaration" | "indexer_declaration" => {
            property(b, node);
            Lowered::Nothing
        }
        "constructor_declaration" => {
            let id = b.declare_function(node, &METHOD);
            // What is given to the base runs first.
            if let Some(list) = b.part(node, "#constructor_initializer").and_then(|of| b.part(of, "#argument_list")) {
                let arguments = b.arguments(list);
                let items = b.push(span_of(list), Value::Items(arguments));
                let first = b.run(items, span_of(list));
                let body = b.code.functions[id].body;
                let span = span_of(list).join(b.code.stmts[body].span);
                b.code.functions[id].body = b.push_stmt(span, Flow::Sequence(vec![first, body]));
            }
            Lowered::Nothing
        }
        "variable_declaration" => {
            let bindings = bindings(b, node);
            let mut stmts: Vec<StmtId> =
                bindings.into_iter().map(|binding| b.push_stmt(span_of(node), Flow::Bind(binding))).collect();
            match stmts.len() {
                1 => Lowered::Stmt(stmts.pop()?),
                _ => Lowered::Flow(Flow::Sequence(stmts)),
            }
        }
        "using_statement" => {
            let body = b.part(node, "body");
            let opened = b.named(node).into_iter().find(|part| Some(*part) != body)?;
            let items = match opened.kind() {
                "variable_declaration" => bindings(b, opened),
                _ => vec![Binding { targets: Vec::new(), ty: None, value: Some(b.expr(opened)), declares: false }],
            };
            let body = b.body(body, node.end_byte());
            Lowered::Flow(Flow::With { items, body })
        }
        "foreach_statement" => {
            let label = b.take_label();
            let through = b.expr_at(node, "right")?;
            if b.has_word(node, "await") {
                b.awaited(through);
            }
            let ty = b.part(node, "type").map(|ty| b.type_of(ty));
            let left = b.part(node, "left")?;
            let binds = vec![Binding { ty, ..b.binding(left, Some(through), true) }];
            let body = b.part(node, "body");
            let body = b.loop_body(body, node.end_byte());
            let condition = Some(through);
            Lowered::Flow(Flow::Loop { label, condition, binds, body, endless: false, once: false })
        }
        "lock_statement" => {
            let parts = b.named(node);
            let stmts = parts.into_iter().filter_map(|part| b.stmt(part)).collect();
            Lowered::Flow(Flow::Sequence(stmts))
        }
        "switch_statement" => {
            let subject = b.expr_at(node, "value");
            let cases = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
            b.switch(node, subject, cases)
        }
        "switch_expression" => arms(b, node)?,
        "is_pattern_expression" => {
            // What the pattern binds is bound before it decides.
            let value = b.expr_at(node, "expression")?;
            let pattern = b.part(node, "pattern")?;
            let mut targets = Vec::new();
            names(b, pattern, &mut targets);
            match targets.pop() {
                Some(target) => Lowered::Value(Value::Assign { target: target.expr, value }),
                None => comparison(b, value, pattern),
            }
        }
        "invocation_expression" => {
            let function = b.part(node, "function")?;
            let types = match b.part(function, "name") {
                Some(name) if name.kind() == "generic_name" => b.part(name, "#type_argument_list"),
                _ => b.part(function, "#type_argument_list"),
            };
            let callee = b.expr(function);
            let types = types.map_or("", |types| b.slice(types));
            let arguments = b.part(node, "arguments").map(|arguments| b.arguments(arguments)).unwrap_or_default();
            let call = b.call(node, callee, types, arguments);
            // `Task.Run`, and no other.
            let of = b.part(function, "expression").map_or("", |of| b.slice(of));
            if b.code.calls[call].name == "Run" && of != "Task" {
                b.code.calls[call].elsewhere = false;
            }
            Lowered::Expr(b.code.calls[call].expr)
        }
        "object_creation_expression" | "implicit_object_creation_expression" => {
            let callee = match b.part(node, "type") {
                Some(ty) => b.expr(ty),
                None => b.push(Span::new(node.start_byte(), node.start_byte()), Value::Name("")),
            };
            let ty = b.part(node, "type").and_then(|ty| b.part(ty, "#type_argument_list"));
            let types = ty.map_or("", |types| b.slice(types));
            let list = b.part(node, "#argument_list");
            let mut arguments = list.map(|list| b.arguments(list)).unwrap_or_default();
            if let Some(initializer) = b.part(node, "initializer").or_else(|| b.part(node, "#initializer_expression")) {
                arguments.extend(entries(b, initializer));
            }
            let call = b.call(node, callee, types, arguments);
            b.code.calls[call].constructs = true;
            Lowered::Expr(b.code.calls[call].expr)
        }
        "conditional_access_expression" => {
            // `a?.b`: what follows is a member of it.
            let of = b.expr_at(node, "condition")?;
            let rest = b.part(node, "$")?;
            match b.part(rest, "name").filter(|_| rest.kind() == "member_binding_expression") {
                Some(name) => Lowered::Value(Value::Member { of, name: plain(b, name), at: span_of(name) }),
                None => {
                    let rest = b.expr(rest);
                    Lowered::Value(Value::Other(vec![of, rest]))
                }
            }
        }
        "generic_name" => Lowered::Value(Value::Name(plain(b, node))),
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
        "throw_expression" => {
            let value = b.expr_at(node, "");
            Lowered::Flow(Flow::Exit(super::Exit::Throw { value, dies: false }))
        }
        "goto_statement" => {
            // Where it goes is not followed.
            b.current().has_error = true;
            Lowered::Nothing
        }
        "declaration_expression" => Lowered::Expr(b.expr_at(node, "name")?),
        _ => return None,
    })
}

/// A name without its types.
fn plain<'s>(b: &Builder<'s, '_>, node: Node<'_>) -> &'s str {
    let text = b.slice(node);
    text.split('<').next().unwrap_or(text).trim_end()
}

/// `int a = 1, b = 2`, and what takes a tuple apart.
fn bindings<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Vec<Binding<'s>> {
    let ty = b.part(node, "type").map(|ty| b.type_of(ty));
    let mut bindings = Vec::new();
    for declarator in b.named(node).into_iter().filter(|part| part.kind() == "variable_declarator") {
        let parts = b.named(declarator);
        let Some(pattern) = b.part(declarator, "name").or(parts.first().copied()) else { continue };
        let value = parts.last().copied().filter(|value| *value != pattern).map(|value| b.expr(value));
        bindings.push(Binding { ty, ..b.binding(pattern, value, true) });
    }
    bindings
}

/// `using var a = …;`
fn using<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Vec<Binding<'s>>> {
    if !b.has_word(node, "using") {
        return None;
    }
    let declaration = b.part(node, "#variable_declaration")?;
    Some(bindings(b, declaration))
}

fn class<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let mut given = Vec::new();
    let mut bases = Vec::new();
    for base in b.part(node, "#base_list").map(|bases| b.named(bases)).unwrap_or_default() {
        match base.kind() {
            "argument_list" => given = b.arguments(base),
            "primary_constructor_base_type" => {
                bases.extend(b.part(base, "").map(|ty| b.slice(ty)));
                if let Some(list) = b.part(base, "#argument_list") {
                    given = b.arguments(list);
                }
            }
            _ => bases.push(b.slice(base)),
        }
    }
    let name = b.part(node, "name").map_or("", |name| b.slice(name));
    let next = b.code.classes.len();
    let body = b.part(node, "body");
    let defined = b.define_class(node, name, bases, body);
    for parameter in b.part(node, "#parameter_list").map(|list| b.named(list)).unwrap_or_default() {
        let Some(name) = b.part(parameter, "name") else { continue };
        let ty = b.part(parameter, "type").map(|ty| b.type_of(ty));
        let field = Binding { ty, ..b.binding(name, None, true) };
        b.code.classes[next].fields.push(field);
    }
    if !given.is_empty() {
        // What a primary constructor gives to the base is found when an object is made.
        let around = b.class.replace(next);
        let function = b.begin_function(node, "", Span::new(node.start_byte(), node.start_byte()));
        let items = b.push(span_of(node), Value::Items(given));
        let body = b.run(items, span_of(node));
        b.current().body = body;
        b.end_function(function);
        b.class = around;
    }
    defined
}

/// A property is a field, and what its accessors do are functions with its name.
fn property<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let (name, value) = (b.part(node, "name"), b.part(node, "value"));
    let ty = b.part(node, "type").map(|ty| b.type_of(ty));
    let at = name.map_or(Span::new(node.start_byte(), node.start_byte()), span_of);
    let text = name.map_or("", |name| b.slice(name));
    let computed = value.filter(|value| value.kind() == "arrow_expression_clause");
    if let Some(name) = name {
        let value = value.filter(|_| computed.is_none()).map(|value| b.expr(value));
        let field = Binding { ty, ..b.binding(name, value, true) };
        b.field(field);
    }
    let accessors = b.part(node, "accessors").map(|list| b.named(list)).unwrap_or_default();
    let bodies: Vec<Node<'t>> = accessors.into_iter().filter_map(|of| b.part(of, "body")).chain(computed).collect();
    for body in bodies {
        let around = b.begin_function(node, text, at);
        let stmt = b.function_body(body);
        b.current().body = stmt;
        b.end_function(around);
    }
}

fn handler<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Handler<'s> {
    let declaration = b.part(node, "#catch_declaration");
    let catches = declaration.and_then(|of| b.part(of, "type")).map_or("", |ty| b.slice(ty));
    let binds = declaration.and_then(|of| b.part(of, "name")).map(|name| b.slice(name));
    let filter = b.part(node, "#catch_filter_clause").and_then(|filter| b.expr_at(filter, ""));
    let all = filter.is_none() && matches!(catches, "" | "Exception" | "System.Exception");
    let body = b.part(node, "body");
    let mut body = b.body(body, node.end_byte());
    if let Some(filter) = filter {
        let first = b.run(filter, Span::new(node.start_byte(), node.start_byte()));
        body = b.push_stmt(span_of(node), Flow::Sequence(vec![first, body]));
    }
    Handler { catches, all, binds, body }
}

fn case<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> Option<Case<'t>> {
    if node.kind() != "switch_section" {
        return None;
    }
    let is_label = |part: &Node<'t>| part.kind().ends_with("pattern");
    let guard = b.part(node, "#when_clause");
    let parts: Vec<Node<'t>> = b.named(node).into_iter().filter(|part| Some(*part) != guard).collect();
    // An expression right after `case` is what is compared with.
    let labels = parts.iter().take_while(|part| is_label(part) || part.kind().ends_with("literal")).count();
    let body = parts.get(labels..).unwrap_or_default().to_vec();
    let values = parts.into_iter().take(labels).collect();
    Some(Case { node, values, default: b.has_word(node, "default"), guard, body, falls: true })
}

/// The names that a pattern declares.
fn names<'s, 't>(b: &mut Builder<'s, 't>, pattern: Node<'t>, targets: &mut Vec<Target<'s>>) {
    let mut todo = vec![pattern];
    while let Some(pattern) = todo.pop() {
        let declares = matches!(pattern.kind(), "declaration_pattern" | "recursive_pattern" | "var_pattern");
        if let Some(name) = b.part(pattern, "name").filter(|_| declares) {
            let expr = b.name(name);
            targets.push(Target { expr, name: b.slice(name), part: None });
        }
        if pattern.kind() == "constant_pattern" {
            continue;
        }
        let children = b.named(pattern);
        todo.extend(children.into_iter().rev().filter(|child| child.kind().contains("pattern")));
    }
}

/// `x switch { … }`
fn arms<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let mut parts = b.named(node).into_iter();
    let subject = parts.next()?;
    let subject = b.expr(subject);
    let mut left = Some(subject);
    let arms: Vec<Node<'t>> = parts.filter(|part| part.kind() == "switch_expression_arm").collect();
    Some(b.ways(node, |b, ways, otherwise| {
        for arm in arms {
            let parts = b.named(arm);
            let (Some(pattern), Some(value)) = (parts.first().copied(), parts.last().copied()) else { continue };
            let guard = parts.iter().find(|part| part.kind() == "when_clause").and_then(|guard| b.expr_at(*guard, ""));
            if pattern.kind() == "discard" && guard.is_none() {
                *otherwise = Some(b.gives(value));
                continue;
            }
            let mut binds = Vec::new();
            let mut condition = if pattern.kind() == "constant_pattern" {
                b.one_of(&mut left, vec![pattern], span_of(arm))
            } else {
                let mut targets = Vec::new();
                names(b, pattern, &mut targets);
                if !targets.is_empty() {
                    binds.push(Binding { targets, ty: None, value: Some(subject), declares: true });
                }
                b.fits(&mut left, span_of(pattern))
            };
            if let Some(guard) = guard {
                condition = guarded(b, arm, condition, guard);
            }
            let then = b.gives(value);
            ways.push(Way { condition, binds, then, start: arm.start_byte() });
        }
    }))
}

fn guarded<'t>(b: &mut Builder<'_, 't>, arm: Node<'t>, condition: ExprId, guard: ExprId) -> ExprId {
    b.push(span_of(arm), Value::Logic { and: true, operands: [condition, guard] })
}

/// `e is true`, `e is not null`: a comparison.
fn comparison<'s, 't>(b: &mut Builder<'s, 't>, value: ExprId, pattern: Node<'t>) -> Lowered<'s> {
    let negated = pattern.kind() == "negated_pattern";
    let compared = if negated { b.part(pattern, "") } else { Some(pattern) };
    let Some(compared) = compared.filter(|pattern| pattern.kind() == "constant_pattern") else {
        return Lowered::Value(Value::Other(vec![value]));
    };
    let constant = b.expr(compared);
    let operator = if negated { "is not" } else { "is" };
    Lowered::Value(Value::Binary { operator, operands: [value, constant] })
}
