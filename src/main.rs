//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    locklint::cli::main()
}
