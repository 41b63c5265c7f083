//! Tests of the whole.

mod expect;
mod pages;
