//! `locklint server`: the language server.

use super::{Verdict, rule_names};
use crate::error::Error;
use crate::server;
use std::io;

/// Serve an editor: the language server protocol on standard input and output
///
/// Findings are shown as they are typed, with the facts of the whole tree. The settings are those of `locklint.toml`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, for Neovim 0.11 and later:\n  vim.lsp.config('locklint', \
    { cmd = { 'locklint', 'server' }, root_markers = { 'locklint.toml', '.git' } })\n  vim.lsp.enable('locklint')")]
pub(super) struct Args {
    /// Taken and ignored: there is no other stream
    #[arg(long, hide = true)]
    stdio: bool,
}

pub(super) fn run(_: &Args) -> Result<Verdict, Error> {
    let input = io::BufReader::new(io::stdin());
    let polite = server::serve(input, &mut io::stdout().lock(), &rule_names())?;
    Ok(if polite { Verdict::Clean } else { Verdict::Findings })
}
