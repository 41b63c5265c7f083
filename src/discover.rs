//! From the paths of a command line to a project on disk: its root, its files, the files to report on, its settings.
//!
//! The root is the nearest ancestor with a `.git`, or else the topmost one with a `locklint.toml`. Every file under it is
//! context; the named files are targets, so that the verdict on a file does not depend on how many were named.

mod disk;
mod place;
#[cfg(test)]
mod tests;
mod walk;

pub use disk::Disk;
pub use place::absolute;

use crate::error::Error;
use crate::finding::{FileId, Notice};
use crate::language::Language;
use crate::paths::Paths;
use crate::project::Targets;
use crate::settings::{Config, FILE_NAME, Globs, Run, Settings};
use disk::Entry;
use place::slashed;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use walk::{Met, Walk};

/// Where the configuration comes from.
#[derive(Clone, Debug, Default)]
pub enum ConfigSource {
    /// From the nearest `locklint.toml` of each file.
    #[default]
    Nearest,
    /// From this file, for every file.
    File(PathBuf),
    /// From nowhere.
    BuiltIn,
}

/// A file's content as an editor has it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The file that it stands for, if it is to be one.
    pub path: Option<PathBuf>,
    /// What is in it.
    pub content: Vec<u8>,
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Where relative paths begin: an absolute directory.
    pub directory: PathBuf,
    /// Files and directories to report on.
    pub paths: Vec<PathBuf>,
    /// Content to report on instead of `paths`.
    pub buffer: Option<Buffer>,
    /// Globs of files to leave out, relative to `directory`.
    pub exclude: Vec<String>,
    /// Leave excluded files out even where they are named.
    pub force_exclude: bool,
    /// Do not honour ignore files.
    pub no_ignore: bool,
    /// Look at the named files only.
    pub no_context: bool,
    /// The configuration.
    pub config: ConfigSource,
    /// What the command line says about every file.
    pub run: Run,
}

/// What was found.
#[derive(Debug)]
pub struct Discovery {
    /// The files of the root.
    pub project: Disk,
    /// Those to report on.
    pub targets: Targets,
    /// What holds for each.
    pub settings: Settings,
    /// What was asked for and not found, sorted.
    pub notices: Vec<Notice>,
    /// How paths are shown.
    pub paths: Paths,
    /// The configuration files in force, as they are shown.
    pub configs: Vec<String>,
    /// What paths are relative to.
    pub root: PathBuf,
    /// The directories and files that were named, relative to the root.
    named: BTreeSet<String>,
    /// What the command line leaves out.
    exclude: Globs,
}

/// Finds what the request asks for. `rules` are the names of all rules.
///
/// # Errors
/// Where a configuration file or a glob means nothing, or a configuration file cannot be read.
pub fn discover(request: Request, rules: &[&str]) -> Result<Discovery, Error> {
    let exclude = Globs::new(&request.exclude)
        .map_err(|(at, why)| Error::Usage(format!("--exclude `{}`: {why}", request.exclude[at])))?;
    let mut named = Named::of(&request);
    let place = place::locate(&request.directory, &named.all(), request.buffer.is_some());
    let paths = place::paths(&place.root, &request.directory);
    let walk = Walk { root: &place.root, no_ignore: request.no_ignore };

    let mut found = walk.run(&named.directories);
    let mut notices = std::mem::take(&mut found.troubles);
    notices.append(&mut named.notices);
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut complete = !request.no_context && place.context.is_some();
    let mut all_wanted = false;
    if !request.no_context && !named.directories.iter().any(|d| place.context.as_ref() == Some(d)) {
        let context = walk.run(place.context.as_slice());
        wanted.extend(found.files.iter().map(|met| met.path.clone()));
        complete &= context.troubles.is_empty();
        notices.extend(context.troubles.into_iter().map(|mut notice| {
            notice.trouble = false;
            notice
        }));
        found.files.extend(context.files);
        found.configs.extend(context.configs);
    } else {
        complete &= notices.is_empty();
        all_wanted = true;
    }

    let (settings, configs) =
        settings(&request, &place.root, &paths, std::mem::take(&mut found.configs), &named.all(), rules)?;
    let excluded = |path: &str| exclude.matches(&paths.shown(path)) || settings.of(path).excluded();
    let directories = named.directories.iter().map(|directory| slashed(&place.root, directory));
    let mut covered: BTreeSet<String> = directories.collect();
    let mut explicit = BTreeSet::new();
    for path in named.files {
        let relative = slashed(&place.root, &path);
        if request.force_exclude && excluded(&relative) {
            continue;
        }
        explicit.insert(relative.clone());
        let Some(language) = language(&relative, named.anonymous) else {
            notices.push(Notice {
                path: relative.into(),
                message: "not linted: its name ends in no language that is read".to_owned(),
                trouble: false,
            });
            continue;
        };
        found.files.push(Met::new(&place.root, language, path));
    }
    found.sort();
    found.files.retain(|met| explicit.contains(&met.path) || !excluded(&met.path));

    let mut buffer = request.buffer;
    let mut entries = Vec::new();
    let mut targets = Vec::new();
    for Met { path, language, location } in found.files {
        let is_named = explicit.contains(&path);
        if is_named || language.is_linted() && (all_wanted || wanted.contains(&path)) {
            targets.push(FileId(u32::try_from(entries.len()).unwrap_or(u32::MAX)));
        }
        let content = if is_named { buffer.take().map(|b| b.content) } else { None };
        entries.push(Entry { path, language, location, content });
    }
    notices.sort();
    notices.dedup();
    covered.extend(explicit);
    Ok(Discovery {
        project: Disk::new(place.root.clone(), entries, complete),
        targets: Targets(targets),
        settings,
        notices,
        paths,
        configs,
        root: place.root,
        named: covered,
        exclude,
    })
}

