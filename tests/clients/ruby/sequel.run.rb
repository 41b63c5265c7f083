require 'sequel'
require_relative 'seen'

versions 'sequel', 'pg'
DB = Sequel.connect(adapter: 'postgres', host: ENV.fetch('PGHOST'), user: ENV.fetch('PGUSER'), database: ENV.fetch('PGDATABASE'), max_connections: 2)

def pid_of(sql = PID)
  DB.fetch(sql).first[:pid]
end

row 'Database', '`fetch` of two threads at once', 'Owner::PerCall', at_once { pid_of(SLOW) }
row 'Database', '`fetch(SELECT)`', 'Begins::NeverByDefault', state(pid_of)
name = key
pid = pid_of(format(LOCK, name))
row 'Database', '`fetch(pg_advisory_lock)`', 'a session lock is kept', lock(pid, name)
row 'Database', '`fetch.first` of a false', 'truthy', truth(DB.fetch('SELECT false AS got').first)
row 'Database', '`get` of a false', 'falsy', truth(DB.get(Sequel.lit('false')))
name = key
DB.synchronize do |raw|
  pid = pid_of(format(LOCK, name))
  row 'Database', 'one `fetch` after another in `synchronize`', 'one connection', connections(pid, pid_of)
  row 'Raw', '`execute` of the connection that `synchronize` gives', 'one connection',
      connections(pid, raw.exec(PID)[0]['pid'].to_i)
  row 'Raw', '`execute(SELECT)`', 'Begins::NeverByDefault', state(pid)
end
row 'Raw', 'end of `synchronize`', 'Owner::Borrowed', lock(pid, name)
DB.transaction do
  pid = pid_of
  row 'Database', '`transaction`', 'Does::Within', state(pid)
  row 'Database', 'one `fetch` after another in it', 'one connection', connections(pid, pid_of)
  row 'Database', '`fetch` of another thread meanwhile', 'another connection', connections(pid, Thread.new { pid_of }.value)
  outer = key
  inner = key
  DB.run(format(XACT, outer))
  DB.transaction(savepoint: true) do
    DB.run(format(XACT, inner))
    raise Sequel::Rollback
  end
  row 'Database', 'inner `transaction(savepoint: true)` that fails', 'back to a savepoint', savepoint(outer, inner)
end
row 'Database', 'end of `transaction`', 'no transaction is open', state(pid)
pid = pid_of
DB.disconnect
row 'Database', '`disconnect`', 'Does::Closes', gone(pid)
