use diesel::connection::SimpleConnection;
use diesel::r2d2::{ConnectionManager, Pool};
use diesel::sql_types::Integer;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, sql_query};
use seen::{PID, connections, gone, key, lock, row, savepoint, state, versions, xact_sql};

#[derive(QueryableByName)]
struct Pid {
    #[diesel(sql_type = Integer)]
    pid: i32,
}

fn pid(conn: &mut PgConnection, sql: &str) -> i32 {
    sql_query(sql.replacen("pg_backend_pid()", "pg_backend_pid() AS pid", 1)).get_result::<Pid>(conn).unwrap().pid
}

fn main() {
    versions(&["diesel", "r2d2"]);
    // The settings come from the environment.
    let mut own = PgConnection::establish("").unwrap();
    let one = pid(&mut own, PID);
    row("Own", "`get_result(&mut conn)` of a SELECT", "Begins::Never", state(one));
    let name = key();
    own.transaction(|conn| {
        pid(conn, &seen::lock_sql(name));
        row("Own", "`transaction()`", "Does::Within", state(one));
        row("Tx", "in `transaction()`", "Begins::Already", state(one));
        let (outer, inner) = (key(), key());
        pid(conn, &xact_sql(outer));
        let _: Result<(), _> = conn.transaction(|conn| {
            pid(conn, &xact_sql(inner));
            Err(diesel::result::Error::RollbackTransaction)
        });
        row("Tx", "inner `transaction()` that fails", "back to a savepoint", savepoint(outer, inner));
        diesel::QueryResult::Ok(())
    })
    .unwrap();
    row("Own", "end of `transaction()`", "no transaction is open", state(one));
    row("Own", "end of `transaction()`", "a session lock is kept", lock(one, name));
    own.batch_execute("BEGIN").unwrap();
    row("Own", "`batch_execute(BEGIN)`", "a transaction is open", state(one));
    drop(own);
    row("Own", "dropped", "Owner::Own", lock(one, name));

    let pool = Pool::builder().max_size(2).build(ConnectionManager::<PgConnection>::new("")).unwrap();
    let (mut first, mut second) = (pool.get().unwrap(), pool.get().unwrap());
    let one = pid(&mut first, PID);
    row("Pool", "two `get()`", "Owner::PerCall", connections(one, pid(&mut second, PID)));
    row("Pooled", "`get_result(&mut conn)` of a SELECT", "Begins::Never", state(one));
    let name = key();
    pid(&mut first, &seen::lock_sql(name));
    drop((first, second));
    let again = (pool.get().unwrap(), pool.get().unwrap());
    row("Pooled", "dropped and handed out again", "Owner::Borrowed", lock(one, name));
    drop((again, pool));
    row("Pool", "dropped", "the connection is closed", gone(one));
}
