//! How fast each stage is, in bytes of SQL: `cargo bench --bench stages`. After the benchmarks a table holds each stage
//! against one plain search of the same bytes in the same run, for machines differ and a ratio stays.
//!
//! `LOCKLINT_BENCH_TREE` names a directory whose `.sql` files are read; without it a tree is made up.

#![expect(clippy::print_stdout, reason = "a table is what comes out")]

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher};
use locklint::analysis::Elsewhere;
use locklint::analysis::File;
use locklint::finding::FileId;
use locklint::language::Language;
use locklint::lint::lint;
use locklint::prefilter;
use locklint::project::{Memory, Targets};
use locklint::settings::Settings;
use locklint::source::Source;
use locklint::sql::clause::{Entry, Tree};
use locklint::sql::lex::{Token, lex};
use locklint::sql::split::split;
use regex::bytes::Regex;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use walkdir::WalkDir;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

/// Path and text of every file.
static TREE: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    std::env::var_os("LOCKLINT_BENCH_TREE").map_or_else(made_up, |root| {
        let files = WalkDir::new(&root).sort_by_file_name().into_iter().filter_map(Result::ok);
        let read = files.filter_map(|entry| {
            let path = entry.path().strip_prefix(&root).ok()?.to_string_lossy().into_owned();
            Language::of(&path)?;
            Some((path, String::from_utf8_lossy(&std::fs::read(entry.path()).ok()?).into_owned()))
        });
        read.collect()
    })
});

/// Migrations, functions and a dump.
fn made_up() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for n in 0..400 {
        let text = format!(
            "BEGIN;\nSELECT pg_advisory_xact_lock({n});\nALTER TABLE t{n} ADD COLUMN a{n} int;\n\
             UPDATE t{n} SET a{n} = 1 WHERE id IN (SELECT id FROM t{n} ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED);\n\
             COMMIT;\n"
        );
        files.push((format!("migrations/{n:04}.sql"), text));
        let text = format!(
            "CREATE FUNCTION work_{n}(p_id bigint) RETURNS boolean LANGUAGE plpgsql AS $$\nDECLARE r record;\nBEGIN\n\
             IF NOT pg_try_advisory_lock({n}, hashtext(p_id::text)) THEN RETURN false; END IF;\n\
             FOR r IN SELECT * FROM t{n} WHERE state = 'new' LOOP UPDATE t{n} SET state = 'done' WHERE id = r.id; END LOOP;\n\
             PERFORM pg_advisory_unlock({n}, hashtext(p_id::text));\nRETURN true;\nEND $$;\n"
        );
        files.push((format!("functions/{n:04}.sql"), text));
    }
    let mut dump = "SELECT pg_advisory_lock(1);\n".to_owned();
    for n in 0..60_000 {
        let _ = writeln!(dump, "INSERT INTO t{} (id, name) VALUES ({n}, 'it''s {n}');", n % 7);
    }
    files.push(("seed/dump.sql".to_owned(), dump));
    files
}

fn bytes() -> usize {
    TREE.iter().map(|(_, text)| text.len()).sum()
}

/// One search to the end of every file.
fn plain_search() -> usize {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)advisory_|skip\s+locked|for\s+(?:no\s|key\s|update|share)|pg_locks").expect("valid")
    });
    TREE.iter().map(|(_, text)| WORD.find_iter(text.as_bytes()).count()).sum()
}

fn prefiltered() -> usize {
    TREE.iter().filter(|(_, text)| prefilter::may_lock(text.as_bytes())).count()
}

fn lexed() -> usize {
    TREE.iter().map(|(_, text)| lex(text).len()).sum()
}

fn all_tokens() -> Vec<Vec<Token>> {
    TREE.iter().map(|(_, text)| lex(text)).collect()
}

fn cut(tokens: &[Vec<Token>]) -> usize {
    TREE.iter().zip(tokens).map(|((_, text), tokens)| split(text, tokens).len()).sum()
}

fn trees(tokens: &[Vec<Token>]) -> usize {
    let of_file = |((_, text), tokens): (&(String, String), &Vec<Token>)| {
        let pieces = split(text, tokens).into_iter();
        pieces.map(|piece| Tree::build(text, &tokens[piece.tokens], Entry::Statement).queries().count()).sum::<usize>()
    };
    TREE.iter().zip(tokens).map(of_file).sum()
}

fn sources() -> Vec<Source> {
    let source = |(path, text): &(String, String)| {
        Source::new(path.as_str().into(), Language::Sql, text.clone().into_bytes()).ok()
    };
    TREE.iter().filter_map(source).collect()
}

fn flows(sources: &[Source]) -> usize {
    let of_file = |source| File::new(FileId(0), source, &mut Vec::new(), &Elsewhere::default(), None).units.len();
    sources.iter().map(of_file).sum()
}

fn project() -> Memory {
    Memory::new(TREE.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

fn run(project: &Memory) -> usize {
    lint(project, &Targets::all(project), &Settings::default()).findings.len()
}

#[divan::bench]
fn a_plain_search(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(bytes())).bench(plain_search);
}

#[divan::bench]
fn b_prefilter(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(bytes())).bench(prefiltered);
}

#[divan::bench]
fn c_lex(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(bytes())).bench(lexed);
}

#[divan::bench]
fn d_split(bencher: Bencher<'_, '_>) {
    let tokens = all_tokens();
    bencher.counter(BytesCount::new(bytes())).bench(|| cut(&tokens));
}

#[divan::bench]
fn e_clause_trees(bencher: Bencher<'_, '_>) {
    let tokens = all_tokens();
    bencher.counter(BytesCount::new(bytes())).bench(|| trees(&tokens));
}

#[divan::bench]
fn f_files_on_one_thread(bencher: Bencher<'_, '_>) {
    let sources = sources();
    bencher.counter(BytesCount::new(bytes())).bench(|| flows(&sources));
}

#[divan::bench]
fn g_whole_run(bencher: Bencher<'_, '_>) {
    let project = project();
    bencher.counter(BytesCount::new(bytes())).bench(|| run(&project));
}

/// The shortest of a few runs.
fn shortest(stage: &dyn Fn() -> usize) -> Duration {
    let timed = |_| {
        let start = Instant::now();
        black_box(stage());
        start.elapsed()
    };
    (0..5).map(timed).min().unwrap_or_default()
}

fn main() {
    divan::main();
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let (tokens, sources, project) = (all_tokens(), sources(), project());
    let base = shortest(&plain_search).as_secs_f64();
    let stages: [(&str, &dyn Fn() -> usize); 7] = [
        ("plain search", &plain_search),
        ("prefilter", &prefiltered),
        ("lex", &lexed),
        ("split", &|| cut(&tokens)),
        ("clause trees", &|| trees(&tokens)),
        ("files, one thread", &|| flows(&sources)),
        ("whole run", &|| run(&project)),
    ];
    let megabytes = bytes() as f64 / 1e6;
    println!("{} files, {megabytes:.1} MB", TREE.len());
    for (name, stage) in stages {
        let seconds = shortest(stage).as_secs_f64();
        println!("{name:<18} {:>9.1} MB/s {:>8.1} times a plain search", megabytes / seconds, seconds / base);
    }
}
