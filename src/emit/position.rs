//! Lines and columns: 1-based, columns in characters.

use crate::finding::FileId;
use crate::source::Source;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A place between two bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Position {
    /// Bytes of the file before it.
    pub(super) offset: usize,
    /// 1-based.
    pub(super) line: usize,
    /// 1-based, in characters; the byte order mark is none.
    pub(super) column: usize,
}

/// Distance of two checkpoints in bytes: what is counted for one column, at most.
const STEP: usize = 1 << 12;

/// Positions in one file. Checkpoints keep columns cheap where a file of 100 MB is one line.
#[derive(Debug)]
pub(super) struct Columns<'s> {
    source: &'s Source,
    /// Characters before byte `i * STEP`.
    checkpoints: Vec<usize>,
}

impl<'s> Columns<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        let mut total = 0;
        let checkpoints = source
            .file_text()
            .as_bytes()
            .chunks(STEP)
            .map(|chunk| {
                let before = total;
                total += characters(chunk);
                before
            })
            .chain(std::iter::once(0))
            .collect();
        let mut columns = Self { source, checkpoints };
        if let Some(last) = columns.checkpoints.last_mut() {
            *last = total;
        }
        columns
    }

    pub(super) fn at(&self, offset: usize) -> Position {
        let offset = offset.min(self.source.file_text().len());
        let index = self.source.lines();
        let line = index.line(offset);
        let start = index.start(line).unwrap_or_default();
        let start = start.max(if line == 0 { self.source.bom() } else { 0 });
        Position { offset, line: line + 1, column: self.before(offset).saturating_sub(self.before(start)) + 1 }
    }

    /// Characters that begin before the byte at `offset`.
    fn before(&self, offset: usize) -> usize {
        let step = offset / STEP;
        let bytes = &self.source.file_text().as_bytes()[step * STEP..offset];
        self.checkpoints.get(step).copied().unwrap_or_default() + characters(bytes)
    }
}

/// Characters that begin in the bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Positions in some files.
#[derive(Debug)]
pub(super) struct Positions<'r>(BTreeMap<FileId, Columns<'r>>);

impl<'r> Positions<'r> {
    pub(super) fn new(sources: &'r BTreeMap<FileId, Arc<Source>>) -> Self {
        Self(sources.iter().map(|(&file, source)| (file, Columns::new(source))).collect())
    }

    pub(super) fn of(&self, file: FileId, offset: usize) -> Position {
        self.0[&file].at(offset)
    }
}
