//! What a clause tree is made of.

use super::Tokens;

/// A query of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueryId(pub(super) usize);

/// The clause in which a query or an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clause {
    /// Nowhere: a statement's own query.
    Root,
    /// `WITH name AS (…)`
    Cte,
    /// The select list.
    List,
    /// `DISTINCT ON (…)`
    Distinct,
    /// FROM, and USING of DELETE and MERGE.
    From,
    /// The condition of a join, and of MERGE.
    On,
    /// WHERE
    Where,
    /// GROUP BY
    GroupBy,
    /// HAVING
    Having,
    /// WINDOW
    Window,
    /// ORDER BY
    OrderBy,
    /// LIMIT, OFFSET and FETCH
    Limit,
    /// VALUES
    Values,
    /// SET of UPDATE
    Set,
    /// What INSERT inserts.
    Source,
    /// ON CONFLICT
    Conflict,
    /// RETURNING
    Returning,
    /// WHEN of MERGE
    Merge,
    /// A term of a set operation, or a query in parentheses.
    Term,
    /// The arguments of CALL and EXECUTE.
    Arguments,
    /// Anything else of a statement that holds no query.
    Other,
}

/// How a nested query is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// It is no nested query.
    None,
    /// `EXISTS (…)`
    Exists,
    /// `IN (…)`
    In,
    /// `ANY (…)`, `SOME (…)`, `ALL (…)`
    Any,
    /// `ARRAY(…)`
    Array,
    /// `(…)` as a value or row.
    Scalar,
    /// An item of FROM.
    From,
    /// A common table expression.
    Cte,
    /// A parenthesised term.
    Paren,
}

/// A query: common table expressions, terms joined by set operations, and the clauses that belong to the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The query around it.
    pub parent: Option<QueryId>,
    /// Where it stands there.
    pub clause: Clause,
    /// How it is used there.
    pub wrap: Wrap,
    /// All of it, without parentheses around it.
    pub tokens: Tokens,
    /// WITH, in order.
    pub ctes: Vec<Cte>,
    /// The terms of the set operation; most queries have one.
    pub terms: Vec<Term>,
    /// What follows ORDER BY.
    pub order_by: Option<Tokens>,
    /// What follows LIMIT. `LIMIT ALL` and `LIMIT NULL` are none.
    pub limit: Option<Tokens>,
    /// What follows OFFSET.
    pub offset: Option<Tokens>,
    /// `FETCH FIRST …`
    pub fetch: Option<Fetch>,
    /// Locking clauses. `FOR READ ONLY` is none.
    pub locks: Vec<RowLock>,
}

impl Query {
    /// Whether it returns so many rows and no more: LIMIT or FETCH.
    pub const fn is_limited(&self) -> bool {
        self.limit.is_some() || self.fetch.is_some()
    }

    /// The only SELECT, where there is no set operation.
    pub fn select(&self) -> Option<&Select> {
        match self.terms.as_slice() {
            [Term::Select(select)] => Some(select),
            _ => None,
        }
    }

    /// The INSERT, UPDATE, DELETE or MERGE that it is.
    pub fn dml(&self) -> Option<&Dml> {
        match self.terms.as_slice() {
            [Term::Dml(dml)] => Some(dml),
            _ => None,
        }
    }
}

/// `name AS (query)`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cte {
    /// Its name.
    pub name: String,
    /// Its query.
    pub query: QueryId,
    /// MATERIALIZED (true), or text known only at run time that may be it; NOT MATERIALIZED (false).
    pub materialized: Option<bool>,
    /// Whether it stands under WITH RECURSIVE.
    pub recursive: bool,
}

/// A term of a set operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// SELECT
    Select(Box<Select>),
    /// What follows VALUES.
    Values(Tokens),
    /// `TABLE name`
    Table(Box<FromItem>),
    /// A query in parentheses, or one with a WITH of its own.
    Query(QueryId),
    /// INSERT, UPDATE, DELETE, MERGE
    Dml(Box<Dml>),
}

/// `FETCH FIRST n ROWS …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// What follows FETCH.
    pub tokens: Tokens,
    /// WITH TIES
    pub with_ties: bool,
}

/// A locking clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLock {
    /// From FOR to the last word of the clause.
    pub tokens: Tokens,
    /// How strong.
    pub strength: Strength,
    /// The tables after OF.
    pub of: Vec<LockTarget>,
    /// What to do about rows that others have locked.
    pub wait: Wait,
}

