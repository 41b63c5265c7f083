//! Runs all proofs on all servers, and tells.

use crate::client::Connection;
use crate::format::{Proof, Side, proofs};
use crate::run::{self, DIRECT, run};
use crate::server::{self, Cluster};
use crate::{hashes, monitor};
use locklint::rules::RULES;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// How many proofs run at once. They wait more than they work.
const WORKERS: usize = 8;

/// Set to `all` where it is a failure that a proof did not run.
const WANTED: &str = "LOCKLINT_PROOFS";

struct Asked {
    /// Parts of names; every proof where there are none.
    filters: Vec<String>,
    /// Print what was sent and what came of it.
    show: bool,
    /// A proof that does not run is a failure.
    all: bool,
}

impl Asked {
    fn wants(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter.as_str()))
    }
}

pub(crate) fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = Asked {
        filters: arguments.iter().filter(|argument| !argument.starts_with('-')).cloned().collect(),
        show: arguments.iter().any(|argument| argument == "--show"),
        all: std::env::var(WANTED).is_ok_and(|value| value == "all"),
    };
    match all(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn all(asked: &Asked) -> Result<(), String> {
    let mut found = Vec::new();
    for rule in RULES {
        found.extend(proofs(rule.name, rule.page)?);
    }
    found.retain(|proof| asked.wants(&proof.name));
    let others = ["hashes", "monitor"].into_iter().filter(|name| asked.wants(name)).collect::<Vec<_>>();
    if found.is_empty() && others.is_empty() {
        return Ok(());
    }
    let bins = server::found();
    let bouncer = server::bouncer();
    let (proofs, left): (Vec<Proof>, Vec<Proof>) =
        found.into_iter().partition(|proof| !bins.is_empty() && (proof.pooler.is_none() || bouncer.is_some()));
    let mut missing: Vec<&str> = left.iter().map(|proof| proof.name.as_str()).collect();
    if bins.is_empty() {
        missing.extend(&others);
    }
    let mut failed = 0;
    for bin in &bins {
        match Cluster::start(bin, bouncer.as_deref()) {
            Ok(cluster) => failed += on(cluster, &proofs, &others, asked)?,
            Err(why) if asked.all => return Err(why),
            Err(why) => println!("{} proofs did NOT run on {}: {why}", proofs.len() + others.len(), bin.display()),
        }
    }
    if !missing.is_empty() {
        let lacking = if bins.is_empty() { "PostgreSQL (initdb, postgres)" } else { "PgBouncer" };
        let told =
            format!("{} proofs did NOT run, since no {lacking} was found: {}", missing.len(), missing.join(", "));
        if asked.all {
            return Err(told);
        }
        println!("{told}");
    }
    if failed > 0 { Err(format!("{failed} proofs failed")) } else { Ok(()) }
}

/// Runs them on one server; the answer counts those that failed.
fn on(cluster: Cluster, proofs: &[Proof], others: &[&str], asked: &Asked) -> Result<usize, String> {
    let start = Instant::now();
    let mut server =
        Connection::open(&cluster.directory, DIRECT, "postgres", "proofs").map_err(|error| error.to_string())?;
    let version = server.rows("SHOW server_version")?.join("");
    let failures: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let fails = |why: String| failures.lock().map(|mut all| all.push(why)).unwrap_or_default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (cluster, next, fails) = (&cluster, &next, &fails);
        for worker in 0..WORKERS.min(proofs.len()) {
            let database = format!("proof{worker}");
            if let Err(why) = run::database(cluster, &database) {
                fails(why);
                break;
            }
            scope.spawn(move || {
                while let Some(proof) = proofs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = prove(cluster, &database, proof, asked) {
                        fails(why);
                    }
                }
            });
        }
        for other in others {
            let result = match *other {
                "hashes" => {
                    hashes::agree(&mut server).map(|count| format!("{count} random strings have the server's hashes"))
                }
                _ => monitor::finds(cluster),
            };
            match result {
                Ok(said) => println!("PostgreSQL {version}: {said}"),
                Err(why) => fails(format!("{other}: {why}")),
            }
        }
    });
    drop(server);
    cluster.end()?;
    let failures = failures.into_inner().map_err(|_| "a thread died")?;
    for failure in &failures {
        eprintln!("PostgreSQL {version}: {failure}");
    }
    let pooled = proofs.iter().filter(|proof| proof.pooler.is_some()).count();
    println!(
        "PostgreSQL {version}: {} proofs, {pooled} of them through PgBouncer; bad shows its harm, good does not, and neither \
         passes for the other; {} failed; {:.0} s",
        proofs.len(),
        failures.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(failures.len())
}

/// What docs/why.md quotes of a proof is what came of it.
fn quoted(proof: &Proof, side: Side, transcript: &[String]) -> Result<(), String> {
    let page = include_str!("../../docs/why.md");
    let fence = format!("```text {}, {}\n", proof.name, side.word());
    let Some((_, rest)) = page.split_once(&fence) else { return Ok(()) };
    let said = rest.split_once("\n```").map_or(rest, |(said, _)| said);
    let seen = transcript.join("\n");
    if said == seen {
        Ok(())
    } else {
        Err(format!("docs/why.md does not quote {}, {}:\n{seen}", proof.name, side.word()))
    }
}

/// Runs both sides, then each against what is expected of the other, which must fail.
fn prove(cluster: &Cluster, database: &str, proof: &Proof, asked: &Asked) -> Result<(), String> {
    for side in Side::BOTH {
        let transcript = run(cluster, database, proof, side, side)
            .map_err(|why| format!("{}, {}: {why}", proof.name, side.word()))?;
        if asked.show {
            println!("{}, {}:\n    {}", proof.name, side.word(), transcript.join("\n    "));
        }
        quoted(proof, side, &transcript)?;
    }
    for side in Side::BOTH {
        if let Ok(transcript) = run(cluster, database, proof, side, side.other()) {
            return Err(format!(
                "{}: {} does what is expected of the other side:\n    {}",
                proof.name,
                side.word(),
                transcript.join("\n    ")
            ));
        }
    }
    Ok(())
}
