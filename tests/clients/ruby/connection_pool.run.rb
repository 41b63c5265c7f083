require 'connection_pool'
require 'pg'
require_relative 'seen'

versions 'connection_pool', 'pg'

def pid_of(conn, sql = PID)
  conn.exec(sql)[0]['pid'].to_i
end

pool = ConnectionPool.new(size: 2) { PG.connect }
row 'Connections', '`with` of two threads at once', 'Owner::PerCall', at_once { pool.with { |conn| pid_of(conn, SLOW) } }
row 'Connections', '`exec(SELECT)`', 'Begins::Never', state(pool.with { |conn| pid_of(conn) })
name = key
pid = pool.with do |conn|
  row 'Object', 'one `exec` after another', 'one connection', connections(pid_of(conn), pid_of(conn))
  row 'Object', '`pool.with` in `with`', 'one connection', connections(pid_of(conn), pool.with { |inner| pid_of(inner) })
  pid_of(conn, format(LOCK, name))
end
row 'Object', 'end of `with`', 'Owner::Borrowed', lock(pid, name)
conn = pool.checkout
name = key
pid = pid_of(conn, format(LOCK, name))
conn.exec('BEGIN')
pool.checkin
row 'Object', '`checkin`', 'a session lock is kept', lock(pid, name)
row 'Object', '`checkin` in a transaction', 'a transaction is open', state(pid)
pool.shutdown(&:close)
row 'Connections', '`shutdown(&:close)`', 'Does::Closes', gone(pid)
