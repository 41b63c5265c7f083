//! SQL: from a region's text to statements as our own clause tree. Parsing never fails: what is not understood is
//! marked as such and counted.

pub mod clause;
pub mod lex;
pub mod split;
