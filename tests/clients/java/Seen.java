import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import javax.net.SocketFactory;

/**
 * What the runs in Java share: they ask the server, over a connection of its own, and print what they saw. A row is
 * `row HANDLE CALL CLAIM SEEN`, separated by tabs; `tests/clients/table.py` has the words.
 */
public final class Seen {
    public static final String URL = "jdbc:postgresql://localhost/" + System.getenv("PGDATABASE") + "?user=" + System.getenv("PGUSER")
        + "&sslmode=disable&gssEncMode=disable&socketFactory=Seen$Sockets";
    public static final String PID = "SELECT pg_backend_pid()";
    public static final String SLOW = "SELECT pg_backend_pid() FROM pg_sleep(1)";
    private static int last;

    /** The server listens on no network. */
    public static final class Sockets extends SocketFactory {
        @Override
        public Socket createSocket() throws IOException {
            var channel = SocketChannel.open(UnixDomainSocketAddress.of(System.getenv("PGHOST") + "/.s.PGSQL.5432"));
            return new Socket() {
                @Override public void connect(SocketAddress to, int timeout) {}
                @Override public InputStream getInputStream() { return Channels.newInputStream(channel); }
                @Override public OutputStream getOutputStream() { return Channels.newOutputStream(channel); }
                @Override public void close() throws IOException { channel.close(); }
                @Override public boolean isClosed() { return !channel.isOpen(); }
                @Override public void setTcpNoDelay(boolean on) {}
                @Override public void setKeepAlive(boolean on) {}
                @Override public void setSoTimeout(int milliseconds) {}
                @Override public int getSoTimeout() { return 0; }
            };
        }

        @Override public Socket createSocket(String host, int port) throws IOException { return createSocket(); }
        @Override public Socket createSocket(String host, int port, java.net.InetAddress from, int at) throws IOException { return createSocket(); }
        @Override public Socket createSocket(java.net.InetAddress host, int port) throws IOException { return createSocket(); }
        @Override public Socket createSocket(java.net.InetAddress host, int port, java.net.InetAddress from, int at) throws IOException { return createSocket(); }
    }

    /** What psql prints. */
    public static String server(String sql) throws Exception {
        return printed("psql", "-XAtqc", sql);
    }

    /** The version of a package of Debian. */
    public static String packaged(String name) throws Exception {
        return printed("dpkg-query", "-W", "-f", "${source:Upstream-Version}", name);
    }

    private static String printed(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var out = new String(process.getInputStream().readAllBytes()).trim();
        if (process.waitFor() != 0) throw new IOException(command[0] + " failed");
        return out;
    }

    public static void versions(String what) {
        System.out.println("versions\t" + what);
    }

    public static void row(String handle, String call, String claim, String seen) {
        System.out.println(String.join("\t", "row", handle, call, claim, seen));
    }

    /** A key that nothing else uses. */
    public static int key() {
        return ++last;
    }

    /** The transaction of that backend. */
    public static String state(int pid) throws Exception {
        return switch (server("SELECT state FROM pg_stat_activity WHERE pid = " + pid)) {
            case "" -> "the connection is closed";
            case "idle" -> "no transaction is open";
            default -> "a transaction is open";
        };
    }

    /** Whether a backend is gone; it needs a moment. */
    public static String gone(int pid) throws Exception {
        for (int tries = 0; tries < 100 && !state(pid).equals("the connection is closed"); tries++) Thread.sleep(50);
        return state(pid);
    }

    /** What became of a session lock. A backend whose client has left goes on for a moment. */
    public static String lock(int pid, int key) throws Exception {
        var held = "1";
        for (int tries = 0; tries < 6 && held.equals("1"); tries++) {
            Thread.sleep(50);
            held = server("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = " + key + " AND pid = " + pid);
        }
        if (held.equals("1")) return "a session lock is kept";
        return gone(pid).equals("the connection is closed") ? "the connection is closed" : "a session lock is released";
    }

    public static String connections(int... pids) {
        return Arrays.stream(pids).distinct().count() == 1 ? "one connection" : "another connection";
    }

    /** Whether the pids that two threads get by a call that takes a while are the same. */
    public static String atOnce(Callable<Integer> call) throws Exception {
        var other = CompletableFuture.supplyAsync(() -> {
            try {
                return call.call();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
        return connections(call.call(), other.get());
    }

    /** What an inner rollback took away, of two locks of the transaction. */
    public static String savepoint(int outer, int inner) throws Exception {
        var held = server("SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid IN (" + outer + ", " + inner + ")");
        if (held.equals(String.valueOf(outer))) return "back to a savepoint";
        return held.isEmpty() ? "the transaction ended" : "nothing is rolled back";
    }

    public static int pid(Connection conn) throws SQLException {
        return pid(conn, PID);
    }

    public static int pid(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    public static String take(int key) {
        return "SELECT pg_backend_pid(), pg_advisory_lock(" + key + ")";
    }

    public static String truth(boolean value) {
        return value ? "true" : "false";
    }
}
