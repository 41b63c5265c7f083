//! What only the whole tree can say.

pub mod bound;
pub mod catalog;
pub mod pooler;
pub mod routines;
mod schema;
pub mod wrappers;

use crate::analysis::File;
use crate::flow::UnitFlow;
use crate::sql::advisory::{Key, Keys, Mode, Sameness};
use catalog::Catalog;
use pooler::Pooler;
use std::collections::{HashMap, HashSet};

/// Facts of a project, from every file that may hold a lock; the catalog from every file that may define a table;
/// the connection settings from every configuration file.
#[derive(Debug, Default)]
pub struct Facts {
    /// Whether every file of the root was seen; where not, nothing is argued from absence.
    pub complete: bool,
    /// Unlocks of one key that no lock of their own unit is for: somebody else's lock is released there.
    unpaired: HashMap<Mode, Keys>,
    /// Tables and keys; empty where no statement asks for them.
    pub catalog: Catalog,
    /// How programs connect; empty where no statement asks for it.
    pub pooler: Pooler,
    /// Whether the tree makes a pool of one connection somewhere, which may be any that is handed on.
    pub pool_of_one: bool,
    /// Functions of the tree that are named like an advisory function, lower case.
    pub own_functions: HashSet<String>,
}

impl Facts {
    /// The facts of `files`.
    pub fn of(files: &[File<'_>], complete: bool, catalog: Catalog, pooler: Pooler) -> Self {
        let mut facts = Self { complete, catalog, pooler, ..Self::default() };
        for file in files {
            for flow in &file.units {
                for (mode, key) in unpaired(flow) {
                    facts.unpaired.entry(mode).or_default().insert(key);
                }
            }
            facts.own_functions.extend(file.own_functions.iter().cloned());
        }
        facts
    }

    /// Whether another unit releases this key: by an unlock that its own unit has no lock for.
    pub fn released_elsewhere(&self, mode: Mode, key: &Key) -> Sameness {
        self.unpaired.get(&mode).map_or(Sameness::Different, |released| released.holds(key))
    }
}

fn unpaired(flow: &UnitFlow) -> impl Iterator<Item = (Mode, &Key)> {
    flow.released()
        .filter(|(_, unlock, key)| !flow.acquired_by(key).any(|(_, taken)| taken.mode == unlock.mode))
        .map(|(_, unlock, key)| (unlock.mode, key))
}
