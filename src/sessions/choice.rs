//! Two ways, and blocks that are values: `let conn = match … { Ok(conn) => conn, Err(e) => return Err(e) }`.

use super::Run;
use super::condition::Condition;
use super::returns::{Return, always_leaves};
use super::value::Val;
use crate::flow::Node;
use crate::host::code::{Binding, ExprId, Flow, StmtId, Value};
use std::collections::hash_map::Entry;

impl<'s> Run<'_, 's, '_> {
    /// Runs one of two ways; where `gives`, what the one that is run gives is the value.
    pub(super) fn either(
        &mut self,
        (condition, binds): (ExprId, &[Binding<'s>]),
        (then, otherwise): (StmtId, Option<StmtId>),
        gives: bool,
        out: &mut Vec<Node>,
    ) -> Val {
        let mut mine = Vec::new();
        // Later cases bind what the first one asks about.
        let asked: &[ExprId] = match self.program.code.exprs.get(condition).map(|expr| &expr.value) {
            Some(Value::Other(parts)) => parts,
            Some(Value::Binary { operator: "is", operands }) => operands,
            _ => &[],
        };
        for value in binds.iter().filter_map(|binding| binding.value).chain(asked.iter().copied()) {
            if let Entry::Vacant(free) = self.decided.entry(value) {
                free.insert(None);
                mine.push(value);
            }
        }
        let start = self.builder.len();
        let condition = self.condition(condition, out);
        for binding in binds {
            self.bind(binding, out);
        }
        let (then, first) = self.way((&condition, true), Some(then), gives);
        let (otherwise, second) = self.way((&condition, false), otherwise, gives);
        let leaves = (always_leaves(&then), always_leaves(&otherwise));
        self.known_after(&condition, leaves);
        out.push(self.branch(&condition, then, otherwise));
        for value in mine {
            self.decided.remove(&value);
        }
        if !gives {
            return Val::Nothing;
        }
        let refused = self.frame().refused.clone();
        // What leaves gives nothing.
        let ways = [(leaves.0, first), (leaves.1, second)];
        let given = ways.into_iter().filter(|(leaves, _)| !leaves).map(|(_, given)| given).collect();
        self.given_back(given, &refused, start)
    }

    fn way(&mut self, (condition, so): (&Condition, bool), stmt: Option<StmtId>, gives: bool) -> (Node, Return) {
        let Some(stmt) = stmt else { return (Node::Sequence(Vec::new()), Return::default()) };
        let before = self.knowing(condition, so);
        let (node, val) = if gives {
            let mut nodes = Vec::new();
            self.frame().depth += 1;
            let val = self.given(stmt, &mut nodes);
            let frame = self.frame();
            frame.depth = frame.depth.saturating_sub(1);
            (Node::Sequence(nodes), val)
        } else {
            (self.block(stmt), Val::Nothing)
        };
        let known = self.frame().known.clone();
        self.forget_known(before);
        (node, Return { val, known })
    }

    /// Runs a statement that is a value: what it runs last, on the way that is taken.
    pub(super) fn given(&mut self, id: StmtId, out: &mut Vec<Node>) -> Val {
        self.deeper(|run| {
            let Some(stmt) = run.program.code.stmts.get(id) else { return Val::Nothing };
            match &stmt.flow {
                Flow::Run(expr) => run.eval(*expr, out),
                Flow::If { condition, binds, then, otherwise } => {
                    run.either((*condition, binds), (*then, *otherwise), true, out)
                }
                Flow::Sequence(stmts) if !stmts.iter().any(|stmt| run.is_deferred(*stmt)) => {
                    let Some((last, first)) = stmts.split_last() else { return Val::Nothing };
                    let known = run.frame().known.len();
                    first.iter().for_each(|stmt| run.stmt(*stmt, out));
                    let val = run.given(*last, out);
                    run.forget_known(known);
                    val
                }
                Flow::Block { label, body } => {
                    let mut inner = Vec::new();
                    let val = run.given(*body, &mut inner);
                    out.push(Node::Block { label: (*label).to_owned(), body: Box::new(Node::Sequence(inner)) });
                    val
                }
                _ => {
                    run.stmt(id, out);
                    Val::Nothing
                }
            }
        })
    }

    fn is_deferred(&self, stmt: StmtId) -> bool {
        matches!(self.program.code.stmts.get(stmt).map(|stmt| &stmt.flow), Some(Flow::Defer(_)))
    }
}
