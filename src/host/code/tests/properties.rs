//! What holds for the code of every text.

use super::source;
use crate::host::code::{Code, ExprId, Flow, Value};
use crate::host::{self, HostLanguage};
use crate::language::Language;
use crate::source::Source;
use crate::span::Span;
use std::collections::HashMap;
use tree_sitter::Node;

/// Kinds of nodes that are calls, and kinds in which none are counted: types.
pub(super) fn call_kinds(language: HostLanguage) -> (&'static [&'static str], &'static [&'static str]) {
    match language {
        HostLanguage::Python => (&["call"], &["type"]),
        HostLanguage::Go => (&["call_expression"], &["array_type"]),
        HostLanguage::Php => (
            &[
                "function_call_expression",
                "member_call_expression",
                "nullsafe_member_call_expression",
                "scoped_call_expression",
                "object_creation_expression",
            ],
            &[],
        ),
        HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx => {
            (&["call_expression", "new_expression"], &["type_annotation", "type_arguments", "literal_type"])
        }
        HostLanguage::Java => (
            &["method_invocation", "object_creation_expression", "explicit_constructor_invocation"],
            &["annotation", "record_declaration"],
        ),
        HostLanguage::Rust => (
            &["call_expression", "macro_invocation", "struct_expression"],
            &[
                "attribute_item",
                "inner_attribute_item",
                "macro_definition",
                "array_type",
                "match_pattern",
                "enum_item",
                "type_arguments",
                "bracketed_type",
            ],
        ),
        HostLanguage::Elixir => (&["call"], &[]),
        HostLanguage::Scala => (&["call_expression", "instance_expression"], &["import_declaration"]),
        HostLanguage::Kotlin => {
            (&["call_expression", "constructor_invocation"], &["annotation", "delegation_specifier"])
        }
        HostLanguage::CSharp => (
            &["invocation_expression", "object_creation_expression", "implicit_object_creation_expression"],
            &["attribute", "primary_constructor_base_type"],
        ),
        HostLanguage::Ruby => (&["call"], &[]),
    }
}

/// Every call of the tree is a call of the code, once; indices are valid, spans lie in those around them; texts are literals.
pub(super) fn assert_holds(source: &Source, code: &Code<'_>) {
    let Language::Host(language) = source.language() else { unreachable!() };
    let tree = host::tree(source.text(), language).unwrap();
    let (kinds, left_out) = call_kinds(language);
    let mut seen: HashMap<Span, usize> = HashMap::new();
    for call in &code.calls {
        *seen.entry(code.exprs[call.expr].span).or_default() += 1;
        assert!(matches!(&code.exprs[call.expr].value, Value::Call(_)));
        let span = code.exprs[call.expr].span;
        assert!(span.contains(call.from_name), "{:?} in {span:?}: {}", call.from_name, source.slice(span));
    }
    let deep = code.functions[0].has_error;
    let mut skipped = Vec::new();
    let mut kinds_around: Vec<&str> = Vec::new();
    let mut cursor = tree.root_node().walk();
    'walk: loop {
        let node = cursor.node();
        let left = left_out.contains(&node.kind()) || says_nothing(source, language, node, cursor.field_name());
        // What is nested too deep is not read, and where there are errors a part may be lost.
        let around = kinds_around.last().copied().unwrap_or_default();
        // Lists of arguments one after the other belong to one call.
        let inner =
            language == HostLanguage::Scala && around == "call_expression" && cursor.field_name() == Some("function");
        let assigned = language == HostLanguage::Ruby
            && (around.contains("assignment") && cursor.field_name() == Some("left")
                || around == "left_assignment_list");
        let counts = kinds.contains(&node.kind()) && node.is_named() && !deep && !left;
        if counts && language == HostLanguage::Elixir {
            // What is piped into a call is before its node. Those without a module may be definitions.
            let plain = node.child_by_field_name("target").is_some_and(|target| target.kind() == "dot");
            let plain = plain && source.slice(Span::new(node.start_byte(), node.end_byte())).ends_with(')');
            let end = node.end_byte();
            assert!(!plain || code.calls.iter().any(|call| call.from_name.end == end), "at {end} of {}", source.path());
        } else if counts && !assigned && !inner && is_call(source, language, node) {
            let span = Span::new(node.start_byte(), node.end_byte());
            assert_eq!(seen.get(&span).copied(), Some(1), "{} at {span:?} of {}", source.slice(span), source.path());
        }
        if left {
            skipped.push(Span::new(node.start_byte(), node.end_byte()));
        }
        if !left && cursor.goto_first_child() {
            kinds_around.push(node.kind());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
            kinds_around.pop();
        }
    }
    for function in &code.functions {
        let body = code.stmts[function.body].span;
        assert!(function.span.contains(body), "{body:?} in {:?}", function.span);
        assert!(function.span.contains(function.at), "{:?} in {:?}", function.at, function.span);
        if let Some(outer) = function.outer {
            assert!(code.functions[outer].span.contains(function.span));
        }
    }
    for stmt in &code.stmts {
        for child in children(&stmt.flow) {
            let inner = code.stmts[child].span;
            assert!(stmt.span.contains(inner), "{inner:?} in {stmt:?}: {}", source.slice(stmt.span));
        }
    }
    // Whole literals are texts with the same span, outside of documentation.
    let read = host::read(source);
    let texts: HashMap<Span, ExprId> = (code.exprs.iter().enumerate())
        .filter(|(_, expr)| matches!(expr.value, Value::Text(_)))
        .map(|(id, expr)| (expr.span, id))
        .collect();
    for literal in read.literals.iter().filter(|literal| literal.argument.is_some() && !deep) {
        // Those left out are in order and apart.
        let next = skipped.partition_point(|span| span.start <= literal.span.start);
        let left = next.checked_sub(1).is_some_and(|at| skipped[at].contains(literal.span));
        assert!(left || texts.contains_key(&literal.span), "{} of {}", source.slice(literal.span), source.path());
    }
}

