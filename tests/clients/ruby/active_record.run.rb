require 'active_record'
require_relative 'seen'

versions 'activerecord', 'pg'
ActiveRecord::Base.establish_connection(adapter: 'postgresql', host: ENV.fetch('PGHOST'), username: ENV.fetch('PGUSER'),
                                        database: ENV.fetch('PGDATABASE'), pool: 2)

def pid_of(conn = ActiveRecord::Base.connection, sql = PID)
  conn.select_value(sql)
end

pid = pid_of
row 'Base', 'one `connection` after another', 'Owner::Ambient', connections(pid, pid_of)
row 'Base', '`connection` in another thread', 'another connection', connections(pid, Thread.new { pid_of.tap { ActiveRecord::Base.clear_active_connections! } }.value)
row 'Connection', '`select_value(SELECT)`', 'Begins::NeverByDefault', state(pid)
connection = ActiveRecord::Base.connection
answer = connection.execute('SELECT false AS got')
row 'Connection', '`execute` of a false, the answer', 'truthy', truth(answer)
row 'Connection', '`select_value` of a false', 'falsy', truth(connection.select_value('SELECT false'))
row 'Connection', '`select_rows` of a false, `first`', 'truthy', truth(connection.select_rows('SELECT false').first)
name = key
ActiveRecord::Base.transaction do
  connection.execute(format(LOCK, name))
  row 'Base', '`transaction`', 'Does::Within', state(pid)
  outer = key
  inner = key
  connection.execute(format(XACT, outer))
  ActiveRecord::Base.transaction(requires_new: true) do
    connection.execute(format(XACT, inner))
    raise ActiveRecord::Rollback
  end
  row 'Base', 'inner `transaction(requires_new: true)` that fails', 'back to a savepoint', savepoint(outer, inner)
  inner = key
  ActiveRecord::Base.transaction do
    connection.execute(format(XACT, inner))
    raise ActiveRecord::Rollback
  end
  row 'Base', 'inner `transaction` that raises Rollback', 'nothing is rolled back', savepoint(outer, inner)
end
row 'Base', 'end of `transaction`', 'no transaction is open', state(pid)
row 'Base', 'end of `transaction`', 'a session lock is kept', lock(pid, name)
connection.begin_db_transaction
connection.execute(PID)
row 'Connection', '`begin_db_transaction`', 'Does::Begins', state(pid)
connection.rollback_db_transaction
row 'Connection', '`rollback_db_transaction`', 'Does::Ends', state(pid)
row 'Connection', '`raw_connection.exec`', 'one connection', connections(pid, connection.raw_connection.exec(PID)[0]['pid'].to_i)
# What the end of a request does.
ActiveRecord::Base.clear_active_connections!
row 'Base', 'the request ends', 'a session lock is kept', lock(pid, name)
row 'Base', '`connection` after that', 'one connection', connections(pid, pid_of)
name = key
pid = nil
ActiveRecord::Base.release_connection if ActiveRecord::Base.respond_to?(:release_connection)
ActiveRecord::Base.connection_pool.with_connection do |conn|
  pid = pid_of(conn, format(LOCK, name))
  row 'Pool', 'one call after another in `with_connection`', 'one connection', connections(pid, pid_of(conn))
end
row 'Pool', 'end of `with_connection`', 'a session lock is kept', lock(pid, name)
pool = ActiveRecord::Base.connection_pool
pool.release_connection
first = pool.checkout
second = pool.checkout
row 'Pool', 'two `checkout`', 'another connection', connections(pid_of(first), pid_of(second))
row 'CheckedOut', '`select_value(SELECT)`', 'Begins::Never', state(pid_of(first))
name = key
pid = pid_of(first, format(LOCK, name))
pool.checkin(first)
row 'CheckedOut', '`checkin`', 'Owner::Borrowed', lock(pid, name)
row 'CheckedOut', '`checkin`', 'Does::Returns', state(pid)
pid = pid_of(second)
second.disconnect!
row 'Connection', '`disconnect!`', 'Does::Closes', gone(pid)
pool.checkin(second)
name = key
pid = pid_of(ActiveRecord::Base.connection, format(LOCK, name))
ActiveRecord::Base.connection.reset!
row 'Connection', '`reset!`', 'a session lock is released', lock(pid, name)
pid = pid_of
ActiveRecord::Base.connection.reconnect!
row 'Connection', '`reconnect!`', 'Does::Closes', gone(pid)
ActiveRecord::Base.connection.close
name = key
pid = pid_of(ActiveRecord::Base.connection, format(LOCK, name))
ActiveRecord::Base.connection.close
row 'Connection', '`close`', 'Does::Returns', state(pid)
row 'Connection', '`close`', 'a session lock is kept', lock(pid, name)
pool.disconnect!
row 'Pool', '`disconnect!`', 'Does::Closes', gone(pid)
