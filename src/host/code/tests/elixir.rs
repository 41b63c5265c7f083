use super::{assert_code, properties::assert_cut};

#[track_caller]
fn assert_elixir(text: &str, expected: &str) {
    assert_code("a.ex", text, expected);
}

#[test]
fn declarations() {
    assert_elixir(
        r#"
        defmodule My.Store do
          @moduledoc "doc"
          @behaviour Other
          use Ecto.Repo, otp_app: :my
          alias My.Repo
          alias My.{Other, Foo.Bar}
          alias My.Long, as: L
          import Ecto.Query, only: [from: 2]
          require Logger
          @key 5
          @sql "SELECT 1"
          @list [1, Mod.f(2)]
          defstruct [:a, b: 1]
          @spec claim(Mod.t(), integer) :: any
          def claim(conn, key \\ g(1), %{id: id} = job, [h | t], {:ok, x}) when is_integer(key) do
            Postgrex.query!(conn, @sql, [@key])
          end
          defp one(x), do: x
          defp one(y), do: f(y)
          def none
          defmacro m(x) do quote do: unquote(x) end
          defdelegate a(x), to: B
        end
        defimpl P, for: X do def z(a), do: a end
        f()
        test "name", %{conn: conn} do f() end
        "#,
        r#"
        import Ecto.Repo as *
        import My.Repo as Repo
        import My.Other as Other
        import My.Foo.Bar as Bar
        import My.Long as L
        import Ecto.Query as *
        import Logger as Logger
        class My.Store(Other, Ecto.Repo)
          @key := 5
          @sql := "SELECT 1"
          @list := [1, Mod.f(2)]
          a
          b := 1
        class X(P)
        f()
        test("name", [conn: conn], fn#7)
        fn#1 My.Store.claim(conn, key = g(1), {id}, {h, t}, {x})
          return Postgrex.query!(conn, @sql, [@key])
        fn#2 My.Store.one(x)
          return x
        fn#3 My.Store.one(y)
          return f(y)
        fn#4 My.Store.none()
        fn#5 My.Store.m(x)
          return quote(do: unquote(x))
        fn#6 X.z(a)
          return a
        fn#7 ()
          return f()
        "#,
    );
}

#[test]
fn control_flow() {
    assert_elixir(
        r#"
        def f(a) do
          x = if a && !b do f() else g() end
          if c, do: f(), else: g()
          unless d do h() end
          case f() do
            {:ok, v} when v > g() -> h(v)
            {:error, %{code: c}} -> raise "x"
            :a -> 1
            _ -> :none
          end
          cond do
            a == 1 -> f()
            true -> g()
          end
          for x <- xs(), y = g(x), z <- y, z > 1, do: f(y)
          for {a, b} <- m, into: Mod.g(), reduce: 0 do acc -> acc + g(a) end
          receive do
            {:msg, m} -> f(m)
          after
            1000 -> g()
          end
          with {:ok, x} <- f(), y = g(x), true <- h(y) do
            k(x)
          else
            {:error, e} -> e
            _ -> nil
          end
        end
        def g() do
          f()
        rescue
          e in [A, B] -> g(e)
          e -> reraise e, __STACKTRACE__
        catch
          :exit, r -> h(r)
          kind, reason -> y
        else
          1 -> z()
        after
          c()
        end
        def h(), do: with {:ok, x} <- f(), do: x
        def i() do
          with {:ok, x} <- f() do g(x) else _ -> h() end
        end
        def j(x) do
          x |> f() |> case do
            {:ok, r} -> r
            {:error, e} -> throw(e)
          end
        end
        def k() do
          System.halt(1)
        end
        "#,
        r#"
        fn#1 f(a)
          x := { if (a and !b); f(); else; g() }
          if c
            f()
          else
            g()
          if !d
            h()
          if (<f()> and (v > g())) binds v.ok
            h(v)
          else
            if <> binds c.error
              throw raise("x")
            else
              if (<> == :a)
                1
              else
                :none
          if (a == 1)
            f()
          else
            g()
          loop xs() binds x
            y := g(x)
            loop y binds z
              if (z > 1)
                f(y)
          Mod.g()
          loop m binds a.0, b.1
            if true binds acc
              (acc + g(a))
          if <> binds m.msg
            f(m)
          else
            g()
          block with
            if <f()> binds x.ok
              y := g(x)
              if (h(y) == true)
                return k(x)
                break with
            if <> binds e.error
              return e
            else
              return nil
        fn#2 g()
          try
            f()
          catch [A, B] as e
            return g(e)
          catch all as e
            throw reraise(e, __STACKTRACE__)
          catch :exit, r as r
            return h(r)
          catch all as reason
            return y
          otherwise
            return z()
          finally
            c()
        fn#3 h()
          if <f()> binds x.ok
            return x
        fn#4 i()
          if <f()> binds x.ok
            return g(x)
          else
            return h()
        fn#5 j(x)
          if <f(x)> binds r.ok
            return r
          else
            if true binds e.error
              throw throw(e)
        fn#6 k()
          die System.halt(1)
        "#,
    );
}

#[test]
fn values() {
    assert_elixir(
        r##"
        {:ok, r} = Repo.query("SELECT #{f(key)} x", [key])
        %{"n" => n, rows: [[a]]} = Postgrex.query!(conn, sql, [], timeout: 1)
        xs |> Enum.map(fn x -> f(x) end) |> Enum.each(&g(&1, 2)) |> h
        f = fn
          a, {b, c} -> d(); e(a)
          x, _ when x > 1 -> 2
        end
        f.(1, 2)
        &foo/1
        &Mod.foo/2
        not a and b or c
        ~s(a #{f()})
        [1 | f()]
        %{m | a: f()}
        %{"k" => 1, g() => 2}
        %S{a: 1}
        {1, f()}
        [a: 1, b: g()]
        x.y.z(1)
        x[f()]
        Repo.transaction(fn -> f() end, timeout: 5)
        Task.async(fn -> f() end) |> Task.await()
        Repo.transact do f() end
        from(j in Job, where: j.id == ^id, lock: "FOR UPDATE") |> Repo.one()
        g(x = f())
        "##,
        r#"
        r.ok := Repo.query("SELECT #{f(key)} x"<f(key)>, [key])
        n.n, a.rows := Postgrex.query!(conn, sql, [], timeout: 1)
        h(Enum.each(Enum.map(xs, fn#1), fn#2))
        f := fn#3
        f(1, 2)
        foo
        Mod.foo
        ((!a and b) or c)
        ~s(a #{f()})<f()>
        [1, f()]
        [m, a: f()]
        [k: 1, <g() 2>]
        new S(a: 1)
        [1, f()]
        [a: 1, b: g()]
        x.y.z(1)
        <x f()>
        Repo.transaction(fn#4, timeout: 5)
        Task.await(start Task.async(fn#5))
        Repo.transact(fn#6)
        Repo.one(from((j in Job), where: (j.id == id), lock: "FOR UPDATE"))
        g((x = f()))
        fn#1 (x)
          return f(x)
        fn#2 ()
          return g(&1, 2)
        fn#3 f(a, {b, c})
          if <> binds a, b.0, c.1
            d()
            return e(a)
          else
            if (<> and (x > 1)) binds x
              return 2
        fn#4 ()
          return f()
        fn#5 ()
          return f()
        fn#6 ()
          return f()
        "#,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.ex", include_str!("elixir.rs").split_once("r#\"").unwrap().1);
}
