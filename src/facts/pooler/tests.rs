use super::*;
use crate::project::Memory;
use proptest::prelude::*;

fn read(files: &[(&str, &str)]) -> Pooler {
    Pooler::read(&Memory::new(files.iter().copied()))
}

/// Every setting as `name target evidence`, in the order of files and places.
fn told(files: &[(&str, &str)]) -> Vec<String> {
    let pooler = read(files);
    let word = |evidence: &Evidence| match evidence {
        Evidence::Transaction { .. } => "transaction",
        Evidence::PgBouncer => "pgbouncer",
        Evidence::Session => "session",
        Evidence::Direct => "direct",
    };
    pooler.settings().iter().map(|s| format!("{} {} {}", s.name, s.target, word(&s.evidence))).collect()
}

#[test]
fn what_a_setting_says_of_itself() {
    for (url, evidence) in [
        ("postgres://u:p@db:5432/app", "db:5432 direct"),
        ("postgres://u:p@db/app?sslmode=require", "db direct"),
        ("postgres://u:p@db/app?pgbouncer=true", "db transaction"),
        ("postgres://u:p@db/app?pgbouncer=false", "db direct"),
        ("postgres://u:p@db.x.supabase.co:6543/app", "db.x.supabase.co:6543 transaction"),
        ("postgres://u@aws-0-eu.pooler.supabase.com:6543/app", "aws-0-eu.pooler.supabase.com:6543 transaction"),
        ("postgres://u@aws-0-eu.pooler.supabase.com:5432/app", "aws-0-eu.pooler.supabase.com:5432 session"),
        ("postgres://u@ep-x-pooler.eu.aws.neon.tech/app", "ep-x-pooler.eu.aws.neon.tech transaction"),
        ("postgres://u@ep-x.eu.aws.neon.tech/app", "ep-x.eu.aws.neon.tech direct"),
        ("jdbc:postgresql://db:6432/app?prepareThreshold=0", "db:6432 transaction"),
        ("jdbc:postgresql://db:6432/app?prepareThreshold=5", "db:6432 pgbouncer"),
        ("jdbc:postgresql://localhost:5432/app?prepareThreshold=0", "localhost:5432 direct"),
        ("postgresql+asyncpg://db/app?statement_cache_size=0", "db transaction"),
        ("postgresql+asyncpg://db/app?prepared_statement_cache_size=0", "db transaction"),
        ("postgres://db/app?prepare=false", "db transaction"),
        ("postgres://u:p@db:6432/app", "db:6432 pgbouncer"),
        ("postgres://u:p@pgbouncer.prod.svc/app", "pgbouncer.prod.svc pgbouncer"),
        ("postgres:///app", "its host direct"),
        ("user=u password=p host=db port=6543 dbname=app", "db:6543 transaction"),
    ] {
        assert_eq!(told(&[(".env", &format!("X_URL='{url}'"))]), [format!("X_URL {evidence}")], "{url}");
    }
    for text in ["A=b", "URL=https://pgbouncer:6432", "URL=mysql://u@db:6543/postgres", "postgres"] {
        assert_eq!(told(&[(".env", text)]), [""; 0], "{text}");
    }
}

