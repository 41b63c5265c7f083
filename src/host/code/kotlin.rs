//! Kotlin. Its grammar has hardly any fields: most parts are found by their kind.

mod flow;

use super::build::{Builder, Lowered, span_of};
use super::language::{Shape, Syntax, no_case, opens_nothing};
use super::{Argument, Binding, ExprId, Flow, FunctionId, Import, StmtId, Value};
use crate::span::Span;
use flow::{branches, handler, jump, rounds, when};
use std::borrow::Cow;
use tree_sitter::Node;

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "import_header",
                "class_declaration",
                "object_declaration",
                "companion_object",
                "object_literal",
                "enum_entry",
                "anonymous_initializer",
                "secondary_constructor",
                "property_declaration",
                "function_declaration",
                "anonymous_function",
                "lambda_literal",
                "call_expression",
                "constructor_invocation",
                "navigation_expression",
                "directly_assignable_expression",
                "assignment",
                "if_expression",
                "when_expression",
                "for_statement",
                "while_statement",
                "do_while_statement",
                "try_expression",
                "jump_expression",
                "label",
                "callable_reference",
            ],
        ),
        (
            Shape::Skip,
            &[
                "line_comment",
                "multiline_comment",
                "shebang_line",
                "package_header",
                "file_annotation",
                "modifiers",
                "parameter_modifiers",
                "type_parameters",
                "type_constraints",
                "type_arguments",
                "nullable_type",
                "function_type",
                "parenthesized_type",
                "type_alias",
                "binding_pattern_kind",
                "type_test",
            ],
        ),
        (Shape::Name, &["simple_identifier", "type_identifier", "this_expression", "super_expression"]),
        (Shape::Through(""), &["user_type"]),
        (
            Shape::Constant,
            &[
                "integer_literal",
                "long_literal",
                "hex_literal",
                "bin_literal",
                "unsigned_literal",
                "real_literal",
                "boolean_literal",
                "null_literal",
                "character_literal",
            ],
        ),
        (Shape::Through(""), &["parenthesized_expression", "as_expression", "postfix_expression", "annotated_lambda"]),
        (Shape::Through(""), &["spread_expression", "when_condition", "variable_declaration", "property_delegate"]),
        (
            Shape::Binary,
            &[
                "additive_expression",
                "multiplicative_expression",
                "comparison_expression",
                "equality_expression",
                "conjunction_expression",
                "disjunction_expression",
                "elvis_expression",
            ],
        ),
        (Shape::Unary("$"), &["prefix_expression"]),
        (Shape::Items, &["collection_literal", "multi_variable_declaration"]),
        (Shape::Annotation(""), &["annotation"]),
        (Shape::Sequence, &["source_file", "statements"]),
        (Shape::Run, &["import_list", "control_structure_body"]),
        (Shape::Catch, &["catch_block"]),
        (Shape::Finally(""), &["finally_block"]),
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
    leaves: &[("exitProcess", true), ("System.exit", true), ("error", false), ("TODO", false)],
    starts: &[("launch", false), ("async", false), ("thread", false), ("launchIn", false), ("submit", false)],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "import_header" => {
            let path = b.part(node, "").map(|path| b.slice(path))?;
            let alias = b.part(node, "#import_alias").and_then(|alias| b.part(alias, "")).map(|alias| b.slice(alias));
            let last = path.rsplit('.').next().unwrap_or(path);
            let all = b.part(node, "#wildcard_import").is_some();
            let name = if all { "*" } else { alias.unwrap_or(last) };
            b.code.imports.push(Import { path: Cow::Borrowed(path), name, span: span_of(node) });
            Lowered::Nothing
        }
        "class_declaration" | "object_declaration" | "companion_object" => class(b, node),
        "object_literal" => {
            let defined = class(b, node);
            // What is given to the base is evaluated here.
            match defined {
                Lowered::Nothing => Lowered::Value(Value::Other(Vec::new())),
                defined => defined,
            }
        }
        "enum_entry" => {
            if let Some(list) = b.part(node, "#value_arguments") {
                let items = arguments(b, list);
                let value = b.push(span_of(node), Value::Items(items));
                let name = b.part(node, "#simple_identifier")?;
                let field = b.binding(name, Some(value), true);
                b.field(field);
            }
            match b.part(node, "#class_body") {
                Some(body) => b.define_class(node, "", Vec::new(), Some(body)),
                None => Lowered::Nothing,
            }
        }
        "anonymous_initializer" => {
            let body = b.part(node, "#statements");
            b.initializer(node, "init", body);
            Lowered::Nothing
        }
        "secondary_constructor" => {
            let at = Span::new(node.start_byte(), node.start_byte() + "constructor".len());
            let around = b.begin_function(node, "constructor", at);
            parameters(b, node);
            let given = b.part(node, "#constructor_delegation_call").and_then(|call| b.part(call, "#value_arguments"));
            let given = given.map(|list| (arguments(b, list), span_of(list)));
            let first = given.map(|(items, span)| (b.push(span, Value::Items(items)), span));
            let first = first.map(|(items, span)| b.run(items, span));
            let body = b.part(node, "#statements");
            let body = b.body(body, node.end_byte());
            let body = b.push_stmt(span_of(node), Flow::Sequence(first.into_iter().chain([body]).collect()));
            b.current().body = body;
            b.end_function(around);
            Lowered::Nothing
        }
        "property_declaration" => property(b, node)?,
        "function_declaration" => {
            function(b, node);
            Lowered::Nothing
        }
        "anonymous_function" => Lowered::Value(Value::Function(function(b, node))),
        "lambda_literal" => lambda(b, node),
        "call_expression" => call(b, node)?,
        "constructor_invocation" => {
            let ty = b.part(node, "#user_type")?;
            let callee = b.push(span_of(ty), Value::Name(type_name(b, ty)));
            let items = b.part(node, "#value_arguments").map(|list| arguments(b, list)).unwrap_or_default();
            let call = b.call(node, callee, "", items);
            b.code.calls[call].constructs = true;
            Lowered::Expr(b.code.calls[call].expr)
        }
        "navigation_expression" | "directly_assignable_expression" => member(b, node)?,
        "callable_reference" => {
            let parts = b.named(node);
            match parts.as_slice() {
                [of, name] => {
                    let of = b.expr(*of);
                    Lowered::Value(Value::Member { of, name: b.slice(*name), at: span_of(*name) })
                }
                [only] => Lowered::Expr(b.expr(*only)),
                _ => return None,
            }
        }
        "assignment" => {
            let parts = b.named(node);
            let [left, right] = parts.as_slice() else { return None };
            if b.has_word(node, "=") {
                Lowered::Stmt(b.bind(node, *left, None, Some(*right), false))
            } else {
                b.augmented(node, *left, *right)
            }
        }
        "if_expression" => Lowered::Stmt(branches(b, node)?),
        "when_expression" => when(b, node),
        "for_statement" | "while_statement" | "do_while_statement" => rounds(b, node)?,
        "try_expression" => {
            let body = b.part(node, "#statements");
            let body = b.body(body, node.start_byte());
            Lowered::Flow(b.attempt_of(node, body))
        }
        "jump_expression" => jump(b, node)?,
        "label" if statement => {
            b.set_label(node);
            Lowered::Nothing
        }
        _ => return None,
    })
}

