//! Two readers, one meaning: where sqlparser reads a whole statement, its tree and ours agree.

use super::*;
use sqlparser::ast::{
    BinaryOperator, Expr, FromTable, JoinConstraint, JoinOperator, LimitClause, Query as AstQuery, SetExpr, Statement,
    TableFactor, TableWithJoins, Visit, Visitor,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// One line for each SELECT, DML, ORDER BY, LIMIT and lock, sorted.
#[derive(Default)]
struct Lines(Vec<String>);

fn count(expr: &Expr) -> usize {
    match expr {
        Expr::Nested(inner) => count(inner),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => count(left) + count(right),
        _ => 1,
    }
}

fn factor(factor: &TableFactor, tables: &mut Vec<String>, on: &mut usize) {
    match factor {
        TableFactor::Table { name, alias, args: None, .. } => {
            let alias = alias.as_ref().map_or(String::new(), |alias| format!(" {}", alias.name.value));
            tables.push(format!("{}{alias}", name.0.last().unwrap()).to_lowercase());
        }
        TableFactor::NestedJoin { table_with_joins, .. } => joined(table_with_joins, tables, on),
        _ => {}
    }
}

fn joined(from: &TableWithJoins, tables: &mut Vec<String>, on: &mut usize) {
    factor(&from.relation, tables, on);
    for join in &from.joins {
        factor(&join.relation, tables, on);
        if let JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint) = &join.join_operator
            && let JoinConstraint::On(condition) = constraint
        {
            *on += count(condition);
        }
    }
}

impl Lines {
    fn row(&mut self, what: &str, from: &[TableWithJoins], condition: Option<&Expr>) {
        let (mut tables, mut on) = (Vec::new(), 0);
        for item in from {
            joined(item, &mut tables, &mut on);
        }
        self.0.push(format!("{what} {tables:?} where {} on {on}", condition.map_or(0, count)));
    }

    fn set(&mut self, body: &SetExpr) {
        match body {
            SetExpr::Select(select) => {
                self.row("select", &select.from, select.selection.as_ref());
                self.0.push(format!("list {} {}", select.projection.len(), select.distinct.is_some()));
            }
            SetExpr::SetOperation { left, right, .. } => {
                self.set(left);
                self.set(right);
            }
            _ => {}
        }
    }
}

impl Visitor for Lines {
    type Break = ();