#[test]
fn a_compose_service_is_a_pgbouncer_in_the_mode_of_its_variable() {
    let compose = |variables: &str| {
        format!(
            "services:\n  pool:\n    image: x/pgbouncer:1\n    environment:\n{variables}\n  db:\n    image: postgres:16\n  \
             app:\n    environment:\n      A_URL: postgres://u:p@pool:6432/a\n      B_URL: postgres://u:p@db:5432/a\n"
        )
    };
    for (variables, evidence) in [
        ("      POOL_MODE: transaction", "transaction"),
        ("      PGBOUNCER_POOL_MODE: \"statement\"", "transaction"),
        ("      - DEFAULT_POOL_MODE=transaction", "transaction"),
        ("      POOL_MODE: ${POOL_MODE:-transaction}", "transaction"),
        ("      POOL_MODE: session", "session"),
        ("      POOL_MODE: ${POOL_MODE}", "pgbouncer"),
        ("      DB_HOST: db", "pgbouncer"),
    ] {
        let expected = [format!("A_URL pool:6432 {evidence}"), "B_URL db:5432 direct".to_owned()];
        assert_eq!(told(&[("compose.yaml", &compose(variables))]), expected, "{variables}");
        // The service's name is no section of PgBouncer's own file.
        let named = told(&[("compose.yaml", &compose(variables).replace("pool:", "pgbouncer:"))]);
        assert_eq!(named[0], format!("A_URL pgbouncer:6432 {evidence}"));
        // A file beside it, whose host is the service's name.
        let beside = told(&[("compose.yaml", &compose(variables)), ("x.env", "C=postgres://u@pool:6432/a")]);
        assert_eq!(beside[2], format!("C pool:6432 {evidence}"));
    }
}

#[test]
fn a_mounted_configuration_file_says_the_mode() {
    let ini = "[databases]\nheld = host=db pool_mode=session\n[users]\nreport = pool_mode=session\n\
               [pgbouncer]\npool_mode = transaction\n";
    let compose = "services:\n  pool:\n    image: pgbouncer\n    volumes:\n      - ./etc:/etc/pgbouncer:ro\n  app:\n    \
                   environment:\n      A: postgres://u:p@pool/app\n      B: postgres://u:p@pool/held\n      \
                   C: postgres://report:p@pool/app\n";
    let expected = ["A pool transaction", "B pool session", "C pool session"];
    assert_eq!(told(&[("d/compose.yaml", compose), ("d/etc/pgbouncer.ini", ini)]), expected);
    let elsewhere = told(&[("d/compose.yaml", compose), ("e/pgbouncer.ini", ini)]);
    assert_eq!(elsewhere[0], "A pool pgbouncer");
}

#[test]
fn pgbouncers_configuration_speaks_for_one_outside_the_tree() {
    let url = ("app.env", "URL=postgres://u@10.0.0.9:6432/app");
    let told = |ini: &str| told(&[url, ("pgbouncer.ini", ini)])[0].clone();
    assert_eq!(told("[pgbouncer]\npool_mode=transaction"), "URL 10.0.0.9:6432 transaction");
    assert_eq!(told("[pgbouncer]\nmax_client_conn=5\n[x]\npool_mode=transaction"), "URL 10.0.0.9:6432 session");
    assert_eq!(told("[pgbouncer]\nlisten_port=7000\npool_mode=transaction"), "URL 10.0.0.9:6432 pgbouncer");
    let direct = read(&[
        ("app.env", "URL=postgres://u@10.0.0.9:5432/app"),
        ("pgbouncer.ini", "[pgbouncer]\npool_mode=transaction"),
    ]);
    assert_eq!(direct.settings()[0].evidence, Evidence::Direct);
}

#[test]
fn kubernetes_services_sidecars_and_custom_resources() {
    let pooler = "kind: Deployment\nmetadata: {name: pgb-1}\nspec:\n  template:\n    metadata: {labels: {app: pgb}}\n    \
                  spec:\n      containers:\n      - name: pgb\n        image: edoburu/pgbouncer\n        env:\n        \
                  - {name: POOL_MODE, value: transaction}\n---\nkind: Service\nmetadata: {name: pgpool}\nspec: \
                  {selector: {app: pgb}}\n";
    let app = "kind: Deployment\nmetadata: {name: app}\nspec:\n  template:\n    spec:\n      containers:\n      \
               - name: app\n        image: app\n        env:\n        - name: A\n          \
               value: postgres://u:p@pgpool.prod.svc.cluster.local/app\n        - name: B\n          \
               value: postgres://u:p@localhost:6432/app\n      - name: side\n        image: pgbouncer\n        env:\n        \
               - name: PGBOUNCER_POOL_MODE\n          value: transaction\n";
    let expected = ["A pgpool.prod.svc.cluster.local transaction", "B localhost:6432 transaction"];
    assert_eq!(told(&[("a.yaml", app), ("b.yaml", pooler)]), expected);
    let custom = "kind: Pooler\nmetadata: {name: rw}\nspec:\n  pgbouncer: {poolMode: transaction}\n---\nkind: ConfigMap\n\
                  data:\n  URL: postgres://u@rw:5432/app\n";
    assert_eq!(told(&[("cnpg.yaml", custom)]), ["URL rw:5432 transaction"]);
    let map = "kind: ConfigMap\ndata:\n  pgbouncer.ini: |\n    [pgbouncer]\n    pool_mode = transaction\n  \
               URL: postgres://u@pgbouncer/app\n";
    assert_eq!(told(&[("map.yaml", map)]), ["URL pgbouncer transaction"]);
}

