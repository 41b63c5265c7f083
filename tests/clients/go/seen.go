// What the runs in Go share: they ask the server, over a connection of its own, and print what they saw.
// A row is `row HANDLE CALL CLAIM SEEN`, separated by tabs; `tests/clients/table.py` has the words.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	pidSQL  = "SELECT pg_backend_pid()"
	slowSQL = "SELECT pg_backend_pid() FROM pg_sleep(1)"
)

func lockSQL(key int) string { return fmt.Sprintf("SELECT pg_backend_pid() FROM pg_advisory_lock(%d)", key) }
func xactSQL(key int) string { return fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", key) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func printed(name string, arguments ...string) string {
	command := exec.Command(name, arguments...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	must(err)
	return strings.TrimSpace(string(out))
}

// What psql prints.
func server(sql string) string { return printed("psql", "-XAtqc", sql) }

// Versions of packages of Debian: name, package.
func versions(packages ...string) {
	var all []string
	for i := 0; i < len(packages); i += 2 {
		version := printed("dpkg-query", "-W", "-f", "${source:Upstream-Version}", packages[i+1])
		all = append(all, packages[i]+" "+strings.Split(version, "+")[0])
	}
	fmt.Println("versions\t" + strings.Join(all, ", "))
}

func row(handle, call, claim, seen string) {
	fmt.Println(strings.Join([]string{"row", handle, call, claim, seen}, "\t"))
}

var last int

// A key that nothing else uses.
func key() int {
	last++
	return last
}

// The transaction of that backend.
func state(pid int) string {
	for tries := 0; ; tries++ {
		found := server(fmt.Sprintf("SELECT state FROM pg_stat_activity WHERE pid = %d", pid))
		switch {
		case found == "active" && tries < 100:
			time.Sleep(50 * time.Millisecond)
		case found == "":
			return "the connection is closed"
		case found == "idle":
			return "no transaction is open"
		default:
			return "a transaction is open"
		}
	}
}

// Whether a backend is gone; it needs a moment.
func gone(pid int) string {
	for tries := 0; tries < 100 && state(pid) != "the connection is closed"; tries++ {
		time.Sleep(50 * time.Millisecond)
	}
	return state(pid)
}

// What became of a session lock. A backend whose client has left goes on for a moment.
func lock(pid, key int) string {
	count := "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %d AND pid = %d"
	held := "1"
	for tries := 0; tries < 6 && held == "1"; tries++ {
		time.Sleep(50 * time.Millisecond)
		held = server(fmt.Sprintf(count, key, pid))
	}
	if held == "1" {
		return "a session lock is kept"
	}
	if gone(pid) == "the connection is closed" {
		return "the connection is closed"
	}
	return "a session lock is released"
}

func connections(pids ...int) string {
	for _, pid := range pids {
		if pid != pids[0] {
			return "another connection"
		}
	}
	return "one connection"
}

// Whether the pids that two goroutines get by a call that takes a while are the same.
func atOnce(call func() int) string {
	pids := make(chan int)
	for i := 0; i < 2; i++ {
		go func() { pids <- call() }()
	}
	return connections(<-pids, <-pids)
}

// What an inner rollback took away, of two locks of the transaction.
func savepoint(outer, inner int) string {
	held := server(fmt.Sprintf("SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid IN (%d, %d)", outer, inner))
	switch held {
	case fmt.Sprint(outer):
		return "back to a savepoint"
	case "":
		return "the transaction ended"
	}
	return "nothing is rolled back"
}
