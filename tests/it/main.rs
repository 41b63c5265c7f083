//! Tests of the whole, in one binary: it links once.
//!
//! `cfg(test)` says nothing to the compiler here; it tells clippy that helpers, too, may unwrap and print.

#[cfg(test)]
mod action;
#[cfg(test)]
mod arbitration;
#[cfg(test)]
mod baseline;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod changed;
#[cfg(test)]
mod cli;
#[cfg(test)]
mod clients;
#[cfg(test)]
mod command;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod expect;
#[cfg(test)]
mod fence;
#[cfg(test)]
mod findings;
#[cfg(test)]
mod fixes;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod formats;
mod fragments;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod house;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod monitor;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod pooler;
#[cfg(test)]
mod proofs;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod readme;
#[cfg(test)]
mod runners;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod selection;
#[cfg(test)]
mod server;
#[cfg(test)]
mod trees;
#[cfg(test)]
mod why;
