use super::*;
use crate::sql::ddl::{CreateTable, Key};
use proptest::prelude::*;

const NONE: [&str; 0] = [];

fn key(key: &Key) -> String {
    let marks = [(key.primary, "*"), (key.partial, "?")];
    let marks: String = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
    format!("({}){marks}", key.columns.join("+"))
}

fn table(create: &CreateTable) -> String {
    let columns: Vec<&str> = create.columns.iter().map(|column| column.name.as_str()).collect();
    let keys: String = create.keys.iter().map(key).collect();
    format!("{} {}{} {keys}", create.table.name, columns.join(","), if create.derived { "…" } else { "" })
}

fn short(change: &Change) -> String {
    match change {
        Change::CreateTable(create) => table(create).trim_end().to_owned(),
        Change::AddKey { table, key: added } => format!("{} +{} {}", table.name, key(added), added.name),
        Change::AddColumn { table, column } => format!("{} +{}", table.name, column.name),
        Change::DropKey { table, constraint } => format!("{} -key {constraint}", table.name),
        Change::DropColumn { table, column } => format!("{} -{column}", table.name),
        Change::DropTable(table) => format!("-{}", table.name),
        Change::DropIndex(index) => format!("-index {}", index.name),
        Change::RenameTable { table, to } => format!("{} = {to}", table.name),
        Change::RenameColumn { table, column, to } => format!("{}.{column} = {to}", table.name),
        Change::RenameKey { key, to } => format!("key {key} = {to}"),
    }
}

fn declared(path: &str, text: &str) -> Declared {
    let language = Language::of(path).expect("a language");
    if !may_declare(path, language, text.as_bytes()) {
        return Declared::default();
    }
    read(&Arc::from(path), language, text.as_bytes(), &Names::new([].into_iter())).unwrap_or_default()
}

fn changes(path: &str, text: &str) -> Vec<String> {
    declared(path, text).changes.iter().map(short).collect()
}

#[test]
fn prisma() {
    let model = |text: &str| changes("schema.prisma", text);
    assert_eq!(model("model Job {\n id Int @id\n at DateTime @default(now()) @unique\n}"), ["Job id,at (id)*(at)"]);
    assert_eq!(model("model A {\r\n a Int @id(map: \"x\")\r\n}\r\n"), ["A a (a)*"]);
    let spread =
        "model A {\n a Int\n b Int\n @@unique(fields: [\n  a,\n  b(sort: Desc)\n ], map: \"k\")\n @@map(\"as\")\n}";
    assert_eq!(model(spread), ["as a,b (a+b)"]);
    assert_eq!(model("model A {\n a Int\n @@unique([a], where: raw(\"a > 0\"))\n}"), ["A a (a)?"]);
    assert_eq!(model("model A {\n a Int\n @@unique([a, other])\n}"), ["A a"], "no such field, no key");
    assert_eq!(model("model A {\n u String @default(\"// { @id\") // @unique\n /// b Int @id\n}"), ["A u"]);
    assert!(model("datasource db {\n provider = \"mysql\"\n}\nmodel A {\n a Int @id\n}").is_empty());
    assert!(model("type A {\n a Int @unique\n}\nview B {\n b Int @unique\n}").is_empty());
    assert_eq!(
        model("model A {\n a Int @id\n b B @relation(fields: [a], references: [a])\n c C[]\n}\nmodel C {\n}"),
        ["A a (a)*", "C"]
    );
}

#[test]
fn rails() {
    let migration = |text: &str| changes("db/migrate/1_x.rb", text);
    assert_eq!(migration("create_table(:a) { |t| t.integer :n }"), ["a id,n (id)*"]);
    assert_eq!(migration("create_table NAME do |t|\n t.string :a, index: { unique: true }\nend"), NONE);
    assert_eq!(migration("create_table :a, primary_key: KEY do |t|\nend"), ["a …"]);
    assert_eq!(migration("create_table :a, id: false do |t|\n t.primary_key :k\nend"), ["a k (k)*"]);
    assert_eq!(migration("create_table :a, id: false do |t|\n columns(t)\nend"), ["a …"], "who knows what it adds");
    assert_eq!(
        migration("add_reference :a, :b, index: { unique: true }, polymorphic: true"),
        ["a +b_type", "a +b_id", "a +(b_type+b_id) index_a_on_b_type_and_b_id"]
    );
    assert_eq!(migration("add_index :a, [:b, :c], unique: false"), NONE);
    assert_eq!(migration("add_index :a, %w[b c], unique: true, name: 'n', where: 'x'"), ["a +(b+c)? n"]);
    assert_eq!(migration("add_index :a, [:b, \"lower(c)\"], unique: true"), NONE);
    assert_eq!(migration("remove_index :a, column: [:b, :c]"), ["-index index_a_on_b_and_c"]);
    assert_eq!(migration("remove_index :a, name: :n"), ["-index n"]);
    assert_eq!(
        migration("change_table :a do |t|\n t.rename :b, :c\n t.remove :d, :e\nend"),
        ["a.b = c", "a -d", "a -e"]
    );
    assert_eq!(
        migration("reversible do |way|\n way.up { add_index :a, :b, unique: true }\n way.down { drop_table :a }\nend"),
        ["a +(b) index_a_on_b"]
    );
    assert_eq!(migration("def self.down\n drop_table :a\nend\ndef up\n drop_table :b\nend"), ["-b"]);
}

