//! What is known of one line, for people.

use super::position::{Position, Positions};
use super::{counted, visible};
use crate::finding::Place;
use crate::paths::Paths;
use crate::why::{Recognised, Said, Why};
use std::io;

/// Writes what is known of `line`, 1-based, of the file at `path`, which is relative to the root.
///
/// # Errors
/// Where `out` fails.
pub fn why(why: &Why, (path, line): (&str, usize), paths: &Paths, out: &mut dyn io::Write) -> io::Result<()> {
    let view = View { why, paths, positions: Positions::new(&why.sources) };
    let shown = paths.shown(path);
    for remark in &why.remarks {
        writeln!(out, "{}:{line}: {}", visible(&shown), visible(remark))?;
    }
    for (index, site) in why.sites.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        view.site(site, out)?;
    }
    if !why.sites.is_empty() {
        writeln!(out, "\n{}: not about it", counted(why.others(), "other rule"))?;
    }
    Ok(())
}

struct View<'v> {
    why: &'v Why,
    paths: &'v Paths,
    positions: Positions<'v>,
}

impl View<'_> {
    fn site(&self, site: &Recognised, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "{}: {}", self.place(site.at), visible(&site.what))?;
        for (told, at) in &site.evidence {
            match at {
                Some(at) => writeln!(out, "  {} ({})", visible(told), self.place(*at))?,
                None => writeln!(out, "  {}", visible(told))?,
            }
        }
        for (rule, said) in &site.said {
            writeln!(out, "  - {}", self.said(rule, said))?;
        }
        Ok(())
    }

    fn said(&self, rule: &str, said: &Said) -> String {
        match said {
            Said::Reported(level, message) => format!("{level}[{rule}]: {}", visible(message)),
            Said::Elsewhere(level, at) => format!("{level}[{rule}] names it, at {}", self.place(*at)),
            Said::GivesWay(by) => format!("{rule}: gives way to {by}, which is about the cause"),
            Said::Suppressed => format!("{rule}: a comment suppresses it"),
            Said::Off => format!("{rule}: settings or flags leave it out"),
            Said::InTest => format!("{rule}: it is in test code, which --include-tests brings back"),
            Said::Silent(why) => format!("{rule}: silent, since {why}"),
        }
    }

    fn place(&self, at: Place) -> String {
        let Position { line, column, .. } = self.positions.of(at.file, at.span.start);
        let shown =
            self.why.sources.get(&at.file).map_or_else(Default::default, |source| self.paths.shown(source.path()));
        format!("{}:{line}:{column}", visible(&shown))
    }
}
