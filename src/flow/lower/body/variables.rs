//! The variables of a body: which names are no columns, which are ever read, and which hold a try-lock's answer.

use crate::document::Document;
use crate::flow::SiteId;
use crate::sql::lex::TokenKind;
use crate::sql::plpgsql::{Block, Body, LoopKind, Statement, StatementKind};
use crate::sql::routine::{Returns, Routine};
use std::collections::HashMap;
use std::sync::Arc;

pub(super) struct Variables {
    /// Every declared name, lower case.
    names: Vec<String>,
    /// How often each word stands in the body at all.
    mentions: HashMap<String, usize>,
    /// How often each name is declared or assigned.
    writes: HashMap<String, usize>,
    /// OUT arguments: returned without being named again.
    returned: Vec<String>,
    /// The try-lock whose answer a variable holds now.
    answers: HashMap<String, SiteId>,
}

impl Variables {
    pub(super) fn of(document: &Document<'_>, body: &Body, routine: &Routine) -> Self {
        let mut variables = Self {
            names: vec!["new".into(), "old".into(), "found".into()],
            mentions: HashMap::new(),
            writes: HashMap::new(),
            returned: Vec::new(),
            answers: HashMap::new(),
        };
        for argument in &routine.arguments {
            if let Some(name) = &argument.name {
                variables.names.push(name.clone());
                if !matches!(argument.mode, crate::sql::routine::ArgumentMode::In) {
                    variables.returned.push(name.clone());
                }
            }
        }
        if let Returns::Table(columns) = &routine.returns {
            variables.returned.extend(columns.iter().filter_map(|column| column.name.clone()));
        }
        for token in document.tokens.iter().filter(|token| token.kind == TokenKind::Word) {
            let word = document.region.text().get(token.span().range()).unwrap_or_default().to_ascii_lowercase();
            *variables.mentions.entry(word).or_default() += 1;
        }
        variables.block(&body.block);
        variables
    }

    pub(super) fn names(&self) -> Arc<[String]> {
        self.names.as_slice().into()
    }

    fn write(&mut self, name: &str) {
        *self.writes.entry(base(name).to_owned()).or_default() += 1;
    }

    fn block(&mut self, block: &Block) {
        self.declare(block);
        block.each(&mut |statement| self.statement(statement));
    }

    fn declare(&mut self, block: &Block) {
        for declaration in &block.declarations {
            self.names.push(declaration.name.clone());
            self.write(&declaration.name);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Block(block) => self.declare(block),
            StatementKind::Loop { kind, .. } => match kind {
                LoopKind::ForRange { target, .. } => {
                    self.names.push(target.clone());
                    self.write(target);
                }
                LoopKind::ForQuery { target, .. }
                | LoopKind::ForExecute { target, .. }
                | LoopKind::ForCursor { target, .. }
                | LoopKind::Foreach { target, .. } => target.iter().for_each(|name| self.write(name)),
                LoopKind::Forever | LoopKind::While(_) => {}
            },
            StatementKind::Assign { target, .. } => self.write(target),
            StatementKind::Sql { into: Some(into), .. }
            | StatementKind::Execute { into: Some(into), .. }
            | StatementKind::Fetch { into: Some(into), .. } => into.targets.iter().for_each(|name| self.write(name)),
            _ => {}
        }
    }

    /// Whether the body reads the variable anywhere, or returns it.
    pub(super) fn is_read(&self, name: &str) -> bool {
        let name = base(name);
        let mentions = self.mentions.get(name).copied().unwrap_or_default();
        let writes = self.writes.get(name).copied().unwrap_or_default();
        // A quoted or otherwise strange name is not counted as a word.
        mentions == 0 || mentions > writes || self.returned.iter().any(|known| known == name)
    }

    pub(super) fn any_read(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.is_read(name))
    }

    /// `name` now holds the answer of a try-lock, or something else.
    pub(super) fn bind(&mut self, name: &str, site: Option<SiteId>) {
        match site {
            Some(site) => self.answers.insert(name.to_owned(), site),
            None => self.answers.remove(name),
        };
    }

    pub(super) fn answer(&self, name: &str) -> Option<SiteId> {
        self.answers.get(name).copied()
    }
}

/// The variable of `r.field` and `a[1]`.
fn base(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or(name)
}
