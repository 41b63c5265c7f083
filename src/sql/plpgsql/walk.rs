//! Every statement of a body, whatever it is nested in.

use super::{Block, Body, LoopKind, Statement, StatementKind};
use crate::sql::Tokens;

impl Body {
    /// The expressions whose text EXECUTE and its kin run, in the order of the text.
    pub fn commands(&self, found: &mut Vec<Tokens>) {
        self.block.each(&mut |statement| match &statement.kind {
            StatementKind::Execute { command, .. }
            | StatementKind::ReturnQueryExecute { command, .. }
            | StatementKind::Open { execute: Some(command), .. }
            | StatementKind::Loop { kind: LoopKind::ForExecute { command, .. }, .. } => found.push(*command),
            _ => {}
        });
    }
}

impl Block {
    /// Calls `visit` for every statement, an outer one before those inside it.
    pub fn each(&self, visit: &mut dyn FnMut(&Statement)) {
        each(&self.body, visit);
        for handler in &self.handlers {
            each(&handler.body, visit);
        }
    }
}

fn each(statements: &[Statement], visit: &mut dyn FnMut(&Statement)) {
    for statement in statements {
        visit(statement);
        match &statement.kind {
            StatementKind::Block(block) => block.each(visit),
            StatementKind::If { arms, otherwise } | StatementKind::Case { arms, otherwise, .. } => {
                for (_, body) in arms {
                    each(body, visit);
                }
                each(otherwise.as_deref().unwrap_or_default(), visit);
            }
            StatementKind::Loop { body, .. } => each(body, visit),
            _ => {}
        }
    }
}
