package main

import (
	"context"
	"database/sql"
	"time"

	_ "github.com/jackc/pgx/v4/stdlib"
	"github.com/jmoiron/sqlx"
	_ "github.com/lib/pq"
)

type queryer interface {
	QueryRowContext(ctx context.Context, sql string, arguments ...interface{}) *sql.Row
}

var background = context.Background()

func pidOf(on queryer, sql string) (pid int) {
	must(on.QueryRowContext(background, sql).Scan(&pid))
	return pid
}

func main() {
	versions("lib/pq", "golang-github-lib-pq-dev", "pgx", "golang-github-jackc-pgx-v4-dev", "sqlx", "golang-github-jmoiron-sqlx-dev")
	for _, driver := range []string{"postgres", "pgx"} {
		name := map[string]string{"postgres": "lib/pq", "pgx": "pgx"}[driver]
		db, err := sql.Open(driver, "sslmode=disable")
		must(err)
		run(name, db)
	}
	db, err := sqlx.Connect("postgres", "sslmode=disable")
	must(err)
	row("DB", "sqlx, two `QueryRowContext()` at once", "Owner::PerCall", atOnce(func() int { return pidOf(db, slowSQL) }))
	conn, err := db.Connx(background)
	must(err)
	one := key()
	pid := pidOf(conn, lockSQL(one))
	must(conn.Close())
	row("Conn", "sqlx, `Close()`", "Owner::Borrowed", lock(pid, one))
	tx := db.MustBegin()
	pid = pidOf(tx, pidSQL)
	row("DB", "sqlx, `MustBegin()`", "Does::Begins", state(pid))
	must(tx.Rollback())
	must(db.Close())
}

func run(name string, db *sql.DB) {
	db.SetMaxOpenConns(2)
	db.SetMaxIdleConns(2)
	row("DB", name+", two `QueryRowContext()` at once", "Owner::PerCall", atOnce(func() int { return pidOf(db, slowSQL) }))
	row("DB", name+", `QueryRowContext(SELECT)`", "Begins::Never", state(pidOf(db, pidSQL)))
	one := key()
	pid := pidOf(db, lockSQL(one))
	row("DB", name+", `QueryRowContext(pg_advisory_lock)`", "a session lock is kept", lock(pid, one))
	conn, err := db.Conn(background)
	must(err)
	pid = pidOf(conn, pidSQL)
	row("Conn", name+", one `QueryRowContext()` after another", "one connection", connections(pid, pidOf(conn, pidSQL)))
	row("Conn", name+", `QueryRowContext(SELECT)`", "Begins::Never", state(pid))
	row("Conn", name+", `db.QueryRowContext()` meanwhile", "another connection", connections(pid, pidOf(db, pidSQL)))
	one = key()
	pidOf(conn, lockSQL(one))
	must(conn.Close())
	row("Conn", name+", `Close()`", "Owner::Borrowed", lock(pid, one))
	row("Conn", name+", `Close()`", "Does::Returns", state(pid))
	tx, err := db.BeginTx(background, nil)
	must(err)
	one = key()
	pid = pidOf(tx, lockSQL(one))
	row("DB", name+", `BeginTx()`", "Does::Begins", state(pid))
	row("Tx", name+", after `BeginTx()`", "Begins::Already", state(pid))
	must(tx.Commit())
	row("Tx", name+", `Commit()`", "Does::Ends", state(pid))
	row("Tx", name+", `Commit()`", "a session lock is kept", lock(pid, one))
	tx, err = db.Begin()
	must(err)
	pid = pidOf(tx, pidSQL)
	must(tx.Rollback())
	row("Tx", name+", `Rollback()`", "Does::Ends", state(pid))
	ends, end := context.WithCancel(background)
	tx, err = db.BeginTx(ends, nil)
	must(err)
	one = key()
	pid = pidOf(tx, lockSQL(one))
	end()
	time.Sleep(300 * time.Millisecond)
	row("Tx", name+", the context of `BeginTx()` is cancelled", "the connection is closed", lock(pid, one))

	// A context that is cancelled before a call. pgx sends nothing, and has the connection closed where it is Exec; lib/pq sends
	// it, or closes the connection, by whichever of two goroutines is first.
	cancelled, cancel := context.WithCancel(background)
	cancel()
	const unlock = "SELECT count(*) FROM pg_advisory_unlock_all()"
	unlocks := map[string]func(){
		"ExecContext":     func() { _, _ = conn.ExecContext(cancelled, unlock) },
		"QueryRowContext": func() { _ = conn.QueryRowContext(cancelled, unlock).Scan(new(int)) },
	}
	for _, call := range []string{"ExecContext", "QueryRowContext"} {
		for _, again := range []bool{false, true} {
			conn, pid = fresh(db)
			if again {
				must(conn.QueryRowContext(background, unlock).Scan(new(int)))
			}
			one = key()
			pidOf(conn, lockSQL(one))
			unlocks[call]()
			_ = conn.Close()
			seen := lock(pid, one)
			if seen != "a session lock is kept" {
				seen = "no session lock is kept"
			}
			what := name + ", `" + call + "()` of an unlock with a cancelled context, `Close()`"
			if again {
				what += ", the statement prepared before"
			}
			claim := "no session lock is kept"
			if name == "pgx" && call == "QueryRowContext" {
				claim = "a session lock is kept"
			}
			row("Conn", what, claim, seen)
		}
	}
	conn, pid = fresh(db)
	one = key()
	pidOf(conn, lockSQL(one))
	late, cancel := context.WithTimeout(background, 200*time.Millisecond)
	defer cancel()
	if _, err := conn.ExecContext(late, "SELECT pg_sleep(1)"); err == nil {
		panic("it was not cancelled")
	}
	conn.Close()
	time.Sleep(time.Second)
	row("Conn", name+", `ExecContext()` whose context ends meanwhile, `Close()`", "the connection is closed", gone(pid))

	db.SetMaxOpenConns(1)
	row("DB", name+", `SetMaxOpenConns(1)`, two `QueryRowContext()` at once", "Does::Limit", atOnce(func() int { return pidOf(db, slowSQL) }))
	conn, pid = fresh(db)
	must(conn.Close())
	must(db.Close())
	row("DB", name+", `Close()`", "Does::Closes", gone(pid))
}

// A connection that works: one that lib/pq has closed says so at its first use.
func fresh(db *sql.DB) (*sql.Conn, int) {
	for {
		var pid int
		conn, err := db.Conn(background)
		must(err)
		if conn.QueryRowContext(background, pidSQL).Scan(&pid) == nil {
			return conn, pid
		}
		_ = conn.Close()
	}
}