#[test]
fn frameworks_files_and_hosts_that_stand_by_themselves() {
    let rails = "production: &p\n  adapter: postgresql\n  host: db\n  port: 6432\n  prepared_statements: false\n\
                 staging:\n  <<: *p\n  host: other\n  prepared_statements: true\n\
                 worker:\n  adapter: mysql2\n  host: db\n";
    assert_eq!(told(&[("config/database.yml", rails)]), ["host db:6432 transaction", "host other:6432 pgbouncer"]);
    let spring =
        "spring:\n  datasource:\n    url: jdbc:postgresql://db:6543/a\n  flyway:\n    url: jdbc:postgresql://db/a\n";
    let expected = ["spring.datasource.url db:6543 transaction", "spring.flyway.url db direct"];
    assert_eq!(told(&[("application.yml", spring)]), expected);
    let properties = "spring.datasource.url=jdbc\\:postgresql\\://db\\:6543/a\n";
    assert_eq!(told(&[("application.properties", properties)]), ["spring.datasource.url db:6543 transaction"]);
    let parts = "DB_HOST=db\nDB_PORT=6543\nDB_NAME=a\nPGHOST=db\nREDIS_HOST=r\n";
    assert_eq!(told(&[(".env", parts)]), ["DB_HOST db:6543 transaction", "PGHOST db direct"]);
    assert_eq!(told(&[(".env", "DB_HOST=db\nDB_PORT=3306\nX=postgres")]), [""; 0]);
    assert_eq!(
        told(&[("alembic.ini", "[alembic]\nsqlalchemy.url = postgresql://u@db/a")]),
        ["sqlalchemy.url db direct"]
    );
}

#[test]
fn a_runners_own_setting_decides() {
    let pooled = "postgres://u@ep-pooler.neon.tech/a";
    let direct = "postgres://u@ep.neon.tech/a";
    let of = |runner: &str, text: &str| read(&[(".env.production", text)]).of_runner(runner).map(|s| s.name.clone());
    let both = |first: &str, second: &str| format!("{first}={pooled}\n{second}={direct}\n");
    assert_eq!(of("goose", &both("GOOSE_DBSTRING", "DATABASE_URL")).as_deref(), Some("GOOSE_DBSTRING"));
    assert_eq!(of("goose", &both("DATABASE_URL", "GOOSE_DBSTRING")), None);
    assert_eq!(of("dbmate", &both("DATABASE_URL", "X_URL")).as_deref(), Some("DATABASE_URL"));
    assert_eq!(of("Prisma", &both("DATABASE_URL", "DIRECT_URL")), None);
    assert_eq!(of("Prisma", &both("DATABASE_URL", "X_URL")).as_deref(), Some("DATABASE_URL"));
    assert_eq!(of("Flyway", &both("SPRING_DATASOURCE_URL", "FLYWAY_URL")), None);
    assert_eq!(of("tern", &both("DATABASE_URL", "X_URL")), None);
    let files = |other: &str| {
        let pooled = format!("DATABASE_URL={pooled}");
        read(&[(".env.production", &pooled), (".env", other)]).of_runner("dbmate").is_some()
    };
    assert!(files("DATABASE_URL=postgres://u@localhost/a"));
    assert!(!files("DATABASE_URL=postgres://u@db/a"));
    assert!(!files("DATABASE_URL=postgres://u@${HOST}/a"));
    let liquibase = |path: &str| read(&[(path, &format!("url={pooled}"))]).of_runner("Liquibase").is_some();
    assert!(liquibase("liquibase.properties") && !liquibase("other.properties"));
}

