//! The GitHub action: its steps, run as a runner runs them.

use crate::changed::{commit, git};
use crate::command::tree;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const BAD: &str = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";

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
        let value = value.trim().trim_matches('"');
        match (indent, key) {
            (2, _) => input = format!("inputs.{key}"),
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

/// A runner: its temporary directory, with stand-ins for the programs that would use the network or the machine.
struct Runner {
    temporary: TempDir,
    /// What the steps printed.
    steps: Vec<Output>,
}

impl Runner {
    /// `cargo` writes down its arguments and lays the program, which counts its runs, where the build would; `curl` brings what stands in
    /// `release/` below the temporary directory.
    fn new() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let runner = Self { temporary, steps: Vec::new() };
        fs::create_dir(runner.path("bin")).unwrap();
        runner.program(
            "cargo",
            "printf '%s\\n' \"$@\" > \"$RUNNER_TEMP/arguments\"\nmkdir -p \"$RUNNER_TEMP/locklint/build/release\"\n\
             cp \"$RUNNER_TEMP/bin/locklint\" \"$RUNNER_TEMP/locklint/build/release/locklint\"\n",
        );
        let program = env!("CARGO_BIN_EXE_locklint");
        runner.program("locklint", &format!("echo \"$1\" >> \"$RUNNER_TEMP/runs\"\nexec '{program}' \"$@\"\n"));
        runner.program("curl", "printf '%s\\n' \"$@\" > \"$RUNNER_TEMP/arguments\"\ncp \"$RUNNER_TEMP\"/release/* .\n");
        runner
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.temporary.path().join(name)
    }

    fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/usr/bin/env bash\nset -e\n{script}")).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(&path).status().unwrap().success());
    }

    /// Runs the steps in a work tree until one fails. `contexts` are inputs (`inputs.paths`) and what else a workflow knows.
    fn run(mut self, workspace: &Path, contexts: &[(&str, &str)]) -> Self {
        let (steps, mut values) = action();
        values.extend(contexts.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        for step in &steps {
            assert!(!step.run.contains("${{"), "an input is read as shell code: {}", step.run);
            let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap());
            let mut bash = Command::new("bash");
            bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", &step.run])
                .current_dir(workspace)
                .env("PATH", path)
                .env("GITHUB_ACTIONS", "true")
                .env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"))
                .env("GITHUB_SERVER_URL", "https://git.example")
                .env("GITHUB_WORKSPACE", workspace)
                .env("GITHUB_OUTPUT", self.path("output"))
                .env("GITHUB_STEP_SUMMARY", self.path("summary"))
                .env("RUNNER_OS", "Linux")
                .env("RUNNER_ARCH", "X64")
                .env("RUNNER_TEMP", self.temporary.path())
                .env_remove("GITHUB_SHA");
            for (name, value) in &step.env {
                let value = value.trim_start_matches("${{ ").trim_end_matches(" }}");
                bash.env(name, values.get(value).map_or("", String::as_str));
            }
            self.steps.push(bash.output().unwrap());
            if !self.steps.last().unwrap().status.success() {
                break;
            }
        }
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Exit code, standard output and standard error of the last step.
    fn last(&self) -> (Option<i32>, String, String) {
        let last = self.steps.last().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (last.status.code(), text(&last.stdout), text(&last.stderr))
    }

    fn sarif(&self) -> Value {
        serde_json::from_str(&self.read("locklint.sarif")).unwrap()
    }
}

#[test]
fn the_steps_build_and_run() {
    let tree = tree(&[(".git/HEAD", ""), ("db/a.sql", "SELECT 1;\n"), ("x y.sql", "SELECT 1;\n")]);
    let runner = Runner::new().run(tree.path(), &[]);
    assert_eq!(runner.steps.len(), 2);
    assert_eq!(runner.last().0, Some(0), "{:?}", runner.last());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let arguments = runner.read("arguments");
    assert!(arguments.starts_with("build\n--release\n--locked\n"), "{arguments}");
    assert!(arguments.contains(&format!("--manifest-path\n{manifest}\n")), "{arguments}");
    let sarif = format!("sarif={}\n", runner.path("locklint.sarif").display());
    assert_eq!(runner.read("output"), format!("findings=0\n{sarif}"));
    assert_eq!(runner.sarif()["runs"][0]["results"].as_array().unwrap().len(), 0);
}

#[test]
fn findings_are_annotations_a_summary_and_sarif() {
    let bad: String = (0..12).map(|_| BAD).collect();
    let name = "a,b: c%0A::error::x`~.sql";
    let tree = tree(&[(".git/HEAD", ""), (name, &bad)]);
    let runner = Runner::new().run(tree.path(), &[]);
    let (code, stdout, stderr) = runner.last();
    assert_eq!(code, Some(1), "{stderr}");
    let commands: Vec<&str> = stdout.split('\n').filter(|line| line.starts_with("::")).collect();
    assert_eq!(commands.len(), 10, "{stdout}");
    assert!(commands.iter().all(|line| line.starts_with("::error file=a%2Cb%3A c%250A%3A%3Aerror%3A%3Ax`~.sql,line=")));
    assert!(stdout.contains("10 findings are annotations, 2 more are in this log only"), "{stdout}");
    assert!(runner.read("output").starts_with("findings=12\n"));
    assert_eq!(runner.read("runs"), "check\n");
    assert_eq!(runner.sarif()["runs"][0]["results"].as_array().unwrap().len(), 12);
    let summary = runner.read("summary");
    assert!(summary.starts_with("### locklint\n~~~~~~text\nerror[session-lock-in-transaction]"), "{summary}");
    assert_eq!(summary.split('\n').filter(|line| line.starts_with("~~~")).count(), 2);
}

