# Keeps one throw-away cluster, and PgBouncers in front of it, for as long as somebody holds its standard input open. Then
# it ends them and deletes their directory, whatever became of the one who asked.
#
#   sh -c "$(cat keeper.sh)" keeper BIN PGBOUNCER
#
# BIN has initdb and postgres. Prints the directory when the server was started. Each line read, `PORT MODE SIZE`, starts a
# PgBouncer. All listen on sockets in the directory, which nobody else can enter, and on no network.
set -u
umask 077
trap '' HUP PIPE TERM
dir=$(mktemp -d /tmp/locklint-proof.XXXXXX) || exit 1
cd "$dir" || exit 1
if ! "$1/initdb" -D data -U app -A trust -E UTF8 --no-locale --no-sync >initdb.log 2>&1 </dev/null; then
  cat initdb.log >&2
  cd / && rm -rf "$dir"
  exit 1
fi
cat >>data/postgresql.conf <<CONF
listen_addresses = ''
port = 5432
unix_socket_directories = '$dir'
fsync = off
synchronous_commit = off
full_page_writes = off
max_connections = 100
max_prepared_transactions = 10
shared_buffers = 32MB
autovacuum = off
CONF
"$1/postgres" -D "$dir/data" >postgres.log 2>&1 </dev/null &
server=$!
bouncers=
echo "$dir"
while read -r port mode size; do
  cat >"$port.ini" <<INI
[databases]
* = host=$dir port=5432 user=app
[pgbouncer]
listen_addr =
listen_port = $port
unix_socket_dir = $dir
auth_type = any
logfile = $dir/$port.log
pidfile = $dir/$port.pid
pool_mode = $mode
default_pool_size = $size
INI
  "$2" -q "$dir/$port.ini" >/dev/null 2>&1 </dev/null &
  bouncers="$bouncers $!"
done
# shellcheck disable=SC2086  # one word for each process
[ -z "$bouncers" ] || kill -KILL $bouncers
# A shell's background jobs ignore INT, and so does the server until it has come up: it has to be told again.
while sleep 0.1; do kill -INT "$server" 2>/dev/null || exit; done &
wait "$server"
cd / && rm -rf "$dir"
