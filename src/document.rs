//! The SQL texts of a source: the script itself, the bodies of its routines, and what is in them again. Each is a region
//! with its tokens; trees borrow from it.

use crate::region::Region;
use crate::span::{Span, SqlSpan};
use crate::sql::Tokens;
use crate::sql::lex::{Token, lex_with_holes};
use crate::sql::plpgsql::{self, Body, dynamic_sql};
use crate::sql::routine::{self, Language, Routine};
use crate::sql::split::{Piece, split};

/// Bodies in bodies: deeper ones are counted as not understood.
const MAX_DEPTH: usize = 3;

/// One SQL text.
#[derive(Debug)]
pub struct Document<'s> {
    /// Its text and map.
    pub region: Region<'s>,
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

/// The documents of a script: itself first, then the bodies in the order of the text, each after the one it is in.
pub fn documents(script: Region<'_>) -> Vec<Document<'_>> {
    let mut found = vec![statements(script, Origin::Script)];
    let mut depth = vec![0];
    let mut at = 0;
    while at < found.len() {
        if depth[at] < MAX_DEPTH {
            for body in bodies(&found[at], at) {
                depth.push(depth[at] + 1);
                found.push(body);
            }
        }
        at += 1;
    }
    found
}

fn statements(region: Region<'_>, origin: Origin) -> Document<'_> {
    let holes: Vec<SqlSpan> = region.holes().collect();
    let tokens = lex_with_holes(region.text(), &holes);
    let pieces = split(region.text(), &tokens);
    Document { region, tokens, content: Content::Statements(pieces), origin }
}

/// The texts directly inside a document.
fn bodies<'s>(document: &Document<'s>, index: usize) -> Vec<Document<'s>> {
    match &document.content {
        Content::Statements(pieces) => pieces.iter().filter_map(|piece| routine_body(document, index, piece)).collect(),
        Content::Plpgsql(body) => {
            let mut commands = Vec::new();
            body.commands(&mut commands);
            commands
                .into_iter()
                .filter_map(|command| {
                    let region = dynamic_sql(&document.region, command.of(&document.tokens))?;
                    Some(statements(region, Origin::Dynamic { document: index, command }))
                })
                .collect()
        }
    }
}

fn routine_body<'s>(document: &Document<'s>, index: usize, piece: &Piece) -> Option<Document<'s>> {
    let tokens = &document.tokens[piece.tokens.clone()];
    let routine = routine::routine(document.region.text(), tokens)?;
    let region = routine::body_region(&document.region, tokens, &routine)?;
    let statement = document.region.to_source(tokens.first()?.span.join(tokens.last()?.span));
    let language = routine.language.clone();
    let origin = Origin::Body(Box::new(Owner { routine, document: index, statement }));
    match language {
        Language::Plpgsql => {
            let holes: Vec<SqlSpan> = region.holes().collect();
            let tokens = lex_with_holes(region.text(), &holes);
            let body = plpgsql::parse(region.text(), &tokens);
            Some(Document { region, tokens, content: Content::Plpgsql(body), origin })
        }
        Language::Sql => Some(statements(region, origin)),
        Language::Other(_) => None,
    }
}
