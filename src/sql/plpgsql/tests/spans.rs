//! How the spans of a tree have to lie.

use crate::span::SqlSpan;
use crate::sql::lex::Token;
use crate::sql::plpgsql::StatementKind;
use crate::sql::plpgsql::{Block, Body, Statement};

/// Every span lies in the text, on character boundaries, inside its parent and after its elder.
pub(super) fn check(text: &str, tokens: &[Token], body: &Body) {
    let whole = SqlSpan::new(0, text.len());
    assert!(text.get(body.block.span.range()).is_some());
    check_block(text, tokens, &body.block, whole);
    check_list(text, tokens, &body.rest, whole, body.block.span.end);
}

fn check_block(text: &str, tokens: &[Token], block: &Block, parent: SqlSpan) {
    assert!(parent.contains(block.span));
    let mut at = block.span.start;
    for declared in &block.declarations {
        assert!(block.span.contains(declared.span) && declared.span.start >= at);
        at = declared.span.end;
        for run in [declared.default, declared.cursor_query].into_iter().flatten() {
            assert!(declared.span.contains(run.span(tokens)));
        }
    }
    at = check_list(text, tokens, &block.body, block.span, at);
    for handler in &block.handlers {
        assert!(block.span.contains(handler.span) && handler.span.start >= at);
        check_list(text, tokens, &handler.body, handler.span, handler.span.start);
        at = handler.span.end;
    }
}

fn check_list(text: &str, tokens: &[Token], list: &[Statement], parent: SqlSpan, mut at: usize) -> usize {
    use StatementKind::*;
    for statement in list {
        let span = statement.span;
        assert!(text.get(span.range()).is_some() && !span.is_empty());
        assert!(parent.contains(span) && span.start >= at, "{statement:?} in {parent:?}");
        at = span.end;
        let arms = match &statement.kind {
            Block(block) => {
                check_block(text, tokens, block, span);
                continue;
            }
            If { arms, otherwise } | Case { arms, otherwise, .. } => (arms.as_slice(), otherwise.as_ref()),
            Loop { body, .. } => (&[][..], Some(body)),
            Unknown(run) | Sql { tokens: run, .. } | Perform(run) | Call(run) => {
                assert!(span.contains(run.span(tokens)));
                continue;
            }
            _ => continue,
        };
        let mut inner = span.start;
        for (condition, body) in arms.0 {
            let condition = condition.span(tokens);
            assert!(span.contains(condition) && condition.start >= inner);
            inner = check_list(text, tokens, body, span, condition.end);
        }
        if let Some(body) = arms.1 {
            check_list(text, tokens, body, span, inner);
        }
    }
    at
}
