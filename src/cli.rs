//! The command line: what is asked, and what the shell is told.

mod check;
mod explain;
mod keys;
mod monitor;
mod rules;
mod server;
mod shell;
mod terminal;

use crate::emit;
use crate::error::Error;
use crate::fence::internal_error;
use crate::finding::Notice;
use crate::paths::Paths;
use clap::{CommandFactory, Parser, Subcommand};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use terminal::Color;

/// What the shell is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// Nothing at or above the level that fails.
    Clean,
    /// Something is wrong with the code.
    Findings,
    /// Something that was asked for could not be done.
    Trouble,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        Self::from(match verdict {
            Verdict::Clean => 0,
            Verdict::Findings => 1,
            Verdict::Trouble => 2,
        })
    }
}

const EXAMPLES: &str = "\
Examples:
  locklint check                       every file below the working directory
  locklint check migrations a.sql      what is named; the rest of the tree is context
  locklint explain missing-unlock      what a rule means, when it is wrong, what to write
  locklint rules                       all rules
  locklint keys                        every advisory key of the tree, and who takes it
  locklint monitor                     the query that finds long waits for advisory locks

In the code, a comment with a reason silences a rule for one statement:
  SELECT id FROM job FOR UPDATE SKIP LOCKED;  -- locklint: ignore[skip-locked-without-limit] one worker drains it

Exit code: 0 nothing found, 1 findings, 2 usage, configuration or input trouble.";

/// Finds locking mistakes in PostgreSQL code: advisory locks, SKIP LOCKED, row locks.
///
/// It reads files and nothing else: no database, no network.
#[derive(Debug, Parser)]
#[command(name = "locklint", version, after_help = EXAMPLES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to colour the output [default: auto]
    ///
    /// `auto` asks the terminal, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Box<check::Args>),
    Explain(explain::Args),
    Keys(keys::Args),
    Monitor(monitor::Args),
    Rules(rules::Args),
    Server(server::Args),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // A closed pipe is no reason to say more.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
    };
    let color = cli.color;
    let done = catch_unwind(AssertUnwindSafe(|| run(cli)));
    let result = done.unwrap_or_else(|panic| Err(Error::Internal(internal_error(&*panic))));
    result
        .unwrap_or_else(|error| {
            // Where standard error is closed too there is nobody left to tell.
            let _ = tell(&error, color.on(&io::stderr()));
            Verdict::Trouble
        })
        .into()
}

fn run(cli: Cli) -> Result<Verdict, Error> {
    match cli.command {
        Command::Check(args) => check::run(*args, cli.color),
        Command::Explain(args) => explain::run(&args).map(|()| Verdict::Clean),
        Command::Keys(args) => keys::run(&args),
        Command::Monitor(args) => monitor::run(&args),
        Command::Rules(args) => rules::run(&args).map(|()| Verdict::Clean),
        Command::Server(args) => server::run(&args),
        Command::Completions(args) => shell::complete(&args, Cli::command()).map(|()| Verdict::Clean),
        Command::Man(args) => shell::manual(&args, Cli::command()).map(|()| Verdict::Clean),
    }
}

fn tell(error: &Error, color: bool) -> io::Result<()> {
    let mut out = io::stderr().lock();
    match error {
        Error::Config(error) => emit::config_error(error, color, &mut out),
        _ => writeln!(out, "locklint: error: {}", emit::visible(&error.to_string())),
    }
}

/// Tells on standard error what is no result, so that a result stays readable by programs.
fn tell_notices(notices: &[Notice], quiet: bool, paths: &Paths) -> io::Result<()> {
    let mut out = io::stderr().lock();
    for notice in notices.iter().filter(|notice| !quiet || notice.trouble) {
        let kind = if notice.trouble { "error: " } else { "" };
        let shown = paths.shown(&notice.path);
        let path = emit::visible(&shown);
        let gap = if path.is_empty() { "" } else { ": " };
        writeln!(out, "locklint: {kind}{path}{gap}{}", emit::visible(&notice.message))?;
    }
    Ok(())
}

/// Lets `write` write to standard output. Who closes the pipe has seen enough, which is no trouble.
fn print(color: bool, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let stdout = io::stdout().lock();
    let written = if color {
        let mut out = io::BufWriter::new(anstream::AutoStream::always(stdout));
        write(&mut out).and_then(|()| out.flush())
    } else {
        let mut out = io::BufWriter::new(stdout);
        write(&mut out).and_then(|()| out.flush())
    };
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// The names of all rules.
fn rule_names() -> Vec<&'static str> {
    crate::rules::RULES.iter().map(|rule| rule.name).collect()
}

/// Help for a name that no rule has.
fn unknown_rule(name: &str) -> Error {
    if name.is_empty() {
        return Error::Usage("an empty name is no rule; `locklint rules` lists the rules".to_owned());
    }
    Error::Usage(format!("`{name}` is no rule; {}", crate::settings::suggestion(name, &rule_names())))
}
