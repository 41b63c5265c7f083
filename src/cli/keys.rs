//! `locklint keys`: the register of advisory keys, and from a row of `pg_locks` to the code.

use super::{Verdict, print, rule_names, tell_notices};
use crate::discover::{self, Discovery, Request};
use crate::emit::{self, KeysFormat};
use crate::error::Error;
use crate::keymap::decode::{Row, each_once, rows};
use crate::keymap::{KeyMap, keys};
use crate::settings::Run;
use std::io::{self, Read};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  locklint keys
  locklint keys --decode 8101:7:2
  psql -Atc \"SELECT classid, objid, objsubid FROM pg_locks WHERE locktype = 'advisory'\" | locklint keys --decode -";

/// List every advisory key, or lead from a row of pg_locks to the lines that take it
///
/// Keys are listed by key space, literal ones first, each with the calls that take or release it. `hashtext` and
/// `hashtextextended` of constant strings are computed as the server does.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files and directories whose keys are listed
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    paths: Vec<PathBuf>,

    /// Where a row of pg_locks comes from: classid:objid:objsubid, or `-` for the output of a query on standard input
    #[arg(long, value_name = "ROW", value_delimiter = ',')]
    decode: Vec<String>,

    /// How to write the list
    #[arg(long, value_enum, default_value = "text")]
    format: KeysFormat,

    /// List the keys of test code too
    #[arg(long)]
    include_tests: bool,

    /// Leave out files that match; a glob without `/` matches at any depth
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
}

pub(super) fn run(args: &Args) -> Result<Verdict, Error> {
    let wanted = if args.decode.is_empty() { None } else { Some(wanted(&args.decode)?) };
    let (found, map) = of_tree(&args.paths, &args.exclude, args.include_tests)?;
    print(false, |out| emit::keys(&map, wanted.as_deref(), args.format, &found.paths, out))?;
    Ok(verdict(&map))
}

/// Whether everything that was asked for could be read.
pub(super) fn verdict(map: &KeyMap) -> Verdict {
    if map.notices.iter().any(|notice| notice.trouble) { Verdict::Trouble } else { Verdict::Clean }
}

/// The keys of the files below some paths. What cannot be read is told.
pub(super) fn of_tree(
    paths: &[PathBuf],
    exclude: &[String],
    include_tests: bool,
) -> Result<(Discovery, KeyMap), Error> {
    let directory = std::env::current_dir().map_err(|error| Error::file(".", error))?;
    let run = Run { include_tests, ..Run::default() };
    let request = Request { directory, paths: paths.to_vec(), exclude: exclude.to_vec(), run, ..Request::default() };
    let found = discover::discover(request, &rule_names())?;
    let mut map = keys(&found.project, &found.targets, &found.settings);
    map.notices.extend(found.notices.iter().cloned());
    map.notices.sort();
    // Where standard error is closed the list still has a reader.
    let _ = tell_notices(&map.notices, false, &found.paths);
    Ok((found, map))
}

/// The rows that are asked for, each once.
fn wanted(arguments: &[String]) -> Result<Vec<Row>, Error> {
    let mut found = Vec::new();
    for argument in arguments {
        if argument == "-" {
            let mut text = Vec::new();
            io::stdin().lock().read_to_end(&mut text).map_err(|error| Error::file("standard input", error))?;
            let text = String::from_utf8_lossy(&text);
            let read = rows(&text);
            // A query that found no lock.
            let is_none = text.trim().is_empty() || text.contains("(0 rows)");
            if read.is_empty() && !is_none {
                return Err(Error::Usage(
                    "standard input holds no classid:objid:objsubid, no columns of these names, and no lines of those three"
                        .to_owned(),
                ));
            }
            found.extend(read);
        } else {
            found.push(argument.parse().map_err(Error::Usage)?);
        }
    }
    Ok(each_once(found))
}
