//! The rules, by name. A new one is a file beside these, a page in the top-level `rules/`, and a line here.

use crate::rule::Rule;

macro_rules! rules {
    ($($module:ident),* $(,)?) => {
        $(mod $module;)*

        /// Every rule, sorted by name.
        pub static RULES: &[&Rule] = &[$(&$module::RULE),*];
    };
}
rules! {
    blocking_lock_with_concurrent_index,
    claim_without_row_lock,
    inconsistent_lock_order,
    invalid_lock_call,
    invalid_row_lock,
    lock_and_read_in_one_statement,
    lock_call_over_rows,
    lock_key_reuse,
    lock_never_evaluated,
    mismatched_unlock,
    missing_unlock,
    narrow_lock_key,
    pg_locks_null_join,
    row_lock_never_taken,
    row_lock_outside_transaction,
    session_lock_behind_pooler,
    session_lock_in_transaction,
    session_lock_via_pool,
    skip_locked_join_without_of,
    skip_locked_single_key,
    skip_locked_subquery_overclaims,
    skip_locked_without_limit,
    transaction_through_pool,
    try_lock_result_ignored,
    unknown_suppression,
    unlock_all_in_pooled_code,
    unlock_before_commit,
    unlock_in_aborted_transaction,
    unlock_not_on_error_path,
    unlock_on_cancelled_context,
    unstable_lock_key,
    unused_suppression,
    work_outside_locked_transaction,
    xact_lock_ended_by_inner_commit,
    xact_lock_outside_transaction,
}

/// The rule of that name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|rule| rule.name.cmp(name)).ok().map(|index| RULES[index])
}
