//! Function calls and where they stand.

use super::node::{Clause, QueryId};
use super::{Place, Tokens, Tree};
use crate::sql::lex::TokenKind;

/// A function call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The schema, where written.
    pub schema: Option<String>,
    /// The function.
    pub name: String,
    /// Its name.
    pub name_token: usize,
    /// From the first word of the name to the closing parenthesis.
    pub tokens: Tokens,
    /// The arguments.
    pub args: Vec<Tokens>,
    /// The innermost query around it.
    pub query: Option<QueryId>,
    /// Where it stands there.
    pub clause: Clause,
    /// Whether CASE, COALESCE, FILTER or OR may keep it from being evaluated.
    pub conditional: bool,
}

impl Call {
    /// Whether the name, if a built-in function has it, means that one: no schema of one's own stands before it.
    pub fn is_built_in(&self) -> bool {
        self.schema.as_deref().is_none_or(|schema| schema == "pg_catalog")
    }
}

/// Words that a `(` may follow although they are no functions; types with modifiers among them.
const NO_FUNCTIONS: &[&str] = &[
    "all",
    "and",
    "any",
    "array",
    "as",
    "between",
    "bit",
    "by",
    "case",
    "cast",
    "char",
    "character",
    "check",
    "columns",
    "conflict",
    "cube",
    "dec",
    "decimal",
    "default",
    "distinct",
    "do",
    "else",
    "except",
    "exists",
    "filter",
    "float",
    "for",
    "from",
    "group",
    "grouping",
    "having",
    "ilike",
    "in",
    "insert",
    "intersect",
    "interval",
    "into",
    "is",
    "join",
    "lateral",
    "like",
    "limit",
    "nchar",
    "not",
    "numeric",
    "of",
    "offset",
    "on",
    "only",
    "operator",
    "or",
    "over",
    "overlaps",
    "precision",
    "repeatable",
    "returning",
    "rollup",
    "row",
    "rows",
    "second",
    "select",
    "sets",
    "similar",
    "some",
    "symmetric",
    "table",
    "then",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "to",
    "union",
    "using",
    "values",
    "varbit",
    "varchar",
    "variadic",
    "varying",
    "when",
    "where",
    "window",
    "with",
];

