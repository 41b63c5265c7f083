//! The advisory lock functions: 21 signatures under 11 names, all in `pg_catalog`, the same on every supported server
//! (<https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADVISORY-LOCKS>).

mod keys;

pub use keys::Keys;

use std::fmt;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Waits for the lock; returns void.
    Lock,
    /// Takes the lock if it is free; returns whether it did.
    TryLock,
    /// Releases one hold of a session lock; returns whether there was one.
    Unlock,
    /// Releases every session lock of the session; returns void.
    UnlockAll,
}

/// How long a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Until it is unlocked or the server session ends; COMMIT and ROLLBACK do not matter.
    Session,
    /// Until the transaction ends; there is no unlock.
    Transaction,
}

/// Whom a lock keeps out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Everybody.
    Exclusive,
    /// Exclusive holders.
    Shared,
}

/// One of the functions.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub action: Action,
    /// How long.
    pub scope: Scope,
    /// Whom it keeps out.
    pub mode: Mode,
}

macro_rules! functions {
    ($($name:literal $action:ident $scope:ident $mode:ident;)*) => {
        /// All of them, by name.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: $name,
            action: Action::$action,
            scope: Scope::$scope,
            mode: Mode::$mode,
        }),*];
    };
}
functions! {
    "pg_advisory_lock" Lock Session Exclusive;
    "pg_advisory_lock_shared" Lock Session Shared;
    "pg_advisory_unlock" Unlock Session Exclusive;
    "pg_advisory_unlock_all" UnlockAll Session Exclusive;
    "pg_advisory_unlock_shared" Unlock Session Shared;
    "pg_advisory_xact_lock" Lock Transaction Exclusive;
    "pg_advisory_xact_lock_shared" Lock Transaction Shared;
    "pg_try_advisory_lock" TryLock Session Exclusive;
    "pg_try_advisory_lock_shared" TryLock Session Shared;
    "pg_try_advisory_xact_lock" TryLock Transaction Exclusive;
    "pg_try_advisory_xact_lock_shared" TryLock Transaction Shared;
}

/// The function of that name, which must be lower case (an unquoted identifier folded, a quoted one as it stands).
pub fn function(name: &str) -> Option<&'static Function> {
    FUNCTIONS.binary_search_by(|known| known.name.cmp(name)).ok().map(|index| &FUNCTIONS[index])
}

impl Function {
    /// The function of the same family with another scope: `pg_try_advisory_lock` and `pg_try_advisory_xact_lock`.
    pub fn with_scope(&self, scope: Scope) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|f| f.action == self.action && f.mode == self.mode && f.scope == scope)
    }

    /// The unlock function for what this one takes; none for the transaction scope.
    pub fn unlock(&self) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|f| f.action == Action::Unlock && f.mode == self.mode && self.scope == Scope::Session)
    }

    /// Whether it takes a lock.
    pub const fn acquires(&self) -> bool {
        matches!(self.action, Action::Lock | Action::TryLock)
    }
}

/// One argument of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum KeyPart {
    /// A constant, folded to its value.
    Constant(i64),
    /// NULL: the functions are strict, so nothing is locked.
    Null,
    /// Anything else.
    Expression {
        /// The expression in one spelling: names folded, no white space, no comments.
        text: String,
        /// Whether it holds constants alone, so that another text of the same shape is another key.
        constant: bool,
        /// Whether the same text may be another value at another place: `?`, `%s`, an unread piece.
        opaque: bool,
    },
}

/// What a lock is named by. The two forms are separate key spaces, even for the same 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// `(bigint)`
    Bigint(KeyPart),
    /// `(integer, integer)`
    Pair(KeyPart, KeyPart),
    /// The argument list does not say: a call that is not valid, or a hole for the whole list.
    Unknown,
}

/// Whether two keys name one lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sameness {
    /// They do.
    Equal,
    /// Only the run time knows.
    Unknown,
    /// They do not.
    Different,
}

impl KeyPart {
    fn compare(&self, other: &Self) -> Sameness {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) if a == b => Sameness::Equal,
            (Self::Constant(_), Self::Constant(_)) => Sameness::Different,
            (
                Self::Expression { text: a, constant: first, opaque: false },
                Self::Expression { text: b, constant: second, opaque: false },
            ) => {
                let hashes = HASHES.contains(&head(a)) && HASHES.contains(&head(b));
                if a == b {
                    Sameness::Equal
                } else if *first && *second && (head(a) == head(b) || hashes) {
                    Sameness::Different
                } else {
                    Sameness::Unknown
                }
            }
            // A hash of a literal is no small number that somebody wrote down.
            (Self::Constant(_), Self::Expression { text, constant: true, opaque: false })
            | (Self::Expression { text, constant: true, opaque: false }, Self::Constant(_))
                if HASHES.contains(&head(text)) =>
            {
                Sameness::Different
            }
            _ => Sameness::Unknown,
        }
    }

    fn is_literal(&self) -> bool {
        matches!(self, Self::Constant(_) | Self::Expression { constant: true, .. })
    }
}

/// PostgreSQL's own hash functions.
const HASHES: &[&str] = &["hashtext", "hashtextextended"];

/// The function that an expression's text begins with: `hashtext('a')` and `hashtext('b')` are different keys,
/// `hashtext('a')` and `md5_key('a')` may be one.
fn head(text: &str) -> &str {
    text.split('(').next().unwrap_or_default()
}

