//! `locklint check`: find, lint, report.

mod compare;
mod mend;
mod why;

use super::terminal::Color;
use super::{Verdict, print, rule_names, tell_notices, unknown_rule};
use crate::changed;
use crate::discover::{self, Buffer, ConfigSource, Discovery, Request};
use crate::emit::{self, Format, visible};
use crate::error::Error;
use crate::finding::{Level, Notice, Report};
use crate::project::Project;
use crate::rules::RULES;
use crate::settings::Run;
use clap::ValueEnum;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

const EXAMPLES: &str = "\
Examples:
  locklint check
  locklint check --format concise migrations
  locklint check --format sarif --output-file locklint.sarif --exit-zero
  locklint check --format github --report sarif=locklint.sarif
  locklint check --select missing-unlock,session-lock-in-transaction
  locklint check --fail-on error --ignore skip-locked-single-key .
  locklint check --changed-since origin/main
  locklint check --write-baseline locklint-baseline.json
  locklint check --fix
  locklint check --why src/worker.py:42
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

    /// Instead of findings: what is recognised on this line, and why each rule speaks or stays silent there
    #[arg(
        long,
        value_name = "FILE:LINE",
        conflicts_with_all = ["format", "output_file", "report", "statistics", "changed_since", "staged", "baseline", "write_baseline", "fix", "diff"],
        help_heading = "Output"
    )]
    why: Option<why::Line>,

    /// How to write the report
    #[arg(long, value_enum, env = "LOCKLINT_FORMAT", default_value = "text", help_heading = "Output")]
    format: Format,

    /// Write the report to a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    /// Write the report to a file in this format, too
    #[arg(long, value_name = "FORMAT=FILE", conflicts_with_all = ["diff", "write_baseline"], help_heading = "Output")]
    report: Vec<Also>,

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

    /// Count the findings of each rule instead of showing them
    #[arg(long, conflicts_with_all = ["diff", "write_baseline"], help_heading = "Output")]
    statistics: bool,

    /// Report what is new since the commit where the work left REF: both trees are linted and compared
    #[arg(long, value_name = "REF", help_heading = "New findings")]
    changed_since: Option<String>,

    /// Lint what git's index holds, and report on the files that are staged (with --changed-since: on all)
    #[arg(long, help_heading = "New findings")]
    staged: bool,

    /// Leave out the findings that this file holds, and tell which of them are gone
    #[arg(long, value_name = "FILE", help_heading = "New findings")]
    baseline: Option<PathBuf>,

    /// Write the findings to this file; what it holds about other files and rules stays
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["baseline", "changed_since", "staged", "fix", "diff", "min_level"],
        help_heading = "New findings"
    )]
    write_baseline: Option<PathBuf>,

    /// Mend what can be mended without a reader, and report the rest
    #[arg(long, conflicts_with_all = ["diff", "staged"], help_heading = "Fixes")]
    fix: bool,

    /// Let --fix and --diff make changes that a reader should look at
    #[arg(long, help_heading = "Fixes")]
    unsafe_fixes: bool,

    /// Show what --fix would change, and change nothing; exit with 1 where that is something
    #[arg(long, help_heading = "Fixes")]
    diff: bool,

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

/// A format, and the file that gets the report in it.
#[derive(Clone, Debug)]
struct Also {
    format: Format,
    file: PathBuf,
}

impl FromStr for Also {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, file) = text.split_once('=').ok_or("write FORMAT=FILE, such as sarif=locklint.sarif")?;
        Ok(Self { format: Format::from_str(format, false)?, file: file.into() })
    }
}

