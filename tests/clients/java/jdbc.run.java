import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;

class JdbcRun {
    public static void main(String[] arguments) throws Exception {
        Seen.versions("pgjdbc " + org.postgresql.util.DriverInfo.DRIVER_VERSION + ", HikariCP " + Seen.packaged("libhikaricp-java")
            + ", commons-dbcp2 " + Seen.packaged("libcommons-dbcp2-java"));
        var conn = DriverManager.getConnection(Seen.URL);
        int pid = Seen.pid(conn);
        Seen.row("Own", "`executeQuery(SELECT)`", "Begins::Never", Seen.state(pid));
        conn.setAutoCommit(false);
        Seen.row("Own", "`setAutoCommit(false)`", "no transaction is open", Seen.state(pid));
        Seen.pid(conn);
        Seen.row("Own", "`setAutoCommit(false)`, a SELECT", "a transaction is open", Seen.state(pid));
        conn.commit();
        Seen.row("Own", "`commit()`", "Does::Ends", Seen.state(pid));
        int key = Seen.key();
        Seen.pid(conn, Seen.take(key));
        conn.rollback();
        Seen.row("Own", "`rollback()`", "Does::Ends", Seen.state(pid));
        Seen.row("Own", "`rollback()`", "a session lock is kept", Seen.lock(pid, key));
        Seen.pid(conn);
        conn.setAutoCommit(true);
        Seen.row("Own", "`setAutoCommit(true)` in a transaction", "no transaction is open", Seen.state(pid));
        try (var statement = conn.createStatement()) {
            Seen.row("Statement", "`execute()` of a false", "true", Seen.truth(statement.execute("SELECT false")));
            statement.setQueryTimeout(1);
            Seen.row("Statement", "`executeQuery()` beyond `setQueryTimeout`", "the statement is cancelled", slow(statement));
        }
        Seen.row("Statement", "`executeQuery()` beyond `setQueryTimeout`", "a session lock is kept", Seen.lock(pid, key));
        conn.close();
        Seen.row("Own", "`close()`", "Owner::Own", Seen.lock(pid, key));
        Seen.row("Own", "`close()`", "Does::Closes", Seen.state(pid));
        try (var own = DriverManager.getConnection(Seen.URL)) {
            pid = Seen.pid(own);
        }
        Seen.row("Own", "end of `try (…)`", "AtEnd::Closes", Seen.gone(pid));
        conn = DriverManager.getConnection(Seen.URL);
        pid = Seen.pid(conn);
        conn.abort(Executors.newSingleThreadExecutor(JdbcRun::daemon));
        Seen.row("Own", "`abort()`", "Does::Closes", Seen.gone(pid));

        var simple = new org.postgresql.ds.PGSimpleDataSource();
        simple.setUrl(Seen.URL);
        try (var first = simple.getConnection(); var second = simple.getConnection()) {
            Seen.row("Plain", "two `getConnection()`", "Owner::PerCall", Seen.connections(Seen.pid(first), Seen.pid(second)));
            pid = Seen.pid(first);
            Seen.row("Plain", "`executeQuery(SELECT)`", "Begins::NeverByDefault", Seen.state(pid));
        }
        Seen.row("Plain", "end of `try (var conn = dataSource.getConnection())`", "the connection is closed", Seen.gone(pid));

        var config = new HikariConfig();
        config.setJdbcUrl(Seen.URL);
        config.setMaximumPoolSize(2);
        var hikari = new HikariDataSource(config);
        pool("HikariCP", hikari);
        hikari.close();
        config.setAutoCommit(false);
        config.setMaximumPoolSize(1);
        try (var off = new HikariDataSource(config); var pooled = off.getConnection()) {
            Seen.row("DataSource", "HikariCP with `setAutoCommit(false)`, a SELECT", "a transaction is open", Seen.state(Seen.pid(pooled)));
        }
        config.setAutoCommit(true);
        var single = new HikariDataSource(config);
        Seen.row("DataSource", "`setMaximumPoolSize(1)`, two threads", "Does::Limit", Seen.atOnce(() -> {
            try (var pooled = single.getConnection()) {
                return Seen.pid(pooled, Seen.SLOW);
            }
        }));
        single.close();

        var dbcp = new BasicDataSource();
        dbcp.setUrl(Seen.URL);
        dbcp.setMaxTotal(2);
        pool("commons-dbcp2", dbcp);
        dbcp.close();
    }

    private static void pool(String name, DataSource pool) throws Exception {
        int pid;
        int key = Seen.key();
        try (var first = pool.getConnection(); var second = pool.getConnection()) {
            pid = Seen.pid(first);
            Seen.row("DataSource", name + ", two `getConnection()`", "Owner::PerCall", Seen.connections(pid, Seen.pid(second)));
            Seen.row("Pooled", name + ", `executeQuery(SELECT)`", "Begins::NeverByDefault", Seen.state(pid));
            Seen.pid(first, Seen.take(key));
        }
        Seen.row("Pooled", name + ", end of `try (…)`", "Owner::Borrowed", Seen.lock(pid, key));
        Seen.row("Pooled", name + ", end of `try (…)`", "AtEnd::Returns", Seen.state(pid));
        Connection conn = pool.getConnection();
        pid = Seen.pid(conn);
        key = Seen.key();
        conn.setAutoCommit(false);
        Seen.pid(conn, Seen.take(key));
        conn.close();
        Seen.row("Pooled", name + ", `close()` with autocommit off", "Does::Returns", Seen.state(pid));
        Seen.row("Pooled", name + ", `close()` with autocommit off", "a session lock is kept", Seen.lock(pid, key));
        try (var first = pool.getConnection(); var second = pool.getConnection()) {
            var same = Seen.pid(first) == pid ? first : second;
            Seen.row("Pooled", name + ", the same connection's next borrower", "no transaction is open", Seen.state(Seen.pid(same)));
        }
        conn = pool.getConnection();
        pid = Seen.pid(conn);
        conn.abort(Executors.newSingleThreadExecutor(JdbcRun::daemon));
        Seen.row("Pooled", name + ", `abort()`", "Does::Closes", Seen.gone(pid));
    }

    private static String slow(java.sql.Statement statement) {
        try {
            statement.executeQuery("SELECT pg_sleep(5)");
            return "the statement runs on";
        } catch (SQLException error) {
            return "the statement is cancelled";
        }
    }

    private static Thread daemon(Runnable run) {
        var thread = new Thread(run);
        thread.setDaemon(true);
        return thread;
    }
}