#[test]
fn notes_are_counted_and_no_annotations() {
    let note = "SELECT id FROM job WHERE state = 'new' FOR UPDATE SKIP LOCKED;\n";
    let tree = tree(&[(".git/HEAD", ""), ("a.sql", note), ("b.sql", "\0"), ("c.sql", note)]);
    let runner = Runner::new().run(tree.path(), &[]);
    let (code, stdout, stderr) = runner.last();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!stdout.contains("\n::") && !stdout.starts_with("::"), "{stdout}");
    let results = runner.sarif()["runs"][0]["results"].as_array().unwrap().len();
    assert!(results >= 2, "{results}");
    assert!(runner.read("output").starts_with(&format!("findings={results}\n")), "{}", runner.read("output"));
    for said in ["note[skip-locked-without-limit]", "b.sql: not linted: it holds NUL bytes"] {
        assert!(runner.read("summary").contains(said), "{}", runner.read("summary"));
    }
    assert!(stderr.contains("b.sql: not linted"), "{stderr}");
}

#[test]
fn a_pull_request_is_told_what_it_brings() {
    let origin = crate::changed::repository(&[("old.sql", BAD), ("ok.sql", "SELECT 1;\n")]);
    let base = git(origin.path(), &["rev-parse", "HEAD"]);
    git(origin.path(), &["config", "uploadpack.allowAnySHA1InWant", "true"]);
    fs::write(origin.path().join("new.sql"), BAD).unwrap();
    let head = commit(origin.path());
    // As actions/checkout leaves it: one commit.
    let clone = tempfile::tempdir().unwrap();
    let url = format!("file://{}", origin.path().display());
    git(clone.path(), &["clone", "-q", "--depth=1", &url, "."]);
    let event = ("github.event.pull_request.base.sha", base.as_str());
    let runner = Runner::new().run(clone.path(), &[event]);
    let (code, stdout, stderr) = runner.last();
    assert_eq!(code, Some(1), "{stdout}{stderr}");
    assert!(stdout.starts_with("::error file=new.sql,line=2,"), "{stdout}");
    assert!(!stdout.contains("old.sql"), "{stdout}");
    assert!(runner.read("output").starts_with("findings=1\n"));
    let all = Runner::new().run(clone.path(), &[event, ("inputs.changed-only", "false")]);
    assert!(all.read("output").starts_with("findings=2\n"));
    // A base that is nowhere: everything is reported, and that is said.
    let nowhere = Runner::new().run(clone.path(), &[("github.event.pull_request.base.sha", &"0".repeat(40))]);
    assert!(nowhere.last().1.starts_with("::warning title=locklint::the base of"), "{:?}", nowhere.last());
    assert!(nowhere.read("output").starts_with("findings=2\n"));
    // What is not new does not fail.
    let same = Runner::new().run(clone.path(), &[("github.event.pull_request.base.sha", &head)]);
    assert_eq!(same.last().0, Some(0), "{:?}", same.last());
}

#[test]
fn inputs_are_data() {
    let tree = tree(&[(".git/HEAD", ""), ("x y.sql", "SELECT 1;\n")]);
    let runner = Runner::new().run(tree.path(), &[("inputs.paths", "x y.sql\n\n$(touch pwned)\n-q")]);
    let (code, _, said) = runner.last();
    assert_eq!(code, Some(2));
    assert!(said.contains("error: $(touch pwned): no such file"), "{said}");
    assert!(said.contains("error: -q: no such file"), "{said}");
    assert!(!said.contains("x y.sql"), "{said}");
    assert!(!tree.path().join("pwned").exists());
    let never = Runner::new().run(tree.path(), &[("inputs.fail-on", "never")]);
    assert_eq!(never.last().0, Some(2));
    let version = Runner::new().run(tree.path(), &[("inputs.version", "1/../../x")]);
    assert_eq!((version.steps.len(), version.last().0), (1, Some(2)));
}

#[test]
fn a_release_is_taken_by_its_checksum() {
    let tree = tree(&[(".git/HEAD", ""), ("a.sql", "SELECT 1;\n")]);
    let archive = "locklint-x86_64-unknown-linux-musl.tar.gz";
    let released = |sums: &str| {
        let runner = Runner::new();
        let release = runner.path("release");
        fs::create_dir(&release).unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_locklint"));
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(release.join(archive)).arg("-C").arg(program.parent().unwrap()).arg("locklint");
        assert!(tar.status().unwrap().success());
        let sum = Command::new("sha256sum").arg(release.join(archive)).output().unwrap().stdout;
        let sum = String::from_utf8(sum).unwrap()[..64].to_owned();
        fs::write(release.join("SHA256SUMS"), sums.replace("SUM", &sum)).unwrap();
        runner
    };
    let context = [("inputs.version", "1.2.3"), ("github.action_repository", "some/where")];
    let good = released(&format!("SUM  {archive}\n")).run(tree.path(), &context);
    assert_eq!((good.steps.len(), good.last().0), (2, Some(0)), "{:?}", good.last());
    let url = format!("https://git.example/some/where/releases/download/v1.2.3/{archive}");
    assert!(good.read("arguments").contains(&url), "{}", good.read("arguments"));
    for (sums, pinned) in [
        (format!("{}  {archive}\n", "0".repeat(64)), ""),
        ("SUM  other\n".to_owned(), ""),
        (format!("SUM  {archive}\n"), "00"),
    ] {
        let context = [context[0], context[1], ("inputs.sha256", pinned)];
        let bad = released(&sums).run(tree.path(), &context);
        assert_eq!((bad.steps.len(), bad.last().0), (1, Some(2)), "{sums}{pinned}");
        assert!(bad.last().1.contains("is not what its checksum says"));
    }
}
