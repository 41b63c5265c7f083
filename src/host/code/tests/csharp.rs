use super::{assert_code, properties::assert_cut};

#[test]
fn classes() {
    assert_code(
        "a.cs",
        r##"
        using Npgsql;
        using P = Npgsql.NpgsqlConnection;
        namespace X.Y;
        [Table("x")]
        public class Repo<T> : Base<T>, IRepo {
          private readonly NpgsqlDataSource _ds = Make(), other;
          public string Name { get; set; } = F();
          public int Q => G();
          public int W { get { return H(); } }
          public Repo(NpgsqlDataSource ds) : base(ds) { _ds = ds; }
          [HttpGet("x")]
          public async Task<List<R>> Claim([FromBody] long id, CancellationToken ct = default) { return Find<R>(id); }
          enum E { A = 1 }
          record P2(int A, string B);
        }
        class Q(NpgsqlDataSource ds) : B(ds) { public void M() => ds.Go(); static Q() { I(); } }
        "##,
        r##"
        import Npgsql as *
        import Npgsql.NpgsqlConnection as P
        @Table("x")
        class Repo(Base<T>, IRepo)
          _ds: NpgsqlDataSource := Make()
          other: NpgsqlDataSource
          Name: string := F()
          Q: int
          W: int
        class E()
        class P2()
          A: int
          B: string
        class Q(B)
          ds: NpgsqlDataSource
        fn#1 Repo.Q()
          return G()
        fn#2 Repo.W()
          return H()
        fn#3 Repo.Repo(ds: NpgsqlDataSource)
          [ds]
          _ds = ds
        @HttpGet("x")
        async fn#4 Repo.Claim(id: long, ct: CancellationToken = default) -> Task<List<R>>
          return Find<R>(id)
        fn#5 Q.M() -> void
          return ds.Go()
        fn#6 Q.Q()
          I()
        fn#7 Q.()
          [ds]
        "##,
    );
}

#[test]
fn connections() {
    assert_code(
        "a.cs",
        r##"
        class A {
          async Task F() {
            await using var conn = await _ds.OpenConnectionAsync(ct);
            using (var cmd = new NpgsqlCommand($"SELECT {id}" + tail, conn) { CommandTimeout = 3 }) { cmd.Run(); }
            using var a = F(), b = G();
            (var p, int q2) = F();
            var (r1, r2) = F();
            x += 1;
            Func<int, int> fn = n => n + 1;
            Task.Run(() => Work());
            F();
            await Other.Go<int>(x: 1, out var o);
            var d = new Dictionary<string, int> { ["a"] = 1, { "b", F() } };
            NpgsqlConnection c2 = new(cs);
            var t = a?.B()?.C[D()];
            int Local(int n) { return n; }
            lock (gate) { Z(); }
          }
        }
        "##,
        r##"
        class A()
        async fn#1 A.F() -> Task
          with conn: var := await _ds.OpenConnectionAsync(ct)
            with cmd: var := new NpgsqlCommand($"SELECT {id}" + tail<id tail>, conn, CommandTimeout: 3)
              cmd.Run()
            with a: var := F(), b: var := G()
              p.0, q2.1 = F()
              r1.0, r2.1: var := F()
              x = (x += 1)
              fn: Func<int, int> := fn#2
              start Task.Run(fn#3)
              start F()
              await Other.Go<int>(x: 1, o)
              d: var := new Dictionary<string, int>(a: 1, ["b", F()])
              c2: NpgsqlConnection := new (cs)
              t: var := <a.B().C <D()>>
              gate
              Z()
        fn#2 fn(n)
          return (n + 1)
        fn#3 ()
          return Work()
        fn#4 Local(n: int) -> int
          return n
        "##,
    );
}

#[test]
fn flow() {
    assert_code(
        "a.cs",
        r##"
        class A {
          int F() {
            foreach (var (k, v) in map) { continue; }
            for (int i = 0, j = N(); i < N(); i++, j--) { break; }
            while (true) { }
            do { X(); } while (Y());
            switch (F()) { case 1: case 2: A(); break; case "c" when q: B(); return; default: C(); break; }
            var v = x switch { 1 => A(), > 2 and < 5 => B(), R { Z: 1 } r => r.Q(), _ => throw new E() };
            try { A(); } catch (NpgsqlException e) when (e.X()) { throw; } catch (Exception) { } finally { D(); }
            if (a is Foo f && !b) return; else if (c) X(); else { Y(); }
            var z = a ?? throw new E();
            Environment.Exit(1);
            yield return F();
            return a ? B() : C();
          }
        }
        "##,
        r##"
        class A()
        fn#1 A.F() -> int
          loop map binds k.0: var, v.1: var
            continue
          i: int := 0
          j: int := N()
          loop (i < N())
            break
            <i>
            <j>
          loop endless
          loop once Y()
            X()
          if ((F() == 1) or (<> == 2))
            A()
          else
            if ((<> == "c") and q)
              B()
              return
            else
              C()
          v: var := { if (x == 1); A(); else; if <x>; B(); else; if <x> binds r; r.Q(); else; throw new E() }
          try
            A()
          catch NpgsqlException as e
            e.X()
            throw
          catch all Exception
          finally
            D()
          if ((f = a) and !b)
            return
          else
            if c
              X()
            else
              Y()
          z: var := (a or { throw new E() })
          die Environment.Exit(1)
          F()
          return { if a; B(); else; C() }
        "##,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.cs", include_str!("csharp.rs"));
}