/// `C` of `a.b.C<T>`.
fn type_name<'s>(b: &Builder<'s, '_>, node: Node<'_>) -> &'s str {
    let text = b.slice(node);
    text.split('<').next().unwrap_or(text).trim_end()
}

fn is_type(node: &Node<'_>) -> bool {
    matches!(node.kind(), "user_type" | "nullable_type" | "function_type" | "parenthesized_type")
}

fn arguments<'s, 't>(b: &mut Builder<'s, 't>, list: Node<'t>) -> Vec<Argument<'s>> {
    if let Some(text) = b.as_text(list) {
        return vec![Argument { name: None, value: text }];
    }
    let mut items = Vec::new();
    for argument in b.named(list) {
        let parts = b.named(argument);
        let (name, value) = match parts.as_slice() {
            [name, value] if b.has_word(argument, "=") => (Some(b.slice(*name)), *value),
            [.., value] => (None, *value),
            [] => continue,
        };
        let value = b.expr(value);
        b.names_closure(value, name);
        items.push(Argument { name, value });
    }
    items
}

fn class<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let (mut bases, mut given) = (Vec::new(), Vec::new());
    for specifier in b.named(node).into_iter().filter(|part| part.kind() == "delegation_specifier") {
        let Some(base) = b.part(specifier, "") else { continue };
        let ty = b.part(base, "#user_type").unwrap_or(base);
        bases.push(b.slice(ty));
        if let Some(list) = b.part(base, "#value_arguments") {
            given.push(list);
        } else if base.kind() == "explicit_delegation" {
            given.extend(b.part(base, "$"));
        }
    }
    // A companion's members are called on the class.
    let outer = b.class.filter(|_| node.kind() == "companion_object").map_or("", |class| b.code.classes[class].name);
    let name = b.part(node, "#type_identifier").map_or(outer, |name| b.slice(name));
    let next = b.code.classes.len();
    let body = b.part(node, "#class_body").or_else(|| b.part(node, "#enum_class_body"));
    let defined = b.define_class(node, name, bases, body);
    let around = b.class.replace(next);
    for parameter in b.part(node, "#primary_constructor").map(|list| b.named(list)).unwrap_or_default() {
        let parts = b.named(parameter);
        let Some(name) = b.part(parameter, "#simple_identifier").filter(|_| parameter.kind() == "class_parameter")
        else {
            continue;
        };
        let ty = parts.iter().find(|part| is_type(part)).map(|ty| b.type_of(*ty));
        let value = parts.last().copied().filter(|value| *value != name && !is_type(value)).map(|value| b.expr(value));
        let field = Binding { ty, ..b.binding(name, value, true) };
        b.field(field);
    }
    let mut stmt = None;
    if !given.is_empty() {
        let at = Span::new(node.start_byte(), node.start_byte());
        let literal = node.kind() == "object_literal";
        let function = (!literal).then(|| b.begin_function(node, "", at));
        let items: Vec<ExprId> = given
            .into_iter()
            .map(|list| match list.kind() {
                "value_arguments" => {
                    let items = arguments(b, list);
                    b.push(span_of(list), Value::Items(items))
                }
                _ => b.expr(list),
            })
            .collect();
        let items = b.push(span_of(node), Value::Other(items));
        let body = b.run(items, span_of(node));
        match function {
            Some(function) => {
                b.current().body = body;
                b.end_function(function);
            }
            None => stmt = Some(body),
        }
    }
    b.class = around;
    match (stmt, defined) {
        (Some(stmt), _) => Lowered::Stmt(stmt),
        (None, defined) => defined,
    }
}

