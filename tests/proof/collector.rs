//! What stands in the definition of a collector of metrics.

use saphyr_parser::{Event, Parser};

/// The one query in it.
pub(crate) fn query_in(yaml: &str) -> Result<String, String> {
    let mut queries = Vec::new();
    for event in Parser::new_from_str(yaml) {
        if let (Event::Scalar(text, ..), _) = event.map_err(|error| format!("{error}\n{yaml}"))?
            && text.contains("FROM pg_locks")
        {
            queries.push(text.into_owned());
        }
    }
    match (queries.pop(), queries.pop()) {
        (Some(query), None) => Ok(query),
        _ => Err(format!("not one query in {yaml}")),
    }
}
