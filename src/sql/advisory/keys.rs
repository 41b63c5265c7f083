//! Many keys at once.

use super::{HASHES, Key, KeyPart, Sameness, head};
use std::collections::{HashMap, HashSet};

/// Keys, of which one question is answered in constant time: whether one may be the same as another key. Comparing with
/// each would take a file of a thousand locks and unlocks a million comparisons.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// How many keys have parts of the given shapes.
    counts: HashMap<(Shape, Option<Shape>), usize>,
    /// The keys themselves, where one text is one key.
    exact: HashSet<Key>,
    all: usize,
    unknown: usize,
}

/// What keys are counted by. A part is of up to three shapes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// Any part.
    Any,
    /// A part of a class in which parts are equal or different and never in doubt: integers with the server's hashes of
    /// constants, or constant calls of one function.
    Integer,
    Call(String),
    /// A member of such a class.
    IntegerOf(i64),
    CallOf(String),
}

impl Shape {
    /// The shapes of a part with the weight by which their counts add up to that of the parts that may be the same:
    /// all, but of its own class itself alone.
    fn of(part: &KeyPart) -> Vec<(Self, isize)> {
        let mut shapes = vec![(Self::Any, 1)];
        match part {
            KeyPart::Constant(value) => shapes.extend([(Self::Integer, -1), (Self::IntegerOf(*value), 1)]),
            KeyPart::Expression { text, constant: true, opaque: false } if HASHES.contains(&head(text)) => {
                shapes.extend([(Self::Integer, -1), (Self::CallOf(text.clone()), 1)]);
            }
            KeyPart::Expression { text, constant: true, opaque: false } => {
                shapes.extend([(Self::Call(head(text).to_owned()), -1), (Self::CallOf(text.clone()), 1)]);
            }
            KeyPart::Null | KeyPart::Expression { .. } => {}
        }
        shapes
    }

    fn of_key(key: &Key) -> Vec<((Self, Option<Self>), isize)> {
        match key {
            Key::Bigint(part) => Self::of(part).into_iter().map(|(shape, w)| ((shape, None), w)).collect(),
            Key::Pair(first, second) => {
                let second = Self::of(second);
                let pairs = Self::of(first)
                    .into_iter()
                    .flat_map(|(a, v)| second.iter().map(move |(b, w)| ((a.clone(), Some(b.clone())), v * w)));
                pairs.collect()
            }
            Key::Unknown => Vec::new(),
        }
    }
}

impl Keys {
    /// Adds a key.
    pub fn insert(&mut self, key: &Key) {
        self.all += 1;
        self.unknown += usize::from(*key == Key::Unknown);
        if key.compare(key) == Sameness::Equal {
            self.exact.insert(key.clone());
        }
        for (shape, _) in Shape::of_key(key) {
            *self.counts.entry(shape).or_default() += 1;
        }
    }

    /// Whether it holds a key that is not known to be a different one.
    pub fn may_hold(&self, key: &Key) -> bool {
        if self.unknown > 0 || *key == Key::Unknown {
            return self.all > 0;
        }
        let count = |shape| self.counts.get(shape).map_or(0, |&count| isize::try_from(count).unwrap_or(isize::MAX));
        Shape::of_key(key).iter().map(|(shape, weight)| weight * count(shape)).sum::<isize>() > 0
    }

    /// The best that comparing the key with each of them gives.
    pub fn holds(&self, key: &Key) -> Sameness {
        if self.exact.contains(key) {
            Sameness::Equal
        } else if self.may_hold(key) {
            Sameness::Unknown
        } else {
            Sameness::Different
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part() -> impl Strategy<Value = KeyPart> {
        let expression = (
            prop::sample::select(vec!["f(1)", "f(2)", "g(1)", "hashtext(1)", "hashtext(2)", "x", "$1"]),
            any::<bool>(),
        );
        prop_oneof![
            (0i64..3).prop_map(KeyPart::Constant),
            Just(KeyPart::Null),
            expression.prop_map(|(text, opaque)| KeyPart::Expression {
                text: text.to_owned(),
                constant: text.ends_with(')'),
                opaque,
            }),
        ]
    }

    fn key() -> impl Strategy<Value = Key> {
        prop_oneof![
            4 => part().prop_map(Key::Bigint),
            4 => (part(), part()).prop_map(|(a, b)| Key::Pair(a, b)),
            1 => Just(Key::Unknown),
        ]
    }

    proptest! {
        #[test]
        fn the_answer_is_that_of_comparing_with_each(known in prop::collection::vec(key(), 0..8), asked in key()) {
            let mut keys = Keys::default();
            known.iter().for_each(|key| keys.insert(key));
            let each = known.iter().map(|key| key.compare(&asked)).min().unwrap_or(Sameness::Different);
            prop_assert_eq!(keys.may_hold(&asked), each != Sameness::Different);
            prop_assert_eq!(keys.holds(&asked), each);
        }
    }
}
