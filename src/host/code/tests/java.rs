use super::{assert_code, properties::assert_cut};

#[test]
fn classes() {
    assert_code(
        "a.java",
        r##"
        import java.util.List;
        import static a.B.*;
        @Service("x")
        public class Repo<T> extends Base<T> implements I, J {
          @Autowired private final DataSource ds = make(), other;
          static { init(); }
          { inst(); }
          public Repo(DataSource ds) { super(ds); this.ds = ds; }
          @Transactional(readOnly = true)
          public <R> List<R> claim(@Param("id") long id, final String... rest) throws E { return null; }
          record P(int a, String b) {}
          enum E { A(f()), B; }
          interface I { void x(); int K = k(); }
        }
        "##,
        r##"
        import java.util.List as List
        import a.B as *
        @Service("x")
        class Repo(Base<T>, I, J)
          ds: DataSource := make()
          other: DataSource
        class P()
          a: int
          b: String
        class E()
          A := [f()]
        class I()
          K: int := k()
        fn#1 Repo.static()
          init()
        fn#2 Repo.()
          inst()
        fn#3 Repo.Repo(ds: DataSource)
          super(ds)
          this.ds = ds
        @Transactional(readOnly: true)
        fn#4 Repo.claim(id: long, rest) -> List<R>
          return null
        fn#5 I.x() -> void
        "##,
    );
}

#[test]
fn connections() {
    assert_code(
        "a.java",
        r##"
        class A {
          void f() {
            try (Connection c = ds.getConnection(); var ps = c.prepareStatement("SELECT " + id)) {
              ps.setLong(1, id);
            } catch (SQLException | IOException e) { throw new RuntimeException(e); }
            finally { done(); }
            try (var x = f()) { x.g(); }
            try { a(); } catch (Exception e) {}
            synchronized (lock()) { z(); }
            Runnable r = () -> run();
            list.forEach(x -> { x.go(); });
            new Thread(() -> work()).start();
            executor.submit(this::work);
            executor.execute(() -> work());
            st.execute("SELECT 1");
            new a.b.C<String>(1) { { init(); } void m() { n(); } };
            int q = (int) a.b.c(d()).e, p;
            x += f();
            a.b = c = d();
            String s = """
              text""" + id;
            Foo.<T>bar(x ? a() : b());
          }
        }
        "##,
        r##"
        class A()
        class (a.b.C<String>)
        fn#1 A.f() -> void
          try
            with c: Connection := ds.getConnection(), ps: var := c.prepareStatement("SELECT " + id<id>)
              ps.setLong(1, id)
          catch SQLException | IOException as e
            throw new RuntimeException(e)
          finally
            done()
          with x: var := f()
            x.g()
          try
            a()
          catch all Exception as e
          lock()
          z()
          r: Runnable := fn#2
          list.forEach(fn#3)
          start new Thread(fn#4).start()
          start executor.submit(this.work)
          start executor.execute(fn#5)
          st.execute("SELECT 1")
          new a.b.C<String>(1)
          q: int := a.b.c(d()).e
          p: int
          x = (x += f())
          a.b = (c = d())
          s: String := """ text""" + id<id>
          Foo.bar<T>({ if x; a(); else; b() })
        fn#2 r()
          return run()
        fn#3 (x)
          x.go()
        fn#4 ()
          return work()
        fn#5 ()
          return work()
        fn#6 .()
          init()
        fn#7 .m() -> void
          n()
        "##,
    );
}

#[test]
fn flow() {
    assert_code(
        "a.java",
        r##"
        class A {
          int f() {
            for (int i = 0, j = n(); i < n(); i++, j--) { if (a) continue; }
            outer: for (Row r : rows()) { break outer; }
            while (true) { break; }
            do { x(); } while (y());
            switch (f()) { case 1: case 2: a(); break; case 3: b(); default: c(); }
            var v = switch (k) { case A -> 1; case B, C -> { yield g(); } default -> throw new E(); };
            if (!x && y || z) return null; else if (q == 1) {} else { w(); }
            System.exit(1);
          }
        }
        "##,
        r##"
        class A()
        fn#1 A.f() -> int
          i: int := 0
          j: int := n()
          loop (i < n())
            if a
              continue
            <i>
            <j>
          loop outer rows() binds r: Row
            break outer
          loop endless
            break
          loop once y()
            x()
          if ((f() == 1) or (<> == 2))
            a()
          else
            if <>
              b()
            c()
          v: var := { if (k == A); 1; else; if ((k == B) or (k == C)); g(); else; throw new E() }
          if ((!x and y) or z)
            return null
          else
            if (q == 1)
            else
              w()
          die System.exit(1)
        "##,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.java", include_str!("java.rs"));
}
