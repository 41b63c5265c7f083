//! What only the whole tree can say.

pub mod bound;
pub mod catalog;
pub mod pooler;
pub mod routines;
pub mod wrappers;

use crate::analysis::File;
use crate::flow::UnitFlow;
use crate::sql::advisory::{Action, Key, Mode, Sameness};
use catalog::Catalog;
use pooler::Pooler;

/// Facts of a project, from every file that may hold a lock; the catalog from every file that may define a table;
/// the connection settings from every configuration file.
#[derive(Debug, Default)]
pub struct Facts {
    /// Whether every file of the root was seen; where not, nothing is argued from absence.
    pub complete: bool,
    /// Unlocks of one key that no lock of their own unit is for: somebody else's lock is released there.
    unpaired: Vec<(Mode, Key)>,
    /// Tables and keys; empty where no statement asks for them.
    pub catalog: Catalog,
    /// How programs connect; empty where no statement asks for it.
    pub pooler: Pooler,
    /// Functions of the tree that are named like an advisory function, lower case.
    pub own_functions: Vec<String>,
}

impl Facts {
    /// The facts of `files`.
    pub fn of(files: &[File<'_>], complete: bool, catalog: Catalog, pooler: Pooler) -> Self {
        let mut facts = Self { complete, catalog, pooler, ..Self::default() };
        for file in files {
            for flow in &file.units {
                facts.unpaired.extend(unpaired(flow));
            }
            facts.own_functions.extend(file.own_functions.iter().cloned());
        }
        facts
    }

    /// Whether another unit releases this key: by an unlock that its own unit has no lock for.
    pub fn released_elsewhere(&self, mode: Mode, key: &Key) -> Sameness {
        let of_mode = self.unpaired.iter().filter(|(known, _)| *known == mode);
        of_mode.map(|(_, released)| released.compare(key)).min().unwrap_or(Sameness::Different)
    }
}

fn unpaired(flow: &UnitFlow) -> impl Iterator<Item = (Mode, Key)> {
    flow.released()
        .filter(|(_, unlock, key)| {
            unlock.action == Action::Unlock
                && !flow
                    .acquired()
                    .any(|(_, taken, known)| taken.mode == unlock.mode && known.compare(key) == Sameness::Equal)
        })
        .map(|(_, unlock, key)| (unlock.mode, key.clone()))
}
