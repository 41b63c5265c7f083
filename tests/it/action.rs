//! The GitHub action: its steps, run as a runner runs them.

use crate::command::tree;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A step that runs a script.
#[derive(Debug, Default)]
struct Step {
    env: Vec<(String, String)>,
    run: String,
}

/// The steps of the action and the defaults of its inputs. It reads as much YAML as the file has.
fn action() -> (Vec<Step>, BTreeMap<String, String>) {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/action.yml")).unwrap();
    let (mut steps, mut defaults): (Vec<Step>, _) = (Vec::new(), BTreeMap::new());
    let (mut input, mut section) = (String::new(), "");
    for line in text.split('\n') {
        let indent = line.len() - line.trim_start().len();
        let (key, value) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        let value = value.trim();
        match (indent, key) {
            (2, _) => input = key.to_owned(),
            (4, "default") => drop(defaults.insert(input.clone(), value.to_owned())),
            (4, "- name") => steps.push(Step::default()),
            (6, _) => section = key,
            (8, _) if section == "env" => {
                let step = steps.last_mut().unwrap();
                step.env.push((key.to_owned(), value.to_owned()));
            }
            (8.., _) if section == "run" => {
                let step = steps.last_mut().unwrap();
                step.run += &line[8..];
                step.run.push('\n');
            }
            _ => {}
        }
    }
    (steps, defaults)
}

/// Runs the steps in a work tree; `cargo` is a stand-in that writes down its arguments and lays the program where the
/// build would.
fn run(workspace: &Path, inputs: &[(&str, &str)]) -> (Vec<Output>, String) {
    let temporary = tempfile::tempdir().unwrap();
    let bin = temporary.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let cargo = bin.join("cargo");
    let script = format!(
        "#!/usr/bin/env bash\nset -e\nprintf '%s\\n' \"$@\" > \"$RUNNER_TEMP/arguments\"\n\
         mkdir -p \"$RUNNER_TEMP/locklint/release\"\ncp '{}' \"$RUNNER_TEMP/locklint/release/locklint\"\n",
        env!("CARGO_BIN_EXE_locklint")
    );
    fs::write(&cargo, script).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&cargo).status().unwrap().success());

    let (steps, mut values) = action();
    values.extend(inputs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    let mut outputs = Vec::new();
    for step in &steps {
        assert!(!step.run.contains("${{"), "an input is read as shell code: {}", step.run);
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &step.run])
            .current_dir(workspace)
            .env("PATH", path)
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"))
            .env("GITHUB_WORKSPACE", workspace)
            .env("RUNNER_TEMP", temporary.path());
        for (name, value) in &step.env {
            let input = value.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
            bash.env(name, &values[input]);
        }
        outputs.push(bash.output().unwrap());
    }
    let arguments = fs::read_to_string(temporary.path().join("arguments")).unwrap();
    (outputs, arguments)
}

#[test]
fn the_steps_build_and_run() {
    let tree = tree(&[(".git/HEAD", ""), ("db/a.sql", "SELECT 1;\n"), ("x y.sql", "SELECT 1;\n")]);
    let (outputs, arguments) = run(tree.path(), &[]);
    assert_eq!(outputs.len(), 2);
    assert!(outputs.iter().all(|output| output.status.success()), "{outputs:?}");
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert!(arguments.starts_with("build\n--release\n--locked\n"), "{arguments}");
    assert!(arguments.contains(&format!("--manifest-path\n{manifest}\n")), "{arguments}");
}

#[test]
fn inputs_are_data() {
    let tree = tree(&[(".git/HEAD", ""), ("x y.sql", "SELECT 1;\n")]);
    let (outputs, _) = run(tree.path(), &[("paths", "x y.sql\n\n$(touch pwned)\n-q")]);
    assert_eq!(outputs[1].status.code(), Some(2));
    let said = String::from_utf8_lossy(&outputs[1].stderr);
    assert!(said.contains("error: $(touch pwned): no such file"), "{said}");
    assert!(said.contains("error: -q: no such file"), "{said}");
    assert!(!said.contains("x y.sql"), "{said}");
    assert!(!tree.path().join("pwned").exists());
    let (outputs, _) = run(tree.path(), &[("fail-on", "never")]);
    assert_eq!(outputs[1].status.code(), Some(2));
}