fn parameters<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) {
    let list = b.part(node, "#function_value_parameters").map(|list| b.named(list)).unwrap_or_default();
    let mut annotations = Vec::new();
    for part in list {
        match part.kind() {
            "parameter_modifiers" => {
                let before = std::mem::take(&mut b.pending);
                b.own_annotations(part);
                annotations = std::mem::replace(&mut b.pending, before);
            }
            "parameter" => {
                let Some(name) = b.part(part, "#simple_identifier") else { continue };
                let ty = b.named(part).into_iter().find(is_type).map(|ty| b.type_of(ty));
                let parameter = b.parameter(name, ty, None);
                b.current()
                    .parameters
                    .push(super::Parameter { annotations: std::mem::take(&mut annotations), ..parameter });
            }
            // The default of the one before.
            _ => {
                let default = b.expr(part);
                if let Some(last) = b.current().parameters.last_mut() {
                    last.default = Some(default);
                }
            }
        }
    }
}

fn function<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> FunctionId {
    b.own_annotations(node);
    let name = b.part(node, "#simple_identifier");
    let at = name.map_or(Span::new(node.start_byte(), node.start_byte()), span_of);
    let around = b.begin_function(node, name.map_or("", |name| b.slice(name)), at);
    parameters(b, node);
    let list = b.part(node, "#function_value_parameters");
    let after = b.named(node).into_iter().skip_while(|part| Some(*part) != list).find(is_type);
    let returns = after.map(|ty| b.type_of(ty));
    let is_async = b.has_modifier(node, "suspend");
    let body = function_body(b, node);
    let function = b.current();
    function.returns = returns;
    function.is_async = is_async;
    function.body = body;
    b.end_function(around)
}

