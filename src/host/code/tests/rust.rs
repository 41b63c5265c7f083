use super::{assert_code, properties::assert_cut};

#[track_caller]
fn assert_rust(text: &str, expected: &str) {
    assert_code("a.rs", text, expected);
}

#[test]
fn declarations() {
    assert_rust(
        r#"
        use sqlx::{PgPool, postgres::{PgRow as R, self}, *};
        pub use super::b as c;
        use a;
        mod inner { pub fn f() -> i32 { g() } }
        #[derive(Debug, Clone)]
        pub struct Store<'a, T: X> { pub pool: PgPool, #[serde(default)] b: Option<&'a T> }
        struct P(pub PgPool, i32);
        const KEY: i64 = 42;
        static POOL: Lazy<Pool> = Lazy::new(|| make());
        macro_rules! m { ($x:expr) => { f($x) }; }
        impl<'a, T> Drop for Store<'a, T> where T: X {
            const A: i32 = 1;
            fn drop(&mut self) { self.f(); }
        }
        impl Store {
            #[tokio::main(flavor = "x")]
            pub async fn claim(&self, (a, b): (i32, i32), mut c: &mut Conn, P { x, y: z, .. }: P) -> Result<Job, Error> {
                Ok(c)
            }
        }
        trait Repo: Base { const Z: i32; fn a(&self) -> i32; fn b(self: Box<Self>) { f(); } }
        "#,
        r#"
        import sqlx::PgPool as PgPool
        import sqlx::postgres::PgRow as R
        import sqlx::postgres as postgres
        import sqlx as *
        import super::b as c
        import a as a
        @derive(Debug, Clone)
        class Store()
          pool: PgPool
          b: Option<&'a T>
        class P()
          0: PgPool
          1: i32
        class Store(Drop)
          A: i32 := 1
        class Store()
        class Repo(Base)
          Z: i32
        KEY: i64 := 42
        POOL: Lazy<Pool> := Lazy.new(fn#2)
        fn#1 f() -> i32
          return g()
        fn#2 ()
          return make()
        fn#3 Store.drop(self; )
          self.f()
        @tokio.main(flavor: "x")
        async fn#4 Store.claim(self; {a, b}: (i32, i32), c: &mut Conn, {x, z}: P) -> Result<Job, Error>
          return Ok(c)
        fn#5 Repo.a(self; ) -> i32
        fn#6 Repo.b(self; )
          f()
        "#,
    );
}

#[test]
fn control_flow() {
    assert_rust(
        r#"
        async fn f() -> Result<(), Error> {
            let Some(row) = f(&mut tx).await? else { return Err(E::new()); };
            if a && !b { f() } else if let Some(Ok(x)) = g() && x > 1 { x } else { return };
            if let Err(e) = f() { g(e)?; }
            while let Some(x) = it.next().await { if x { continue 'out; } break; }
            'out: loop { break 'out f(); }
            for (i, x) in xs.iter().enumerate() { f(x); }
            while true { f() }
            'a: { if x { break 'a; } g(); }
            match f().await {
                Ok(v) if v > g() => h(v),
                Err(Error::A { code, .. }) | Err(Error::B(code)) => return Err(code),
                n @ 1..=5 => {}
                "a" | "b" => x(),
                None => {}
                _ => panic!("x {}", f()),
            }
            match g() { Ok(x) => return x, Err(e) => return Err(e) }
        }
        fn last(x: X) -> i32 {
            match x { A => f(), B(y) => { g(y); h() } }
        }
        fn dies() { if x { todo!(); } bail!("x"); std::process::exit(1) }
        "#,
        r#"
        async fn#1 f() -> Result<(), Error>
          if <await f(tx)?> binds row
          else
            return Err(E.new())
          if (a and !b)
            f()
          else
            if (<g()> and (x > 1)) binds x
              x
            else
              return
          if (f() is Err) binds e.Err
            g(e)?
          loop <await it.next()> binds x
            if x
              continue out
            break
          loop out endless
            f()
            break out
          loop xs.iter().enumerate() binds i.0, x.1
            f(x)
          loop endless
            f()
          block a
            if x
              break a
            g()
          if ((await f() is Ok) and (v > g())) binds v
            h(v)
          else
            if <> binds code.Err
              return Err(code)
            else
              if <> binds n
              else
                if ((<> == "a") or (<> == "b"))
                  x()
                else
                  if <>
                  else
                    throw panic("x {}", f())
          if (g() is Ok) binds x
            return x
          else
            if true binds e.Err
              return Err(e)
        fn#2 last(x: X) -> i32
          if <x>
            return f()
          else
            if true binds y.B
              g(y)
              return h()
        fn#3 dies()
          if x
            throw todo()
          return bail("x")
          die std.process.exit(1)
        "#,
    );
}

