use super::{assert_code, calls, properties::assert_cut, source};
use crate::host;

#[track_caller]
fn assert_python(text: &str, expected: &str) {
    assert_code("a.py", text, expected);
}

#[test]
fn connections_and_texts() {
    assert_python(
        r#"
        from psycopg_pool import AsyncConnectionPool as Pool
        import psycopg, a.b as c
        from . import db
        from x import *
        pool: Pool = Pool("dsn", max_size=4)
        async def claim(pool, limit: int = 1, *, name=None) -> Job:
            """Claims."""
            async with pool.connection() as conn, conn.cursor() as cur:
                await cur.execute("SELECT 1 " "FROM jobs WHERE name = %s" + tail, (name,))
                row, *rest = await cur.fetchone()
                cur.execute(f"SELECT {limit + 1}" % name)
            return row[0] if row else None
        "#,
        r#"
        import psycopg_pool.AsyncConnectionPool as Pool
        import psycopg as psycopg
        import a.b as c
        import .db as db
        import x as *
        pool: Pool := Pool("dsn", max_size: 4)
        async fn#1 claim(pool, limit: int = 1, name = None) -> Job
          """Claims."""
          with conn := await pool.connection(), cur := await conn.cursor()
            await cur.execute("SELECT 1 " "FROM jobs WHERE name = %s" + tail<tail>, [name])
            row.0, rest.1 = await cur.fetchone()
            cur.execute((f"SELECT {limit + 1}"<(limit + 1)> % name))
          return { if row; <row 0>; else; None }
        "#,
    );
}

#[test]
fn control_flow() {
    assert_python(
        r#"
        def f():
            for a, (b, c) in x.y():
                if a and not b or (n := g()) > 3:
                    continue
                elif q:
                    break
                else:
                    pass
            else:
                z()
            while True:
                break
            try:
                a()
            except (A, B) as e:
                raise X(e) from e
            except Exception:
                return
            else:
                b()
            finally:
                c()
            assert x, y
            sys.exit(1)
        "#,
        "
        fn#1 f()
          block else
            loop x.y() binds a.0, b.1, c.1
              if ((a and !b) or ((n = g()) > 3))
                continue
              else
                if q
                  break else
                else
            z()
          loop endless
            break
          try
            a()
          catch (A, B) as e
            throw <X(e) e>
          catch all Exception
            return
          otherwise
            b()
          finally
            c()
          if !x
            throw y
          throw sys.exit(1)
        ",
    );
}

#[test]
fn cases() {
    assert_python(
        r#"
        match f():
            case "a" | 'b':
                a()
            case "c":
                c()
            case Ok(value=[x, *rest], code=3) if g(x):
                b(x)
            case {"k": kv}:
                pass
            case _:
                d()
        "#,
        r#"
        if <f()>
          a()
        else
          if (<> == "c")
            c()
          else
            if (<> and g(x)) binds x.value, rest.value
              b(x)
            else
              if <> binds kv
              else
                d()
        "#,
    );
}

#[test]
fn values() {
    assert_python(
        r#"
        a.b = c = d()
        a, b = 1, f()
        total += g()
        ys = [h(x) async for x in xs() if x]
        sum(x for x in xs)
        key = lambda p, q=1: p + q
        sorted(ys, key=lambda y: y[0])
        asyncio.create_task(work())
        print(*args, **kw)
        {"a": 1, f(): 2}
        "#,
        r#"
        a.b = (c = d())
        a = 1
        b = f()
        total = (total += g())
        ys = { loop await xs() binds x; if x; h(x) }
        sum({ loop xs binds x; x })
        key = fn#1
        sorted(ys, key: fn#2)
        start asyncio.create_task(start work())
        print(<args>, <kw>)
        [a: 1, <f() 2>]
        fn#1 key(p, q = 1)
          return (p + q)
        fn#2 key(y)
          return <y 0>
        "#,
    );
}

#[test]
fn classes() {
    assert_python(
        r#"
        @dataclass(frozen=True)
        class Store(Base, metaclass=Meta):
            pool: Pool = field(default=None)
            limit = 3
            def __init__(self, pool):
                self.pool = pool
            @app.task(bind=True)
            def run(self): pass
            @staticmethod
            def make(x): pass
            register(make)
        "#,
        r#"
        @dataclass(frozen: True)
        class Store(Base, metaclass=Meta)
          pool: Pool := field(default: None)
          limit := 3
        register(make)
        fn#1 Store.__init__(self; pool)
          self.pool = pool
        @app.task(bind: True)
        fn#2 Store.run(self; )
        @staticmethod
        fn#3 Store.make(x)
        "#,
    );
}

#[test]
fn calls_are_in_the_order_in_which_they_run() {
    let source = source("a.py", "a(b(), c().d(e()), k=f())(g()) if h() else i()\n");
    let code = host::code(&source).unwrap();
    let names: Vec<String> = calls(&source, &code).iter().map(|call| call.chars().take(4).collect()).collect();
    assert_eq!(names, ["h()", "b()", "c()", "e()", "c().", "f()", "a(b(", "g()", "a(b(", "i()"]);
}

#[test]
fn cut_off() {
    assert_cut("a.py", include_str!("python.rs"));
    assert_cut(
        "a.py",
        "class A:\n    async def f(self):\n        with a as b:\n            try:\n                match x:\n                    case [a, b]: pass\n            except E as e:\n                raise\n        return [x for x in y]\n",
    );
}
