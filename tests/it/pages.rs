//! The rule pages: their shape, and their examples as tests.

use crate::expect;
use locklint::rule::Rule;
use locklint::rules::RULES;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use std::path::Path;

/// A fenced block of a page.
struct Block {
    section: String,
    /// The fence's language, such as `sql`.
    language: String,
    /// A name given by `file=…` joins it with the block that follows at once, without a word between them.
    file: Option<String>,
    /// Whether another block follows at once.
    joined: bool,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let (mut section, mut heading, mut inside, mut adjacent) = (String::new(), false, false, false);
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                heading = true;
                adjacent = false;
                section.clear();
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => heading = false,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                inside = true;
                if let Some(before) = found.last_mut().filter(|_| adjacent) {
                    before.joined = true;
                }
                let mut words = info.split_ascii_whitespace();
                let language = words.next().unwrap_or_default().to_owned();
                let file = words.find_map(|word| word.strip_prefix("file=")).map(str::to_owned);
                let text = String::new();
                found.push(Block { section: section.clone(), language, file, joined: false, text });
            }
            Event::End(TagEnd::CodeBlock) => {
                inside = false;
                adjacent = true;
            }
            Event::Text(text) if heading => section.push_str(&text),
            Event::Text(text) if inside => found.last_mut().expect("a block").text.push_str(&text),
            Event::Start(_) => adjacent = false,
            _ => {}
        }
    }
    found
}

/// An example of a page: the files of one project.
pub(crate) struct Example {
    pub(crate) rule: &'static Rule,
    pub(crate) is_bad: bool,
    pub(crate) files: Vec<(String, String)>,
}

/// The examples of all pages, in order.
pub(crate) fn examples() -> Vec<Example> {
    let mut found = Vec::new();
    for rule in RULES {
        let mut files: Vec<(String, String)> = Vec::new();
        for block in blocks(rule.page) {
            let is_bad = block.section == "Bad";
            if !is_bad && block.section != "Good" {
                continue;
            }
            let last = block.file.is_none() || !block.joined;
            let name = || format!("example.{}", ending(&block.language));
            files.push((block.file.unwrap_or_else(name), block.text));
            if last {
                found.push(Example { rule, is_bad, files: std::mem::take(&mut files) });
            }
        }
        assert!(files.is_empty(), "{}: a named block with none after it", rule.name);
    }
    found
}

/// The ending of files in a fence's language.
fn ending(language: &str) -> &str {
    const ENDINGS: &[(&str, &str)] = &[
        ("csharp", "cs"),
        ("elixir", "ex"),
        ("javascript", "js"),
        ("kotlin", "kt"),
        ("python", "py"),
        ("ruby", "rb"),
        ("rust", "rs"),
        ("typescript", "ts"),
    ];
    ENDINGS.iter().find(|(known, _)| *known == language).map_or(language, |(_, ending)| ending)
}

#[test]
fn every_example_is_reported_as_its_page_says() {
    let mut failures = String::new();
    let examples = examples();
    for Example { rule, is_bad, files } in &examples {
        let expected: Vec<_> =
            files.iter().flat_map(|(path, text)| expect::read(path, text).unwrap_or_default()).collect();
        let text = &files[files.len() - 1].1;
        if *is_bad {
            let shows = expected.iter().any(|want| want.rule == rule.name);
            assert!(shows, "{}: a Bad block without a mark of the rule:\n{text}", rule.name);
        } else {
            assert!(expected.is_empty(), "{}: a Good block with a mark:\n{text}", rule.name);
        }
        let difference = expect::differences(files, expected);
        if !difference.is_empty() {
            failures.push_str(&format!("{}:\n{text}{difference}\n", rule.name));
        }
    }
    for rule in RULES {
        let has = |bad: bool| examples.iter().any(|of| of.rule.name == rule.name && of.is_bad == bad);
        assert!(has(true) && has(false), "{}: a page needs Bad and Good blocks", rule.name);
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_page_has_the_same_shape() {
    for rule in RULES {
        assert!(rule.page.starts_with(&format!("# {}\n\n", rule.name)), "{}: title", rule.name);
        let summary = rule.summary();
        assert!(summary.ends_with('.') && !summary.contains('\n') && summary.len() > 20, "{}: {summary}", rule.name);
        let sections: Vec<&str> =
            rule.page.split('\n').filter_map(|line| line.strip_prefix("## ")).filter(|s| *s != "Proof").collect();
        assert_eq!(sections, ["What goes wrong", "Bad", "Good", "When it is fine"], "{}", rule.name);
    }
}

#[test]
fn rules_are_sorted_and_each_has_its_files() {
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert!(names.is_sorted());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = |directory: &str, ending: &str| {
        let mut found: Vec<String> = walkdir::WalkDir::new(root.join(directory))
            .max_depth(1)
            .into_iter()
            .filter_map(|entry| entry.expect("listing").file_name().to_str().map(str::to_owned))
            .filter_map(|name| name.strip_suffix(ending).map(|stem| stem.replace('_', "-")))
            .collect();
        found.sort();
        found
    };
    assert_eq!(listed("rules", ".md"), names);
    assert_eq!(listed("src/rules", ".rs"), names);
}
