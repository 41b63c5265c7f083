//! What a shell and `man` want to know about the program.

use super::print;
use crate::error::Error;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man as Page;
use std::path::PathBuf;

/// Write the completions of a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  locklint completions bash > ~/.local/share/bash-completion/completions/locklint")]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  locklint man | man -l -\n  locklint man --directory ~/.local/share/man/man1")]
pub(super) struct Man {
    /// Write the page of each command to a file there, instead of the first to standard output
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

pub(super) fn complete(args: &Completions, mut command: Command) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "locklint", &mut script);
    print(false, |out| out.write_all(&script))
}

pub(super) fn manual(args: &Man, mut command: Command) -> Result<(), Error> {
    command.build();
    let Some(directory) = &args.directory else {
        return print(false, |out| Page::new(command).render(out));
    };
    std::fs::create_dir_all(directory).map_err(|error| Error::file(directory, error))?;
    clap_mangen::generate_to(command, directory).map_err(|error| Error::file(directory, error))
}
