//! Exit codes, pipes, colour, configuration, standard input.

use crate::command::{command, run, run_with_input, tree};
use std::io::Read;
use std::process::Stdio;

#[test]
fn no_matching_input_is_no_trouble() {
    let tree = tree(&[("a.txt", "")]);
    for arguments in ["check", "check .", "check a.txt", "check --format json"] {
        let run = run(tree.path(), arguments);
        assert_eq!(run.code, 0, "{arguments}: {}", run.stderr);
        assert!(run.stderr.starts_with("locklint: "), "{arguments}: {}", run.stderr);
    }
    let quiet = run(tree.path(), "check -q a.txt");
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (0, "", ""));
}

#[test]
fn usage_and_input_trouble_are_2() {
    let tree = tree(&[("a.sql", "SELECT 1;\n")]);
    for (arguments, said) in [
        ("check nope.sql", "locklint: error: nope.sql: no such file or directory"),
        ("check -q nope.sql a.sql --exit-zero", "locklint: error: nope.sql: no such file"),
        ("check --config nope.toml", "locklint: error: nope.toml: "),
        ("check --exclude a[", "locklint: error: --exclude `a[`: "),
        ("check --output-file no/such/dir", "locklint: error: no/such/dir: "),
        ("check --select=", "locklint: error: an empty name is no rule"),
        ("check --select missing", "locklint: error: `missing` is no rule; "),
        ("check --ignore unusedsuppression", "did you mean `unused-suppression`?"),
        ("check - a.sql", "locklint: error: standard input is linted alone"),
        ("check --stdin-filename b.sql a.sql", "locklint: error: standard input is linted alone"),
        ("check --min-level loud", "`loud` is no level; the levels are note, warning and error"),
        ("check --format yaml", "possible values: text, concise, json, sarif, github, gitlab"),
        ("check --fix --diff", "cannot be used with"),
        ("explain nope", "locklint: error: `nope` is no rule; `locklint rules` lists the rules"),
        ("lint", "unrecognized subcommand"),
        ("", "Usage: locklint"),
    ] {
        let run = run(tree.path(), arguments);
        assert_eq!(run.code, 2, "{arguments}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn a_wrong_configuration_is_shown_where_it_is_wrong() {
    let tree =
        tree(&[("db/a.sql", ""), ("db/locklint.toml", "pooling = \"none\"\n\n[rules]\nunused-supression = \"off\"\n")]);
    let found = run(tree.path(), "check");
    assert_eq!((found.code, found.stdout.as_str()), (2, ""));
    for part in [
        "error: unknown rule `unused-supression`",
        "db/locklint.toml:4:1",
        "4 │ unused-supression = \"off\"",
        "help: did you mean `unused-suppression`?",
    ] {
        assert!(found.stderr.contains(part), "{}", found.stderr);
    }
    for arguments in ["check --no-config", "check --isolated"] {
        assert_eq!(run(tree.path(), arguments).code, 0, "{arguments}");
    }
    assert_eq!(run(tree.path(), "check --config db/locklint.toml").code, 2);
    for (directory, said) in
        [("latin", "locklint: error: locklint.toml: invalid utf-8"), ("odd", "locklint: error: locklint.toml: ")]
    {
        let place = tree.path().join(directory);
        std::fs::create_dir_all(place.join(".git")).unwrap();
        std::fs::write(place.join("a.sql"), "SELECT 1;\n").unwrap();
        match directory {
            "odd" => std::fs::create_dir(place.join("locklint.toml")).unwrap(),
            _ => std::fs::write(place.join("locklint.toml"), b"# caf\xE9\n").unwrap(),
        }
        let run = run(&place, "check");
        assert_eq!(run.code, 2, "{directory}");
        assert!(run.stderr.starts_with(said), "{}", run.stderr);
    }
    let by_variable = |value: &str, arguments| {
        let mut command = command(tree.path(), arguments);
        command.env("LOCKLINT_CONFIG", value).output().unwrap().status.code()
    };
    assert_eq!(by_variable("db/locklint.toml", "check"), Some(2));
    assert_eq!(by_variable("db/locklint.toml", "check --no-config"), Some(0));
}

#[test]
fn what_fails_is_shown() {
    let tree = tree(&[("a.sql", "SELECT id FROM job WHERE state = 'new' FOR UPDATE SKIP LOCKED;\n")]);
    let github = |arguments| run(tree.path(), &format!("check --format github {arguments}"));
    assert_eq!(github("").code, 0);
    let found = github("--fail-on note");
    assert_eq!(found.code, 1);
    assert!(found.stdout.starts_with("::notice "), "{}", found.stdout);
    assert_eq!(github("--fail-on note --min-level warning").code, 0);
}

#[test]
fn the_format_is_the_flag_or_the_variable() {
    let tree = tree(&[("a.sql", "SELECT 1;\n")]);
    let output = |arguments| {
        let mut command = command(tree.path(), arguments);
        let output = command.env("LOCKLINT_FORMAT", "gitlab").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(output("check"), "[]\n");
    assert!(output("check --format json").starts_with("{\n  \"schema\": 1,"));
    let file = run(tree.path(), "check --format gitlab --output-file out.json");
    assert_eq!((file.code, file.stdout.as_str()), (0, ""));
    assert_eq!(std::fs::read_to_string(tree.path().join("out.json")).unwrap(), "[]\n");
}

#[test]
fn rules_are_listed_and_explained() {
    let tree = tree(&[]);
    let listed = run(tree.path(), "rules");
    assert_eq!(listed.code, 0);
    let line = listed.stdout.split('\n').find(|line| line.starts_with("unused-suppression ")).unwrap();
    assert!(line.contains(" note "), "{line}");
    let json: serde_json::Value = serde_json::from_str(&run(tree.path(), "rules --format json").stdout).unwrap();
    for rule in json["rules"].as_array().unwrap() {
        let name = rule["name"].as_str().unwrap();
        let page = run(tree.path(), &format!("explain {name}"));
        assert_eq!(page.code, 0);
        assert!(page.stdout.starts_with(&format!("# {name}\n\n")), "{}", page.stdout);
        assert!(page.stdout.contains(rule["summary"].as_str().unwrap()));
        assert!(!page.stdout.contains("--~"), "{name} shows a mark of the tests");
        assert_eq!(rule["url"], format!("rules/{name}.md"));
    }
}

#[test]
fn help_teaches_by_example() {
    let tree = tree(&[]);
    for arguments in [
        "--help",
        "check --help",
        "explain --help",
        "rules --help",
        "server --help",
        "completions --help",
        "man --help",
    ] {
        let help = run(tree.path(), arguments);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains("Example"), "{arguments}: {}", help.stdout);
        assert!(!help.stdout.contains('\u{1b}'), "{arguments}");
    }
}

#[test]
fn who_closes_the_pipe_hears_nothing() {
    let tree = tree(&[]);
    for arguments in ["explain unused-suppression", "rules --format json", "check --format sarif"] {
        let mut child = command(tree.path(), arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments}: {said}");
        assert!(!said.contains("error") && !said.contains("panic"), "{arguments}: {said}");
    }
}

#[test]
fn standard_input_stands_for_a_file_or_for_itself() {
    let tree = tree(&[("db/a.sql", "SELECT 1;\n"), (".git/HEAD", "")]);
    for (arguments, said) in [
        ("check -v -", "1 of 2 files are reported on; the whole tree is known"),
        ("check -v - --stdin-filename db/a.sql", "1 of 1 files are reported on; the whole tree is known"),
        ("check -v - --stdin-filepath db/b.sql", "1 of 2 files are reported on; the whole tree is known"),
        ("check -v - --stdin-filename a.unknown", "a.unknown: not linted: "),
        ("check -v - --force-exclude --exclude db --stdin-filename db/a.sql", "0 of 0 files"),
    ] {
        let run = run_with_input(tree.path(), arguments, "SELECT 2;\n");
        assert_eq!(run.code, 0, "{arguments}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn a_file_of_another_project_is_shown_where_it_lies() {
    let (here, there) = (tree(&[(".git/HEAD", "")]), tree(&[(".git/HEAD", ""), ("q.sql", "")]));
    let leak = "BEGIN;\nSELECT pg_advisory_lock(1);\nCOMMIT;\n";
    let file = there.path().join("q.sql");
    std::fs::write(&file, leak).unwrap();
    let file = file.to_str().unwrap();
    let shown = format!("{file}:2:8: error[");
    let run = run(here.path(), &format!("check --format concise {file}"));
    assert!(run.stdout.starts_with(&shown), "{}", run.stdout);
    let run = run_with_input(here.path(), &format!("check - --format concise --stdin-filename {file}"), leak);
    assert!(run.stdout.starts_with(&shown), "{}", run.stdout);
}

#[test]
fn what_is_no_text_is_told_although_no_word_shows_in_it() {
    let leak = "SELECT pg_advisory_lock(1);\n";
    let wide = |unit: fn(u16) -> [u8; 2]| leak.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let marked = |mark: [u8; 2], unit| [mark.to_vec(), wide(unit)].concat();
    for (content, said) in [
        (marked([0xFF, 0xFE], u16::to_le_bytes), "it is UTF-16"),
        (marked([0xFE, 0xFF], u16::to_be_bytes), "it is UTF-16"),
        (wide(u16::to_le_bytes), "it holds NUL bytes"),
        (vec![0; 9], "it holds NUL bytes"),
    ] {
        let files = tree(&[("a.sql", "")]);
        std::fs::write(files.path().join("a.sql"), &content).unwrap();
        for arguments in ["check", "check a.sql"] {
            let run = run(files.path(), arguments);
            assert!(run.stderr.contains(said), "{arguments} {content:?}: {}", run.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_an_error() {
    let files = tree(&[("a.txt", "")]);
    std::os::unix::net::UnixListener::bind(files.path().join("a.sql")).unwrap();
    let run = run(files.path(), "check a.sql");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("a.sql: no regular file"), "{}", run.stderr);
}

#[test]
fn a_buffer_is_shown_by_the_name_it_was_given() {
    let bare = tree(&[("README", "")]);
    let leak = "BEGIN;\nSELECT pg_advisory_lock(1);\nCOMMIT;\n";
    let run = run_with_input(bare.path(), "check - --format concise --stdin-filename new/q.sql", leak);
    assert!(run.stdout.starts_with("new/q.sql:2:8: error["), "{}", run.stdout);
}

#[test]
fn a_shell_and_man_are_served() {
    let tree = tree(&[]);
    for (shell, mark) in
        [("bash", "complete -F _locklint"), ("zsh", "#compdef locklint"), ("fish", "complete -c locklint")]
    {
        let script = run(tree.path(), &format!("completions {shell}"));
        assert_eq!(script.code, 0);
        assert!(script.stdout.contains(mark) && script.stdout.contains("write-baseline"), "{shell}");
    }
    let page = run(tree.path(), "man");
    assert!(page.stdout.contains(".TH locklint 1") && page.stdout.contains("Exit code:"), "{}", page.stdout);
    assert_eq!(run(tree.path(), "man --directory pages").code, 0);
    let check = std::fs::read_to_string(tree.path().join("pages/locklint-check.1")).unwrap();
    assert!(check.contains("changed\\-since"), "{check}");
}

#[test]
fn rules_are_counted() {
    let bad = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
    let skip = "SELECT id FROM job WHERE state = 'new' FOR UPDATE SKIP LOCKED;\n";
    let tree = tree(&[("a.sql", &format!("{skip}{bad}{bad}"))]);
    let counted = run(tree.path(), "check --statistics");
    assert_eq!(counted.code, 1);
    assert_eq!(
        counted.stdout,
        "2  error    session-lock-in-transaction\n1  note     skip-locked-without-limit\n\
         1 file, 3 lock sites, 3 understood, 2 errors, 1 note\n"
    );
    assert_eq!(run(tree.path(), "check --statistics --format json").code, 2);
}

#[test]
fn one_run_writes_several_reports() {
    let bad = "BEGIN;\nSELECT pg_advisory_lock(7);\nCOMMIT;\n";
    let note = "SELECT id FROM job WHERE state = 'new' FOR UPDATE SKIP LOCKED;\n";
    let tree = tree(&[("a.sql", bad), ("b.sql", note)]);
    let alone = |format: &str| run(tree.path(), &format!("check --format {format}")).stdout;
    let all =
        run(tree.path(), "check --format github --report sarif=x.sarif --report json=x.json --report github=x.txt");
    assert_eq!((all.code, all.stdout.as_str()), (1, alone("github").as_str()));
    for (format, file) in [("sarif", "x.sarif"), ("json", "x.json"), ("github", "x.txt")] {
        assert_eq!(std::fs::read_to_string(tree.path().join(file)).unwrap(), alone(format), "{format}");
    }
    // Each shows the levels that it shows alone.
    assert!(!all.stdout.contains("b.sql") && alone("json").contains("b.sql"));
    for wrong in ["sarif", "paper=x", "json=nowhere/x"] {
        assert_eq!(run(tree.path(), &format!("check --report {wrong}")).code, 2, "{wrong}");
    }
}
