use deadpool_postgres::{ManagerConfig, RecyclingMethod, Runtime};
use seen::{PID, SLOW, connections, gone, key, lock, lock_sql, row, savepoint, state, versions, xact_sql};
use std::time::Duration;
use tokio_postgres::{Client, Config, GenericClient, NoTls};

async fn pid(on: &impl GenericClient, sql: &str) -> i32 {
    on.query_one(sql, &[]).await.unwrap().get(0)
}

fn config() -> Config {
    let mut config = Config::new();
    let env = |name| std::env::var(name).unwrap();
    config.host(env("PGHOST")).user(env("PGUSER")).dbname(env("PGDATABASE"));
    config
}

async fn connect() -> Client {
    let (client, connection) = config().connect(NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

fn pool(method: Option<RecyclingMethod>) -> deadpool_postgres::Pool {
    let manager = match method {
        Some(recycling_method) => {
            deadpool_postgres::Manager::from_config(config(), NoTls, ManagerConfig { recycling_method })
        }
        None => deadpool_postgres::Manager::new(config(), NoTls),
    };
    deadpool_postgres::Pool::builder(manager).max_size(2).runtime(Runtime::Tokio1).build().unwrap()
}

#[tokio::main]
async fn main() {
    versions(&["tokio-postgres", "postgres", "deadpool-postgres", "bb8-postgres", "r2d2_postgres"]);
    let mut own = connect().await;
    let one = pid(&own, PID).await;
    row("Own", "`query_one(SELECT)`", "Begins::Never", state(one));
    let mut tx = own.transaction().await.unwrap();
    row("Own", "`transaction()`", "Does::Begins", state(one));
    row("Transaction", "after `transaction()`", "Begins::Already", state(one));
    let (outer, inner) = (key(), key());
    pid(&tx, &xact_sql(outer)).await;
    let nested = tx.transaction().await.unwrap();
    pid(&nested, &xact_sql(inner)).await;
    nested.rollback().await.unwrap();
    row("Savepoint", "`rollback()`", "Does::Inner", savepoint(outer, inner));
    tx.commit().await.unwrap();
    row("Transaction", "`commit()`", "Does::Ends", state(one));
    own.transaction().await.unwrap().rollback().await.unwrap();
    row("Transaction", "`rollback()`", "Does::Ends", state(one));
    drop(own.transaction().await.unwrap());
    pid(&own, PID).await;
    row("Transaction", "dropped", "no transaction is open", state(one));
    // A future that is dropped while the server works.
    let name = key();
    pid(&own, &lock_sql(name)).await;
    let slow = own.query_one("SELECT pg_backend_pid() FROM pg_sleep(1)", &[]);
    tokio::time::timeout(Duration::from_millis(200), slow).await.unwrap_err();
    row("Own", "the future of `query_one()` is dropped", "a session lock is kept", lock(one, name));
    pid(&own, PID).await;
    drop(own);
    tokio::time::sleep(Duration::from_millis(100)).await;
    row("Own", "dropped", "Owner::Own", lock(one, name));

    for (method, claim) in [
        (None, "Owner::Borrowed"),
        (Some(RecyclingMethod::Verified), "a session lock is kept"),
        (Some(RecyclingMethod::Clean), "a session lock is released"),
    ] {
        let called = method.as_ref().map_or("of default".to_owned(), |method| format!("`{method:?}`"));
        let pool = pool(method);
        let first = pool.get().await.unwrap();
        let second = pool.get().await.unwrap();
        let one = pid(&**first, PID).await;
        if claim == "Owner::Borrowed" {
            row("Pool", "deadpool, two `get()`", "Owner::PerCall", connections(one, pid(&**second, PID).await));
            row("Object", "deadpool, `query_one(SELECT)`", "Begins::Never", state(one));
        }
        drop(second);
        let name = key();
        pid(&**first, &lock_sql(name)).await;
        drop(first);
        row("Object", &format!("deadpool, dropped, recycling {called}"), "a session lock is kept", lock(one, name));
        let (first, second) = (pool.get().await.unwrap(), pool.get().await.unwrap());
        let again = [pid(&**first, PID).await, pid(&**second, PID).await];
        assert!(again.contains(&one));
        row("Object", &format!("deadpool, dropped and handed out again, recycling {called}"), claim, lock(one, name));
        drop((first, second));
        pool.close();
        row("Pool", &format!("deadpool, `close()`, recycling {called}"), "Does::Closes", {
            tokio::time::sleep(Duration::from_millis(100)).await;
            gone(one)
        });
    }

    let manager = bb8_postgres::PostgresConnectionManager::new(config(), NoTls);
    let pool = bb8::Pool::builder().max_size(2).build(manager).await.unwrap();
    let first = pool.get().await.unwrap();
    let second = pool.get().await.unwrap();
    let one = pid(&*first, PID).await;
    row("Pool", "bb8, two `get()`", "Owner::PerCall", connections(one, pid(&*second, PID).await));
    let name = key();
    pid(&*first, &lock_sql(name)).await;
    drop((first, second));
    let (first, second) = (pool.get().await.unwrap(), pool.get().await.unwrap());
    row("Object", "bb8, dropped and handed out again", "Owner::Borrowed", lock(one, name));
    drop((first, second));

    std::thread::spawn(blocking).join().unwrap();
}

fn blocking() {
    let mut client = postgres::Config::from(config()).connect(NoTls).unwrap();
    let mut pid = |sql: &str| -> i32 { client.query_one(sql, &[]).unwrap().get(0) };
    let one = pid(PID);
    row("Own", "postgres, `query_one(SELECT)`", "Begins::Never", state(one));
    let name = key();
    pid(&lock_sql(name));
    client.close().unwrap();
    row("Own", "postgres, `close()`", "Does::Closes", gone(one));

    let manager = r2d2_postgres::PostgresConnectionManager::new(config().into(), NoTls);
    let pool = r2d2::Pool::builder().max_size(2).build(manager).unwrap();
    let (mut first, mut second) = (pool.get().unwrap(), pool.get().unwrap());
    let one: i32 = first.query_one(PID, &[]).unwrap().get(0);
    let other: i32 = second.query_one(SLOW, &[]).unwrap().get(0);
    row("Pool", "r2d2, two `get()`", "Owner::PerCall", connections(one, other));
    let name = key();
    first.query_one(&lock_sql(name), &[]).unwrap();
    drop((first, second));
    let again = (pool.get().unwrap(), pool.get().unwrap());
    row("Object", "r2d2, dropped and handed out again", "Owner::Borrowed", lock(one, name));
    drop(again);
}
