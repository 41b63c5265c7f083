use super::{assert_code, properties::assert_cut};

#[track_caller]
fn assert_go(text: &str, expected: &str) {
    assert_code("a.go", text, expected);
}

#[test]
fn connections() {
    assert_go(
        r#"
        package main
        import (
            "os"
            x "github.com/jackc/pgx"
            "github.com/jackc/pgx/v5"
            . "fmt"
        )
        type Store struct {
            *Base
            pool *pgxpool.Pool
            a, b int
        }
        const claim = "SELECT 1"
        var retries, wait = 3, time.Second
        func (s *Store) Claim(ctx context.Context, a, b int, rest ...string) (n int, err error) {
            conn, err := s.pool.Acquire(ctx)
            if err != nil {
                return 0, err
            }
            defer conn.Release()
            defer func() { _ = conn.Exec(ctx, "a" + claim) }()
            if err := f(); err != nil {
                log.Fatal(err)
            } else if x {
                panic("no")
            } else {
                os.Exit(1)
            }
            go work(ctx)
            return pgx.CollectRows[Job](rows, byName)
        }
        "#,
        r#"
        import os as os
        import github.com/jackc/pgx as x
        import github.com/jackc/pgx/v5 as pgx
        import fmt as *
        class Store(Base)
          pool: *pgxpool.Pool
          a: int
          b: int
        claim := "SELECT 1"
        retries := 3
        wait := time.Second
        fn#1 Store.Claim(s; ctx: context.Context, a: int, b: int, rest: string) -> (n int, err error)
          conn.0, err.1 := s.pool.Acquire(ctx)
          if (err != nil)
            return [0, err]
          defer conn.Release()
          defer fn#2()
          err := f()
          if (err != nil)
            die log.Fatal(err)
          else
            if x
              throw panic("no")
            else
              die os.Exit(1)
          start work(ctx)
          return pgx.CollectRows<Job>(rows, byName)
        fn#2 ()
          _ = conn.Exec(ctx, "a" + claim<claim>)
        "#,
    );
}

#[test]
fn loops() {
    assert_go(
        r#"
        package main
        func f() {
        outer:
            for i := 0; i < n(); i++ {
                for k, v := range m {
                    continue outer
                }
            }
            for rows.Next() {
                break
            }
            for {
            }
            for range ch {
            }
        }
        "#,
        "
        fn#1 f()
          i := 0
          loop outer (i < n())
            loop m binds k.0, v.1
              continue outer
            i
          loop rows.Next()
            break
          loop endless
          loop ch
        ",
    );
}

#[test]
fn cases() {
    assert_go(
        r#"
        package main
        func f() {
            switch x := g(); h(x) {
            case 1, 2:
                a()
                fallthrough
            case 3:
                b()
            case 4:
                if c() {
                    break
                }
                d()
            default:
                e()
            }
            switch v := x.(type) {
            case int:
                a(v)
            case nil, error:
            }
            for {
                select {
                case m, ok := <-ch:
                    a(m)
                case out <- g():
                case <-ctx.Done():
                    return
                }
                select {
                case <-ctx.Done():
                    break
                default:
                    if x { break }
                }
            }
            switch {
            case a > 1:
                a()
            }
        }
        "#,
        "
        fn#1 f()
          x := g()
          block switch
            if (((h(x) == 1) or (<> == 2)) or (<> == 3))
              if <>
                a()
              b()
            else
              if (<> == 4)
                if c()
                  break switch
                d()
              else
                e()
          if <x> binds v: int
            a(v)
          else
            if <x> binds v
          loop endless
            if <<ch>> binds m.0, ok.1
              a(m)
            else
              if <out g()>
              else
                <ctx.Done()>
                return
            block switch
              if <<ctx.Done()>>
              else
                if x
                  break switch
          if (a > 1)
            a()
        ",
    );
}

#[test]
fn values() {
    assert_go(
        r#"
        package main
        func f() {
            var q string = "a" + b
            m := map[string]int{"a": g()}
            p := &S{db: d, c: x.T{}}
            f[int](x)
            a.b, c = 1, 2
            a += h()
            x := y.(T)
            fn := func(x int) error { return nil }
            b := []byte("x")
            !ok(make([]int, 5))
        }
        "#,
        r#"
        fn#1 f()
          q: string := "a" + b<b>
          m := [a: g()]
          p := new S(db: d, c: new x.T())
          f<int>(x)
          a.b = 1
          c = 2
          a = (a += h())
          x := y
          fn := fn#2
          b := "x"
          !ok(make(5))
        fn#2 fn(x: int) -> error
          return nil
        "#,
    );
}

#[test]
fn cut_off() {
    let text = include_str!("go.rs");
    assert_cut("a.go", text);
}
