//! `--why FILE:LINE`: what is known of one line.

use super::{Args, request};
use crate::cli::{Verdict, print, rule_names, tell_notices};
use crate::discover;
use crate::emit;
use crate::error::Error;
use crate::project::Project;
use crate::why::why;
use std::path::PathBuf;
use std::str::FromStr;

/// A line of a file.
#[derive(Clone, Debug)]
pub(super) struct Line {
    file: PathBuf,
    /// 1-based.
    line: usize,
}

impl FromStr for Line {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // What an editor or a finding shows goes on with the column.
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (mut head, mut last) = text.rsplit_once(':').unwrap_or_default();
        if let Some((file, line)) = head.rsplit_once(':').filter(|(_, line)| is_number(line) && is_number(last)) {
            (head, last) = (file, line);
        }
        match last.parse() {
            Ok(line) if line > 0 && !head.is_empty() => Ok(Self { file: head.into(), line }),
            _ => Err("write FILE:LINE, such as src/worker.py:42".to_owned()),
        }
    }
}

pub(super) fn run(args: &Args, asked: &Line) -> Result<Verdict, Error> {
    if asked.file.is_dir() {
        return Err(Error::Usage(format!("`{}` is a directory: a line is asked for of a file", asked.file.display())));
    }
    let mut request = request(args)?;
    match &request.buffer {
        Some(buffer) => {
            let directory = &request.directory;
            let path = buffer.path.as_ref().map(|path| discover::absolute(directory, path));
            if path != Some(discover::absolute(directory, &asked.file)) {
                let help = "name the file that it stands for: `locklint check - --stdin-filename FILE --why FILE:LINE`";
                return Err(Error::Usage(format!("standard input is not `{}`; {help}", asked.file.display())));
            }
        }
        None if args.paths != [PathBuf::from(".")] => {
            return Err(Error::Usage("--why asks about one line: name no path beside it".to_owned()));
        }
        None => request.paths = vec![asked.file.clone()],
    }
    let found = discover::discover(request, &rule_names())?;
    let [file] = found.targets.0[..] else {
        let _ = tell_notices(&found.notices, false, &found.paths);
        let shown = asked.file.display();
        return Err(Error::Usage(format!("`{shown}` is no file that is linted")));
    };
    let told = why(&found.project, (file, asked.line - 1), &found.settings);
    let _ = tell_notices(&told.notices, false, &found.paths);
    let path = &found.project.files()[file.0 as usize].path;
    print(false, |out| emit::why(&told, (path, asked.line), &found.paths, out))?;
    Ok(if told.notices.iter().any(|notice| notice.trouble) { Verdict::Trouble } else { Verdict::Clean })
}