/// Whether calls in a node are none.
fn says_nothing(source: &Source, language: HostLanguage, node: Node<'_>, field: Option<&str>) -> bool {
    let text = || source.slice(Span::new(node.start_byte(), node.end_byte()));
    match language {
        // Macros may stand for types and patterns.
        HostLanguage::Rust => matches!(field, Some("type" | "return_type" | "pattern" | "trait" | "bounds")),
        HostLanguage::Elixir => {
            node.kind() == "unary_operator"
                && ["@spec", "@type", "@callback", "@opaque", "@doc", "@moduledoc", "@macrocallback", "@impl"]
                    .iter()
                    .any(|note| text().starts_with(note))
        }
        _ => false,
    }
}

/// Whether a node of a call's kind is one.
fn is_call(source: &Source, language: HostLanguage, node: Node<'_>) -> bool {
    match language {
        // `f(...)` is the function.
        HostLanguage::Php => !source.slice(Span::new(node.start_byte(), node.end_byte())).ends_with("(...)"),
        // It opens what its block closes.
        HostLanguage::Scala => !source.slice(Span::new(node.start_byte(), node.end_byte())).starts_with("Using"),
        _ => true,
    }
}

fn children(flow: &Flow<'_>) -> Vec<usize> {
    match flow {
        Flow::Sequence(stmts) => stmts.clone(),
        Flow::Block { body, .. } | Flow::Loop { body, .. } | Flow::With { body, .. } => vec![*body],
        Flow::If { then, otherwise, .. } => std::iter::once(*then).chain(*otherwise).collect(),
        Flow::Try { body, handlers, otherwise, finally } => std::iter::once(*body)
            .chain(handlers.iter().map(|handler| handler.body))
            .chain(*otherwise)
            .chain(*finally)
            .collect(),
        Flow::Run(_) | Flow::Bind(_) | Flow::Defer(_) | Flow::Exit(_) => Vec::new(),
    }
}

/// Cut off anywhere, it is read like any other.
pub(super) fn assert_cut(path: &str, text: &str) {
    for end in (0..text.len()).step_by(97).filter(|end| text.is_char_boundary(*end)) {
        let source = source(path, &text[..end]);
        let code = host::code(&source).unwrap();
        assert!(!code.functions.is_empty());
    }
}

/// Real sources below a directory, for whoever has some: `LOCKLINT_SOURCES=/usr/lib/python3 cargo test code_of_real`.
#[test]
fn code_of_real_sources() {
    let Some(root) = std::env::var_os("LOCKLINT_SOURCES") else { return };
    let mut count = 0;
    for entry in
        walkdir::WalkDir::new(root).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file())
    {
        let path = entry.path().to_string_lossy();
        let Some(language @ Language::Host(_)) = Language::of(&path) else { continue };
        let Ok(bytes) = std::fs::read(entry.path()) else { continue };
        let Ok(source) = Source::new(path.as_ref().into(), language, bytes) else { continue };
        let Some(code) = host::code(&source) else { continue };
        assert_holds(&source, &code);
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str| format!("x = {}1{}\n", open.repeat(20_000), close.repeat(20_000));
    for (path, text) in [
        ("a.py", deep("(", ")")),
        ("a.py", deep("f(", ")")),
        ("a.py", format!("x = a{}\n", ".b()".repeat(20_000))),
        ("a.js", deep("(x => ", ")")),
        ("a.ts", deep("[", "]")),
        ("a.java", format!("class A {{ int {} ; }}", deep("f(", ")"))),
        ("a.cs", format!("class A {{ int {} ; }}", deep("f(", ")"))),
        ("a.kt", deep("f(", ")")),
        ("a.rb", deep("f(", ")")),
        ("a.php", format!("<?php {};", deep("f(", ")"))),
        ("a.rs", format!("fn f() {{ {} }}", deep("f(", ")"))),
        ("a.rs", format!("fn f() {{ {} }}", deep("f!(", ")"))),
        ("a.ex", deep("f(", ")")),
        ("a.ex", deep("{:ok, ", "}")),
        ("a.scala", format!("object A {{ {} }}", deep("f(", ")"))),
        ("a.go", format!("package a\nfunc f() {{ {} }}\n", deep("f(", ")"))),
    ] {
        let source = source(path, &text);
        if let Some(code) = host::code(&source) {
            assert!(code.functions[0].has_error);
        }
    }
    let text = format!("x = a{}\n", " + a".repeat(20_000));
    let source = source("a.py", &text);
    assert!(!host::code(&source).unwrap().functions[0].has_error);
}
