//! Spans that nest: which of them stand around another.

use crate::span::Span;

/// Spans of which any two are apart or one inside the other, such as units, with what is around each.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    /// Sorted by start, an outer one before those inside it; with the caller's index.
    spans: Vec<(Span, usize)>,
    /// The place in `spans` of the one around.
    parents: Vec<Option<usize>>,
}

impl Nesting {
    pub(super) fn new(spans: impl IntoIterator<Item = Span>) -> Self {
        let mut spans: Vec<(Span, usize)> = spans.into_iter().enumerate().map(|(index, span)| (span, index)).collect();
        spans.sort_by_key(|(span, index)| (span.start, std::cmp::Reverse(span.end), *index));
        let mut open: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(spans.len());
        for (place, (span, _)) in spans.iter().enumerate() {
            while open.last().is_some_and(|&outer| !spans[outer].0.contains(*span)) {
                open.pop();
            }
            parents.push(open.last().copied());
            open.push(place);
        }
        Self { spans, parents }
    }

    /// The indices of those that contain `span`, the innermost first.
    pub(super) fn around(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let last = self.spans.partition_point(|(one, _)| one.start <= span.start).checked_sub(1);
        std::iter::successors(last, |&place| self.parents[place])
            .map(|place| self.spans[place])
            .filter(move |(one, _)| one.contains(span))
            .map(|(_, index)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around() {
        let spans = [(0, 50), (50, 100), (10, 20), (12, 18), (10, 20), (30, 40), (100, 100)];
        let nesting = Nesting::new(spans.map(|(start, end)| Span::new(start, end)));
        let around = |start, end| {
            let mut found: Vec<usize> = nesting.around(Span::new(start, end)).collect();
            let each = spans.iter().enumerate().filter(|(_, (from, to))| *from <= start && end <= *to);
            let innermost = found.first().copied();
            found.sort_unstable();
            assert_eq!(found, each.map(|(index, _)| index).collect::<Vec<_>>(), "{start}..{end}");
            innermost
        };
        assert_eq!(around(13, 14), Some(3));
        assert_eq!(around(19, 20), Some(4));
        assert_eq!(around(32, 33), Some(5));
        assert_eq!(around(60, 61), Some(1));
        assert_eq!(around(15, 45), Some(0));
        assert_eq!(around(45, 55), None);
        assert_eq!(around(100, 100), Some(6));
    }
}
