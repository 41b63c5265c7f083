package main

import (
	"github.com/jinzhu/gorm"
	_ "github.com/jinzhu/gorm/dialects/postgres"
)

func pidOf(on *gorm.DB, sql string) (pid int) {
	must(on.Raw(sql).Row().Scan(&pid))
	return pid
}

func main() {
	versions("jinzhu/gorm", "golang-github-jinzhu-gorm-dev", "lib/pq", "golang-github-lib-pq-dev")
	db, err := gorm.Open("postgres", "sslmode=disable")
	must(err)
	db.DB().SetMaxOpenConns(2)
	row("Gorm", "two `Raw().Row()` at once", "Owner::PerCall", atOnce(func() int { return pidOf(db, slowSQL) }))
	row("Gorm", "`Raw(SELECT).Row()`", "Begins::Never", state(pidOf(db, pidSQL)))
	one := key()
	pid := pidOf(db, lockSQL(one))
	row("Gorm", "`Raw(pg_advisory_lock).Row()`", "a session lock is kept", lock(pid, one))
	tx := db.Begin()
	one = key()
	pid = pidOf(tx, lockSQL(one))
	row("Gorm", "`Begin()`", "Does::Begins", state(pid))
	row("GormTx", "after `Begin()`", "Begins::Already", state(pid))
	must(tx.Commit().Error)
	row("GormTx", "`Commit()`", "Does::Ends", state(pid))
	row("GormTx", "`Commit()`", "a session lock is kept", lock(pid, one))
	tx = db.Begin()
	pid = pidOf(tx, pidSQL)
	tx.Rollback()
	row("GormTx", "`Rollback()`", "Does::Ends", state(pid))
	must(db.Transaction(func(tx *gorm.DB) error {
		pid = pidOf(tx, pidSQL)
		row("Gorm", "`Transaction()`", "Does::Within", state(pid))
		return nil
	}))
	row("Gorm", "end of `Transaction()`", "no transaction is open", state(pid))
	must(db.Close())
}