impl Key {
    /// Whether the two name one lock.
    pub fn compare(&self, other: &Self) -> Sameness {
        match (self, other) {
            (Self::Bigint(a), Self::Bigint(b)) => a.compare(b),
            (Self::Pair(a, b), Self::Pair(c, d)) => a.compare(c).max(b.compare(d)),
            (Self::Unknown, _) | (_, Self::Unknown) => Sameness::Unknown,
            _ => Sameness::Different,
        }
    }

    /// Whether both keys are in the same space, or one is not known.
    pub fn same_space(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Bigint(_), Self::Bigint(_))
                | (Self::Pair(..), Self::Pair(..))
                | (Self::Unknown, _)
                | (_, Self::Unknown)
        )
    }

    /// Whether it is the other one with its two parts the other way round.
    pub fn is_swapped(&self, other: &Self) -> bool {
        let (Self::Pair(a, b), Self::Pair(c, d)) = (self, other) else { return false };
        a != b && a.compare(d) == Sameness::Equal && b.compare(c) == Sameness::Equal
    }

    /// The parts, in order.
    pub fn parts(&self) -> impl Iterator<Item = &KeyPart> {
        let (first, second) = match self {
            Self::Bigint(part) => (Some(part), None),
            Self::Pair(first, second) => (Some(first), Some(second)),
            Self::Unknown => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Whether the whole key stands in the text: literals, constant expressions, hashes of literals.
    pub fn is_literal(&self) -> bool {
        !matches!(self, Self::Unknown) && self.parts().all(KeyPart::is_literal)
    }

    /// Whether a part may be another value each time that it is read.
    pub fn is_opaque(&self) -> bool {
        self.parts().any(|part| matches!(part, KeyPart::Expression { opaque: true, .. }))
    }

    /// Whether a part is NULL.
    pub fn has_null(&self) -> bool {
        self.parts().any(|part| *part == KeyPart::Null)
    }
}

impl fmt::Display for KeyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Null => f.write_str("NULL"),
            Self::Expression { text, .. } => f.write_str(text),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bigint(part) => write!(f, "{part}"),
            Self::Pair(first, second) => write!(f, "({first}, {second})"),
            Self::Unknown => f.write_str("?"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_complete() {
        assert!(FUNCTIONS.is_sorted_by_key(|f| f.name));
        assert_eq!(FUNCTIONS.len(), 11);
        for known in FUNCTIONS {
            assert_eq!(function(known.name), Some(known));
            assert_eq!(known.name.contains("_xact_"), known.scope == Scope::Transaction);
            assert_eq!(known.name.ends_with("_shared"), known.mode == Mode::Shared);
            assert_eq!(known.name.contains("_try_"), known.action == Action::TryLock);
        }
        assert_eq!(function("pg_advisory_xact_unlock"), None);
    }

    #[test]
    fn families() {
        let of = |name| function(name).expect("known");
        assert_eq!(
            of("pg_try_advisory_lock_shared").with_scope(Scope::Transaction).map(|f| f.name),
            Some("pg_try_advisory_xact_lock_shared")
        );
        assert_eq!(of("pg_try_advisory_lock_shared").unlock().map(|f| f.name), Some("pg_advisory_unlock_shared"));
        assert_eq!(of("pg_advisory_xact_lock").unlock(), None);
    }

    #[test]
    fn keys_are_equal_different_or_unknown() {
        let constant = |value| KeyPart::Constant(value);
        let expression = |text: &str, constant, opaque| KeyPart::Expression { text: text.to_owned(), constant, opaque };
        let one = Key::Bigint(constant(1));
        assert_eq!(one.compare(&Key::Bigint(constant(1))), Sameness::Equal);
        assert_eq!(one.compare(&Key::Bigint(constant(2))), Sameness::Different);
        assert_eq!(one.compare(&Key::Pair(constant(0), constant(1))), Sameness::Different);
        assert_eq!(one.compare(&Key::Bigint(expression("$1", false, false))), Sameness::Unknown);
        let hash = |text| Key::Bigint(expression(text, true, false));
        assert_eq!(hash("hashtext('a')").compare(&hash("hashtext('b')")), Sameness::Different);
        assert_eq!(hash("hashtext('a')").compare(&hash("mine('a')")), Sameness::Unknown);
        assert_eq!(hash("hashtext('a')").compare(&one), Sameness::Different);
        assert_eq!(hash("mine('a')").compare(&one), Sameness::Unknown);
        let question = Key::Bigint(expression("?", false, true));
        assert_eq!(question.compare(&question), Sameness::Unknown);
        let pair = |second| Key::Pair(constant(7), second);
        assert_eq!(pair(question_part()).compare(&pair(constant(1))), Sameness::Unknown);
        assert_eq!(
            Key::Pair(constant(8), question_part()).compare(&pair(question_part())),
            Sameness::Different,
            "one differing part decides"
        );
        let tenant = expression("h__tenant", false, false);
        let swapped = Key::Pair(tenant.clone(), constant(7));
        assert!(swapped.is_swapped(&pair(tenant.clone())) && !swapped.is_swapped(&swapped));
        assert!(!Key::Pair(question_part(), constant(7)).is_swapped(&pair(question_part())));
    }

    fn question_part() -> KeyPart {
        KeyPart::Expression { text: "?".to_owned(), constant: false, opaque: true }
    }
}
