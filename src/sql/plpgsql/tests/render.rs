//! A body as text that tests can compare.

use super::Parsed;
use crate::sql::Tokens;
use crate::sql::plpgsql::{Block, Into, LoopKind, Statement, StatementKind};

impl Parsed<'_> {
    pub(super) fn run(&self, tokens: Tokens) -> &str {
        &self.text[tokens.span(&self.tokens).range()]
    }

    fn option(&self, mark: &str, tokens: Option<Tokens>) -> String {
        tokens.map_or(String::new(), |t| format!("{mark}{}", self.run(t)))
    }

    fn runs(&self, mark: &str, runs: &[Tokens]) -> String {
        if runs.is_empty() {
            return String::new();
        }
        let runs: Vec<&str> = runs.iter().map(|&t| self.run(t)).collect();
        format!("{mark}{}", runs.join(" | "))
    }

    fn into(&self, into: Option<&Into>) -> String {
        into.map_or(String::new(), |into| {
            let strict = if into.strict { "strict " } else { "" };
            assert!(self.run(into.tokens).to_ascii_lowercase().starts_with("into"));
            format!(" => {strict}{}", into.targets.join("+"))
        })
    }

    pub(super) fn list(&self, statements: &[Statement]) -> String {
        let all: Vec<String> = statements.iter().map(|s| self.one(&s.kind)).collect();
        all.join("; ")
    }

    fn arms(&self, arms: &[(Tokens, Vec<Statement>)], otherwise: Option<&Vec<Statement>>) -> String {
        let mut all: Vec<String> = arms
            .iter()
            .map(|(condition, body)| format!("({}) {{{}}}", self.run(*condition), self.list(body)))
            .collect();
        all.extend(otherwise.map(|body| format!("else {{{}}}", self.list(body))));
        all.join(" ")
    }

    pub(super) fn block(&self, block: &Block) -> String {
        let mut out = block.label.clone().map_or(String::new(), |l| format!("<<{l}>> "));
        for declared in &block.declarations {
            out += &format!("[{} {}", declared.name, declared.ty);
            out += if declared.constant { " constant" } else { "" };
            out += &self.option(" := ", declared.default);
            out += &self.option(" for ", declared.cursor_query);
            out += "] ";
        }
        out += &format!("{{{}}}", self.list(&block.body));
        for handler in &block.handlers {
            out += &format!(" when {} {{{}}}", handler.conditions.join(","), self.list(&handler.body));
        }
        out
    }

    fn one(&self, kind: &StatementKind) -> String {
        use StatementKind::*;
        let label = |label: &Option<String>| label.clone().map_or(String::new(), |l| format!(" {l}"));
        match kind {
            Block(block) => self.block(block),
            If { arms, otherwise } => format!("if {}", self.arms(arms, otherwise.as_ref())),
            Case { subject, arms, otherwise } => {
                format!("case{} {}", self.option(" ", *subject), self.arms(arms, otherwise.as_ref()))
            }
            Loop { label: name, kind, body } => {
                format!("{}{} {{{}}}", self.head(kind), label(name), self.list(body))
            }
            Exit { label: name, when } => format!("exit{}{}", label(name), self.option(" when ", *when)),
            Continue { label: name, when } => {
                format!("continue{}{}", label(name), self.option(" when ", *when))
            }
            Return(value) => format!("return{}", self.option(" ", *value)),
            ReturnNext(value) => format!("next{}", self.option(" ", *value)),
            ReturnQuery(query) => format!("query {}", self.run(*query)),
            ReturnQueryExecute { command, using } => {
                format!("query execute {}{}", self.run(*command), self.runs(" using ", using))
            }
            Raise { level, reraise, condition, tokens } => format!(
                "raise {level:?}{}{} {}",
                if *reraise { " again" } else { "" },
                label(condition),
                self.run(*tokens)
            ),
            Assert(run) => format!("assert {}", self.run(*run)),
            Perform(run) => format!("perform {}", self.run(*run)),
            Assign { target, value } => format!("{target} := {}", self.run(*value)),
            GetDiagnostics { stacked, items } => format!("get {stacked} {items:?}"),
            Call(run) => format!("call {}", self.run(*run)),
            Commit { chain } => format!("commit {chain}"),
            Rollback { chain } => format!("rollback {chain}"),
            Sql { tokens, into } => format!("sql {}{}", self.run(*tokens), self.into(into.as_ref())),
            Execute { command, into, using } => {
                format!("execute {}{}{}", self.run(*command), self.into(into.as_ref()), self.runs(" using ", using))
            }
            Open { cursor, arguments, query, execute, using } => format!(
                "open {cursor}{}{}{}{}",
                self.option(" with ", *arguments),
                self.option(" for ", *query),
                self.option(" execute ", *execute),
                self.runs(" using ", using)
            ),
            Fetch { cursor, direction, into } => {
                format!("fetch {cursor}{}{}", self.option(" ", *direction), self.into(into.as_ref()))
            }
            Move { cursor, direction } => format!("move {cursor}{}", self.option(" ", *direction)),
            Close { cursor } => format!("close {cursor}"),
            Null => "null".to_owned(),
            Unknown(run) => format!("unknown {}", self.run(*run)),
        }
    }

    fn head(&self, kind: &LoopKind) -> String {
        match kind {
            LoopKind::Forever => "loop".to_owned(),
            LoopKind::While(condition) => format!("while {}", self.run(*condition)),
            LoopKind::ForRange { target, reverse, from, to, by } => format!(
                "for {target} {}{} to {}{}",
                if *reverse { "down " } else { "" },
                self.run(*from),
                self.run(*to),
                self.option(" by ", *by)
            ),
            LoopKind::ForQuery { target, query } => {
                format!("for {} in {}", target.join("+"), self.run(*query))
            }
            LoopKind::ForExecute { target, command, using } => {
                format!("for {} execute {}{}", target.join("+"), self.run(*command), self.runs(" using ", using))
            }
            LoopKind::ForCursor { target, cursor, arguments } => {
                format!("for {} cursor {cursor}{}", target.join("+"), self.option(" with ", *arguments))
            }
            LoopKind::Foreach { target, array } => {
                format!("foreach {} in {}", target.join("+"), self.run(*array))
            }
        }
    }
}
