import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

class SpringJdbcRun {
    public static void main(String[] arguments) throws Exception {
        Seen.versions("spring-jdbc " + JdbcTemplate.class.getPackage().getImplementationVersion() + ", HikariCP "
            + Seen.packaged("libhikaricp-java"));
        var config = new HikariConfig();
        config.setJdbcUrl(Seen.URL);
        config.setMaximumPoolSize(3);
        try (var dataSource = new HikariDataSource(config)) {
            run(dataSource);
        }
    }

    private static void run(HikariDataSource dataSource) throws Exception {
        var template = new JdbcTemplate(dataSource);
        Seen.row("Template", "`queryForObject()` of two threads at once", "Owner::PerCall",
            Seen.atOnce(() -> template.queryForObject(Seen.SLOW, Integer.class)));
        int pid = pid(template, Seen.PID);
        Seen.row("Template", "`queryForObject(SELECT)`", "Begins::NeverByDefault", Seen.state(pid));
        int key = Seen.key();
        pid = pid(template, Seen.take(key));
        Seen.row("Template", "`query(pg_advisory_lock)`", "a session lock is kept", Seen.lock(pid, key));
        ConnectionCallback<String> held = conn -> Seen.connections(Seen.pid(conn), Seen.pid(conn));
        Seen.row("Template", "`execute(ConnectionCallback)`", "one connection", template.execute(held));
        var manager = new DataSourceTransactionManager(dataSource);
        int name = Seen.key();
        var tx = new TransactionTemplate(manager);
        pid = tx.execute(status -> {
            try {
                int inside = pid(template, Seen.take(name));
                Seen.row("Transactions", "`execute()`", "Does::Within", Seen.state(inside));
                Seen.row("Transactions", "one `JdbcTemplate` call after another in it", "one connection",
                    Seen.connections(inside, pid(template, Seen.PID)));
                Seen.row("Status", "in `execute()`", "Begins::Already", Seen.state(inside));
                int outer = Seen.key();
                int inner = Seen.key();
                template.queryForList("SELECT pg_advisory_xact_lock(" + outer + ")");
                var savepoint = status.createSavepoint();
                template.queryForList("SELECT pg_advisory_xact_lock(" + inner + ")");
                status.rollbackToSavepoint(savepoint);
                Seen.row("Status", "`rollbackToSavepoint()`", "Does::Inner", Seen.savepoint(outer, inner));
                var separate = new TransactionTemplate(manager);
                separate.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                Seen.row("Transactions", "`execute()` with REQUIRES_NEW in it", "another connection",
                    Seen.connections(inside, separate.execute(other -> pid(template, Seen.PID))));
                return inside;
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
        Seen.row("Transactions", "end of `execute()`", "no transaction is open", Seen.state(pid));
        Seen.row("Transactions", "end of `execute()`", "a session lock is kept", Seen.lock(pid, name));
        for (boolean commit : new boolean[] {true, false}) {
            var status = manager.getTransaction(new DefaultTransactionDefinition());
            pid = pid(template, Seen.PID);
            if (commit) {
                Seen.row("Manager", "`getTransaction()`", "Does::Begins", Seen.state(pid));
                manager.commit(status);
            } else {
                manager.rollback(status);
            }
            Seen.row("Manager", commit ? "`commit()`" : "`rollback()`", "Does::Ends", Seen.state(pid));
        }
    }

    private static int pid(JdbcTemplate template, String sql) {
        return template.queryForList(sql).get(0).values().stream().mapToInt(value -> value instanceof Integer pid ? pid : 0).max().orElse(0);
    }
}