/// `{ … }`, or `= …`, which is given.
fn function_body<'t>(b: &mut Builder<'_, 't>, node: Node<'t>) -> StmtId {
    let Some(body) = b.part(node, "#function_body") else { return b.empty(node.end_byte()) };
    let inside = b.part(body, "");
    let stmt = b.body(inside, body.end_byte());
    if b.has_word(body, "=") {
        b.give_last(stmt);
    }
    stmt
}

fn lambda<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Lowered<'s> {
    let around = b.begin_function(node, "", Span::new(node.start_byte(), node.start_byte()));
    b.current().is_block = true;
    for pattern in b.part(node, "#lambda_parameters").map(|list| b.named(list)).unwrap_or_default() {
        let ty = b.named(pattern).into_iter().find(is_type).map(|ty| b.type_of(ty));
        let parameter = b.parameter(pattern, ty, None);
        b.current().parameters.push(parameter);
    }
    let body = b.part(node, "#statements");
    let body = b.body(body, node.end_byte());
    b.give_last(body);
    b.current().body = body;
    Lowered::Value(Value::Function(b.end_function(around)))
}

/// `val a: T = …`, `val (a, b) = …`, `val a by …`; a field in a class.
fn property<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    b.own_annotations(node);
    b.pending.clear();
    let parts = b.named(node);
    let at = parts.iter().position(|part| part.kind().ends_with("variable_declaration"))?;
    let pattern = parts[at];
    let ty = b.part(pattern, "$").filter(is_type).map(|ty| b.type_of(ty));
    let accessor = |part: &Node<'t>| matches!(part.kind(), "getter" | "setter");
    let rest = parts.into_iter().skip(at + 1).filter(|part| part.kind() != "type_constraints");
    let (accessors, values): (Vec<_>, Vec<_>) = rest.partition(accessor);
    let value = values.first().map(|value| b.expr(*value));
    let binding = Binding { ty, ..b.binding(pattern, value, true) };
    let name = binding.targets.first().map_or("", |target| target.name);
    let lowered = if b.class.is_some() {
        b.field(binding);
        Lowered::Nothing
    } else {
        Lowered::Flow(Flow::Bind(binding))
    };
    for accessor in accessors {
        let around = b.begin_function(accessor, name, span_of(accessor));
        let body = function_body(b, accessor);
        b.current().body = body;
        b.end_function(around);
    }
    Some(lowered)
}

fn call<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let parts = b.named(node);
    let callee = b.expr(*parts.first()?);
    let (mut types, mut items) = ("", Vec::new());
    for suffix in parts.into_iter().skip(1) {
        for part in b.named(suffix) {
            match part.kind() {
                "type_arguments" => types = b.slice(part),
                "value_arguments" => items.extend(arguments(b, part)),
                _ => items.push(Argument { name: None, value: b.expr(part) }),
            }
        }
    }
    let call = b.call(node, callee, types, items);
    Some(Lowered::Expr(b.code.calls[call].expr))
}

/// `a.b`, `a?.b`, and what is assigned to: `a.b`, `a[i]`.
fn member<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>) -> Option<Lowered<'s>> {
    let mut parts = b.named(node).into_iter();
    let first = parts.next()?;
    let mut of = b.expr(first);
    for suffix in parts {
        let span = Span::new(node.start_byte(), suffix.end_byte());
        let name = b.part(suffix, "").filter(|name| name.kind() == "simple_identifier");
        let value = match name.filter(|_| suffix.kind() == "navigation_suffix") {
            Some(name) => Value::Member { of, name: b.slice(name), at: span_of(name) },
            None => Value::Other(vec![of, b.expr(suffix)]),
        };
        of = b.push(span, value);
    }
    Some(Lowered::Expr(of))
}
