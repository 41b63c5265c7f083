//! Names that are given values more than once: what such a name stands for at some place its declaration does not say.

use super::names::{Declared, Names, bare};
use crate::host::code::{Binding, ExprId, FunctionId, Value};
use std::collections::HashSet;

/// What a name stands for, as far as variables go.
pub(super) enum Stands<'s> {
    /// A variable that is given one value.
    Once(Declared<'s>),
    /// A parameter, or a variable that is given several.
    Unknown,
    /// No variable.
    Elsewhere,
}

/// Variables by the function that declares them, and fields by the name of their class.
#[derive(Debug, Default)]
pub(super) struct Changes<'s> {
    variables: HashSet<(FunctionId, &'s str)>,
    fields: HashSet<(&'s str, &'s str)>,
}

impl<'s> Names<'_, 's> {
    /// Notes that a binding gives values to what has some already; it is not declared yet.
    pub(super) fn note_changes(&mut self, function: FunctionId, binding: &Binding<'s>) {
        for target in binding.targets.iter().filter(|_| binding.value.is_some()) {
            self.note_change(function, target.expr, target.name, binding.declares);
        }
    }

    fn note_change(&mut self, function: FunctionId, target: ExprId, name: &'s str, declares: bool) {
        let name = bare(name);
        let class = self.class_of(function).map(|class| class.name);
        let has_field = |class: &&'s str| self.fields.get(&(*class, name)).is_some_and(|field| field.value.is_some());
        let field = class.filter(has_field).map(|class| (class, name));
        match self.code.exprs.get(target).map(|expr| &expr.value) {
            Some(Value::Member { of, .. }) => {
                if self.is_this(function, *of) {
                    self.changes.fields.extend(field);
                }
            }
            _ => {
                let has_value = |id: &FunctionId| self.locals.get(&(*id, name)).is_some_and(|one| one.value.is_some());
                let depth = if declares { 1 } else { usize::MAX };
                let changed: Vec<FunctionId> = self.chain(function).take(depth).filter(has_value).collect();
                self.changes.variables.extend(changed.into_iter().map(|id| (id, name)));
                if !declares {
                    self.changes.fields.extend(field);
                }
            }
        }
    }

    /// What a name stands for in a function, as far as variables go.
    pub(super) fn stands_for(&self, function: FunctionId, name: &str) -> Stands<'s> {
        let name = bare(name);
        for id in self.chain(function) {
            let mut parameters = self.code.functions[id].parameters.iter();
            if parameters.any(|parameter| bare(parameter.name) == name) {
                return Stands::Unknown;
            }
            if let Some(local) = self.locals.get(&(id, name)) {
                return if self.changes.variables.contains(&(id, name)) {
                    Stands::Unknown
                } else {
                    Stands::Once(*local)
                };
            }
        }
        Stands::Elsewhere
    }

    /// Whether a field of a class is given more than one value.
    pub(super) fn is_field_changed(&self, class: &str, name: &str) -> bool {
        self.changes.fields.contains(&(class, bare(name)))
    }
}
