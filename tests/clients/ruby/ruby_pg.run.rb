require 'pg'
require 'timeout'
require_relative 'seen'

versions 'pg'

def pid_of(conn, sql = PID)
  conn.exec(sql)[0]['pid'].to_i
end

conn = PG.connect
pid = pid_of(conn)
row 'Connection', '`exec(SELECT)`', 'Begins::Never', state(pid)
name = key
conn.transaction do |tx|
  tx.exec(format(LOCK, name))
  row 'Tx', 'in `conn.transaction`', 'Begins::Already', state(pid)
  row 'Connection', '`transaction`', 'Does::Within', state(pid)
end
row 'Connection', 'end of `transaction`', 'no transaction is open', state(pid)
row 'Connection', 'end of `transaction`', 'a session lock is kept', lock(pid, name)
begin
  conn.transaction { raise 'anything' }
rescue RuntimeError
  row 'Connection', 'end of a `transaction` that fails', 'a session lock is kept', lock(pid, name)
end
answer = conn.exec('SELECT false AS got')
row 'Connection', '`exec` of a false, the answer', 'truthy', truth(answer)
row 'Connection', "`exec` of a false, `[0]['got']`: the text `f`", 'truthy', truth(answer[0]['got'])
begin
  Timeout.timeout(0.3) { conn.exec('SELECT pg_sleep(5)') }
rescue Timeout::Error
  row 'Connection', '`Timeout.timeout` around `exec`', 'a session lock is kept', lock(pid, name)
  conn.close
  row 'Connection', '`close` after that, as long as the statement runs', 'a session lock is kept', lock(pid, name)
end
conn = PG.connect
pid = pid_of(conn)
name = key
conn.exec(format(LOCK, name))
conn.close
row 'Connection', '`close`', 'Owner::Own', lock(pid, name)
row 'Connection', '`close`', 'Does::Closes', state(pid)
conn = PG.connect
pid = pid_of(conn)
conn.reset
row 'Connection', '`reset`', 'Does::Closes', gone(pid)
conn.close
pid = nil
PG.connect { |own| pid = pid_of(own) }
row 'Connection', 'end of `PG.connect { … }`', 'AtEnd::Closes', gone(pid)
