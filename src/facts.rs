//! What only the whole tree can say.

pub mod around;
pub mod bound;
pub mod catalog;
pub mod constants;
pub mod imports;
pub mod pooler;
pub mod pools;
pub mod routines;
mod schema;
pub mod tree;
pub mod wrappers;

use crate::analysis::File;
use crate::finding::Place;
use crate::flow::{SiteId, UnitFlow, UnitKind};
use crate::language::{HostLanguage, Language};
use crate::sql::advisory::{Key, Keys, Mode, Sameness};
use catalog::Catalog;
use constants::Constants;
use pooler::Pooler;
use pools::Pools;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The languages of the files that ask for something.
pub fn languages<'f, 's: 'f>(
    files: impl Iterator<Item = &'f File<'s>>,
    asks: impl Fn(&File<'s>) -> bool,
) -> Vec<HostLanguage> {
    let asking = files.filter(|file| asks(file)).filter_map(|file| match file.source.language() {
        Language::Host(language) => Some(language),
        _ => None,
    });
    let languages: BTreeSet<HostLanguage> = asking.collect();
    languages.into_iter().collect()
}

/// Facts of a project, from every file that may hold a lock; the catalog from every file that may define a table;
/// the connection settings from every configuration file.
#[derive(Debug, Default)]
pub struct Facts {
    /// Whether every file of the root was seen; where not, nothing is argued from absence.
    pub complete: bool,
    /// Unlocks of one key that no lock of their own unit is for: somebody else's lock is released there.
    unpaired: HashMap<Mode, Keys>,
    /// Those in functions that other files call for it: which locks they are for their callers say.
    handed: HashMap<Mode, Keys>,
    /// Tables and keys; empty where no statement asks for them.
    pub catalog: Catalog,
    /// How programs connect; empty where no statement asks for it.
    pub pooler: Pooler,
    /// Whether nothing in the tree begins or ends a transaction, or could have a library do so.
    pub begins_nowhere: bool,
    /// Pools of one connection; empty where nothing is done through a pool.
    pub pools: Pools,
    /// Languages in which something wraps what a framework calls in a transaction; empty where no lock asks for it.
    pub begun_around: HashSet<HostLanguage>,
    /// Constants of other files that keys name.
    pub constants: Constants,
    /// Whether host code takes locks that may guard what queries in SQL files do.
    pub host_locks: bool,
    /// Whether a query that host code runs by name releases all locks of its session.
    pub query_unlocks_all: bool,
    /// Functions of the tree that are named like an advisory function, lower case.
    pub own_functions: HashSet<String>,
}

impl Facts {
    /// The facts of `files`.
    pub fn of(files: &[File<'_>], complete: bool, catalog: Catalog, pooler: Pooler) -> Self {
        let mut facts = Self { complete, catalog, pooler, ..Self::default() };
        let called = called(files);
        for file in files {
            for flow in &file.units {
                for (site, mode, key) in unpaired(flow) {
                    // What a function unlocks for its callers is told there, as far as they are followed.
                    let place = Place::new(file.id, flow.unit.sites[site].span);
                    let known = if called.contains(&place) { &mut facts.handed } else { &mut facts.unpaired };
                    known.entry(mode).or_default().insert(key);
                }
            }
            facts.host_locks |= file.has_locks_of_its_own();
            facts.query_unlocks_all |=
                file.units.iter().any(|flow| flow.unit.kind == UnitKind::Query && flow.releases_all());
            facts.own_functions.extend(file.own_functions.iter().cloned());
        }
        facts
    }

    /// Whether whoever calls a function may have begun a transaction on its session: of what the framework itself calls, a
    /// callback or middleware of the tree.
    pub fn caller_may_begin(&self, flow: &UnitFlow, file: &File<'_>) -> bool {
        let Language::Host(language) = file.source.language() else { return flow.caller_may_begin() };
        flow.caller_may_begin() || flow.is_called_by_framework() && self.begun_around.contains(&language)
    }

    /// Whether another unit releases this key: by an unlock that its own unit has no lock for.
    pub fn released_elsewhere(&self, mode: Mode, key: &Key) -> Sameness {
        let holds = |known: &HashMap<Mode, Keys>| known.get(&mode).map_or(Sameness::Different, |keys| keys.holds(key));
        holds(&self.unpaired).min(holds(&self.handed).max(Sameness::Unknown))
    }
}

fn unpaired(flow: &UnitFlow) -> impl Iterator<Item = (SiteId, Mode, &Key)> {
    flow.released()
        .filter(|(_, unlock, key)| !flow.acquired_by(key).any(|(_, taken)| taken.mode == unlock.mode))
        .map(|(site, unlock, key)| (site, unlock.mode, key))
}

/// The calls of advisory functions in host code that functions of other files reach: their keys are those of the callers.
pub fn called(files: &[File<'_>]) -> HashSet<Place> {
    let of_host = files.iter().filter(|file| file.is_host());
    let sites = of_host.flat_map(|file| file.units.iter().map(move |flow| (file.id, flow)));
    let via = sites
        .flat_map(|(file, flow)| flow.unit.sites.iter().filter_map(|site| site.via).filter(move |at| at.file != file));
    via.filter(|at| files.binary_search_by_key(&at.file, |file| file.id).is_ok_and(|index| files[index].is_host()))
        .collect()
}
