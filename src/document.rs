//! The SQL texts of a source: the script itself, the bodies of its routines, and what is in them again. Each is a region
//! with its tokens; trees borrow from it.

use crate::region::Region;
use crate::span::{Span, SqlSpan};
use crate::sql::lex::{Token, lex_with_holes};
use crate::sql::plpgsql::{self, Body};
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
    /// The routine whose body it is.
    pub routine: Option<Owner>,
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
    let mut found = vec![statements(script, None)];
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

fn statements(region: Region<'_>, routine: Option<Owner>) -> Document<'_> {
    let holes: Vec<SqlSpan> = region.holes().collect();
    let tokens = lex_with_holes(region.text(), &holes);
    let pieces = split(region.text(), &tokens);
    Document { region, tokens, content: Content::Statements(pieces), routine }
}

fn bodies<'s>(document: &Document<'s>, index: usize) -> Vec<Document<'s>> {
    let Content::Statements(pieces) = &document.content else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for piece in pieces {
        let tokens = &document.tokens[piece.tokens.clone()];
        let Some(routine) = routine::routine(document.region.text(), tokens) else {
            continue;
        };
        let Some(region) = routine::body_region(&document.region, tokens, &routine) else {
            continue;
        };
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            continue;
        };
        let statement = document.region.to_source(first.span.join(last.span));
        let language = routine.language.clone();
        let owner = Some(Owner { routine, document: index, statement });
        match language {
            Language::Plpgsql => {
                let holes: Vec<SqlSpan> = region.holes().collect();
                let tokens = lex_with_holes(region.text(), &holes);
                let body = plpgsql::parse(region.text(), &tokens);
                found.push(Document { region, tokens, content: Content::Plpgsql(body), routine: owner });
            }
            Language::Sql => found.push(statements(region, owner)),
            Language::Other(_) => {}
        }
    }
    found
}
