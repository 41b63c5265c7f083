//! `locklint monitor`: the query that finds long waits.

use super::{Verdict, keys, print};
use crate::emit;
use crate::error::Error;
use crate::monitor::{self, Format, Request};
use std::path::PathBuf;
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  locklint monitor > waits.sql; psql -f waits.sql
  locklint monitor --threshold 5 --class 8101
  locklint monitor --format postgres_exporter > queries.yaml
  locklint monitor --server 13";

/// Print the query that finds long waits for advisory locks, and who is in the way
///
/// It is printed and not run: this program opens no connection. The literal keys of the tree get the names that the code
/// has for them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files and directories whose keys are named
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    paths: Vec<PathBuf>,

    /// How long a session may wait
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = seconds)]
    threshold: u32,

    /// Look at locks of the two-key form with this first key alone
    #[arg(long = "class", value_name = "KEY", value_delimiter = ',', allow_hyphen_values = true)]
    classes: Vec<i32>,

    /// The server's major version: 14 and later know when a wait began
    #[arg(long, value_name = "VERSION", default_value = "14")]
    server: Server,

    /// For whom to write it
    #[arg(long, value_enum, default_value = "sql")]
    format: Format,
}

/// A major version of PostgreSQL that has `pg_blocking_pids`.
#[derive(Clone, Copy, Debug)]
struct Server {
    has_waitstart: bool,
}

impl FromStr for Server {
    type Err = String;

    fn from_str(version: &str) -> Result<Self, String> {
        let (major, minor) = version.split_once('.').unwrap_or((version, ""));
        let is_number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        match major.parse::<u32>() {
            Ok(9) if minor.split('.').next() == Some("6") => Ok(Self { has_waitstart: false }),
            Ok(major @ 10..) if is_number(minor) => Ok(Self { has_waitstart: major >= 14 }),
            Ok(_) => Err("pg_blocking_pids came with 9.6; there is no query for older servers".to_owned()),
            Err(_) => Err("a version is a number such as 9.6, 13 or 17".to_owned()),
        }
    }
}

pub(super) fn run(args: &Args) -> Result<Verdict, Error> {
    let (found, map) = keys::of_tree(&args.paths, &[], false)?;
    let (mut names, unnamed) = monitor::names(&map, &args.classes, &|path| found.paths.shown(path).into_owned());
    for named in &mut names {
        named.name = emit::visible(&named.name).into_owned();
    }
    let request = Request {
        threshold: args.threshold,
        classes: args.classes.clone(),
        has_waitstart: args.server.has_waitstart,
        names,
        unnamed,
        format: args.format,
    };
    print(false, |out| out.write_all(monitor::text(&request).as_bytes()))?;
    Ok(keys::verdict(&map))
}

fn seconds(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no number of whole seconds, such as 30"))
}
