//! What host code runs in a closure that it gives to something called a lock.

use crate::host::code::{Argument, Code, Value};
use crate::span::Span;

/// The closures that calls such as `withLock("orders", () => …)` are given: a lock that says which one it is may hold for
/// other processes, too.
pub(super) fn guarded(code: &Code<'_>) -> Vec<Span> {
    let function = |argument: &Argument<'_>| match code.exprs.get(argument.value)?.value {
        Value::Function(id) => code.functions.get(id).map(|function| function.span),
        _ => None,
    };
    let mut found = Vec::new();
    for call in code.calls.iter().filter(|call| is_lock(call.name)) {
        let closures: Vec<Span> = call.arguments.iter().filter_map(function).collect();
        if closures.len() < call.arguments.len() {
            found.extend(closures);
        }
    }
    found
}

fn is_lock(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("lock") && !["unlock", "block", "clock"].iter().any(|other| name.contains(other))
}
