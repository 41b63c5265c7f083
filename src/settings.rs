//! What may be set, per file: the rules' levels, the schema's keys, the pooling in front of the server.

/// The settings of a run.
#[derive(Clone, Debug, Default)]
pub struct Settings {}
