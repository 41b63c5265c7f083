//! Real literals and their maps: reads every file in a host language below the directories that are named, and checks that each
//! byte of each literal's text leads back to the bytes of the file that it stands for.
//!
//! ```sh
//! cargo test --test maps -- [--least NUMBER] [--samples DIRECTORY] DIRECTORY…
//! ```
//!
//! It fails where a map is wrong, where there are fewer literals than `--least`, and then also where a language has none.
//! `--samples` writes some of the literals of each language for its own runtime to read (`witness.*` beside this file).

mod check;
mod sample;

use locklint::host;
use locklint::language::Language;
use locklint::source::Source;
use rayon::prelude::*;
use sample::Samples;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Longer files are data that somebody generated.
const LONGEST: u64 = 1 << 19;

/// How many faults are shown.
const SHOWN: usize = 20;

const LANGUAGES: [&str; 12] =
    ["C#", "Elixir", "Go", "Java", "JavaScript", "Kotlin", "PHP", "Python", "Ruby", "Rust", "Scala", "TypeScript"];

/// What was found in files of a language.
#[derive(Default)]
struct Found {
    files: usize,
    literals: usize,
    bytes: usize,
    escapes: usize,
    holes: usize,
    unread: usize,
    faults: Vec<String>,
    samples: Samples,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut least, mut samples, mut directories) = (0, None, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--least" => least = arguments.next().and_then(|number| number.parse().ok()).expect("a number"),
            "--samples" => samples = Some(PathBuf::from(arguments.next().expect("a directory"))),
            _ => directories.push(argument),
        }
    }
    let files: Vec<(PathBuf, Language)> =
        directories.iter().flat_map(|directory| files(Path::new(directory))).collect();
    let found = files.par_iter().fold(BTreeMap::new, |mut all: BTreeMap<&str, Found>, (path, language)| {
        let name = name(*language);
        read(path, *language, all.entry(name).or_default());
        all
    });
    let found = found.reduce(BTreeMap::new, |mut all, more| {
        for (language, found) in more {
            all.entry(language).or_default().add(found);
        }
        all
    });
    report(&found, least, samples.as_deref())
}

/// The files below a directory that are read as a host language.
fn files(directory: &Path) -> Vec<(PathBuf, Language)> {
    let entries = walkdir::WalkDir::new(directory).sort_by_file_name().into_iter().filter_map(Result::ok);
    let small = entries.filter(|entry| {
        entry.file_type().is_file() && entry.metadata().is_ok_and(|metadata| metadata.len() <= LONGEST)
    });
    small
        .filter_map(|entry| {
            let language = Language::of(entry.path().to_str()?)?;
            matches!(language, Language::Host(_)).then(|| (entry.into_path(), language))
        })
        .collect()
}

fn name(language: Language) -> &'static str {
    use locklint::language::HostLanguage::{
        CSharp, Elixir, Go, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Scala, Tsx, TypeScript,
    };
    let Language::Host(host) = language else { unreachable!("only host code is read") };
    match host {
        Python => "Python",
        JavaScript => "JavaScript",
        TypeScript | Tsx => "TypeScript",
        Go => "Go",
        Rust => "Rust",
        Java => "Java",
        Kotlin => "Kotlin",
        CSharp => "C#",
        Ruby => "Ruby",
        Php => "PHP",
        Elixir => "Elixir",
        Scala => "Scala",
    }
}

fn read(path: &Path, language: Language, found: &mut Found) {
    let Ok(bytes) = std::fs::read(path) else { return };
    let Ok(source) = Source::new(path.to_string_lossy().into(), language, bytes) else { return };
    let host = host::read(&source);
    found.files += 1;
    found.unread += usize::from(host.unread);
    for literal in &host.literals {
        found.literals += 1;
        found.bytes += literal.region.text().len();
        match check::map(&source, literal) {
            Ok(counts) => {
                found.escapes += counts.escapes;
                found.holes += counts.holes;
                // What stands in a broken file may be no literal at all.
                if !host.broken {
                    found.samples.offer(&source, literal, &counts);
                }
            }
            Err(fault) => found.faults.push(format!("{}:{}: {fault}", path.display(), literal.span.start)),
        }
    }
}

impl Found {
    fn add(&mut self, mut more: Self) {
        self.files += more.files;
        self.literals += more.literals;
        self.bytes += more.bytes;
        self.escapes += more.escapes;
        self.holes += more.holes;
        self.unread += more.unread;
        self.faults.append(&mut more.faults);
        self.samples.add(more.samples);
    }
}

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn report(found: &BTreeMap<&str, Found>, least: usize, samples: Option<&Path>) -> ExitCode {
    println!(
        "{:<12} {:>7} {:>9} {:>10} {:>8} {:>8} {:>7}",
        "", "files", "literals", "bytes", "escapes", "holes", "faults"
    );
    let mut all = Found::default();
    let mut failed = false;
    let row = |name: &str, of: &Found| {
        println!(
            "{name:<12} {:>7} {:>9} {:>10} {:>8} {:>8} {:>7}",
            of.files,
            of.literals,
            of.bytes,
            of.escapes,
            of.holes,
            of.faults.len()
        );
    };
    for language in LANGUAGES {
        let none = Found::default();
        let of = found.get(language).unwrap_or(&none);
        row(language, of);
        if of.literals == 0 && least > 0 {
            println!("no literal in {language}");
            failed = true;
        }
        for fault in of.faults.iter().take(SHOWN) {
            println!("  {fault}");
        }
        failed |= !of.faults.is_empty();
        all.files += of.files;
        all.literals += of.literals;
        all.bytes += of.bytes;
        all.escapes += of.escapes;
        all.holes += of.holes;
        all.unread += of.unread;
        if let Some(directory) = samples
            && let Err(why) = of.samples.write(directory, language)
        {
            println!("{}: {why}", directory.display());
            failed = true;
        }
    }
    row("all", &all);
    println!("{} files were not read, because no tree was found in reasonable time", all.unread);
    if all.literals < least {
        println!("fewer than {least} literals");
        failed = true;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