#[test]
fn the_service_that_runs_a_runner_goes_before_others() {
    let compose = |migrate: &str| {
        format!(
            "services:\n  app:\n    environment:\n      DATABASE_URL: postgres://u@db:6543/a\n  migrate:\n{migrate}"
        )
    };
    let of = |runner: &str, migrate: &str| read(&[("compose.yml", &compose(migrate))]).of_runner(runner).is_some();
    let direct = "    image: amacneil/dbmate:2\n    environment:\n      DATABASE_URL: postgres://u@db:5432/a\n";
    assert!(!of("dbmate", direct));
    assert!(of("dbmate", &direct.replace("5432", "6543")));
    let command = "    image: migrate/migrate:v4\n    command: [\"-database\", \"postgres://u:p@db:6543/a\", up]\n";
    assert!(of("golang-migrate", command));
    assert!(!of("golang-migrate", &command.replace("6543", "5432")));
    assert!(!of("golang-migrate", "    image: other\n"));
    // The runner's own variable is another one of the tree, which is known or not.
    assert!(!of("dbmate", &direct.replace("postgres://u@db:5432/a", "${DIRECT_URL}")));
    assert!(of("dbmate", &direct.replace("postgres://u@db:5432/a", "${DATABASE_URL:?}")));
    assert!(of("goose", "    command: sh -c 'goose postgres \"postgres://u:p@db:6543/a\" up'\n"));
}

#[test]
fn everywhere_means_every_setting_of_files_that_are_understood() {
    let pooled = ("a.env", "URL=postgres://u@db:6543/a");
    let everywhere = |other: (&str, &str)| read(&[pooled, other]).everywhere().is_some();
    assert!(everywhere(("b.env", "OTHER=1")));
    assert!(everywhere(("b.env", "URL=postgres://u@db:6543/b")));
    assert!(!everywhere(("b.env", "URL=postgres://u@db:5432/b")));
    assert!(!everywhere(("b.env", "PGHOST=db")));
    assert!(!everywhere(("chart.yaml", "url: postgres\nx: {{- if .Values.x }}")));
    assert!(everywhere(("chart.yaml", "x: {{- if .Values.x }}")));
    let secret = "x: postgres\nenv:\n- name: DIRECT_URL\n  valueFrom: {secretKeyRef: {name: s, key: k}}\n";
    assert!(!everywhere(("app.yaml", secret)));
    assert!(everywhere(("app.yaml", &secret.replace("DIRECT_URL", "API_URL"))));
    assert!(everywhere(("app.yaml", "x: postgres\nenv:\n  DATABASE_URL: ${URL}\n")));
    assert!(!everywhere(("app.yaml", "x: postgres\nenv:\n  DATABASE_URL: ${OTHER}\n")));
    assert!(everywhere((".github/workflows/ci.yml", "env:\n  URL: postgres://u@localhost/a")));
    assert!(everywhere(("tests/.env", "URL=postgres://u@localhost/a")));
    assert!(read(&[]).everywhere().is_none());
}