impl Tree<'_> {
    /// The function calls in the statement's expressions, in order of their names. Column lists, types with
    /// modifiers and the functions that GRANT, COMMENT and DDL name are none.
    pub fn calls(&self) -> &[Call] {
        self.calls.get_or_init(|| self.read_calls())
    }

    fn read_calls(&self) -> Vec<Call> {
        let calls: Vec<usize> = (0..self.tokens.len()).filter(|&index| self.is_call(index)).collect();
        if calls.is_empty() {
            return Vec::new();
        }
        let conditional = self.conditional();
        calls
            .into_iter()
            .filter_map(|index| {
                let (query, clause) = self.place(index)?;
                let start = self.name_start(index);
                let close = self.close(index + 1, self.tokens.len());
                Some(Call {
                    schema: (start < index).then(|| self.ident(index - 2).map(|name| name.into_owned())).flatten(),
                    name: self.ident(index)?.into_owned(),
                    name_token: index,
                    tokens: start..(close + 1).min(self.tokens.len()),
                    args: self.commas(index + 2..close),
                    query,
                    clause,
                    conditional: conditional[index],
                })
            })
            .collect()
    }

    /// The first token of the qualified name that ends at `index`.
    fn name_start(&self, index: usize) -> usize {
        let mut start = index;
        while start >= 2
            && self.kind(start - 1) == Some(TokenKind::Dot)
            && matches!(self.kind(start - 2), Some(TokenKind::Word | TokenKind::QuotedIdent | TokenKind::Hole))
        {
            start -= 2;
        }
        start
    }

    fn is_call(&self, index: usize) -> bool {
        if self.place(index).is_none() || self.kind(index + 1) != Some(TokenKind::LeftParen) {
            return false;
        }
        match self.kind(index) {
            Some(TokenKind::QuotedIdent) => {}
            Some(TokenKind::Word) => {
                if NO_FUNCTIONS.contains(&self.word(index))
                    && index.checked_sub(1).and_then(|before| self.kind(before)) != Some(TokenKind::Dot)
                {
                    return false;
                }
                // `DO UPDATE SET (a, b) = …`
                if self.word(index) == "set" && matches!(self.place(index), Some((_, Clause::Conflict | Clause::Merge)))
                {
                    return false;
                }
            }
            _ => return false,
        }
        match self.name_start(index).checked_sub(1) {
            // `x::name(1)`, `CAST(x AS name(1))`, `f() AS t(a, b)`
            Some(before) => self.raw(before) != "::" && self.word(before) != "as",
            None => true,
        }
    }

    /// For every token whether something may keep it from being evaluated.
    fn conditional(&self) -> Vec<bool> {
        let count = self.tokens.len();
        let mut segments = Segments::new();
        let mut segment_of = vec![0u32; count];
        let mut place = Place::default();
        for (index, segment) in segment_of.iter_mut().enumerate() {
            // What stands in no expression begins and ends clauses.
            if self.places[index] != place {
                segments.next();
            }
            place = self.places[index];
            *segment = segments.current();
            match self.tokens[index].kind {
                TokenKind::LeftParen | TokenKind::LeftBracket => {
                    let word = index.checked_sub(1).map_or("", |before| self.word(before));
                    let head = segments.current();
                    segments.open(Segment {
                        parent: head,
                        conditional: word == "filter",
                        coalesce: word == "coalesce",
                        ..Segment::default()
                    });
                }
                TokenKind::RightParen | TokenKind::RightBracket => segments.close(),
                TokenKind::Comma => segments.next(),
                TokenKind::Word => match self.keyword(index) {
                    "or" => segments.mark(),
                    "case" => {
                        let head = segments.current();
                        segments.open(Segment { parent: head, conditional: true, case: true, ..Segment::default() });
                    }
                    "end" => segments.close_case(),
                    _ => {}
                },
                _ => {}
            }
        }
        let mut conditional = vec![false; segments.all.len()];
        for index in 0..segments.all.len() {
            // A parent is older than its children.
            let segment = &segments.all[index];
            conditional[index] = segment.conditional || conditional[segment.parent as usize];
        }
        segment_of.into_iter().map(|segment| conditional[segment as usize]).collect()
    }
}

/// A stretch of tokens between brackets, commas and clauses.
#[derive(Clone, Copy, Default)]
struct Segment {
    /// The segment around it; the first is its own.
    parent: u32,
    conditional: bool,
    /// What follows in the same brackets is conditional.
    coalesce: bool,
    /// It ends with END.
    case: bool,
}

struct Segments {
    /// The first stands around all others and holds no token.
    all: Vec<Segment>,
    open: Vec<u32>,
}

impl Segments {
    fn new() -> Self {
        Self { all: vec![Segment::default(); 2], open: vec![1] }
    }

    fn current(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    fn open(&mut self, segment: Segment) {
        self.open.push(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.all.push(segment);
    }

    fn close(&mut self) {
        // A CASE that has lost its END ends with its brackets.
        while self.open.len() > 1 && self.all[self.current() as usize].case {
            self.open.pop();
        }
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    fn close_case(&mut self) {
        if self.open.len() > 1 && self.all[self.current() as usize].case {
            self.open.pop();
        }
    }

    fn mark(&mut self) {
        let current = self.current();
        self.all[current as usize].conditional = true;
    }

    /// Begins the next segment in the same brackets.
    fn next(&mut self) {
        let Some(last) = self.open.pop() else {
            return;
        };
        let Segment { parent, coalesce, case, .. } = self.all[last as usize];
        let conditional = coalesce || case;
        self.open(Segment { parent, conditional, coalesce, case });
    }
}
