//! What the rule pages claim of servers, seen on servers.
//!
//! This is a test binary of its own, with a `main` of its own, since it has to say what did not run. CONTRIBUTING.md has
//! the commands.

#[cfg(test)]
#[cfg(unix)]
mod client;
#[cfg(test)]
#[cfg(unix)]
mod collector;
#[cfg(test)]
mod format;
#[cfg(test)]
#[cfg(unix)]
mod hashes;
#[cfg(test)]
#[cfg(unix)]
mod monitor;
#[cfg(test)]
#[cfg(unix)]
mod report;
#[cfg(test)]
#[cfg(unix)]
mod run;
#[cfg(test)]
#[cfg(unix)]
mod server;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    report::main()
}

#[cfg(not(unix))]
fn main() {}
