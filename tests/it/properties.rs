//! What holds of every fixture and of every example on a page, whatever it is about.

use crate::fixtures::{self, Fixture};
use crate::pages;
use locklint::finding::{FileId, Finding, Report};
use locklint::lint::lint;
use locklint::project::{Memory, Project, Targets};
use locklint::settings::Settings;
use locklint::sql::lex::{TokenKind, lex};

fn corpus() -> Vec<Fixture> {
    let mut all = fixtures::all();
    let examples = pages::examples().into_iter();
    all.extend(examples.map(|example| Fixture { name: example.rule.name.to_owned(), files: example.files }));
    all
}

fn project(files: &[(String, String)]) -> Memory {
    Memory::new(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())))
}

fn report(files: &[(String, String)]) -> Report {
    let project = project(files);
    lint(&project, &Targets::all(&project), &Settings::default())
}

/// Path, level, rule and text of each finding, in order; white space left out.
fn said(files: &[(String, String)], report: &Report) -> Vec<String> {
    let project = project(files);
    report
        .findings
        .iter()
        .map(|finding| {
            let path = &project.files()[finding.at.file.0 as usize].path;
            format!("{path}: {} {}: {}", finding.level, finding.rule, bare(text(report, finding)))
        })
        .collect()
}

fn text<'r>(report: &'r Report, finding: &Finding) -> &'r str {
    report.source(finding.at).slice(finding.at.span)
}

/// SQL without white space and comments, as its lexer sees them.
fn bare(sql: &str) -> String {
    lex(sql).iter().filter(|token| !token.kind.is_trivia()).map(|token| &sql[token.span().range()]).collect()
}

/// Applies `change` to the text between the tokens of a script, and in the bodies of its routines.
fn between(sql: &str, change: &dyn Fn(&str, usize) -> String) -> String {
    let mut out = String::new();
    for (index, token) in lex(sql).into_iter().enumerate() {
        let text = &sql[token.span().range()];
        let body = text.strip_prefix("$$").and_then(|rest| rest.strip_suffix("$$"));
        match token.kind {
            TokenKind::Whitespace => out.push_str(&change(text, index)),
            TokenKind::DollarString if body.is_some() => {
                out.push_str(&format!("$${}$$", between(body.unwrap_or_default(), change)));
            }
            _ => out.push_str(text),
        }
    }
    out
}

/// White space inside a line may be any; a line's end may end a comment or a psql command, and stays.
fn inside_line(space: &str) -> bool {
    !space.contains('\n')
}

#[test]
fn white_space_and_comments_change_no_verdict() {
    let wide = |space: &str, _: usize| {
        if inside_line(space) { "  \t ".to_owned() } else { space.replace('\n', " \n    ") }
    };
    let commented = |space: &str, index: usize| match index % 3 {
        _ if !inside_line(space) => space.to_owned(),
        0 => " /* a ; 'b */ ".to_owned(),
        1 => " /* c /* d */ (e */".to_owned() + " ",
        _ => space.to_owned(),
    };
    let crlf = |space: &str, _: usize| space.replace('\n', "\r\n");
    let mut changed = 0;
    for Fixture { name, files } in corpus() {
        let before = said(&files, &report(&files));
        for (what, way) in
            [("white space", &wide as &dyn Fn(&str, usize) -> String), ("comments", &commented), ("line ends", &crlf)]
        {
            let way = |sql: &str| between(sql, way);
            let after: Vec<(String, String)> = files
                .iter()
                .map(|(path, text)| (path.clone(), if is_plain_sql(path, text) { way(text) } else { text.clone() }))
                .collect();
            changed += usize::from(after != files);
            assert_eq!(said(&after, &report(&after)), before, "{name}: {what}");
        }
    }
    assert!(changed > 20);
}

/// Whether spaces between the tokens of a file mean nothing: not in psql commands, which reach to the end of the line,
/// nor in other languages.
fn is_plain_sql(path: &str, text: &str) -> bool {
    path.ends_with(".sql") && !lex(text).iter().any(|token| token.kind == TokenKind::PsqlCommand)
}

#[test]
fn a_file_alone_is_reported_as_in_the_whole() {
    for Fixture { name, files } in corpus() {
        let project = project(&files);
        let whole = report(&files);
        let all = Targets::all(&project);
        let mut parts: Vec<Finding> = Vec::new();
        for &file in &all.0 {
            let part = lint(&project, &Targets(vec![file]), &Settings::default());
            assert!(part.findings.iter().all(|finding| finding.at.file == file), "{name}");
            parts.extend(part.findings);
        }
        assert_eq!(parts, whole.findings, "{name}");
        let unread: Vec<FileId> = Vec::new();
        assert!(lint(&project, &Targets(unread), &Settings::default()).findings.is_empty(), "{name}");
    }
}

