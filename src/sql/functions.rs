//! What is known of PostgreSQL's own functions by their names: read from `pg_proc` of a server.

/// The aggregate functions, sorted.
const AGGREGATES: &[&str] = &[
    "any_value",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "covar_pop",
    "covar_samp",
    "cume_dist",
    "dense_rank",
    "every",
    "json_agg",
    "json_agg_strict",
    "json_arrayagg",
    "json_object_agg",
    "json_objectagg",
    "jsonb_agg",
    "jsonb_agg_strict",
    "jsonb_object_agg",
    "max",
    "min",
    "mode",
    "percent_rank",
    "percentile_cont",
    "percentile_disc",
    "range_agg",
    "range_intersect_agg",
    "rank",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "var_pop",
    "var_samp",
    "variance",
    "xmlagg",
];

/// Functions that return a set of rows, whatever their arguments; those for administrators are left out. Sorted.
const SETS: &[&str] = &[
    "aclexplode",
    "generate_series",
    "generate_subscripts",
    "json_array_elements",
    "json_array_elements_text",
    "json_each",
    "json_each_text",
    "json_object_keys",
    "json_populate_recordset",
    "json_to_recordset",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "jsonb_each",
    "jsonb_each_text",
    "jsonb_object_keys",
    "jsonb_path_query",
    "jsonb_path_query_tz",
    "jsonb_populate_recordset",
    "jsonb_to_recordset",
    "regexp_matches",
    "regexp_split_to_table",
    "string_to_table",
    "unnest",
];

/// Why another caller, or a later call, gets another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moves {
    /// It tells the time.
    Clock,
    /// It is drawn at random.
    Random,
    /// It names the server session.
    Session,
    /// It names the transaction.
    Transaction,
    /// It counts on.
    Sequence,
}

/// Functions whose value moves, sorted.
const MOVING: &[(&str, Moves)] = &[
    ("clock_timestamp", Moves::Clock),
    ("current_time", Moves::Clock),
    ("current_timestamp", Moves::Clock),
    ("currval", Moves::Sequence),
    ("gen_random_bytes", Moves::Random),
    ("gen_random_uuid", Moves::Random),
    ("lastval", Moves::Sequence),
    ("localtime", Moves::Clock),
    ("localtimestamp", Moves::Clock),
    ("nextval", Moves::Sequence),
    ("now", Moves::Clock),
    ("pg_backend_pid", Moves::Session),
    ("pg_current_xact_id", Moves::Transaction),
    ("random", Moves::Random),
    ("random_normal", Moves::Random),
    ("statement_timestamp", Moves::Clock),
    ("timeofday", Moves::Clock),
    ("transaction_timestamp", Moves::Clock),
    ("txid_current", Moves::Transaction),
    ("uuid_generate_v1", Moves::Random),
    ("uuid_generate_v4", Moves::Random),
    ("uuidv4", Moves::Random),
    ("uuidv7", Moves::Random),
];

/// Whether a function of this name, lower case, makes one value of many rows.
pub fn is_aggregate(name: &str) -> bool {
    AGGREGATES.binary_search(&name).is_ok()
}

/// Whether a function of this name, lower case, returns several rows for one call.
pub fn returns_set(name: &str) -> bool {
    SETS.binary_search(&name).is_ok()
}

/// Why the value of a function of this name, lower case, is not the same for everybody.
pub fn moves(name: &str) -> Option<Moves> {
    let index = MOVING.binary_search_by(|(known, _)| known.cmp(&name)).ok()?;
    Some(MOVING[index].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(AGGREGATES.is_sorted() && SETS.is_sorted() && MOVING.is_sorted_by_key(|(name, _)| name));
    }

    #[test]
    fn names_are_found() {
        assert!(is_aggregate("count") && is_aggregate("xmlagg") && !is_aggregate("length"));
        assert!(returns_set("unnest") && !returns_set("count"));
        assert_eq!(moves("random"), Some(Moves::Random));
        assert_eq!(moves("now"), Some(Moves::Clock));
        assert_eq!(moves("hashtext"), None);
    }
}
