//! One libFuzzer program for all targets: `LOCKLINT_FUZZ` names the one to run. See `scripts/fuzz`.

#![no_main]

mod targets;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("LOCKLINT_FUZZ").unwrap_or_default();
    let known = targets::ALL.iter().find(|(known, _)| *known == name);
    known.unwrap_or_else(|| panic!("LOCKLINT_FUZZ names no target: {name:?}")).1
});

fuzz_target!(|data: &[u8]| TARGET(data));
