use super::{assert_code, properties::assert_cut};

#[track_caller]
fn assert_scala(text: &str, expected: &str) {
    assert_code("a.scala", text, expected);
}

#[test]
fn declarations() {
    assert_scala(
        r#"
        package app.jobs
        import doobie._
        import cats.effect.{IO, Resource => R}
        import scala.util.Using, a.b.C
        object Jobs extends App with Base {
          val key = 42L
          private lazy val pool: HikariDataSource = new HikariDataSource(config)
          @transient def lock(id: Long, x: Int = 3)(implicit ctx: Ctx): ConnectionIO[Boolean] =
            sql"select pg_try_advisory_lock($id, ${f(x)})".query[Boolean].unique
          f()
        }
        case class Store(pool: Pool, private val n: Int = 1)(implicit ec: EC) extends Base(pool, g()) with T {
          def this() = this(null)
          given a: B = c()
        }
        trait Repo[F[_]] { self: X => def find(id: Long): F[Int]; def g(x: Int): Int = { x } }
        class A @Inject()(db: Database)
        enum E { case A, B }
        extension (x: Int) def y = f(x)
        given Foo with
          def bar = 1
        "#,
        r#"
        import doobie as *
        import cats.effect.IO as IO
        import cats.effect.Resource as R
        import scala.util.Using as Using
        import a.b.C as C
        class Jobs(App, Base)
          key := 42L
          pool: HikariDataSource := new HikariDataSource(config)
        class Store(Base, T)
          pool: Pool
          n: Int := 1
          ec: EC
          a: B := c()
        class Repo()
        @Inject()
        class A()
          db: Database
        class E()
        class Foo(Foo)
        f()
        g()
        @transient
        fn#1 Jobs.lock(id: Long, x: Int = 3, ctx: Ctx) -> ConnectionIO[Boolean]
          return sql"select pg_try_advisory_lock($id, ${f(x)})"<id f(x)>.query<Boolean>().unique
        fn#2 Store.this()
          return this(null)
        fn#3 Repo.find(id: Long) -> F[Int]
        fn#4 Repo.g(x: Int) -> Int
          return x
        fn#5 y()
          return f(x)
        fn#6 Foo.bar()
          return 1
        "#,
    );
}

#[test]
fn control_flow() {
    assert_scala(
        r#"
        object A {
          def run(): Unit = {
            if (a && !b) f() else if (c) g() else h()
            if (a) return
            while (g()) { f() }
            do { f() } while (g())
            for (i <- xs; j = i; if j > 1) { f(i) }
            f() match {
              case Some(x) if x > g() => h(x)
              case Left(e) => throw e
              case "a" | "b" => 1
              case n: Conn => n.x()
              case A(x, B(y)) => y
              case None => f(); g()
              case _ => 0
            }
            try { f() } catch {
              case e: SQLException => g(e)
              case NonFatal(e) => h()
              case _: A | _: B => k()
              case e if p(e) => l()
            } finally { c() }
            Using(ds.getConnection) { conn => conn.prepare("a"); conn.run() }
            xs.foreach { x => if (x) return 1 }
            sys.exit(1)
          }
          def lock(k: Long) = for { x <- f(k); y = g(x); _ <- h(y) } yield k(x)
          def top(x: Int): Int =
            val y = f(x)
            if y > 1 then g()
            else h()
            y match
              case Right(z) => a(z)
              case Left(e) => b(e)
        }
        "#,
        r#"
        class A()
        fn#1 A.run() -> Unit
          if (a and !b)
            f()
          else
            if c
              g()
            else
              h()
          if a
            return
          loop g()
            f()
          loop once g()
            f()
          loop xs binds i
            j := i
            if (j > 1)
              f(i)
          if (<f()> and (x > g())) binds x
            h(x)
          else
            if <> binds e.Left
              throw e
            else
              if ((<> == "a") or (<> == "b"))
                1
              else
                if <> binds n: Conn
                  n.x()
                else
                  if <> binds x.0, y.1
                    y
                  else
                    if <>
                      f()
                      g()
                    else
                      0
          try
            f()
          catch SQLException as e
            g(e)
          catch all NonFatal(e) as e
            h()
          catch _: A | _: B
            k()
          catch as e
            if p(e)
              l()
          finally
            c()
          with conn := ds.getConnection
            conn.prepare("a")
            conn.run()
          xs.foreach(fn#2)
          die sys.exit(1)
        fn#2 (x)
          if x
            return outer 1
        fn#3 A.lock(k: Long)
          x := f(k)
          y := g(x)
           := h(y)
          return k(x)
        fn#4 A.top(x: Int) -> Int
          y := f(x)
          if (y > 1)
            g()
          else
            h()
          if <y> binds z
            return a(z)
          else
            if true binds e.Left
              return b(e)
        "#,
    );
}

#[test]
fn values() {
    assert_scala(
        r#"
        object A {
          def f() = {
            val (a, b) = f(); val Some(x) = g(); val A(c, d) = h()
            x.y = f(); n += g()
            xs.map(x => f(x)).foreach { case (a, b) => g(a) }
            xs.map(_ + 1).filter(f(_)).foreach(g(h(_)))
            a *> b() >> c(); a :: b; x op y; a -> f()
            new Foo[Int](1, b = g()); new a.Foo { def z = 1 }
            f(1)(2); f[Int](1); x.f[A, B](2); this.x; (a, f()); !x
            s"a ${f()} $x b"; "a" + f(); """raw""".stripMargin
            db.run(sql"x".as[Int].transactionally)
            val g = (x: Int, y: String) => h(x)
            val pf: PartialFunction[A, B] = { case X(a) => f(a) }
            Future { f() }
            lock.acquire.bracket { x => f(x) } { _ => g() }
            f {
              g()
              h()
            }
          }
        }
        "#,
        r#"
        class A()
        class (a.Foo)
        fn#1 A.f()
          a.0, b.1 := f()
          x := g()
          c.0, d.1 := h()
          x.y = f()
          n = (n += g())
          xs.map(fn#2).foreach(fn#3)
          xs.map(fn#4).filter(fn#5).foreach(g(fn#6))
          a.*>(b()).>>(c())
          (a :: b)
          x.op(y)
          (a -> f())
          new Foo<Int>(1, b: g())
          new a.Foo()
          f(1, 2)
          f<Int>(1)
          x.f<A, B>(2)
          this.x
          [a, f()]
          !x
          s"a ${f()} $x b"<f() x>
          "a" + f()<f()>
          """raw""".stripMargin
          db.run(sql"x".as<Int>().transactionally)
          g := fn#8
          pf: PartialFunction[A, B] := fn#9
          start Future(fn#10)
          lock.acquire.bracket(fn#11, fn#12)
          return f(fn#13)
        fn#2 (x)
          return f(x)
        fn#3 ()
          if <> binds a.0, b.1
            return g(a)
        fn#4 (_)
          return (<> + 1)
        fn#5 (_)
          return f(<>)
        fn#6 (_)
          return h(<>)
        fn#7 .z()
          return 1
        fn#8 g(x: Int, y: String)
          return h(x)
        fn#9 pf()
          if <> binds a.X
            return f(a)
        fn#10 ()
          return f()
        fn#11 (x)
          return f(x)
        fn#12 ()
          return g()
        fn#13 ()
          g()
          return h()
        "#,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.scala", include_str!("scala.rs").split_once("r#\"").unwrap().1);
}
