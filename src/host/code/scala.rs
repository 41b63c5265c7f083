//! Scala.

mod cases;
mod define;
mod values;

use super::build::{Builder, Lowered, span_of};
use super::language::{Shape, Syntax, no_case, opens_nothing};
use super::{Exit, Flow, Handler, Value};
use tree_sitter::Node;

pub(super) static SYNTAX: Syntax = Syntax {
    shapes: &[
        (
            Shape::Own,
            &[
                "package_clause",
                "import_declaration",
                "object_definition",
                "package_object",
                "class_definition",
                "trait_definition",
                "enum_definition",
                "given_definition",
                "extension_definition",
                "function_definition",
                "function_declaration",
                "val_definition",
                "var_definition",
                "val_declaration",
                "var_declaration",
                "block",
                "case_block",
                "indented_cases",
                "lambda_expression",
                "call_expression",
                "generic_function",
                "instance_expression",
                "infix_expression",
                "match_expression",
                "try_expression",
                "for_expression",
                "return_expression",
            ],
        ),
        (
            Shape::Skip,
            &[
                "comment",
                "block_comment",
                "type_definition",
                "self_type",
                "enum_case_definitions",
                "export_declaration",
                "modifiers",
                "type_parameters",
                "type_arguments",
                "package_identifier",
                "wildcard",
                "namespace_wildcard",
            ],
        ),
        (Shape::Name, &["identifier", "type_identifier", "operator_identifier", "stable_identifier"]),
        (Shape::Name, &["stable_type_identifier"]),
        (Shape::Constant, &["integer_literal", "floating_point_literal", "boolean_literal", "null_literal"]),
        (Shape::Constant, &["character_literal", "symbol_literal", "unit"]),
        (Shape::Through(""), &["parenthesized_expression", "method_value", "ascription_expression"]),
        (Shape::Through(""), &["alternative_pattern", "capture_pattern", "repeat_pattern"]),
        (Shape::Through("pattern"), &["typed_pattern"]),
        (Shape::Through("type"), &["generic_type"]),
        (Shape::Member("value", "field"), &["field_expression"]),
        (Shape::Unary(""), &["prefix_expression"]),
        (Shape::Items, &["tuple_expression", "tuple_pattern", "identifiers"]),
        (Shape::Variant("type"), &["case_class_pattern", "given_pattern"]),
        (Shape::Variant("operator"), &["infix_pattern"]),
        (Shape::Assign("left", "right"), &["assignment_expression"]),
        (Shape::Annotation("name"), &["annotation"]),
        (Shape::Parameter("name", "type", "default_value"), &["parameter", "class_parameter", "binding"]),
        (Shape::Sequence, &["compilation_unit", "indented_block", "template_body", "with_template_body"]),
        (Shape::Throw(""), &["throw_expression"]),
        (Shape::If("condition", "consequence", "alternative"), &["if_expression"]),
        (Shape::While("condition", "body"), &["while_expression"]),
        (Shape::DoWhile("body", "condition"), &["do_while_expression"]),
    ],
    own,
    handler: |b, node| Handler { catches: "", all: false, binds: None, body: b.empty(node.start_byte()) },
    using: opens_nothing,
    target: None,
    case: no_case,
    throws: true,
    breaks_cases: false,
    gives_last: true,
    starts_unawaited: false,
    leaves: &[("sys.exit", true), ("System.exit", true), ("sys.error", false)],
    starts: &[
        ("Future", false),
        ("fork", false),
        ("forkDaemon", false),
        ("start", true),
        ("unsafeRunAsync", false),
        ("unsafeRunAndForget", false),
        ("Thread", false),
    ],
};

fn own<'s, 't>(b: &mut Builder<'s, 't>, node: Node<'t>, statement: bool) -> Option<Lowered<'s>> {
    Some(match node.kind() {
        "package_clause" => {
            let body = b.part(node, "body")?;
            b.stmt(body).map_or(Lowered::Nothing, Lowered::Stmt)
        }
        "import_declaration" => {
            define::imports(b, node);
            Lowered::Nothing
        }
        "object_definition" | "package_object" | "class_definition" | "trait_definition" | "enum_definition" => {
            define::class(b, node)
        }
        "given_definition" => define::given(b, node),
        "extension_definition" => {
            let nodes = b.fields(node, "body");
            Lowered::Stmt(b.sequence(nodes, span_of(node)))
        }
        "function_definition" | "function_declaration" => {
            define::function(b, node);
            Lowered::Nothing
        }
        "val_definition" | "var_definition" | "val_declaration" | "var_declaration" => define::value(b, node)?,
        "block" => match b.named(node).as_slice() {
            [only] if statement => return Some(b.stmt(*only).map_or(Lowered::Nothing, Lowered::Stmt)),
            [only] => Lowered::Expr(b.expr(*only)),
            nodes => Lowered::Stmt(b.sequence(nodes.to_vec(), span_of(node))),
        },
        "case_block" | "indented_cases" => Lowered::Value(Value::Function(cases::partial(b, node))),
        "lambda_expression" => Lowered::Value(Value::Function(values::lambda(b, node))),
        "call_expression" => match values::using(b, node) {
            Some(using) => using,
            None => Lowered::Expr(values::call(b, node)?),
        },
        "generic_function" => {
            // Types without arguments are a call without.
            let callee = b.expr_at(node, "function")?;
            let types = b.part(node, "type_arguments").map_or("", |types| b.slice(types));
            let call = b.call(node, callee, types, Vec::new());
            Lowered::Expr(b.code.calls[call].expr)
        }
        "instance_expression" => Lowered::Expr(values::construction(b, node)?),
        "infix_expression" => values::infix(b, node, statement)?,
        "match_expression" => {
            let subject = b.expr_at(node, "value")?;
            let clauses = b.part(node, "body").map(|body| b.named(body)).unwrap_or_default();
            Lowered::Stmt(cases::cases(b, node, Some(subject), clauses))
        }
        "try_expression" => Lowered::Flow(cases::attempt(b, node)),
        "for_expression" => Lowered::Flow(cases::comprehension(b, node)?),
        "return_expression" => {
            let value = b.expr_at(node, "");
            // In a closure it leaves the method around.
            let outer = b.function > 0 && b.current().is_block;
            Lowered::Flow(Flow::Exit(if outer { Exit::ReturnOuter(value) } else { Exit::Return(value) }))
        }
        _ => return None,
    })
}
