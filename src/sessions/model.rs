//! Models of Active Record and Eloquent, which work on the session that the framework keeps.

use super::Run;
use super::call::Asked;
use super::names::bare;
use super::value::{Handle, Origin};
use crate::builders;
use crate::driver::{HANDLE, Kind};
use crate::flow::lower::SessionId;
use crate::flow::{Action, Begins, Node, Owner};
use crate::host::code::Call;
use crate::language::HostLanguage;
use crate::span::Span;

/// What models of Sequelize work on outside of a transaction: a pool.
static MODELS: Kind = Kind {
    name: "\0models",
    owner: Owner::PerCall,
    begins: Begins::Never,
    pin: "`sequelize.transaction(async (t) => …)` and `{ transaction: t }`",
    ..HANDLE
};

impl<'s> Run<'_, 's, '_> {
    /// Rows that a model reads and locks: whether the call does so.
    pub(super) fn model_locks(&mut self, call: &Call<'s>, span: Span, out: &mut Vec<Node>) -> bool {
        let base = match self.program.language {
            HostLanguage::Ruby => "ActiveRecord.Base",
            HostLanguage::Php if self.names.is_laravel => "DB",
            HostLanguage::JavaScript | HostLanguage::TypeScript | HostLanguage::Tsx => {
                return self.sequelize(call, span, out);
            }
            _ => return false,
        };
        let found = builders::model(self.program.text, call.from_name, self.program.language);
        let (Some(model), Some(handle)) = (found, self.names.global(base)) else { return false };
        let session = self.session(&handle);
        if self.may_be_in_transaction(session) {
            return false;
        }
        self.push(session, Action::Work { reads: Vec::new(), writes: Vec::new() }, span, out);
        out.push(self.builder.row_lock(session, model.tables, model.locks, span));
        true
    }

    /// Rows that a model of Sequelize locks without a transaction, where none is in sight that the thread may know.
    fn sequelize(&mut self, call: &Call<'s>, span: Span, out: &mut Vec<Node>) -> bool {
        let Some(model) = builders::model(self.program.text, call.from_name, self.program.language) else {
            return false;
        };
        let root = self.frames.first().map_or(self.function(), |frame| frame.function);
        let around = self.program.code.functions.get(root).map_or("", |function| self.slice(function.span));
        let knows = |word: &&str| self.program.text.contains(*word);
        let code = |line: &str| line.split("//").next().unwrap_or_default().replace("Transaction.LOCK", "");
        if around.split('\n').any(|line| code(line).contains("ransaction"))
            || ["useCLS", "cls-hooked", "@sequelize/core"].iter().any(knows)
        {
            return false;
        }
        let handle = Handle {
            kind: &MODELS,
            root: &MODELS,
            origin: Origin::Text(MODELS.name.to_owned()),
            ..self.unknown("models")
        };
        let session = self.session(&handle);
        self.push(session, Action::Work { reads: Vec::new(), writes: Vec::new() }, span, out);
        out.push(self.builder.row_lock(session, model.tables, model.locks, span));
        true
    }

    /// The session on which models write.
    pub(super) fn of_models(&self) -> Option<SessionId> {
        self.sessions.ambient().or_else(|| self.sessions.of(&Origin::Text(MODELS.name.to_owned())))
    }

    /// Rows that Django's manager reads and locks.
    pub(super) fn queryset_locks(&mut self, handle: &Handle, asked: &Asked<'_, 's>, out: &mut Vec<Node>) {
        if handle.driver.name != "Django" {
            return;
        }
        let name = Span::new(asked.from_name, asked.from_name);
        let Some(model) = builders::model(self.program.text, name, self.program.language) else { return };
        let session = self.session(handle);
        if !self.may_be_in_transaction(session) {
            out.push(self.builder.row_lock(session, model.tables, model.locks, asked.span));
        }
    }

    /// Whether a transaction that is not followed may be open on a framework's session: by its name, by a function that gets
    /// this one as a closure, or by another function of the file that names this one.
    pub(super) fn may_be_in_transaction(&self, session: SessionId) -> bool {
        let root = self.frames.first().map_or(self.function(), |frame| frame.function);
        let Some(function) = self.program.code.functions.get(root) else { return true };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let text = self.program.text;
        let uses = text
            .match_indices(function.name)
            .filter(|(at, name)| !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word));
        let closure = self.program.code.functions.get(self.function()).is_none_or(|inner| inner.name.is_empty());
        function.name.is_empty()
            || closure && !self.builder.begins(session)
            || uses.take(2).count() > 1
            || begins(self.slice(function.span)) && !self.builder.begins(session)
    }

    /// What a write by a model is about: something without a name, and what the code calls it.
    pub(super) fn written_by(&self, call: &Call<'s>) -> Vec<String> {
        let receiver = self.receiver_text(call.expr);
        let name = bare(&receiver).to_lowercase();
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        std::iter::once(String::new()).chain(Some(name).filter(|_| plain)).collect()
    }
}

/// Whether a text calls something that is called a transaction.
fn begins(text: &str) -> bool {
    text.match_indices("ransaction").any(|(at, name)| {
        let rest = text[at + name.len()..].trim_start();
        rest.starts_with(['(', '{']) || rest.starts_with("do ") || rest.starts_with("do\n")
    })
}
