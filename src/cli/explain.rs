//! `locklint explain`: a rule's page.

use super::{print, unknown_rule};
use crate::emit::page_text;
use crate::error::Error;

/// Tell what a rule means
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  locklint explain session-lock-in-transaction")]
pub(super) struct Args {
    /// The rule's name, as reports have it in brackets
    rule: String,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let rule = crate::rules::rule(&args.rule).ok_or_else(|| unknown_rule(&args.rule))?;
    print(false, |out| writeln!(out, "{}", page_text(rule).trim_end()))
}