/// The root of the tree that a file belongs to; `None` where nothing tells how far its project reaches.
pub fn root_of(file: &Path) -> Option<PathBuf> {
    place::locate(file.parent()?, &[file.to_owned()], true).context
}

/// A buffer with no file is SQL; every other name tells.
fn language(path: &str, anonymous: bool) -> Option<Language> {
    Language::of_named(path).or(anonymous.then_some(Language::Sql))
}

/// The paths of a request, sorted into kinds.
struct Named {
    files: Vec<PathBuf>,
    directories: Vec<PathBuf>,
    notices: Vec<Notice>,
    /// Whether the only file is a buffer without a name.
    anonymous: bool,
}

impl Named {
    fn of(request: &Request) -> Self {
        let mut named = Self { files: Vec::new(), directories: Vec::new(), notices: Vec::new(), anonymous: false };
        if let Some(buffer) = &request.buffer {
            named.anonymous = buffer.path.is_none();
            let path = buffer.path.as_deref().unwrap_or(Path::new("<stdin>"));
            named.files.push(absolute(&request.directory, path));
            return named;
        }
        for path in &request.paths {
            let path = absolute(&request.directory, path);
            match path.metadata() {
                Ok(metadata) if metadata.is_dir() => named.directories.push(path),
                Ok(metadata) if metadata.is_file() => named.files.push(path),
                other => named.notices.push(Notice {
                    path: slashed(&request.directory, &path).into(),
                    message: other.err().map_or_else(|| "no regular file".to_owned(), |error| walk::reason(&error)),
                    trouble: true,
                }),
            }
        }
        named
    }

    fn all(&self) -> Vec<PathBuf> {
        self.directories.iter().chain(&self.files).cloned().collect()
    }
}

/// The settings, and the configuration files that make them.
fn settings(
    request: &Request,
    root: &Path,
    paths: &Paths,
    mut found: BTreeMap<String, PathBuf>,
    named: &[PathBuf],
    rules: &[&str],
) -> Result<(Settings, Vec<String>), Error> {
    let mut settings = Settings::new(request.run.clone());
    let mut configs = Vec::new();
    let mut load = |directory: &str, path: &Path, shown: String| {
        let bytes = std::fs::read(path).map_err(|error| Error::file(&shown, error))?;
        let text = String::from_utf8(bytes)
            .map_err(|error| Error::file(&shown, io::Error::new(io::ErrorKind::InvalidData, error.utf8_error())))?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        settings.insert(directory, Config::parse(&shown, text, rules)?);
        configs.push(shown);
        Ok::<_, Error>(())
    };
    match &request.config {
        ConfigSource::BuiltIn => {}
        ConfigSource::File(path) => {
            let path = absolute(&request.directory, path);
            let shown = slashed(&request.directory, &path);
            load("", &path, shown)?;
        }
        ConfigSource::Nearest => {
            // The walk sees neither what lies above a named path nor what an ignore file hides beside one.
            for directory in named.iter().flat_map(|path| path.ancestors()) {
                let path = directory.join(FILE_NAME);
                if directory.starts_with(root) && path.exists() {
                    found.insert(slashed(root, directory), path);
                }
            }
            for (directory, path) in found {
                let relative =
                    if directory.is_empty() { FILE_NAME.to_owned() } else { format!("{directory}/{FILE_NAME}") };
                load(&directory, &path, paths.shown(&relative).into_owned())?;
            }
        }
    }
    Ok((settings, configs))
}

impl Discovery {
    /// Whether a file that is not on disk would be reported on: it was named, or lies below a directory that was.
    pub fn covers(&self, path: &str) -> bool {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        std::iter::once(path).chain(above).chain(std::iter::once("")).any(|one| self.named.contains(one))
    }

    /// Whether a file that is not on disk would be left out.
    pub fn excludes(&self, path: &str) -> bool {
        self.exclude.matches(&self.paths.shown(path)) || self.settings.of(path).excluded()
    }
}
