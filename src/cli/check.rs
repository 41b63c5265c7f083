//! `locklint check`: find, lint, report.

use super::terminal::Color;
use super::{Verdict, print, rule_names, tell_notices, unknown_rule};
use crate::discover::{self, Buffer, ConfigSource, Discovery, Request};
use crate::emit::{self, Format, visible};
use crate::error::Error;
use crate::finding::{Level, Notice, Report};
use crate::lint::lint;
use crate::project::Project;
use crate::rules::RULES;
use crate::settings::Run;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  locklint check
  locklint check --format concise migrations
  locklint check --format sarif --output-file locklint.sarif --exit-zero
  locklint check --select missing-unlock,session-lock-in-transaction
  locklint check --fail-on error --ignore skip-locked-single-key .
  locklint check - --stdin-filename db/queue.sql < buffer";

/// Lint files and directories
///
/// Every file under the root (the nearest directory upwards with a `.git`, else the topmost one with a `locklint.toml`) is
/// read for what only the whole tree can tell, such as unique keys; only the named ones are reported on.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files and directories to report on, or `-` for standard input
    #[arg(value_name = "PATH", default_value = ".", hide_default_value = true)]
    paths: Vec<PathBuf>,

    /// How to write the report
    #[arg(long, value_enum, env = "LOCKLINT_FORMAT", default_value = "text", help_heading = "Output")]
    format: Format,

    /// Write the report to a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Leave out findings below this level: note, warning or error [default: note; for github: warning, or --fail-on]
    #[arg(long, value_name = "LEVEL", help_heading = "Output")]
    min_level: Option<Level>,

    /// Exit with 1 where a finding has this level or a higher one
    #[arg(long, value_name = "LEVEL", default_value = "warning", help_heading = "Output")]
    fail_on: Level,

    /// Exit with 0 whatever is found
    #[arg(long, help_heading = "Output")]
    exit_zero: bool,

    /// Say nothing but findings and trouble
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Output")]
    quiet: bool,

    /// Say what was looked at
    #[arg(short, long, help_heading = "Output")]
    verbose: bool,

    /// Report these rules only
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    select: Vec<String>,

    /// Do not report these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    ignore: Vec<String>,

    /// Report on test code too
    #[arg(long, help_heading = "Rules")]
    include_tests: bool,

    /// Use this configuration file for every file
    #[arg(long, value_name = "FILE", env = "LOCKLINT_CONFIG", help_heading = "Configuration")]
    config: Option<PathBuf>,

    /// Use no configuration file, whatever LOCKLINT_CONFIG says
    #[arg(long, alias = "isolated", help_heading = "Configuration")]
    no_config: bool,

    /// The file that standard input stands for
    #[arg(long, alias = "stdin-filepath", value_name = "FILE", help_heading = "Files")]
    stdin_filename: Option<PathBuf>,

    /// Leave out files that match; a glob without `/` matches at any depth
    #[arg(long, value_name = "GLOB", help_heading = "Files")]
    exclude: Vec<String>,

    /// Leave excluded files out even where they are named
    #[arg(long, help_heading = "Files")]
    force_exclude: bool,

    /// Do not honour .gitignore and .ignore
    #[arg(long, help_heading = "Files")]
    no_ignore: bool,

    /// Read the named files only; rules that argue from the whole tree go quieter
    #[arg(long, help_heading = "Files")]
    no_context: bool,
}

pub(super) fn run(args: Args, color: Color) -> Result<Verdict, Error> {
    let found = discover::discover(request(&args)?, &rule_names())?;
    let mut report = lint(&found.project, &found.targets, &found.settings);
    report.notices.extend(found.notices.iter().cloned());
    if found.targets.0.is_empty() && report.notices.is_empty() {
        report.notices.push(Notice { path: "".into(), message: "found no file to lint".to_owned(), trouble: false });
    }
    report.notices.sort();
    // Where standard error is closed the report still has a reader.
    let _ = tell(&args, &found, &report);
    write(&args, &found, &report, color)?;
    let fails = report.findings.iter().any(|finding| finding.level >= args.fail_on);
    Ok(if report.notices.iter().any(|notice| notice.trouble) {
        Verdict::Trouble
    } else if fails && !args.exit_zero {
        Verdict::Findings
    } else {
        Verdict::Clean
    })
}

fn request(args: &Args) -> Result<Request, Error> {
    for name in args.select.iter().chain(&args.ignore) {
        if crate::rules::rule(name).is_none() {
            return Err(unknown_rule(name));
        }
    }
    let directory = std::env::current_dir().map_err(|error| Error::file(".", error))?;
    let least = match args.format {
        // What fails has to be seen.
        Format::Github => args.fail_on.min(Level::Warning),
        _ => Level::Note,
    };
    Ok(Request {
        directory,
        buffer: buffer(args)?,
        paths: args.paths.clone(),
        exclude: args.exclude.clone(),
        force_exclude: args.force_exclude,
        no_ignore: args.no_ignore,
        no_context: args.no_context,
        config: match &args.config {
            _ if args.no_config => ConfigSource::BuiltIn,
            Some(path) => ConfigSource::File(path.clone()),
            None => ConfigSource::Nearest,
        },
        run: Run {
            select: BTreeSet::from_iter(args.select.iter().cloned()),
            ignore: BTreeSet::from_iter(args.ignore.iter().cloned()),
            min_level: args.min_level.unwrap_or(least),
            include_tests: args.include_tests,
        },
    })
}

/// What is on standard input, where it is asked for.
fn buffer(args: &Args) -> Result<Option<Buffer>, Error> {
    let dash = args.paths.iter().any(|path| path == Path::new("-"));
    if !dash && args.stdin_filename.is_none() {
        return Ok(None);
    }
    if !dash || args.paths.len() > 1 {
        return Err(Error::Usage(
            "standard input is linted alone: `locklint check - --stdin-filename FILE`".to_owned(),
        ));
    }
    let mut content = Vec::new();
    io::stdin().lock().read_to_end(&mut content).map_err(|error| Error::file("standard input", error))?;
    Ok(Some(Buffer { path: args.stdin_filename.clone(), content }))
}

/// Tells on standard error what is no finding, so that a report stays readable by programs.
fn tell(args: &Args, found: &Discovery, report: &Report) -> io::Result<()> {
    tell_notices(&report.notices, args.quiet, &found.paths)?;
    let mut out = io::stderr().lock();
    if args.verbose {
        let configs = match &found.configs[..] {
            [] => "none".to_owned(),
            configs => configs.join(", "),
        };
        writeln!(out, "locklint: configuration: {}", visible(&configs))?;
        writeln!(
            out,
            "locklint: {} of {} files are reported on; {}",
            found.targets.0.len(),
            found.project.files().len(),
            if found.project.complete() { "the whole tree is known" } else { "the rest of the tree is not known" }
        )?;
    }
    Ok(())
}

fn write(args: &Args, found: &Discovery, report: &Report, color: Color) -> Result<(), Error> {
    let emit = |color: bool, out: &mut dyn Write| {
        let options = emit::Options { color, quiet: args.quiet, paths: &found.paths, rules: RULES };
        emit::emit(report, args.format, &options, out)
    };
    let Some(path) = &args.output_file else {
        let color = color.on(&io::stdout());
        return print(color, |out| emit(color, out));
    };
    let file = std::fs::File::create(path).map_err(|error| Error::file(path, error))?;
    let color = color.on(&file);
    let mut out = io::BufWriter::new(file);
    emit(color, &mut out).and_then(|()| out.flush()).map_err(|error| Error::file(path, error))
}
