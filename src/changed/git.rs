//! The git program, asked for what it prints for programs.

use crate::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A file that is other in two trees. Paths are relative to the root, with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The path before, or the only one.
    pub(super) path: String,
    /// The path now, where it is another.
    pub(super) renamed: Option<String>,
    /// The content before; `None` where it was no regular file.
    pub(super) before: Option<String>,
    /// Whether it is a regular file now.
    now: bool,
}

impl Difference {
    pub(super) fn path_now(&self) -> &str {
        self.renamed.as_ref().unwrap_or(&self.path)
    }

    pub(super) fn is_file_now(&self) -> bool {
        self.now
    }
}

/// The repository of a work tree.
pub(super) struct Git<'r> {
    root: &'r Path,
}

impl<'r> Git<'r> {
    /// The repository that `root` lies in.
    pub(super) fn new(root: &'r Path) -> Result<Self, Error> {
        let git = Self { root };
        let inside = git.run(&["rev-parse", "--is-inside-work-tree"])?;
        match inside.status.success() && inside.stdout.starts_with(b"true") {
            true => Ok(git),
            false => Err(Error::Usage(format!("{} lies in no work tree of git: {}", root.display(), said(&inside)))),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("git");
        // Paths come as they are, and nothing is written: another git may run beside.
        command.arg("-C").arg(self.root).args(["--no-optional-locks", "--literal-pathspecs"]);
        command
    }

    fn run(&self, arguments: &[&str]) -> Result<Output, Error> {
        self.command().args(arguments).stdin(Stdio::null()).output().map_err(|error| Error::file("git", error))
    }

    fn stdout(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let output = self.run(arguments)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(Error::Usage(format!("git {}: {}", arguments.first().copied().unwrap_or_default(), said(&output))))
    }

    /// The commit at which the work left `reference`.
    pub(super) fn commit(&self, reference: &str) -> Result<String, Error> {
        let named = format!("{reference}^{{commit}}");
        let commit = self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &named])?;
        if !commit.status.success() {
            return Err(Error::Usage(format!(
                "git knows no commit `{reference}`; a shallow clone has to fetch it first"
            )));
        }
        let commit = line(&commit.stdout);
        let shared = self.run(&["merge-base", &commit, "HEAD"])?;
        Ok(if shared.status.success() { line(&shared.stdout) } else { commit })
    }

    /// What is other on disk than in the tree that `arguments` name to `git diff`.
    pub(super) fn differences(&self, arguments: &[&str]) -> Result<Vec<Difference>, Error> {
        let mut all =
            vec!["diff", "--raw", "-z", "--no-abbrev", "-M", "--relative", "--no-ext-diff", "--ignore-submodules"];
        // A file that is only announced (`add -N`) is not in the index.
        all.push("--ita-invisible-in-index");
        all.extend(arguments);
        all.push("--");
        Ok(differences(&self.stdout(&all)?))
    }

    /// The files that git does not track, the ignored ones among them where asked for.
    pub(super) fn untracked(&self, ignored: bool) -> Result<Vec<String>, Error> {
        let mut arguments = vec!["ls-files", "-z", "--others"];
        if !ignored {
            arguments.push("--exclude-standard");
        }
        let paths = self.stdout(&arguments)?;
        Ok(fields(&paths).map(text).collect())
    }

    /// The contents of objects, in their order.
    pub(super) fn contents(&self, objects: &[&str]) -> Result<Vec<Vec<u8>>, Error> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let failed = |error: io::Error| Error::file("git cat-file", error);
        let mut command = self.command();
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let asked = objects.join("\n") + "\n";
        // git answers before it has read all questions, so both sides go on at once.
        let contents = std::thread::scope(|scope| {
            scope.spawn(move || input.write_all(asked.as_bytes()));
            let mut output = BufReader::new(output);
            objects.iter().map(|object| content(&mut output, object)).collect::<io::Result<Vec<_>>>()
        });
        child.wait().map_err(failed)?;
        contents.map_err(failed)
    }
}

/// One answer of `git cat-file --batch`: `object type size`, a line end, the bytes, a line end.
fn content(output: &mut impl BufRead, object: &str) -> io::Result<Vec<u8>> {
    let mut header = String::new();
    output.read_line(&mut header)?;
    let missing = || io::Error::other(format!("no content of {object}"));
    let length: u64 = header.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok()).ok_or_else(missing)?;
    let mut content = Vec::new();
    let taken = output.take(length).read_to_end(&mut content)?;
    if taken as u64 != length {
        return Err(missing());
    }
    output.read_exact(&mut [0])?;
    Ok(content)
}

/// The entries of `git diff --raw -z`: `:mode mode object object status`, then one path, or two of a rename or copy.
pub(super) fn differences(raw: &[u8]) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut fields = fields(raw);
    while let Some(head) = fields.next() {
        let head = text(head);
        let mut words = head.trim_start_matches(':').split(' ');
        let (Some(before), Some(now), Some(object), Some(_), Some(status)) =
            (words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Some(path) = fields.next().map(text) else { break };
        let renamed = if status.starts_with(['R', 'C']) { fields.next().map(text) } else { None };
        // 100644 and 100755; links and submodules are no files that are read.
        let regular = |mode: &str| mode.starts_with("100");
        let is_copy = status.starts_with('C');
        found.push(Difference {
            path: if is_copy { renamed.clone().unwrap_or_default() } else { path },
            renamed: if is_copy { None } else { renamed },
            // What is not merged has no one content.
            before: (regular(before) && !is_copy && object.contains(|c| c != '0')).then(|| object.to_owned()),
            now: regular(now),
        });
    }
    found
}

fn fields(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == 0).filter(|field| !field.is_empty())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn line(bytes: &[u8]) -> String {
    text(bytes).trim_end().to_owned()
}

/// What git says went wrong, in one line.
fn said(output: &Output) -> String {
    let said = text(&output.stderr);
    said.split('\n').next().unwrap_or_default().trim_start_matches("fatal: ").to_owned()
}
