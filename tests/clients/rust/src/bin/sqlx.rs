use seen::{PID, SLOW, connections, gone, key, lock, lock_sql, row, savepoint, state, versions, xact_sql};
use sqlx::postgres::{PgConnection, PgPoolOptions};
use sqlx::{Acquire, Connection, Executor, PgExecutor, query_scalar};
use std::time::Duration;

async fn pid<'a>(on: impl PgExecutor<'a>, sql: &str) -> i32 {
    query_scalar(sql).fetch_one(on).await.unwrap()
}

#[tokio::main]
async fn main() {
    versions(&["sqlx"]);
    // The other settings come from the environment.
    let url = "postgres://";
    let pool = PgPoolOptions::new().max_connections(2).connect(url).await.unwrap();
    let (one, other) = tokio::join!(pid(&pool, SLOW), pid(&pool, SLOW));
    row("Pool", "two `fetch_one(&pool)` at once", "Owner::PerCall", connections(one, other));
    row("Pool", "`fetch_one(&pool)` of a SELECT", "Begins::Never", state(one));
    let name = key();
    let one = pid(&pool, &lock_sql(name)).await;
    row("Pool", "`fetch_one(&pool)` of pg_advisory_lock", "a session lock is kept", lock(one, name));
    let mut conn = pool.acquire().await.unwrap();
    let one = pid(&mut *conn, PID).await;
    row("Pooled", "one `fetch_one(&mut *conn)` after another", "one connection", connections(one, pid(&mut *conn, PID).await));
    row("Pooled", "`fetch_one(&pool)` meanwhile", "another connection", connections(one, pid(&pool, PID).await));
    row("Pooled", "`fetch_one(&mut *conn)` of a SELECT", "Begins::Never", state(one));
    let name = key();
    pid(&mut *conn, &lock_sql(name)).await;
    drop(conn);
    tokio::time::sleep(Duration::from_millis(200)).await;
    row("Pooled", "dropped", "Owner::Borrowed", lock(one, name));
    row("Pooled", "dropped", "no transaction is open", state(one));

    let mut tx = pool.begin().await.unwrap();
    let one = pid(&mut *tx, PID).await;
    row("Pool", "`begin()`", "Does::Begins", state(one));
    row("Transaction", "after `begin()`", "Begins::Already", state(one));
    let (outer, inner) = (key(), key());
    pid(&mut *tx, &xact_sql(outer)).await;
    let mut nested = tx.begin().await.unwrap();
    pid(&mut *nested, &xact_sql(inner)).await;
    nested.rollback().await.unwrap();
    row("Nested", "`rollback()`", "Does::Inner", savepoint(outer, inner));
    let name = key();
    pid(&mut *tx, &lock_sql(name)).await;
    tx.commit().await.unwrap();
    row("Transaction", "`commit()`", "Does::Ends", state(one));
    row("Transaction", "`commit()`", "a session lock is kept", lock(one, name));
    let mut tx = pool.begin().await.unwrap();
    let one = pid(&mut *tx, PID).await;
    tx.rollback().await.unwrap();
    row("Transaction", "`rollback()`", "Does::Ends", state(one));
    let mut tx = pool.begin().await.unwrap();
    let one = pid(&mut *tx, PID).await;
    drop(tx);
    tokio::time::sleep(Duration::from_millis(300)).await;
    row("Transaction", "dropped", "no transaction is open", state(one));

    // A future that is dropped while the server works.
    let mut conn = pool.acquire().await.unwrap();
    let one = pid(&mut *conn, PID).await;
    let name = key();
    pid(&mut *conn, &lock_sql(name)).await;
    let slow = pid(&mut *conn, "SELECT pg_backend_pid() FROM pg_sleep(1)");
    tokio::time::timeout(Duration::from_millis(200), slow).await.unwrap_err();
    row("Pooled", "the future of `fetch_one()` is dropped", "a session lock is kept", lock(one, name));
    conn.close().await.unwrap();
    row("Pooled", "`close()`", "Does::Closes", gone(one));
    let conn = pool.acquire().await.unwrap();
    let mut own = conn.detach();
    let one = pid(&mut own, PID).await;
    let name = key();
    pid(&mut own, &lock_sql(name)).await;
    drop(own);
    row("Own", "`detach()`, dropped", "Owner::Own", lock(one, name));

    let mut own = PgConnection::connect(url).await.unwrap();
    let one = pid(&mut own, PID).await;
    row("Own", "`fetch_one(&mut conn)` of a SELECT", "Begins::Never", state(one));
    own.execute("BEGIN").await.unwrap();
    row("Own", "`execute(BEGIN)`", "a transaction is open", state(one));
    own.close().await.unwrap();
    row("Own", "`close()`", "Does::Closes", gone(one));
    let one = pid(&pool, PID).await;
    // A connection that is on its way back meanwhile may be left open.
    tokio::time::sleep(Duration::from_millis(300)).await;
    pool.close().await;
    row("Pool", "`close()`", "Does::Closes", gone(one));
}
