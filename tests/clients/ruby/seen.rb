# What the runs in Ruby share: they ask the server, over a connection of its own, and print what they saw.
# A row is `row HANDLE CALL CLAIM SEEN`, separated by tabs; `tests/clients/table.py` has the words.

require 'open3'

# What psql prints.
def server(sql)
  out, status = Open3.capture2('psql', '-XAtqc', sql)
  raise 'psql failed' unless status.success?

  out.strip
end

def versions(*gems)
  puts ['versions', gems.map { |name| "#{name} #{Gem::Specification.find_by_name(name).version}" }.join(', ')].join("\t")
end

def row(handle, call, claim, seen)
  puts ['row', handle, call, claim, seen].join("\t")
end

$last = 0

# A key that nothing else uses.
def key
  $last += 1
end

# The transaction of that backend.
def state(pid)
  found = server("SELECT state FROM pg_stat_activity WHERE pid = #{pid}")
  { '' => 'the connection is closed', 'idle' => 'no transaction is open' }.fetch(found, 'a transaction is open')
end

# Whether a backend is gone; it needs a moment.
def gone(pid)
  100.times do
    break if state(pid) == 'the connection is closed'

    sleep 0.05
  end
  state(pid)
end

# What became of a session lock. A backend whose client has left goes on for a moment.
def lock(pid, key)
  held = Array.new(6).lazy.map do
    sleep 0.05
    server("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = #{key} AND pid = #{pid}") == '1'
  end
  return 'a session lock is kept' if held.all?

  gone(pid) == 'the connection is closed' ? 'the connection is closed' : 'a session lock is released'
end

def connections(*pids)
  pids.uniq.size == 1 ? 'one connection' : 'another connection'
end

# What an inner rollback took away, of two locks of the transaction.
def savepoint(outer, inner)
  held = server("SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid IN (#{outer}, #{inner})").split
  return 'back to a savepoint' if held == [outer.to_s]

  held.empty? ? 'the transaction ended' : 'nothing is rolled back'
end

# Whether the pids that two threads get by a call that takes a while are the same.
def at_once(&call)
  connections(*Array.new(2) { Thread.new(&call) }.map(&:value))
end

def truth(value)
  value ? 'truthy' : 'falsy'
end

LOCK = 'SELECT pg_backend_pid() AS pid, pg_advisory_lock(%d)'.freeze
XACT = 'SELECT pg_advisory_xact_lock(%d)'.freeze
PID = 'SELECT pg_backend_pid() AS pid'.freeze
SLOW = 'SELECT pg_backend_pid() AS pid FROM pg_sleep(1)'.freeze
