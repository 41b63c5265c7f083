package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

type queryer interface {
	QueryRow(ctx context.Context, sql string, arguments ...interface{}) pgx.Row
}

var background = context.Background()

func pidOf(on queryer, sql string) (pid int) {
	must(on.QueryRow(background, sql).Scan(&pid))
	return pid
}

func main() {
	versions("pgx", "golang-github-jackc-pgx-v4-dev")
	own, err := pgx.Connect(background, "")
	must(err)
	pid := pidOf(own, pidSQL)
	row("Own", "`QueryRow(SELECT)`", "Begins::Never", state(pid))
	tx, err := own.Begin(background)
	must(err)
	row("Own", "`Begin()`", "Does::Begins", state(pid))
	row("Tx", "after `Begin()`", "Begins::Already", state(pid))
	outer, inner := key(), key()
	_, err = tx.Exec(background, xactSQL(outer))
	must(err)
	nested, err := tx.Begin(background)
	must(err)
	_, err = nested.Exec(background, xactSQL(inner))
	must(err)
	must(nested.Rollback(background))
	row("Savepoint", "`Rollback()`", "Does::Inner", savepoint(outer, inner))
	must(tx.Commit(background))
	row("Tx", "`Commit()`", "Does::Ends", state(pid))
	tx, err = own.Begin(background)
	must(err)
	must(tx.Rollback(background))
	row("Tx", "`Rollback()`", "Does::Ends", state(pid))
	one := key()
	pidOf(own, lockSQL(one))
	must(own.Close(background))
	row("Own", "`Close()`", "Owner::Own", lock(pid, one))
	row("Own", "`Close()`", "Does::Closes", gone(pid))

	config, err := pgxpool.ParseConfig("pool_max_conns=2")
	must(err)
	pool, err := pgxpool.ConnectConfig(background, config)
	must(err)
	row("Pool", "two `QueryRow()` at once", "Owner::PerCall", atOnce(func() int { return pidOf(pool, slowSQL) }))
	row("Pool", "`QueryRow(SELECT)`", "Begins::Never", state(pidOf(pool, pidSQL)))
	one = key()
	pid = pidOf(pool, lockSQL(one))
	row("Pool", "`QueryRow(pg_advisory_lock)`", "a session lock is kept", lock(pid, one))
	tx, err = pool.Begin(background)
	must(err)
	pid = pidOf(tx, pidSQL)
	row("Pool", "`Begin()`", "Does::Begins", state(pid))
	must(tx.Rollback(background))
	row("Pool", "`Begin()`, `Rollback()`", "no transaction is open", state(pid))
	conn, err := pool.Acquire(background)
	must(err)
	pid = pidOf(conn, pidSQL)
	row("Conn", "`QueryRow(SELECT)`", "Begins::Never", state(pid))
	row("Conn", "one `QueryRow()` after another", "one connection", connections(pid, pidOf(conn, pidSQL)))
	row("Conn", "`pool.QueryRow()` meanwhile", "another connection", connections(pid, pidOf(pool, pidSQL)))
	one = key()
	pidOf(conn, lockSQL(one))
	conn.Release()
	row("Conn", "`Release()`", "Owner::Borrowed", lock(pid, one))
	row("Conn", "`Release()`", "Does::Returns", state(pid))
	conn, err = pool.Acquire(background)
	must(err)
	pid = pidOf(conn, pidSQL)
	_, err = conn.Exec(background, "BEGIN")
	must(err)
	conn.Release()
	row("Conn", "`Release()` in a transaction", "the connection is closed", gone(pid))
	// A context that is cancelled before a call, and while the server works.
	conn, err = pool.Acquire(background)
	must(err)
	pid, one = pidOf(conn, pidSQL), key()
	pidOf(conn, lockSQL(one))
	cancelled, cancel := context.WithCancel(background)
	cancel()
	if _, err := conn.Exec(cancelled, "SELECT pg_advisory_unlock_all()"); err == nil {
		panic("it was sent")
	}
	row("Conn", "`Exec()` of an unlock with a cancelled context", "a session lock is kept", lock(pid, one))
	late, cancel := context.WithTimeout(background, 200*time.Millisecond)
	defer cancel()
	if _, err := conn.Exec(late, "SELECT pg_sleep(5)"); err == nil {
		panic("it was not cancelled")
	}
	row("Conn", "`Exec()` whose context ends meanwhile", "the connection is closed", closedBy(conn.Conn()))
	conn.Release()
	row("Conn", "`Exec()` whose context ends meanwhile, `Release()`", "the connection is closed", gone(pid))
	pid = pidOf(pool, pidSQL)
	pool.Close()
	row("Pool", "`Close()`", "Does::Closes", gone(pid))
}

func closedBy(conn *pgx.Conn) string {
	if conn.IsClosed() {
		return "the connection is closed"
	}
	return "the connection is kept"
}
