//! The SQL texts of a source: the script itself, the bodies of its routines, and what is in them again. Each is a region
//! with its tokens; trees borrow from its text.

use crate::region::Region;
use crate::span::{Span, SqlSpan};
use crate::sql::Tokens;
use crate::sql::lex::{Token, lex_with_holes};
use crate::sql::plpgsql::{self, Body, Command, dynamic_sql};
use crate::sql::routine::{self, Language, Routine};
use crate::sql::split::{Piece, split};

/// Bodies in bodies: deeper ones are counted as not understood.
const MAX_DEPTH: usize = 3;

/// One SQL text, for as long as it is lowered: a dump has more bytes of tokens than of text.
#[derive(Debug)]
pub struct Document<'r> {
    /// Its text and map.
    pub region: &'r Region<'r>,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// What it is.
    pub content: Content,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a text comes from.
#[derive(Debug)]
pub enum Origin {
    /// The source itself.
    Script,
    /// A literal of a host source: an index of its queries.
    Query(usize),
    /// The body of a routine.
    Body(Box<Owner>),
    /// What EXECUTE runs, as far as it stands in the text.
    Dynamic {
        /// Index of the PL/pgSQL document.
        document: usize,
        /// The expression there.
        command: Tokens,
    },
}

impl Origin {
    /// Index of the document in which it stands.
    fn parent(&self) -> Option<usize> {
        match self {
            Self::Script | Self::Query(_) => None,
            Self::Body(owner) => Some(owner.document),
            Self::Dynamic { document, .. } => Some(*document),
        }
    }
}

/// The documents directly inside document `index`. They stand together, for documents are in the order of their parents.
pub fn inside<'a, 'r>(documents: &'a [Document<'r>], index: usize) -> &'a [Document<'r>] {
    let from = documents.partition_point(|document| document.origin.parent() < Some(index));
    let to = documents.partition_point(|document| document.origin.parent() <= Some(index));
    &documents[from..to]
}

/// A document before it is tied to where its region is kept.
struct Reading {
    tokens: Vec<Token>,
    content: Content,
    origin: Origin,
}

/// The routine of a body.
#[derive(Debug)]
pub struct Owner {
    /// The routine.
    pub routine: Routine,
    /// Index of the document that defines it.
    pub document: usize,
    /// The statement that defines it, in the source.
    pub statement: Span,
}

/// How a text is read.
#[derive(Debug)]
pub enum Content {
    /// Statements, cut at semicolons.
    Statements(Vec<Piece>),
    /// A PL/pgSQL body.
    Plpgsql(Body),
}

/// The documents of a source: its texts first, then the bodies in them in the order of the text, each after the one it is
/// in. Their regions are left in `regions`, which outlives them.
pub fn documents<'r, 's: 'r>(
    texts: impl IntoIterator<Item = (Region<'s>, Origin)>,
    regions: &'r mut Vec<Region<'s>>,
) -> Vec<Document<'r>> {
    regions.clear();
    let mut readings = Vec::new();
    for (text, origin) in texts {
        readings.push(statements(&text, origin));
        regions.push(text);
    }
    let mut depth = vec![0; readings.len()];
    let mut at = 0;
    while at < readings.len() {
        if depth[at] < MAX_DEPTH {
            for (region, body) in bodies(&regions[at], &readings[at], at) {
                depth.push(depth[at] + 1);
                regions.push(region);
                readings.push(body);
            }
        }
        at += 1;
    }
    let tied = |(region, reading): (&'r Region<'s>, Reading)| Document {
        region,
        tokens: reading.tokens,
        content: reading.content,
        origin: reading.origin,
    };
    regions.iter().zip(readings).map(tied).collect()
}

fn tokens(region: &Region<'_>) -> Vec<Token> {
    let holes: Vec<SqlSpan> = region.holes().collect();
    lex_with_holes(region.text(), &holes)
}

fn statements(region: &Region<'_>, origin: Origin) -> Reading {
    let tokens = tokens(region);
    let pieces = split(region.text(), &tokens);
    Reading { tokens, content: Content::Statements(pieces), origin }
}

/// The texts directly inside a document.
fn bodies<'s>(region: &Region<'s>, reading: &Reading, index: usize) -> Vec<(Region<'s>, Reading)> {
    match &reading.content {
        Content::Statements(pieces) => {
            let body = |piece: &Piece| routine_body(region, &reading.tokens[piece.tokens.clone()], index);
            pieces.iter().filter_map(body).collect()
        }
        Content::Plpgsql(body) => {
            let run = |Command { command, text }: Command| {
                let text = dynamic_sql(region, text.of(&reading.tokens))?;
                let reading = statements(&text, Origin::Dynamic { document: index, command });
                Some((text, reading))
            };
            body.commands(region.text(), &reading.tokens).into_iter().filter_map(run).collect()
        }
    }
}

fn routine_body<'s>(region: &Region<'s>, piece: &[Token], index: usize) -> Option<(Region<'s>, Reading)> {
    let routine = routine::routine(region.text(), piece)?;
    let body = routine::body_region(region, piece, &routine)?;
    let statement = region.to_source(piece.first()?.span().join(piece.last()?.span()));
    let language = routine.language.clone();
    let origin = Origin::Body(Box::new(Owner { routine, document: index, statement }));
    let reading = match language {
        Language::Plpgsql => {
            let tokens = tokens(&body);
            let content = Content::Plpgsql(plpgsql::parse(body.text(), &tokens));
            Reading { tokens, content, origin }
        }
        Language::Sql => statements(&body, origin),
        Language::Other(_) => return None,
    };
    Some((body, reading))
}
