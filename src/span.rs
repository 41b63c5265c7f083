//! Positions: byte ranges of a source and byte ranges of a region. The two never mix; only a region converts.

use std::ops::Range;

/// Bytes `start..end` of a source file's content. Lines and columns exist in emitters alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte, 0-based.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Bytes `start..end` of a region's SQL text, which may differ from the source by escapes and holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SqlSpan {
    /// First byte, 0-based.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

macro_rules! range {
    ($name:ident) => {
        impl $name {
            /// The span `start..end`.
            pub const fn new(start: usize, end: usize) -> Self {
                Self { start, end }
            }

            /// The same as a range, for slicing.
            pub const fn range(self) -> Range<usize> {
                self.start..self.end
            }

            /// Length in bytes.
            pub const fn len(self) -> usize {
                self.end - self.start
            }

            /// Whether it covers no byte.
            pub const fn is_empty(self) -> bool {
                self.start == self.end
            }

            /// Whether `other` lies inside, ends included.
            pub const fn contains(self, other: Self) -> bool {
                self.start <= other.start && other.end <= self.end
            }

            /// Whether the two have a byte or an end in common.
            pub const fn touches(self, other: Self) -> bool {
                self.start <= other.end && other.start <= self.end
            }

            /// The smallest span that covers both.
            pub fn join(self, other: Self) -> Self {
                Self::new(self.start.min(other.start), self.end.max(other.end))
            }
        }
    };
}
range!(Span);
range!(SqlSpan);
