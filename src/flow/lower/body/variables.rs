//! The variables of a body: which names are no columns, which are ever read, and which hold a try-lock's answer.

use crate::document::Document;
use crate::flow::SiteId;
use crate::flow::lower::script::arguments;
use crate::sql::Tokens;
use crate::sql::clause::{Entry, Tree};
use crate::sql::lex::TokenKind;
use crate::sql::plpgsql::{Block, Body, LoopKind, Statement, StatementKind};
use crate::sql::routine::{ArgumentMode, Returns, Routine};
use crate::sql::value::{SqlType, Value, value};
use crate::statement::{self, Variable};
use std::collections::{HashMap, HashSet};

pub(super) struct Variables {
    /// Every declared name, lower case, with its type as far as it is known.
    names: HashMap<String, Option<SqlType>>,
    /// Expressions that are declared or assigned as values, by the names.
    values: HashMap<String, Vec<Tokens>>,
    /// Whether a procedure is called, which may change a variable through an argument.
    calls: bool,
    /// How often each word stands in the body at all.
    mentions: HashMap<String, usize>,
    /// How often each name is declared or assigned.
    writes: HashMap<String, usize>,
    /// Those that have a value from the beginning.
    declared: HashSet<String>,
    /// OUT arguments: returned without being named again.
    returned: Vec<String>,
    /// The try-lock whose answer a variable holds now.
    answers: HashMap<String, SiteId>,
}

impl Variables {
    pub(super) fn of(document: &Document<'_>, body: &Body, routine: &Routine) -> Self {
        let mut variables = Self {
            names: ["new", "old", "found"].map(|name| (name.to_owned(), None)).into(),
            values: HashMap::new(),
            calls: false,
            mentions: HashMap::new(),
            writes: HashMap::new(),
            declared: HashSet::new(),
            returned: Vec::new(),
            answers: HashMap::new(),
        };
        for (name, variable) in arguments(routine) {
            variables.declare_as(&name, variable.ty);
        }
        let given = routine.arguments.iter().filter(|argument| argument.mode != ArgumentMode::In);
        variables.returned.extend(given.filter_map(|argument| argument.name.clone()));
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

    /// The variables as statements see them.
    pub(super) fn known(&self, document: &Document<'_>) -> statement::Variables {
        let of = |name: &String, ty: &Option<SqlType>| {
            let variable = Variable { ty: ty.clone(), value: self.only_value(name, ty.as_ref(), document) };
            (name.clone(), variable)
        };
        self.names.iter().map(|(name, ty)| of(name, ty)).collect()
    }

    /// The value of a variable that gets no other: where it is declared, or else by one assignment.
    fn only_value(&self, name: &str, ty: Option<&SqlType>, document: &Document<'_>) -> Option<Value> {
        let [tokens] = self.values.get(name)?.as_slice() else { return None };
        let declared = self.declared.contains(name);
        let writes = self.writes.get(name).copied().unwrap_or_default();
        if self.calls || writes != if declared { 1 } else { 2 } {
            return None;
        }
        let tree = Tree::build(document.region.text(), tokens.of(&document.tokens), Entry::SelectList);
        let value = Box::new(value(&tree, &tree.all()));
        Some(Value::Cast { value, ty: ty?.clone() })
    }

    /// Of two variables of one name it is not known which one is meant.
    fn declare_as(&mut self, name: &str, ty: Option<SqlType>) {
        let known = self.names.entry(name.to_owned()).or_insert_with(|| ty.clone());
        if *known != ty {
            *known = None;
        }
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
            let is_variable = !matches!(declaration.ty.as_str(), "alias" | "cursor");
            self.declare_as(&declaration.name, is_variable.then(|| SqlType::from_name(&declaration.ty)));
            self.write(&declaration.name);
            if let Some(value) = declaration.default.filter(|_| is_variable) {
                self.values.entry(declaration.name.clone()).or_default().push(value);
                self.declared.insert(declaration.name.clone());
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Block(block) => self.declare(block),
            StatementKind::Loop { kind, .. } => match kind {
                LoopKind::ForRange { target, .. } => {
                    self.declare_as(target, Some(SqlType::Int4));
                    self.write(target);
                }
                LoopKind::ForQuery { target, .. }
                | LoopKind::ForExecute { target, .. }
                | LoopKind::ForCursor { target, .. }
                | LoopKind::Foreach { target, .. } => target.iter().for_each(|name| self.write(name)),
                LoopKind::Forever | LoopKind::While(_) => {}
            },
            StatementKind::Assign { target, value } => {
                self.write(target);
                self.values.entry(target.clone()).or_default().push(*value);
            }
            StatementKind::GetDiagnostics { items, .. } => items.iter().for_each(|(name, _)| self.write(name)),
            StatementKind::Call(_) => self.calls = true,
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
pub(super) fn base(name: &str) -> &str {
    name.split(['.', '[']).next().unwrap_or(name)
}
