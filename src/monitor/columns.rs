//! The columns of the query: what each is and what it says.

use super::{Request, lock_name, waited};

/// A column.
pub(super) struct Column {
    pub(super) name: &'static str,
    value: Value,
    /// What it says to who is woken by it, in lines.
    about: &'static [&'static str],
}

enum Value {
    Of(&'static str),
    Waited,
    LockName,
}

const fn column(name: &'static str, value: &'static str, about: &'static [&'static str]) -> Column {
    Column { name, value: Value::Of(value), about }
}

impl Column {
    pub(super) fn value(&self, request: &Request) -> String {
        match self.value {
            Value::Of(text) => text.to_owned(),
            Value::Waited => format!("round(({})::numeric, 1)", waited(request)),
            Value::LockName => lock_name(request),
        }
    }

    pub(super) fn about(&self, request: &Request) -> impl Iterator<Item = &'static str> {
        let at_most: &[&str] = match self.value {
            Value::Waited if !request.has_waitstart => &["at most: it is the time since the statement began"],
            _ => &[],
        };
        self.about.iter().chain(at_most).copied()
    }
}

pub(super) const COLUMNS: &[Column] = &[
    Column { name: "waiting_seconds", value: Value::Waited, about: &["how long it has waited: alert on this"] },
    column("waiting_pid", "w.pid", &["the session that waits; pg_cancel_backend(pid) ends the wait"]),
    column(
        "waiting_application",
        "a.application_name",
        &["its application_name, which is worth setting for each service"],
    ),
    column("waiting_query", "left(a.query, 200)", &["the statement that waits"]),
    column("wants", "w.mode", &["ExclusiveLock, or ShareLock for the _shared functions"]),
    column(
        "database",
        "d.datname",
        &["advisory keys are of one database: the same key in another one is another lock"],
    ),
    column(
        "key_space",
        "CASE w.objsubid WHEN 1 THEN 'bigint' ELSE 'int4, int4' END",
        &["which form of the functions was called: (bigint) and (integer, integer) never meet"],
    ),
    column(
        "lock_key",
        "CASE w.objsubid
         WHEN 1 THEN (w.classid::bigint << 32 | w.objid::bigint)::text
         ELSE '(' || (w.classid::bigint << 32 >> 32) || ', ' || (w.objid::bigint << 32 >> 32) || ')'
       END",
        &["the key as the caller wrote it; pg_locks shows its halves without a sign"],
    ),
    Column {
        name: "lock_name",
        value: Value::LockName,
        about: &["what the code calls this key, as far as constants show it; NULL for others"],
    },
    column(
        "row_id",
        "w.classid::bigint || ':' || w.objid::bigint || ':' || w.objsubid",
        &["for `locklint keys --decode`, which leads to the lines that take this key"],
    ),
    column(
        "blocking_pid",
        "b.pid",
        &["who is in the way; 0 is a prepared transaction, which no pg_terminate_backend ends"],
    ),
    column(
        "blocking_application",
        "s.application_name",
        &["its application_name; behind a pooler perhaps that of an earlier client"],
    ),
    column(
        "blocking_state",
        "s.state",
        &[
            "`idle`: it runs nothing: its program works elsewhere meanwhile, or the lock was leaked",
            "`idle in transaction`: the same, with a transaction left open",
        ],
    ),
    column("blocking_state_since", "s.state_change", &["since when; no column tells when a lock was granted"]),
    column(
        "blocking_query",
        "left(s.query, 200)",
        &["its LAST statement, which need not be the one that took the lock"],
    ),
    column("holds", "h.mode", &["NULL: it holds nothing, and waits for the same lock before this session"]),
    column(
        "blocking_prepared",
        "(SELECT min(p.gid)
          FROM pg_prepared_xacts p JOIN pg_locks t ON t.transactionid = p.transaction
         WHERE b.pid = 0 AND t.pid IS NULL AND t.virtualtransaction = h.virtualtransaction)",
        &["the prepared transaction in the way: COMMIT PREPARED or ROLLBACK PREPARED with this name ends it"],
    ),
];
