use super::{assert_code, properties::assert_cut};

#[test]
fn definitions() {
    assert_code(
        "a.rb",
        r##"
        require 'pg'
        module M
          class Job < ApplicationRecord
            include Lockable
            has_many :rows, -> { order(:id) }, dependent: :destroy
            LIMIT = f()
            private
            def self.claim(conn, limit = 1, *rest, name:, opt: g(), **kw, &blk)
              conn
            end
            def q = conn.exec("x")
            def name; @name; end
            class << self
              def k; end
            end
          end
          class Row < Struct.new(:a); end
        end
        "##,
        r##"
        import pg as *
        class M()
        class Job(ApplicationRecord, Lockable)
          LIMIT := f()
        class Row(Struct.new(:a))
        require('pg')
        include(Lockable)
        has_many(:rows, fn#1, dependent: :destroy)
        private()
        new Struct(:a)
        fn#1 Job.()
          return order(:id)
        fn#2 Job.claim(conn, limit = 1, rest, name, opt = g(), kw, blk)
          return conn
        fn#3 Job.q()
          return conn().exec("x")
        fn#4 Job.name()
          return @name
        fn#5 Job.k()
        "##,
    );
}

#[test]
fn connections() {
    assert_code(
        "a.rb",
        r##"
        def f(conn)
          conn.transaction do |tx, (a, b)|
            next unless tx
            return 1 if a
            tx.exec_params("SELECT #{limit}" "x", [1])
          end
          pool.with { |c| c.exec(<<~SQL, [a]) }
            SELECT 1 #{x}
          SQL
          @conn ||= PG.connect
          a, (b, *c) = g
          x = y = z
          x, y = 1, 2
          x += 1
          PG::Connection.new(url).close
          foo&.bar(1)&.baz
          super
          super(a)
          yield x, 1
          ->(x) { x + 1 }.call(2)
          puts "a", b: 1, &blk
          h[:a] = { b: 1, "c" => d(), e: }
          Thread.new { work }
          obj.foo = bar
          [1, *a].map(&:to_s)
          commit
        end
        "##,
        r##"
        fn#1 f(conn)
          conn.transaction(fn#2)
          pool().with(fn#3)
          @conn = (@conn ||= PG.connect())
          a.0, b.1, c.1 = g()
          x = (y = z())
          x = 1
          y = 2
          x = (x += 1)
          new PG.Connection(url()).close()
          foo().bar(1).baz()
          super()
          super(a)
          yield(x, 1)
          fn#4.call(2)
          puts("a", b: 1, blk())
          <h() :a> = [b: 1, c: d(), e: e]
          start new Thread(fn#5)
          obj().foo = bar()
          [1, <a>].map(:to_s)
          return commit()
        fn#2 (tx, {a, b})
          if !tx
            return
          if a
            return outer 1
          return tx.exec_params("SELECT #{limit}" "x"<limit()>, [1])
        fn#3 (c)
          return c.exec(<<~SQL, [a]) } SELECT 1 #{x} SQL<x()>, [a])
        fn#4 (x)
          return (x + 1)
        fn#5 ()
          return work()
        "##,
    );
}

#[test]
fn flow() {
    assert_code(
        "a.rb",
        r##"
        def f(a, b)
          raise Foo, "x" if bad
          if a && !b then c() elsif d or e() then f else g! end
          unless x then y else z end
          while a do b; next if c; break end
          until a; end
          begin; a; end while b
          for i in list do p i end
          loop do
            break if a
            next
          end
          case f()
          when 1, String then a
          when *list then q
          else b
          end
          case v
          in {name: String => n, age:} if q then a
          in [x, *] then b
          in nil then c
          else d
          end
          begin
            a
          rescue PG::Error, IOError => e
            retry
          rescue => e
            raise
          else
            b
          ensure
            c
          end
          v = q rescue nil
          exit 1
          a ? b : c
        rescue E
          nil
        ensure
          done
        end
        "##,
        r##"
        fn#1 f(a, b)
          try
            if bad()
              throw raise(Foo, "x")
            if (a and !b)
              c()
            else
              if (d() or e())
                f()
              else
                g!()
            if !x()
              y()
            else
              z()
            loop a
              b
              if c()
                continue
              break
            loop !a
            loop once b
              a
            loop list() binds i
              p(i)
            loop endless
              if a
                break
              continue
            if ((f() == 1) or (<> == String))
              a
            else
              if (<> == <list()>)
                q()
              else
                b
            if (<v()> and q()) binds n.name, age.age
              a
            else
              if <> binds x
                b
              else
                if <>
                  c()
                else
                  d()
            loop retry endless
              try
                a
              catch PG::Error, IOError as e
                continue retry
              catch all as e
                throw raise()
              otherwise
                b
              finally
                c()
              break retry
            v = { try; q(); catch all; nil }
            throw exit(1)
            if a
              return b
            else
              return c()
          catch E
            return nil
          finally
            done()
        "##,
    );
}

#[test]
fn cut_off() {
    assert_cut("a.rb", include_str!("ruby.rs"));
}