#[test]
fn django() {
    let models = |path: &str, body: &str| changes(path, &format!("from django.db import models\n{body}"));
    let unmanaged =
        "class A(models.Model):\n    n = models.IntegerField(unique=True)\n    class Meta:\n        managed = False";
    assert_eq!(models("a/models.py", unmanaged), ["a_a n,id…"], "nothing makes that true");
    let one = |body: &str| models("src/shop/models/order.py", body);
    assert_eq!(one("class OrderItem(models.Model):\n    n = models.IntegerField()"), ["shop_orderitem n,id (id)*"]);
    assert_eq!(one("class A(Base):\n    n = models.IntegerField(unique=True)"), ["shop_a n… (n)"], "no `id` from afar");
    assert_eq!(
        one("class A(models.Model):\n    n = models.IntegerField()\n    class Meta:\n        proxy = True"),
        NONE
    );
    assert_eq!(
        one(
            "class A(models.Model):\n    n = models.IntegerField()\nclass B(A):\n    m = models.IntegerField(unique=True)"
        ),
        ["shop_a n,id (id)*"],
        "a table that is spread over two says nothing"
    );
    assert_eq!(
        one(
            "class A(models.Model):\n    k = models.ForeignKey(B, primary_key=True)\n    class Meta:\n        unique_together = ('k', 'gone')\n        db_table = f'{x}'"
        ),
        NONE
    );
    assert_eq!(
        one(
            "class A(models.Model):\n    k = models.ForeignKey(B)\n    n = models.IntegerField()\n    class Meta:\n        unique_together = ('k', 'n')\n        app_label = 'x'"
        ),
        ["x_a k_id,n,id (id)*(k_id+n)"]
    );
}

#[test]
fn sqlalchemy() {
    let model = |text: &str| changes("app/m.py", text);
    assert_eq!(
        model(
            "class A(Base):\n    __tablename__ = 'a'\n    x = Column(Integer, primary_key=True)\n    y = Column('z', Text, unique=True)"
        ),
        ["a x,z… (x)*(z)"]
    );
    assert_eq!(
        model("class A(WithTenant, Base):\n    __tablename__ = 'a'\n    x = Column(Integer, primary_key=True)"),
        ["a x…"],
        "the key may have another column"
    );
    assert_eq!(model("class A(Base):\n    __tablename__ = make()\n    x = Column(primary_key=True)"), NONE);
    assert_eq!(model("t = Table('t', m, autoload_with=e)"), NONE);
    assert_eq!(model("op.create_index('i', 't', [sa.text('lower(a)')], unique=True)"), NONE);
    assert_eq!(model("op.create_index('i', 't', ['a'], unique=True, postgresql_where=w)"), ["t +(a)? i"]);
    let migration =
        declared("versions/a.py", "def upgrade():\n    op.drop_constraint('k', 't')\n    op.drop_column('t', 'c')");
    assert_eq!(migration.drops.len(), 2, "whatever the order of the files");
}

#[test]
fn ecto_and_laravel_and_knex() {
    assert_eq!(
        changes("a.exs", "create table(:a, primary_key: [name: :k, type: :uuid]) do\n add :b, :text\nend"),
        ["a k,b (k)*"]
    );
    assert_eq!(changes("a.exs", "create table(@name) do\nend\ncreate unique_index(@name, [:a])"), NONE);
    assert_eq!(changes("a.exs", "def down do\n drop table(:a)\nend\ndef up, do: drop(table(:b))"), ["-b"]);
    assert_eq!(changes("a.php", "<?php Schema::create($name, function ($t) { $t->id(); });"), NONE);
    assert_eq!(
        changes("a.php", "<?php Schema::create('a', function ($t) { $t->bigIncrements('k'); $t->morphs('m'); });"),
        ["a k… (k)*"]
    );
    assert_eq!(changes("a.php", "<?php Schema::connection('x')->dropIfExists('a');"), ["-a"]);
    assert_eq!(
        changes("a.js", "knex.schema.createTable('a', t => { t.increments('n', { primaryKey: false }); common(t); })"),
        ["a n…"]
    );
    assert_eq!(changes("a.ts", "k.schema.alterTable('a', (t) => t.unique(['b', 'c'], 'n'))"), ["a +(b+c) n"]);
}

