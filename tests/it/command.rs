//! The program as a user runs it, in a directory of its own and without the environment of who runs the tests.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A directory with the given files.
pub(crate) fn tree(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    directory
}

/// The program with arguments that hold no blanks, in `directory`.
pub(crate) fn command(directory: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_locklint"));
    command.current_dir(directory).args(arguments.split_whitespace());
    for variable in ["CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "LOCKLINT_CONFIG", "LOCKLINT_FORMAT", "NO_COLOR"] {
        command.env_remove(variable);
    }
    command
}

/// Runs it to its end.
pub(crate) fn run(directory: &Path, arguments: &str) -> Run {
    command(directory, arguments).output().unwrap().into()
}

/// The same with something on standard input.
pub(crate) fn run_with_input(directory: &Path, arguments: &str, input: &str) -> Run {
    let mut child = command(directory, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap().into()
}