pub(super) fn run(args: Args, color: Color) -> Result<Verdict, Error> {
    if args.unsafe_fixes && !args.fix && !args.diff {
        return Err(Error::Usage("--unsafe-fixes goes with --fix or --diff".to_owned()));
    }
    if let Some(asked) = &args.why {
        return why::run(&args, asked);
    }
    if args.statistics && !matches!(args.format, Format::Text | Format::Concise) {
        return Err(Error::Usage("--statistics are for people: use --format text".to_owned()));
    }
    let mut found = discover::discover(request(&args)?, &rule_names())?;
    if args.staged {
        changed::stage(&mut found, args.changed_since.is_some(), args.no_ignore)?;
    }
    let found = found;
    let known = compare::Known::read(&args, &found)?;
    let mut report = known.judge(&found.project);
    if let Some(path) = &args.write_baseline {
        let message = compare::write(path, &report, &found)?;
        report.notices.push(Notice { path: "".into(), message, trouble: false });
    }
    let mended = match args.fix || args.diff {
        true => mend::mend(&found.project, report, args.unsafe_fixes, &|project| known.judge(project)),
        false => mend::Mended::nothing(report),
    };
    if args.fix {
        mended.store(&found)?;
    }
    let done = mended.summary(args.fix);
    let mut report = mended.report;
    report.notices.extend(found.notices.iter().cloned());
    report.notices.extend(mended.told);
    if args.fix || args.diff {
        report.notices.push(done);
    }
    if found.targets.0.is_empty() && report.notices.is_empty() {
        let message = if args.staged { "found no staged file to lint" } else { "found no file to lint" };
        report.notices.push(Notice { path: "".into(), message: message.to_owned(), trouble: false });
    }
    report.notices.sort();
    // Where standard error is closed the report still has a reader.
    let _ = tell(&args, &found, &report);
    let fails = if args.diff {
        write(&args, color, &|color, out| mend::diff(&mended.files, &found, color, out))?;
        !mended.files.is_empty()
    } else if args.write_baseline.is_some() {
        false
    } else {
        let emit = |format: Format, color: bool, out: &mut dyn Write| {
            let options = emit::Options { color, quiet: args.quiet, paths: &found.paths, rules: RULES };
            emit::emit(&args.shown(&report, format), format, &options, out)
        };
        write(&args, color, &|color, out| match args.statistics {
            true => {
                let options = emit::Options { color, quiet: args.quiet, paths: &found.paths, rules: RULES };
                emit::statistics(&report, &options, out)
            }
            false => emit(args.format, color, out),
        })?;
        for Also { format, file } in &args.report {
            store(file, color, &|color, out| emit(*format, color, out))?;
        }
        report.findings.iter().any(|finding| finding.level >= args.fail_on)
    };
    Ok(if report.notices.iter().any(|notice| notice.trouble) {
        Verdict::Trouble
    } else if fails && !args.exit_zero {
        Verdict::Findings
    } else {
        Verdict::Clean
    })
}

impl Args {
    /// The lowest level that is asked for.
    fn least(&self) -> Level {
        let all = self.report.iter().map(|also| also.format).chain([self.format]);
        all.map(|format| self.least_in(format)).min().unwrap_or(Level::Note)
    }

    /// The lowest level that a format shows.
    fn least_in(&self, format: Format) -> Level {
        self.min_level.unwrap_or(match format {
            // What fails has to be seen.
            Format::Github => self.fail_on.min(Level::Warning),
            _ => Level::Note,
        })
    }

    /// What a format shows of a report.
    fn shown<'r>(&self, report: &'r Report, format: Format) -> Cow<'r, Report> {
        let least = self.least_in(format);
        if least == self.least() {
            return Cow::Borrowed(report);
        }
        let mut shown = report.clone();
        shown.retain(|finding| finding.level >= least);
        Cow::Owned(shown)
    }

    /// Whether findings are held against those of before, of any level.
    fn compares(&self) -> bool {
        self.changed_since.is_some() || self.baseline.is_some() || self.write_baseline.is_some()
    }
}

fn request(args: &Args) -> Result<Request, Error> {
    for name in args.select.iter().chain(&args.ignore) {
        if crate::rules::rule(name).is_none() {
            return Err(unknown_rule(name));
        }
    }
    let directory = std::env::current_dir().map_err(|error| Error::file(".", error))?;
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
            min_level: if args.compares() { Level::Note } else { args.least() },
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
    if args.fix || args.write_baseline.is_some() || args.staged || args.changed_since.is_some() {
        return Err(Error::Usage(
            "standard input is a file of its own: nothing of it is stored or compared".to_owned(),
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

/// Lets `emit` write to where the report goes.
fn write(args: &Args, color: Color, emit: &dyn Fn(bool, &mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let Some(path) = &args.output_file else {
        let color = color.on(&io::stdout());
        return print(color, |out| emit(color, out));
    };
    store(path, color, emit)
}

/// Lets `emit` write to a file.
fn store(path: &Path, color: Color, emit: &dyn Fn(bool, &mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let file = std::fs::File::create(path).map_err(|error| Error::file(path, error))?;
    let color = color.on(&file);
    let mut out = io::BufWriter::new(file);
    emit(color, &mut out).and_then(|()| out.flush()).map_err(|error| Error::file(path, error))
}
