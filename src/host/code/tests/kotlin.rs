use super::{assert_code, properties::assert_cut};

#[test]
fn classes() {
    assert_code(
        "a.kt",
        r##"
        import a.b.C
        import d.E as F
        import g.*
        @Service("x")
        class Repo<T>(private val ds: DataSource, val n: Int = f(), other: String) : Base<T>(ds), I {
          private val db by lazy { make() }
          lateinit var c: Conn
          val q: Int get() = g()
          init { start() }
          constructor(x: Int) : this(x, 1) { y() }
          companion object {
            fun make() = Repo()
          }
          @Transactional(readOnly = true)
          suspend fun <R> claim(@Param("id") id: Long, limit: Int = 1): List<R>? {
            return null
          }
        }
        object S {
          fun t() {}
        }
        enum class Z(val p: Int) {
          A(f()), B(2)
        }
        val top = make()
        "##,
        r##"
        import a.b.C as C
        import d.E as F
        import g as *
        @Service("x")
        class Repo(Base<T>, I)
          db := lazy(fn#1)
          c: Conn
          q: Int
          ds: DataSource
          n: Int := f()
          other: String
        class Repo()
        class S()
        class Z()
          A := [f()]
          B := [2]
          p: Int
        top := make()
        fn#1 Repo.()
          return make()
        fn#2 Repo.q()
          return g()
        fn#3 Repo.init()
          start()
        fn#4 Repo.constructor(x: Int)
          [x, 1]
          y()
        fn#5 Repo.make()
          return Repo()
        @Transactional(readOnly: true)
        async fn#6 Repo.claim(id: Long, limit: Int = 1) -> List<R>?
          return null
        fn#7 Repo.()
          <[ds]>
        fn#8 S.t()
        "##,
    );
}

#[test]
fn connections() {
    assert_code(
        "a.kt",
        r##"
        fun f(): Int {
            ds.connection.use { conn -> conn.prepareStatement("SELECT $id ${f(x)}" + tail).execute() }
            transaction { exec("SELECT 1") }
            val (a, b) = pair()
            val x: Int = y as Int
            var z = a?.b()?.c ?: throw E("x")
            x += f()
            a.b = c
            list.forEach { if (it) return@forEach; return null }
            list.map(::foo).filter { x, y -> x }
            launch { work() }
            val o = object : B(g()) {
              override fun run() { go() }
            }
            val fn = fun(x: Int): Int { return x }
            foo<Int>(x = 1, y!!)
            h[1] = g()
            return a to b
        }
        "##,
        r##"
        class (B)
        fn#1 f() -> Int
          ds.connection.use(fn#2)
          transaction(fn#3)
          a.0, b.1 := pair()
          x: Int := y
          z := (a.b().c or { throw E("x") })
          x = (x += f())
          a.b = c
          list.forEach(fn#4)
          list.map(foo).filter(fn#5)
          start launch(fn#6)
          o := { <[g()]> }
          fn := fn#8
          foo<Int>(x: 1, y)
          <h <1>> = g()
          return <a to b>
        fn#2 (conn)
          return conn.prepareStatement("SELECT $id ${f(x)}" + tail<id f(x) tail>).execute()
        fn#3 ()
          return exec("SELECT 1")
        fn#4 ()
          if it
            return
          return outer null
        fn#5 (x, y)
          return x
        fn#6 ()
          return work()
        fn#7 .run()
          go()
        fn#8 fn(x: Int) -> Int
          return x
        "##,
    );
}

#[test]
fn flow() {
    assert_code(
        "a.kt",
        r##"
        fun f(): Int {
            if (a && !b) return null else if (c is D) g() else { h() }
            val v = if (a) b() else c()
            when (val k = f()) { 1, 2 -> a(); is String -> b(); in 1..3 -> c(); else -> d() }
            when { a -> b(); else -> c() }
            for (i in list()) { continue }
            outer@ for ((k, w) in map) { break@outer }
            while (true) { break }
            do { x() } while (y())
            try { a() } catch (e: SQLException) { throw e } catch (e: Exception) { } finally { z() }
            val t = try { a() } catch (e: Throwable) { null }
            exitProcess(1)
        }
        "##,
        r##"
        fn#1 f() -> Int
          if (a and !b)
            return null
          else
            if <c D>
              g()
            else
              h()
          v := { if a; b(); else; c() }
          k := f()
          if ((k == 1) or (k == 2))
            a()
          else
            if <k>
              b()
            else
              if <<k> <1 3>>
                c()
              else
                d()
          if a
            b()
          else
            c()
          loop list() binds i
            continue
          loop outer map binds k.0, w.1
            break outer
          loop endless
            break
          loop once y()
            x()
          try
            a()
          catch SQLException as e
            throw e
          catch all Exception as e
          finally
            z()
          t := { try; a(); catch all Throwable as e; null }
          die exitProcess(1)
        "##,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.kt", include_str!("kotlin.rs"));
}