#[test]
fn places_are_those_of_the_host_and_nothing_else_is_legible() {
    let text = "services:\n  pool:\n    image: pgbouncer\n    environment: {POOL_MODE: transaction, DB_PASSWORD: hunter2}\n  \
                app: {environment: {PW: hunter2, URL: \"postgres://us:hunter2@pool:6432/secret?x=hunter2\"}}\n";
    let pooler = read(&[("compose.yaml", text)]);
    let setting = &pooler.settings()[0];
    assert_eq!(&text[setting.at.span.range()], "pool:6432");
    let Evidence::Transaction { at: Some(at), .. } = setting.evidence else { panic!("{setting:?}") };
    assert_eq!(&text[at.span.range()], "POOL_MODE: transaction");
    let source = &pooler.sources()[&setting.at.file];
    assert_eq!(source.slice(setting.at.span), "pool:6432");
    let words: Vec<&str> = source.text().split([' ', '\n', '*']).filter(|word| !word.is_empty()).collect();
    assert_eq!(words, ["POOL_MODE:", "transaction", "URL", "postgres://", "pool:6432"]);
    assert!(!format!("{:?}", pooler.settings()).contains("hunter2"));
    let list = "services: {a: {environment: ['postgres://u:hunter2@h/d?x=postgres://u@h:6543/d']}}";
    assert_eq!(told(&[("compose.yaml", list)]), [""; 0]);
}

const TEXT: &str = r#"([a-c:@/=?&{}\[\]"'$#;é\\,\-.|%*]|postgres://|host=|port=|\n|\r\n|  |: |- |pool_mode|services:|environment:|containers:|\[pgbouncer\]|image: pgbouncer){0,40}"#;

proptest! {
    #[test]
    fn no_file_panics(text in TEXT) {
        for path in [".env", "a.ini", "a.properties", "compose.yaml", "database.yml"] {
            // The prefilter's word, so that the text is looked at.
            let text = format!("{text}\n#postgres");
            let pooler = read(&[(path, &text)]);
            for setting in pooler.settings() {
                prop_assert!(text.get(setting.at.span.range()).is_some());
            }
        }
    }

    #[test]
    fn no_secret_is_legible(secret in "[a-zA-Z0-9:/?#@&=%;.+-]{4,12}", query in any::<bool>()) {
        let secret = format!("S3{secret}kReT");
        let parameters = if query { "?pgbouncer=true" } else { "" };
        for text in [
            format!("URL=postgres://us:{secret}@pool:6543/db{parameters}"),
            format!("URL='postgres://{secret}@pool:6543/db{parameters}'\nPASSWORD={secret}"),
            format!("URL=\"host=pool port=6543 user=u password='{secret}' dbname=d\""),
        ] {
            let pooler = read(&[(".env", &text)]);
            let shown = format!("{:?}", pooler.settings());
            prop_assert!(!shown.contains("kReT") && !shown.contains("S3"), "{shown}");
            for source in pooler.sources().values() {
                prop_assert!(!source.text().contains("kReT") && !source.text().contains("S3"), "{}", source.text());
            }
        }
    }
}

#[test]
fn settings_that_host_code_reads() {
    let properties = "# PgBouncer, transaction pooling\nspring.datasource.url=jdbc:postgresql://pgbouncer.prod.svc:6432/g\
                      ?prepareThreshold=0\nspring.datasource.username=g\n";
    assert_eq!(
        told(&[("src/main/resources/application.properties", properties)]),
        ["spring.datasource.url pgbouncer.prod.svc:6432 transaction"]
    );
    let compose = "services:\n  pooler:\n    image: bitnami/pgbouncer:1.22\n    environment:\n      \
                   - PGBOUNCER_PORT=6432\n      - PGBOUNCER_POOL_MODE=transaction\n      - PGBOUNCER_DATABASE=*\n  \
                   worker:\n    build: .\n    environment:\n      DATABASE_URL: postgresql://t:t@pooler:6432/t\n";
    assert_eq!(told(&[("compose.yaml", compose)]), ["DATABASE_URL pooler:6432 transaction"]);
    let both = "DATABASE_URL=\"postgres://app@pgbouncer:6432/app?pgbouncer=true\"\n\
                DIRECT_DATABASE_URL=\"postgres://app@pg-primary:5432/app\"\n";
    assert_eq!(
        told(&[(".env.production", both)]),
        ["DATABASE_URL pgbouncer:6432 transaction", "DIRECT_DATABASE_URL pg-primary:5432 direct"]
    );
}