#[test]
fn entities() {
    assert_eq!(
        changes("a.ts", "@Entity({ name: 'as' }) export class A { @Column({ unique: true }) userId: string }"),
        ["as userId,user_id… (userId)(user_id)"]
    );
    assert_eq!(
        changes("a.ts", "@Entity() class A { @ManyToOne({ primary: true }) b: B; @PrimaryColumn() c: number }"),
        NONE
    );
    assert_eq!(
        changes("A.java", "@Entity class A { @Id Long a; @Id @ManyToOne B b; @Column(unique = true) int c; }"),
        ["a a,c… (c)"]
    );
    assert_eq!(
        changes("A.java", "@jakarta.persistence.Entity class A { @Id public Long getKey() { return k; } }"),
        ["a key… (key)*"]
    );
    assert_eq!(changes("A.java", "class A { @Id Long a; } // @Entity"), NONE);
}

#[test]
fn strings_with_names_from_elsewhere() {
    assert_eq!(changes("a.py", "db.execute(f'CREATE TABLE {t} (a int PRIMARY KEY)')"), NONE);
    assert_eq!(changes("a.py", "db.execute(f'CREATE TABLE {s}.t (a int PRIMARY KEY)')"), ["t a (a)*"]);
    assert_eq!(changes("a.py", "db.execute('create table t (a int unique); drop table u')"), ["t a (a)", "-u"]);
    assert_eq!(changes("a.py", "log('to create table t (a int unique), run')"), NONE);
    assert_eq!(changes("mysql/a.py", "db.execute('create table t (a int unique)')"), NONE);
}

/// A file of each framework.
const FILES: &[(&str, &str)] = &[
    ("a.prisma", include_str!("../../../fixtures/trees/keys-prisma/prisma/schema.prisma")),
    ("a.rb", include_str!("../../../fixtures/trees/keys-rails/db/migrate/20240101000000_create_jobs.rb")),
    ("models.py", include_str!("../../../fixtures/trees/keys-django/shop/models.py")),
    ("b.py", include_str!("../../../fixtures/trees/keys-sqlalchemy/app/models.py")),
    ("a.exs", include_str!("../../../fixtures/trees/keys-ecto/priv/repo/migrations/20240101000000_jobs.exs")),
    (
        "a.php",
        include_str!(
            "../../../fixtures/trees/keys-laravel/database/migrations/2024_01_01_000000_create_jobs_table.php"
        ),
    ),
    ("a.js", include_str!("../../../fixtures/trees/keys-knex/migrations/20240101_jobs.js")),
    ("a.ts", include_str!("../../../fixtures/trees/keys-typeorm/src/entities.ts")),
    ("b.ts", include_str!("../../../fixtures/trees/keys-drizzle/src/schema.ts")),
    ("A.java", include_str!("../../../fixtures/trees/keys-jpa/src/main/java/app/PrintJob.java")),
    ("A.kt", include_str!("../../../fixtures/trees/keys-jpa/src/main/kotlin/app/Meter.kt")),
    ("a.go", include_str!("../../../fixtures/trees/keys-strings/store/migrate.go")),
];

/// Depth and length are hostile here: nothing recurses, and nothing is read twice.
#[test]
fn deep_and_long_files() {
    let deep =
        format!("class A(models.Model):\n    a = models.CharField(x={}1{})", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(changes("models.py", &deep).len(), 0, "no directory, no application");
    let chain = format!("k.createTable('a', t => t{})", ".unique()".repeat(20_000));
    changes("a.js", &chain);
    let nested = format!("{}{}", "create_table :a do |t|\n".repeat(5_000), "end\n".repeat(5_000));
    assert_eq!(changes("a.rb", &nested).len(), 1);
    changes("a.prisma", &format!("model A {{\n{}", "a Int @unique(".repeat(50_000)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_panics(which in 0..FILES.len(), cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, "[(){}\\[\\]'\"@:,=é\n a-z]{0,4}"), 1..6)) {
        let (path, text) = FILES[which];
        let mut text: Vec<char> = text.chars().collect();
        for (at, length, with) in cuts {
            let at = at.index(text.len() + 1);
            let end = (at + length).min(text.len());
            text.splice(at..end, with.chars());
        }
        let text: String = text.into_iter().collect();
        declared(path, &text);
    }
}

#[test]
fn ways_back_by_their_names() {
    for name in ["down", "Down", "downgrade", "down_sql", "migrateDown", "DOWN", "rollback", "revertAll", "teardown"] {
        assert!(is_undoing(name), "{name}");
    }
    for name in ["up", "download_table", "markdown", "countdownTimer", "install", "reverted"] {
        assert!(!is_undoing(name), "{name}");
    }
}