    fn pre_visit_query(&mut self, query: &AstQuery) -> ControlFlow<()> {
        self.set(&query.body);
        self.0.extend(query.order_by.iter().map(|_| "order".to_owned()));
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            self.0.extend(limit.iter().map(|_| "limit".to_owned()));
            self.0.extend(offset.iter().map(|_| "offset".to_owned()));
        }
        for lock in &query.locks {
            let wait = lock.nonblock.as_ref().map_or(String::new(), |wait| format!(" {wait}"));
            let of = lock.of.as_ref().map_or(String::new(), |of| format!(" {of}"));
            self.0.push(format!("lock {}{of}{wait}", lock.lock_type).to_lowercase());
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        match statement {
            Statement::Update(update) => {
                let from = match &update.from {
                    Some(
                        sqlparser::ast::UpdateTableFromKind::BeforeSet(from)
                        | sqlparser::ast::UpdateTableFromKind::AfterSet(from),
                    ) => from.as_slice(),
                    None => &[],
                };
                self.row("update", from, update.selection.as_ref());
            }
            Statement::Delete(delete) => {
                let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) = &delete.from;
                assert_eq!(tables.len(), 1);
                self.row("delete", delete.using.as_deref().unwrap_or_default(), delete.selection.as_ref());
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The same lines of our tree.
fn ours(tree: &Tree<'_>) -> Vec<String> {
    let row = |what: &str, from: &[FromItem], conjuncts: usize| {
        let tables: Vec<_> = from
            .iter()
            .filter(|item| !item.call && item.subquery.is_none())
            .map(|item| {
                let alias = item.alias.as_ref().map_or(String::new(), |alias| format!(" {alias}"));
                format!("{}{alias}", item.name)
            })
            .collect();
        let on: usize = from.iter().map(|item| item.on.len()).sum();
        format!("{what} {tables:?} where {conjuncts} on {on}")
    };
    let mut out = Vec::new();
    for (_, query) in tree.queries() {
        for term in &query.terms {
            match term {
                Term::Select(select) => {
                    out.push(row("select", &select.from, select.conjuncts.len()));
                    out.push(format!("list {} {}", select.list.len(), select.distinct.is_some()));
                }
                Term::Dml(dml) if dml.kind == DmlKind::Update => {
                    out.push(row("update", &dml.from, dml.conjuncts.len()));
                }
                Term::Dml(dml) if dml.kind == DmlKind::Delete => {
                    out.push(row("delete", &dml.from, dml.conjuncts.len()));
                }
                _ => {}
            }
        }
        out.extend(query.order_by.iter().map(|_| "order".to_owned()));
        out.extend(query.limit.iter().map(|_| "limit".to_owned()));
        out.extend(query.offset.iter().map(|_| "offset".to_owned()));
        for lock in &query.locks {
            let words: Vec<_> = lock.tokens.clone().skip(1).map(|index| tree.word(index)).collect();
            out.push(format!("lock {}", words.join(" ").replace(" of ", " ")));
        }
    }
    out
}

const STATEMENTS: &[&str] = &[
    "SELECT a, b FROM t WHERE a = 1 AND (b = 2 AND c = 3) OR d = 4",
    "SELECT DISTINCT a FROM t u, v JOIN w ON u.x = w.x AND u.y = w.y LEFT JOIN z USING (k) WHERE a BETWEEN 1 AND 2 AND b",
    "SELECT 1 FROM a JOIN (b JOIN c ON b.x = c.x) ON a.x = b.x WHERE EXISTS (SELECT 1 FROM d WHERE d.x = a.x AND d.y)",
    "WITH c AS (SELECT id FROM q WHERE s = 'new' ORDER BY id LIMIT 5 FOR UPDATE SKIP LOCKED) UPDATE q SET s = 'run' FROM c \
     WHERE q.id = c.id AND q.s = 'new' RETURNING q.id",
    "DELETE FROM q USING u JOIN v ON u.a = v.a WHERE q.id = u.id AND q.id IN (SELECT id FROM w FOR SHARE NOWAIT)",
    "SELECT a FROM t UNION ALL SELECT b FROM u WHERE x UNION SELECT c FROM v ORDER BY 1 LIMIT 3 OFFSET 1",
    "(SELECT a FROM t ORDER BY a LIMIT 1) UNION (SELECT b FROM u FOR UPDATE OF u)",
    "INSERT INTO t (a, b) SELECT a, b FROM u WHERE a > 1 AND b IS NOT DISTINCT FROM 2 ON CONFLICT (a) DO NOTHING",
    "SELECT CASE WHEN a AND b THEN 1 END, (SELECT max(x) FROM t), count(*) FILTER (WHERE y) FROM u GROUP BY 1 HAVING count(*) > 1",
    "SELECT 1 FROM t WHERE CASE WHEN a AND b THEN c END AND NOT (d AND e) AND (f OR g)",
    "SELECT * FROM a CROSS JOIN b NATURAL JOIN c, LATERAL (SELECT 1 FROM d WHERE d.x = a.x) e, generate_series(1, 2) g",
    "SELECT 1 FROM t WHERE (a, b) = (1, 2) AND c = ANY(ARRAY(SELECT id FROM u)) AND d IN (1, 2)",
    "WITH RECURSIVE r AS (SELECT 1 FROM a UNION ALL SELECT 2 FROM r JOIN b ON r.x = b.x) SELECT * FROM r LIMIT 10",
    "SELECT pg_try_advisory_lock(id) FROM (SELECT id FROM t WHERE a ORDER BY id LIMIT 1) s",
    "UPDATE t SET a = (SELECT 1 FROM u WHERE u.id = t.id AND u.b), b = 2 WHERE id = (SELECT id FROM v LIMIT 1 FOR UPDATE)",
    "SELECT a AS limit, t.order, left(b, 1) FROM t RIGHT OUTER JOIN u ON left(t.x, 1) = u.x FULL JOIN v ON true",
];

#[test]
fn the_tree_agrees_with_sqlparser() {
    for text in STATEMENTS {
        let parsed = Parser::parse_sql(&PostgreSqlDialect {}, text).unwrap();
        let mut lines = Lines::default();
        let _ = parsed.visit(&mut lines);
        let tree = tree(text);
        let mut ours = ours(&tree);
        ours.sort();
        lines.0.sort();
        assert!(!ours.is_empty() && tree.complete(), "{text}");
        assert_eq!(ours, lines.0, "{text}");
    }
}
