//! Sets of lock sites.

use super::SiteId;
use std::sync::Arc;

/// How many sites of a unit are followed. Every step may hold a set of all of them, so this bounds memory; a script with
/// more is machine-made.
pub const MAX_SITES: usize = 8192;

/// A set of lock sites; those from [`MAX_SITES`] on are in none. Copies share what they hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sites(Words);

/// Bits by site. One spelling for each set: `Many` has two words or more, the last of which is not zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Words {
    Few(u64),
    Many(Arc<Vec<u64>>),
}

impl Default for Sites {
    fn default() -> Self {
        Self(Words::Few(0))
    }
}

impl Sites {
    /// The set of one site.
    pub fn one(site: SiteId) -> Self {
        if site >= MAX_SITES {
            return Self::default();
        }
        let mut words = vec![0; site / 64 + 1];
        words[site / 64] = 1 << (site % 64);
        Self::of(words)
    }

    fn of(mut words: Vec<u64>) -> Self {
        while words.last() == Some(&0) {
            words.pop();
        }
        Self(match words.as_slice() {
            [] => Words::Few(0),
            [word] => Words::Few(*word),
            _ => Words::Many(Arc::new(words)),
        })
    }

    fn words(&self) -> &[u64] {
        match &self.0 {
            Words::Few(word) => std::slice::from_ref(word),
            Words::Many(words) => words,
        }
    }

    fn word(&self, index: usize) -> u64 {
        self.words().get(index).copied().unwrap_or(0)
    }

    /// Whether the site is in it.
    pub fn contains(&self, site: SiteId) -> bool {
        self.word(site / 64) >> (site % 64) & 1 == 1
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == Words::Few(0)
    }

    /// The sites in it, ascending.
    pub fn iter(&self) -> impl Iterator<Item = SiteId> + '_ {
        self.words().iter().enumerate().flat_map(|(index, &word)| {
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|&rest| rest != 0)
                .map(move |rest| index * 64 + rest.trailing_zeros() as usize)
        })
    }

    /// The last so many sites in it, descending.
    pub fn last(&self, count: usize) -> impl Iterator<Item = SiteId> + '_ {
        let bits = |(index, &word): (usize, &u64)| {
            (0..64).rev().filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 64 + bit)
        };
        self.words().iter().enumerate().rev().flat_map(bits).take(count)
    }

    /// Those in either.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        if other.is_within(self) {
            return self.clone();
        }
        self.combined(other, self.words().len().max(other.words().len()), |a, b| a | b)
    }

    /// Those in this one alone.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.combined(other, self.words().len(), |a, b| a & !b)
    }

    /// Those in both.
    #[must_use]
    pub fn both(&self, other: &Self) -> Self {
        self.combined(other, self.words().len().min(other.words().len()), |a, b| a & b)
    }

    fn is_within(&self, other: &Self) -> bool {
        self.words().iter().enumerate().all(|(index, word)| word & !other.word(index) == 0)
    }

    /// Word by word; where that changes nothing the copy shares what is there.
    fn combined(&self, other: &Self, len: usize, join: fn(u64, u64) -> u64) -> Self {
        if let (Words::Few(a), Words::Few(b)) = (&self.0, &other.0) {
            return Self(Words::Few(join(*a, *b)));
        }
        let words: Vec<u64> = (0..len).map(|index| join(self.word(index), other.word(index))).collect();
        let joined = Self::of(words);
        if joined == *self { self.clone() } else { joined }
    }
}

impl FromIterator<SiteId> for Sites {
    fn from_iter<I: IntoIterator<Item = SiteId>>(sites: I) -> Self {
        let mut words: Vec<u64> = Vec::new();
        for site in sites.into_iter().filter(|&site| site < MAX_SITES) {
            if site / 64 >= words.len() {
                words.resize(site / 64 + 1, 0);
            }
            words[site / 64] |= 1 << (site % 64);
        }
        Self::of(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sets_are_those_of_the_library() {
        use proptest::collection::btree_set;
        let site = || proptest::prop_oneof![0usize..70, 0usize..400];
        proptest::proptest!(|(a in btree_set(site(), 0..20), b in btree_set(site(), 0..20))| {
            let (x, y): (Sites, Sites) = (a.iter().copied().collect(), b.iter().copied().collect());
            let list = |sites: &Sites| sites.iter().collect::<BTreeSet<_>>();
            assert_eq!(list(&x), a);
            assert!(x.last(7).eq(a.iter().rev().take(7).copied()));
            assert_eq!(list(&x.with(&y)), &a | &b);
            assert_eq!(list(&x.without(&y)), &a - &b);
            assert_eq!(list(&x.both(&y)), &a & &b);
            assert_eq!(x == y, a == b);
            assert_eq!(x.without(&y) == Sites::default(), a.is_subset(&b));
            assert_eq!(x.is_empty(), a.is_empty());
            assert!((0..500).all(|site| x.contains(site) == a.contains(&site)));
            let ones = a.iter().map(|&site| Sites::one(site));
            assert_eq!(ones.reduce(|one, other| one.with(&other)).unwrap_or_default(), x);
        });
    }

    #[test]
    fn what_changes_nothing_is_shared() {
        let many: Sites = (0..1000).collect();
        for same in [many.with(&Sites::one(70)), many.without(&Sites::one(2000)), many.both(&many)] {
            let (Words::Many(a), Words::Many(b)) = (&many.0, &same.0) else { panic!("{same:?}") };
            assert!(Arc::ptr_eq(a, b));
        }
        assert!(Sites::one(MAX_SITES).is_empty() && !Sites::one(MAX_SITES - 1).is_empty());
    }
}
