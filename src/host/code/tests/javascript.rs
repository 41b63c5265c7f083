use super::{assert_code, properties::assert_cut};

#[test]
fn imports() {
    assert_code(
        "a.ts",
        r##"
        import pg, { Pool, Client as C } from 'pg';
        import * as fs from 'fs';
        import type { T } from './t';
        const { Worker } = require('w');
        const q = require('q').Q;
        const m = await import('m');
        export const run = async () => { await go(); };
        module.exports = { run, a: 1 };
        "##,
        r##"
        import pg as pg
        import pg.Pool as Pool
        import pg.Client as C
        import fs as fs
        import ./t.T as T
        import w.Worker as Worker
        import q.Q as q
        import m as m
        Worker.Worker := require('w')
        q := require('q').Q
        m := await import('m')
        run := fn#1
        module.exports = [run: run, a: 1]
        async fn#1 run()
          await go()
        "##,
    );
}

#[test]
fn classes() {
    assert_code(
        "a.ts",
        r##"
        export default class Repo extends Base<T> implements I {
          @Inject() private readonly db: Db = make();
          static count = 0;
          constructor(private readonly pool: Pool, @Inject(X) other?: string, ...rest: any[]) { super(pool); }
          @Cron('x', { a: 1 })
          async claim({ id, n = f() }: Args, [a, b]): Promise<void> { this.go(); }
          handle = async () => { this.x(); };
          abstract foo(): void;
          go() {}
          [Symbol.for('x')]() {}
        }
        interface Deps { pool: Pool; close(): void; }
        enum E { A = f() }
        class K extends mixin(B) { static { init(); } #p = 1; }
        "##,
        r##"
        class Repo(Base, I)
          db: Db := make()
          count := 0
          pool: Pool
          handle := fn#3
        class Deps()
          pool: Pool
        class E()
          A := f()
        class K(mixin(B))
          #p := 1
        mixin(B)
        fn#1 Repo.constructor(pool: Pool, other: string, rest: any[])
          super(pool)
        @Cron('x', [a: 1])
        async fn#2 Repo.claim({id, n}: Args = <f()>, {a, b}) -> Promise<void>
          this.go()
        async fn#3 Repo.handle()
          this.x()
        fn#4 Repo.go()
        fn#5 Repo.[Symbol.for('x')]()
        fn#6 K.static()
          init()
        "##,
    );
}

#[test]
fn connections() {
    assert_code(
        "a.ts",
        r##"
        async function f() {
          const { rows: [r], other = g(), ...rest } = await pool.query<Row>(`SELECT ${id}` + tail, [1]);
          const [a, , b]: any = x!;
          await sql`SELECT ${x()}`;
          await tx.query<Row>('SELECT 1');
          {
            using conn = await pool.connect();
            await using c2 = h();
            conn.go();
          }
          await Promise.all([a(), b?.c()]);
          x?.y?.[z()]?.(1);
          p.then(r => r.rows, function named(e) { throw e; });
          f();
          void bg();
          new Foo<Bar>(1).go();
          const o = { a, b: 1, [k()]: 2, async m() {}, ...s() };
          this.x ??= y as string;
          a = b = c();
          ({ a, b: c } = d());
          return <T>x satisfies Y;
        }
        "##,
        r##"
        async fn#1 f()
          r.rows, other.other, rest.2 := await pool.query<Row>(`SELECT ${id}` + tail<id tail>, [1])
          g()
          a.0, b.2: any := x
          await sql(`SELECT ${x()}`<x()>)
          await tx.query<Row>('SELECT 1')
          with conn := await pool.connect()
            with c2 := h()
              conn.go()
          await Promise.all([a(), b.c()])
          <x.y z()>(1)
          p.then(fn#2, fn#3)
          start f()
          start bg()
          new Foo<Bar>(1).go()
          o := [a: a, b: 1, <<k()> 2>, m: fn#4, <s()>]
          this.x = (<> ??= y)
          a = (b = c())
          a.a, c.b = d()
          return x
        fn#2 (r)
          return r.rows
        fn#3 named(e)
          throw e
        async fn#4 m()
        "##,
    );
}

#[test]
fn flow() {
    assert_code(
        "a.ts",
        r##"
        function f() {
          for await (const row of rows()) { continue; }
          for (const k in o) {}
          outer: for (let i = 0, j; i < n(); i++) { break outer; }
          for (;;) {}
          do { x(); } while (y());
          switch (await f()) { case 1: case 2: a(); break; case 'c': { b(); return; } case 3: d(); default: if (x) break; c(); }
          try { a(); } catch (e) { throw e; } finally { z(); }
          try { a(); } catch { }
          a ? b() : c();
          if (!x) return; else if (y) z(); else { w(); }
          label: { break label; }
          process.exit(1);
        }
        "##,
        r##"
        fn#1 f()
          loop await rows() binds row
            continue
          loop o binds k
          i := 0
          j
          loop outer (i < n())
            break outer
            <i>
          loop endless
          loop once y()
            x()
          block switch
            if ((await f() == 1) or (<> == 2))
              a()
            else
              if (<> == 'c')
                b()
                return
              else
                if <>
                  d()
                if x
                  break switch
                c()
          try
            a()
          catch all as e
            throw e
          finally
            z()
          try
            a()
          catch all
          if a
            b()
          else
            c()
          if !x
            return
          else
            if y
              z()
            else
              w()
          block label
            break label
          die process.exit(1)
        "##,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.ts", include_str!("javascript.rs"));
}
