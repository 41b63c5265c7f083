//! Migrations of frameworks that run outside of a transaction because they say so: what their own methods run.

use super::Run;
use super::value::{Handle, Origin};
use crate::flow::Evidence;
use crate::host::code::Call;

impl<'s> Run<'_, 's, '_> {
    /// What a call without a receiver works on in a migration that opts out of its transaction.
    pub(super) fn migration(&self, call: &Call<'s>) -> Option<Handle> {
        let text = self.program.text;
        let (driver, kind) = self.names.drivers.iter().find_map(|driver| {
            let migration = driver.migration.as_ref()?;
            let kind = driver.kind(migration.kind).filter(|kind| kind.method(call.name).is_some())?;
            let opts_out = text.contains(migration.mark) && migration.opts_out.iter().all(|said| text.contains(said));
            // One may begin a transaction by itself.
            (opts_out && !text.contains("ransaction(")).then_some((*driver, kind))
        })?;
        let origin = Origin::Text(String::new());
        Some(Handle { driver, kind, root: kind, origin, evidence: Evidence::Shape, made: None })
    }
}
