//! Every statement of a body, whatever it is nested in.

use super::{Block, Body, LoopKind, Statement, StatementKind};
use crate::sql::Tokens;
use crate::sql::lex::{Token, TokenKind};
use crate::sql::literal;
use std::collections::{HashMap, HashSet};

/// A text that EXECUTE and its kin run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The expression after EXECUTE.
    pub command: Tokens,
    /// The expression that gives the text: that one, or what was assigned last to the variable that it is.
    pub text: Tokens,
}

impl Body {
    /// What EXECUTE runs, in the order of the text. A text that one variable keeps for two is told once.
    pub fn commands(&self, text: &str, tokens: &[Token]) -> Vec<Command> {
        let mut reader = Reader { text, tokens, assigned: HashMap::new(), undo: Vec::new(), found: Vec::new() };
        reader.block(&self.block);
        let mut told = HashSet::new();
        reader.found.retain(|command| told.insert(command.text));
        reader.found
    }
}

/// Follows which expression each variable was assigned last.
struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    assigned: HashMap<String, Tokens>,
    /// What the names that changed were before.
    undo: Vec<(String, Option<Tokens>)>,
    found: Vec<Command>,
}

impl Reader<'_> {
    fn set(&mut self, name: &str, value: Option<Tokens>) {
        let before = match value {
            Some(value) => self.assigned.insert(name.to_owned(), value),
            None => self.assigned.remove(name),
        };
        self.undo.push((name.to_owned(), before));
    }

    fn assign(&mut self, name: &str, value: Tokens) {
        // `query := query || '…'` goes on with what is not known here.
        let again = value.of(self.tokens).iter().any(|token| self.name(*token).is_some_and(|word| word == name));
        self.set(name, (!again).then_some(value));
    }

    fn name(&self, token: Token) -> Option<String> {
        let is_name = matches!(token.kind, TokenKind::Word | TokenKind::QuotedIdent);
        is_name.then(|| literal::identifier(self.text.get(token.span().range()).unwrap_or_default()))
    }

    fn command(&mut self, command: Tokens) {
        let text = match command.of(self.tokens) {
            [only] => self.name(*only).and_then(|name| self.assigned.get(&name).copied()),
            _ => None,
        };
        self.found.push(Command { command, text: text.unwrap_or(command) });
    }

    fn block(&mut self, block: &Block) {
        for declaration in &block.declarations {
            match declaration.default {
                Some(value) => self.assign(&declaration.name, value),
                None => self.set(&declaration.name, None),
            }
        }
        if block.handlers.is_empty() {
            self.all(&block.body);
        } else {
            let handlers = block.handlers.iter().map(|handler| handler.body.as_slice());
            self.ways(std::iter::once(block.body.as_slice()).chain(handlers));
        }
    }

    /// Several ways of which one is taken, or none: what they assign is not known after them.
    fn ways<'b>(&mut self, ways: impl Iterator<Item = &'b [Statement]>) {
        let mut changed = Vec::new();
        for way in ways {
            let mark = self.undo.len();
            self.all(way);
            for (name, before) in self.undo.split_off(mark).into_iter().rev() {
                match before {
                    Some(value) => self.assigned.insert(name.clone(), value),
                    None => self.assigned.remove(&name),
                };
                changed.push(name);
            }
        }
        changed.iter().for_each(|name| self.set(name, None));
    }

    fn all(&mut self, statements: &[Statement]) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Assign { target, value } => self.assign(target, *value),
                StatementKind::Execute { command, .. }
                | StatementKind::ReturnQueryExecute { command, .. }
                | StatementKind::Open { execute: Some(command), .. }
                | StatementKind::Loop { kind: LoopKind::ForExecute { command, .. }, .. } => self.command(*command),
                _ => {}
            }
            match &statement.kind {
                StatementKind::Block(block) => self.block(block),
                StatementKind::If { arms, otherwise } | StatementKind::Case { arms, otherwise, .. } => {
                    let arms = arms.iter().map(|(_, body)| body.as_slice());
                    self.ways(arms.chain(otherwise.as_deref()));
                }
                StatementKind::Loop { body, .. } => self.ways(std::iter::once(body.as_slice())),
                StatementKind::Sql { into: Some(into), .. }
                | StatementKind::Execute { into: Some(into), .. }
                | StatementKind::Fetch { into: Some(into), .. } => {
                    into.targets.iter().for_each(|name| self.set(name, None));
                }
                _ => {}
            }
        }
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