/// The strength of a row lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// FOR UPDATE
    Update,
    /// FOR NO KEY UPDATE
    NoKeyUpdate,
    /// FOR SHARE
    Share,
    /// FOR KEY SHARE
    KeyShare,
}

/// What a locking clause does about locked rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// It waits.
    Block,
    /// NOWAIT
    NoWait,
    /// SKIP LOCKED
    SkipLocked,
}

/// A table after OF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockTarget {
    /// The schema; PostgreSQL refuses one.
    pub schema: Option<String>,
    /// The name or alias.
    pub name: String,
    /// Where.
    pub tokens: Tokens,
}

/// A SELECT without the clauses that belong to the whole query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// DISTINCT, with the group of DISTINCT ON.
    pub distinct: Option<Tokens>,
    /// The select list.
    pub list: Vec<Tokens>,
    /// FROM; the items of joins one after the other.
    pub from: Vec<FromItem>,
    /// What follows WHERE.
    pub condition: Option<Tokens>,
    /// WHERE, cut at AND.
    pub conjuncts: Vec<Conjunct>,
    /// What follows GROUP BY.
    pub group_by: Option<Tokens>,
    /// What follows HAVING.
    pub having: Option<Tokens>,
    /// What follows WINDOW.
    pub windows: Option<Tokens>,
    /// What follows INTO.
    pub into: Option<Tokens>,
}

/// How an item of FROM is joined with those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Join {
    /// It begins a list element or a group.
    #[default]
    None,
    /// JOIN
    Inner,
    /// LEFT JOIN
    Left,
    /// RIGHT JOIN
    Right,
    /// FULL JOIN
    Full,
    /// CROSS JOIN
    Cross,
}

/// A table, a sub-select or a function in FROM, or the target of DML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FromItem {
    /// The schema, where written.
    pub schema: Option<String>,
    /// The table or function; empty for a sub-select.
    pub name: String,
    /// The alias, where written.
    pub alias: Option<String>,
    /// The sub-select.
    pub subquery: Option<QueryId>,
    /// A function.
    pub call: bool,
    /// LATERAL
    pub lateral: bool,
    /// ONLY
    pub only: bool,
    /// How it, or the group that it begins, is joined.
    pub join: Join,
    /// NATURAL
    pub natural: bool,
    /// Whether an outer join may fill it with NULL.
    pub nullable: bool,
    /// The condition of that join.
    pub on: Vec<Conjunct>,
    /// USING of that join.
    pub using: Vec<String>,
    /// The common table expression that the name refers to.
    pub cte: Option<QueryId>,
    /// All of it, the alias included.
    pub tokens: Tokens,
}

impl FromItem {
    /// The name that columns are qualified with: the alias, else the table's name. Empty where there is none.
    pub fn reference(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// Whether it is a table or view of the database.
    pub fn is_table(&self) -> bool {
        !self.call && self.subquery.is_none() && self.cte.is_none()
    }
}

/// A condition that holds of every row that passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conjunct {
    /// Where, without parentheses around it.
    pub tokens: Tokens,
    /// False for text known only at run time.
    pub known: bool,
}

/// The statements that change rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DmlKind {
    /// INSERT
    Insert,
    /// UPDATE
    Update,
    /// DELETE
    Delete,
    /// MERGE
    Merge,
}

/// INSERT, UPDATE, DELETE, MERGE
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dml {
    /// Which.
    pub kind: DmlKind,
    /// The table.
    pub target: FromItem,
    /// What follows SET of UPDATE.
    pub set: Option<Tokens>,
    /// FROM of UPDATE, USING of DELETE and MERGE (whose ON is that of the first item).
    pub from: Vec<FromItem>,
    /// What follows WHERE.
    pub condition: Option<Tokens>,
    /// WHERE, cut at AND.
    pub conjuncts: Vec<Conjunct>,
    /// What INSERT inserts.
    pub source: Option<QueryId>,
    /// What follows ON CONFLICT.
    pub conflict: Option<Tokens>,
    /// The WHEN branches of MERGE.
    pub branches: Option<Tokens>,
    /// What follows RETURNING.
    pub returning: Option<Tokens>,
    /// What follows INTO of RETURNING.
    pub into: Option<Tokens>,
    /// WHERE CURRENT OF
    pub current_of: bool,
}

impl Dml {
    pub(super) fn new(kind: DmlKind) -> Self {
        Self {
            kind,
            target: FromItem::default(),
            set: None,
            from: Vec::new(),
            condition: None,
            conjuncts: Vec::new(),
            source: None,
            conflict: None,
            branches: None,
            returning: None,
            into: None,
            current_of: false,
        }
    }
}
