//! SQL: from a region's text to statements as our own clause tree. Parsing never fails: what is not understood is
//! marked as such and counted.

pub mod advisory;
pub mod clause;
pub mod compare;
mod cursor;
pub mod ddl;
pub mod functions;
pub mod hash;
pub mod key;
pub mod lex;
pub mod literal;
mod mask;
pub mod plpgsql;
pub mod routine;
pub mod script;
pub mod split;
pub mod value;

pub use cursor::Tokens;
