use super::{assert_code, properties::assert_cut};

#[track_caller]
fn assert_php(text: &str, expected: &str) {
    let text: String =
        std::iter::once("<?php\n").chain(text.split('\n').flat_map(|line| [line.trim_start(), "\n"])).collect();
    assert_code("a.php", &text, expected);
}

#[test]
fn declarations() {
    assert_php(
        r#"
        namespace App\Jobs;
        use Illuminate\Support\Facades\DB;
        use Doctrine\DBAL\{Connection, Driver\PDO as P};
        use function App\f;
        const A = 1, B = "x";
        #[Route("/x", name: "y"), Job]
        abstract class Store extends Base implements X, \Y {
            use Locks, Other { a as b; }
            const KEY = 42;
            public static ?PDO $pdo = null, $b;
            public function __construct(private readonly PDO $db, protected ?Foo $foo = null, int ...$rest) {
                parent::__construct($db);
                $this->x = new Foo(1, a: 2);
            }
            #[Pure] public static function make(array &$x = []): static { return new static(...$x); }
            abstract function q();
            public string $hook { get => f(); set($v) { $this->a = g($v); } }
        }
        interface I extends J { function z(int $a): int; }
        trait T { function t() { yield $a => f(); } }
        enum E: string { case A = 'a'; function u() { return self::A; } }
        $x = new class($a) extends Base { function m() { return 1; } };
        "#,
        r#"
        import Illuminate\Support\Facades\DB as DB
        import Doctrine\DBAL\Connection as Connection
        import Doctrine\DBAL\Driver\PDO as P
        import App\f as f
        @Route("/x", name: "y")
        @Job
        class Store(Base, X, \Y, Locks, Other)
          KEY := 42
          pdo: ?PDO := null
          b: ?PDO
          db: PDO
          foo: ?Foo
          hook: string
        class I(J)
        class T()
        class E()
          A := 'a'
        class (Base)
        A := 1
        B := "x"
        x = new <>(a)
        fn#1 Store.__construct(db: PDO, foo: ?Foo = null, rest: int)
          parent.__construct(db)
          this.x = new Foo(1, a: 2)
        @Pure
        fn#2 Store.make(x: array = []) -> static
          return new static(<x>)
        fn#3 Store.q()
        fn#4 Store.get()
          return f()
        fn#5 Store.set(v)
          this.a = g(v)
        fn#6 I.z(a: int) -> int
        fn#7 T.t()
          <f()>
        fn#8 E.u()
          return self.A
        fn#9 .m()
          return 1
        "#,
    );
}

#[test]
fn control_flow() {
    assert_php(
        r#"
        function work($a, $b = 5) {
            if ($a and !$b) { return; } elseif ($c) throw new X("m"); else { g(); }
            if ($a): f(); elseif ($b): g(); else: h(); endif;
            while (true) { continue; }
            do { break; } while (g());
            for ($i = 0, $j = 1; $i < 3; $i++, $j--) { f(); }
            foreach (rows() as $k => $v) {
                foreach ($v as ['id' => $id, 'n' => $n]) { if ($n) continue 2; break; }
                switch (f()) { case 1: case 2: g(); break; case 3: continue 2; case 4: if ($a) break 2; h(); default: i(); }
            }
            $m = match(true) { $a, $b => f(), default => throw new E() };
            try { f(); } catch (A | \B $e) { g(); } catch (\Throwable) { } finally { h(); }
            if ($a) exit(1);
            if ($b) die;
            return match(k()) { 1 => 'a', 2 => l() };
        }
        function jumps() { goto end; end: f(); }
        "#,
        r#"
        fn#1 work(a, b = 5)
          if (a and !b)
            return
          else
            if c
              throw new X("m")
            else
              g()
          if a
            f()
          else
            if b
              g()
            else
              h()
          loop endless
            continue
          loop once g()
            break
          i = 0
          j = 1
          loop (i < 3)
            f()
            <i>
            <j>
          loop 1 rows() binds k.0, v.1
            loop 2 v binds id.id, n.n
              if n
                continue 1
              break
            if ((f() == 1) or (<> == 2))
              g()
            else
              if (<> == 3)
                continue
              else
                if <>
                  if a
                    break
                  h()
                i()
          m = { if (a or b); f(); else; throw new E() }
          try
            f()
          catch A | \B as e
            g()
          catch all \Throwable
          finally
            h()
          if a
            die 1
          if b
            die
          return { if (k() == 1); 'a'; else; if (<> == 2); l(); else; die }
        fn#2 jumps() (error)
          f()
        "#,
    );
}

#[test]
fn values() {
    assert_php(
        r#"
        [$x, 'k' => $y] = f(); list($p, list($q)) = g(); ['a' => ['b' => $c]] = h();
        $total += k(); $r = &$s->t; $a[g()] = 1; $a = $b = c();
        DB::select('x', [$a, 'k' => b()]);
        \DB::transaction(function () use ($a, &$b) { return f(); });
        Foo::$bar->baz();
        $this->db?->prepare("a {$x->y(1)} $z[0] b" . c())->execute();
        $f = fn(int $x): int => $x + 1; $f(1); ($this->cb)(2); $cls::run(); new $cls; new (f())(1);
        $s = <<<SQL
        SELECT {$this->t()} $a->b
        SQL;
        $s->run(<<<'SQL'
        SELECT 1
        SQL, 2);
        echo f(), g();
        $a ? b() : c(); $a ?: c(); $a ?? d(); (int)@f(); $a instanceof B; $o->m(...);
        static $st = 0, $u = f(); $x->{$n}(1); A::B; include "x.php";
        defer(fn() => f());
        ?> text <?= f() ?> <?php if (x()): ?> <b> <?php endif;
        "#,
        r#"
        x.0, y.k = f()
        p.0, q.1 = g()
        c.a = h()
        total = (total += k())
        r = s.t
        <a g()> = 1
        a = (b = c())
        DB.select('x', [a, k: b()])
        \DB.transaction(fn#1)
        Foo.bar.baz()
        this.db.prepare("a {$x->y(1)} $z[0] b" . c()<x.y(1) <z 0> c()>).execute()
        f = fn#2
        f(1)
        this.cb(2)
        cls.run()
        new cls()
        new f()(1)
        s = <<<SQL SELECT {$this->t()} $a->b SQL<this.t() a.b>
        s.run(<<<'SQL' SELECT 1 SQL, 2)
        f()
        g()
        if a
          b()
        else
          c()
        (a or c())
        (a or d())
        f()
        (a instanceof B)
        o.m
        st := 0
        u := f()
        <x n>(1)
        A.B
        <"x.php">
        start defer(fn#3)
        f()
        if x()
        fn#1 ()
          return f()
        fn#2 f(x: int) -> int
          return (x + 1)
        fn#3 ()
          return f()
        "#,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.php", include_str!("php.rs").split_once("r#\"").unwrap().1.replacen("\n", "\n<?php ", 1).as_str());
}