#[test]
fn every_span_lies_in_its_file() {
    let mut spans = 0;
    for Fixture { name, files } in corpus() {
        let report = report(&files);
        let project = project(&files);
        for finding in &report.findings {
            let own = [finding.at.span, finding.statement].map(|span| (finding.at.file, span));
            let related = finding.related.iter().map(|related| (related.at.file, related.at.span));
            let edits = finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| (finding.at.file, edit.span));
            for (file, span) in own.into_iter().chain(related).chain(edits) {
                let content = String::from_utf8(project.read(file).unwrap().into_owned()).unwrap();
                let text = content.get(span.start..span.end);
                assert!(text.is_some(), "{name}: {} at {span:?}", finding.rule);
                spans += 1;
            }
            assert!(!finding.at.span.is_empty(), "{name}: {}", finding.rule);
            assert!(finding.statement.contains(finding.at.span), "{name}: {} in its statement", finding.rule);
        }
    }
    assert!(spans > 100);
}

#[test]
fn a_suppression_takes_one_rule_off_one_statement() {
    let mut suppressed = 0;
    for Fixture { name, files } in corpus() {
        let before = report(&files);
        let all = said(&files, &before);
        for (index, finding) in before.findings.iter().enumerate() {
            if finding.rule.ends_with("-suppression") {
                continue;
            }
            let file = finding.at.file;
            let path = &project(&files).files()[file.0 as usize].path.to_string();
            let after = |mark: &str| {
                let mut changed = files.clone();
                let (_, text) = changed.iter_mut().find(|(known, _)| known == path).unwrap();
                // On the line before the finding's own: inside the statement, or directly before it.
                let start = finding.statement.start.min(finding.at.span.start);
                let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
                text.insert_str(line, &format!("{mark} locklint: ignore[{}] as a test\n", finding.rule));
                said(&changed, &report(&changed))
            };
            // Others of the same rule in the same statement go with it.
            let expected: Vec<String> = before
                .findings
                .iter()
                .zip(&all)
                .enumerate()
                .filter(|(other, (them, _))| {
                    let together = them.rule == finding.rule
                        && them.at.file == file
                        && first_line(text_of(&files, path), them) == first_line(text_of(&files, path), finding);
                    *other != index && !together
                })
                .map(|(_, (_, said))| said.clone())
                .collect();
            // A body in a string of host code has SQL's comments.
            let marks: &[&str] = match path.rsplit('.').next() {
                Some("py" | "rb" | "ex") => &["#", "--"],
                Some("sql") => &["--"],
                _ => &["//", "--"],
            };
            let reports: Vec<Vec<String>> = marks.iter().map(|mark| after(mark)).collect();
            assert!(reports.contains(&expected), "{name}: {} of {}\n{reports:?}", finding.rule, all[index]);
            suppressed += 1;
        }
    }
    assert!(suppressed > 100);
}

fn text_of<'f>(files: &'f [(String, String)], path: &str) -> &'f str {
    files.iter().find(|(known, _)| known == path).map_or("", |(_, text)| text)
}

fn first_line(text: &str, finding: &Finding) -> usize {
    text[..finding.statement.start].matches('\n').count()
}

/// The files with a finding's fix applied; the edits are disjoint and sorted.
fn fixed(files: &[(String, String)], finding: &Finding) -> Option<Vec<(String, String)>> {
    let fix = finding.fix.as_ref()?;
    assert!(!fix.edits.is_empty());
    assert!(fix.edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "{}", fix.title);
    let path = project(files).files()[finding.at.file.0 as usize].path.to_string();
    let mut changed = files.to_vec();
    let (_, text) = changed.iter_mut().find(|(known, _)| *known == path).unwrap();
    for edit in fix.edits.iter().rev() {
        text.replace_range(edit.span.start..edit.span.end, &edit.text);
    }
    Some(changed)
}

#[test]
fn a_fix_removes_its_finding_and_nothing_else() {
    let mut mended = 0;
    for Fixture { name, files } in corpus() {
        let before = report(&files);
        let all = said(&files, &before);
        for (index, finding) in before.findings.iter().enumerate() {
            let Some(changed) = fixed(&files, finding) else { continue };
            mended += 1;
            let after = said(&changed, &report(&changed));
            let gone: Vec<&String> = all.iter().filter(|said| !after.contains(said)).collect();
            assert_eq!(gone.first().copied(), Some(&all[index]).filter(|said| gone.contains(said)), "{name}");
            let count = |list: &[String], what: &String| list.iter().filter(|said| *said == what).count();
            assert!(count(&after, &all[index]) < count(&all, &all[index]), "{name}: {} stays", all[index]);
            for other in &after {
                assert!(
                    count(&all, other) >= count(&after, other),
                    "{name}: {other} comes with the fix of {}",
                    all[index]
                );
            }
            // What the edits do not name is as it was.
            let (mut old, mut new) = (0, 0);
            let path = project(&files).files()[finding.at.file.0 as usize].path.to_string();
            let (was, is) = (text_of(&files, &path), text_of(&changed, &path));
            for edit in &finding.fix.as_ref().unwrap().edits {
                let kept = edit.span.start - old;
                assert_eq!(was[old..edit.span.start], is[new..new + kept], "{name}");
                old = edit.span.end;
                new += kept + edit.text.len();
            }
            assert_eq!(was[old..], is[new..], "{name}");
        }
    }
    assert!(mended > 5);
}