#[test]
fn values() {
    assert_rust(
        r#"
        fn f() {
            let (a, mut b): (i32, i32) = (1, g());
            let S { x, y: S { z }, .. } = h();
            let [p, .., q] = k;
            let _ = f();
            x.y = f(); a += g(); *p = 1; a[f()] = 2;
            let c = move |x: i32, (a, b)| -> i32 { x + 1 };
            let d = async move { f().await };
            sqlx::query_as::<_, Job>("SELECT 1").bind(k).fetch_one(&mut *tx).await?.id;
            let x = { f(); g() };
            unsafe { f() };
            t.0.b(); <T as X>::y(1); Self::z(); S { a: f(), b, ..g() }; (a.b)(1);
            tokio::spawn(async move { f().await });
            let x = if a { 1 } else { 2 };
            f() as i32; -1; !x; [0; f()]; a..f(); a == b
        }
        "#,
        r#"
        fn#1 f()
          a.0, b.1: (i32, i32) := [1, g()]
          x.x, z.y := h()
          p.0, q.2 := k
           := f()
          x.y = f()
          a = (a += g())
          p = 1
          <a f()> = 2
          c := fn#2
          d := fn#3
          await sqlx.query_as<_, Job>("SELECT 1").bind(k).fetch_one(tx)?.id
          x := { f(); g() }
          f()
          t.0.b()
          <>.y(1)
          Self.z()
          new S(a: f(), b: b, <g()>)
          a.b(1)
          start tokio.spawn(fn#4)
          x := { if a; 1; else; 2 }
          f()
          -1
          !x
          [0, f()]
          <a f()>
          return (a == b)
        fn#2 c(x: i32, {a, b}) -> i32
          return (x + 1)
        async fn#3 d()
          return await f()
        async fn#4 ()
          return await f()
        "#,
    );
}

#[test]
fn macros() {
    assert_rust(
        r##"
        fn f() -> R {
            let job = sqlx::query_as!(Job, r#"SELECT {}"#, self.k(1), x + h()).fetch_one(&self.pool).await?;
            tokio::select! { x = f() => { g(x)? }, _ = h() => return Err(k()), else => k(), }
            tokio::join!(a(), b.c::<T>(d()).await, x.0.e());
            println!("{x} {}", f(y!(g())));
            vec![f(); 3];
            format!("a {} b", "c");
            concat!("a", env!("b"));
            ensure!(f(), "m");
        }
        "##,
        r##"
        fn#1 f() -> R
          job := await sqlx.query_as(Job, r#"SELECT {}"#, self.k(1), <x h()>).fetch_one(self.pool)?
          tokio.select(x: f(), g(x)?, h(), { if <>; return <Err(k())> }, else, k())
          tokio.join(a(), await b.c(d()), x.0.e())
          println("{x} {}", f(y(g())))
          vec(f(), 3)
          format("a {} b", "c")
          concat(("a", env!("b"))<env("b")>)
          if !ensure(f(), "m")
            return <>
        "##,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.rs", include_str!("rust.rs"));
    assert_cut("a.rs", include_str!("rust.rs").split_once("r#\"").unwrap().1);
}
