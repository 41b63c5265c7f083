use super::*;
use crate::language::Language;
use crate::program;
use crate::source::Source;

/// What is seen of the first lock in a text.
fn lock(path: &str, text: &str) -> Lock {
    let Some(language @ Language::Host(host)) = Language::of(path) else { panic!("{path}") };
    let source = Source::new(path.into(), language, text.as_bytes().to_vec()).unwrap();
    let (program, ..) = program::read(&source);
    *locks(text, host, &program).first().unwrap_or_else(|| panic!("{text}"))
}

/// The spellings found: their text, evidence, and whether a missing row fails.
fn found(path: &str, text: &str) -> Vec<(String, Evidence, bool, bool)> {
    let Some(language @ Language::Host(host)) = Language::of(path) else { panic!("{path}") };
    let source = Source::new(path.into(), language, text.as_bytes().to_vec()).unwrap();
    let (program, ..) = program::read(&source);
    let locks = locks(text, host, &program);
    let skips = locks.iter().filter(|lock| lock.skips).filter_map(|lock| Some((lock, lock.row?)));
    skips.map(|(lock, row)| (text[lock.at.range()].to_owned(), row.evidence, row.expects_one, row.state)).collect()
}

#[test]
fn one_row_in_every_library() {
    use Evidence::{Guess, Name};
    for (path, text, at, evidence, one) in [
        (
            "a.py",
            "t = T.objects.select_for_update(skip_locked=True).get(pk=x)",
            "select_for_update(skip_locked=True)",
            Name,
            true,
        ),
        (
            "a.py",
            "t = T.objects.filter(id=x).select_for_update(skip_locked=True).first()",
            "select_for_update(skip_locked=True)",
            Name,
            false,
        ),
        (
            "a.py",
            "t = get_object_or_404(T.objects.select_for_update(skip_locked=True), slug=s)",
            "select_for_update(skip_locked=True)",
            Guess,
            true,
        ),
        (
            "a.py",
            "t = s.query(T).filter(T.id == x).with_for_update(skip_locked=True).one()",
            "with_for_update(skip_locked=True)",
            Name,
            true,
        ),
        (
            "a.py",
            "t = s.execute(select(T).where(T.id == x).with_for_update(skip_locked=True)).scalar()",
            "with_for_update(skip_locked=True)",
            Name,
            false,
        ),
        (
            "a.rb",
            "o = Order.lock(\"FOR UPDATE SKIP LOCKED\").find_by!(id: id)",
            "lock(\"FOR UPDATE SKIP LOCKED\")",
            Name,
            true,
        ),
        (
            "a.rb",
            "o = Order.where(id: id).lock('FOR UPDATE SKIP LOCKED').first",
            "lock('FOR UPDATE SKIP LOCKED')",
            Name,
            false,
        ),
        ("a.rb", "order.lock!(\"FOR UPDATE SKIP LOCKED\")", "lock!(\"FOR UPDATE SKIP LOCKED\")", Name, true),
        (
            "a.js",
            "const o = await db('orders').where({ id }).forUpdate().skipLocked().first();",
            "skipLocked()",
            Name,
            false,
        ),
        (
            "a.js",
            "const o = await trx('orders').where('id', id).forUpdate().skipLocked().first();",
            "skipLocked()",
            Name,
            false,
        ),
        (
            "a.ts",
            "const o = await db.selectFrom('o').where('id', '=', id).forUpdate().skipLocked().executeTakeFirstOrThrow();",
            "skipLocked()",
            Name,
            true,
        ),
        (
            "a.ts",
            "const [o] = await tx.select().from(o).where(eq(o.id, id)).for('update', { skipLocked: true });",
            "for('update', { skipLocked: true })",
            Name,
            false,
        ),
        (
            "a.ts",
            "const o = await Order.findOne({ where: { id }, lock: true, skipLocked: true });",
            "skipLocked: true",
            Name,
            false,
        ),
        (
            "a.go",
            "err := tx.Clauses(clause.Locking{Strength: \"UPDATE\", Options: \"SKIP LOCKED\"}).First(&o, id).Error",
            "Clauses(clause.Locking{Strength: \"UPDATE\", Options: \"SKIP LOCKED\"})",
            Name,
            true,
        ),
        (
            "a.go",
            "err := tx.Clauses(clause.Locking{Options: \"SKIP LOCKED\"}).Where(\"id = ?\", id).First(&o).Error",
            "Clauses(clause.Locking{Options: \"SKIP LOCKED\"})",
            Name,
            true,
        ),
        ("a.rs", "let o = orders.find(id).for_update().skip_locked().first(c);", "skip_locked()", Name, false),
        (
            "a.rs",
            "let o = orders::table.filter(orders::id.eq(id)).for_update().skip_locked().first(c);",
            "skip_locked()",
            Name,
            false,
        ),
        (
            "a.java",
            "class A { void f() { x = ctx.selectFrom(O).where(O.ID.eq(id)).forUpdate().skipLocked().fetchSingle(); } }",
            "skipLocked()",
            Name,
            true,
        ),
        (
            "a.php",
            "<?php $o = Order::where('id', $id)->lock('for update skip locked')->firstOrFail();",
            "lock('for update skip locked')",
            Name,
            true,
        ),
        (
            "a.ex",
            "from(o in Order, where: o.id == ^id, lock: \"FOR UPDATE SKIP LOCKED\") |> Repo.one!()",
            "lock: \"FOR UPDATE SKIP LOCKED\"",
            Name,
            true,
        ),
    ] {
        let text = format!("{text}\n");
        assert_eq!(found(path, &text), [(at.to_owned(), evidence, one, false)], "{text}");
    }
}

#[test]
fn keys_in_the_words_of_each_library() {
    use Evidence::{Guess, Name};
    for (path, text, evidence, one) in [
        ("a.rb", "GiftCard.lock('FOR UPDATE SKIP LOCKED').find(params[:id]).tap { |c| c.use }", Name, true),
        ("a.ex", "Order |> where([o], is_nil(o.at)) |> lock(\"FOR UPDATE SKIP LOCKED\") |> Repo.get!(id)", Name, true),
        ("a.ex", "Order |> lock(\"FOR UPDATE SKIP LOCKED\") |> Repo.get_by!(code: code)", Guess, true),
        (
            "a.go",
            "c, err := tx.Card.Query().Where(card.CodeEQ(code)).ForUpdate(sql.WithLockAction(sql.SkipLocked)).Only(ctx)",
            Guess,
            true,
        ),
        (
            "a.go",
            "c, err := tx.Card.Query().Where(card.ID(id)).ForUpdate(sql.WithLockAction(sql.SkipLocked)).First(ctx)",
            Name,
            true,
        ),
        (
            "a.rs",
            "let c = coupon::Entity::find_by_id(id).lock_with_behavior(LockType::Update, LockBehavior::SkipLocked).one(&txn)",
            Name,
            false,
        ),
    ] {
        let found = found(path, text);
        assert!(matches!(found.as_slice(), [(_, e, o, false)] if *e == evidence && *o == one), "{text}: {found:?}");
    }
    for (path, text) in [
        (
            "a.go",
            "c, err := tx.Card.Query().Where(card.IDIn(ids...)).ForUpdate(sql.WithLockAction(sql.SkipLocked)).All(ctx)",
        ),
        (
            "a.go",
            "c, err := tx.Card.Query().Where(card.StateEQ(s)).ForUpdate(sql.WithLockAction(sql.SkipLocked)).First(ctx)",
        ),
        ("a.ex", "from(j in Job, where: j.id == s.job_id, lock: \"FOR UPDATE SKIP LOCKED\") |> Repo.one!()"),
        ("a.py", "s.query(Job).filter(Job.id == Site.job_id).with_for_update(skip_locked=True).one()"),
        ("a.py", "s.query(Job).join(Site).filter(Site.id == x).with_for_update(skip_locked=True).first()"),
        ("a.rb", "Card.where(state: 'new').lock('FOR UPDATE SKIP LOCKED').find_by(queue: params[:queue])"),
    ] {
        assert_eq!(found(path, text), [], "{text}");
    }
}

#[test]
fn what_names_no_row_is_left_out() {
    for (path, text) in [
        ("a.py", "T.objects.select_for_update(skip_locked=True).filter(state='new').first()"),
        ("a.py", "T.objects.select_for_update(skip_locked=True).filter(id__in=ids)"),
        ("a.py", "T.objects.select_for_update().get(pk=x)"),
        ("a.py", "'''T.objects.select_for_update(skip_locked=True).get(pk=x)'''"),
        ("a.py", "# T.objects.select_for_update(skip_locked=True).get(pk=x)"),
        ("a.py", "s.query(T).filter(T.queue == q).with_for_update(skip_locked=True).first()"),
        ("a.rb", "Job.lock(\"FOR UPDATE SKIP LOCKED\").order(:id).first"),
        ("a.rb", "Job.where(id: ids).lock(\"FOR UPDATE SKIP LOCKED\").to_a"),
        ("a.js", "db('jobs').where({ queue }).orderBy('id').forUpdate().skipLocked().first()"),
        ("a.go", "tx.Clauses(clause.Locking{Options: \"SKIP LOCKED\"}).Where(\"queue = ?\", q).First(&o)"),
        ("a.rs", "jobs.filter(queue.eq(q)).for_update().skip_locked().first(c)"),
        ("a.ex", "from(o in Job, where: o.queue == ^q, lock: \"FOR UPDATE SKIP LOCKED\", limit: 1) |> Repo.one()"),
    ] {
        assert_eq!(found(path, text), [], "{text}");
    }
    let state = found("a.rb", "Job.where(id: id, state: 'new').lock(\"FOR UPDATE SKIP LOCKED\").first");
    assert!(state[0].3, "{state:?}");
}

#[test]
fn joins_in_every_library() {
    for (path, text) in [
        ("a.py", "select(Job).join(Site, Site.id == Job.site_id).limit(1).with_for_update(skip_locked=True)"),
        ("a.py", "Job.objects.select_related('site').select_for_update(skip_locked=True).first()"),
        ("a.rb", "Job.joins(:site).lock('FOR UPDATE SKIP LOCKED').first"),
        ("a.rb", "Job.joins('JOIN sites ON sites.id = site_id').lock('FOR UPDATE SKIP LOCKED').first"),
        ("a.js", "db('jobs').join('sites', 'sites.id', 'jobs.site_id').forUpdate().skipLocked().first()"),
        ("a.ts", "tx.selectFrom('job').innerJoin('site', 'site.id', 'job.site_id').forUpdate().skipLocked().limit(1)"),
        ("a.ts", "tx.select().from(job).innerJoin(site, eq(site.id, job.siteId)).for('update', { skipLocked: true })"),
        (
            "a.ts",
            "qb.innerJoinAndSelect('o.site', 's').setLock('pessimistic_write').setOnLocked('skip_locked').getOne()",
        ),
        ("a.ts", "Job.findOne({ where, include: [{ model: Site, required: true }], lock: true, skipLocked: true })"),
        (
            "a.go",
            "tx.Joins(\"JOIN sites ON sites.id = site_id\").Clauses(clause.Locking{Options: \"SKIP LOCKED\"}).Take(&j)",
        ),
        ("a.rs", "jobs::table.inner_join(sites::table).for_update().skip_locked().first(c)"),
        (
            "A.java",
            "class A { void f() { ctx.select().from(JOB).join(SITE).on(c).forUpdate().skipLocked().fetchAny(); } }",
        ),
        ("a.php", "<?php Job::join('sites', 'a', '=', 'b')->lock('for update skip locked')->first();"),
        ("a.ex", "from(j in Job, join: s in assoc(j, :site), limit: 1, lock: \"FOR UPDATE SKIP LOCKED\")"),
        ("a.ex", "Job |> join(:inner, [j], s in assoc(j, :site)) |> lock(\"FOR UPDATE SKIP LOCKED\") |> Repo.all()"),
    ] {
        assert!(lock(path, text).joined.is_some(), "{text}");
    }
    for (path, text) in [
        ("a.py", "select(Job).join(Site).with_for_update(skip_locked=True, of=Job)"),
        ("a.py", "select(Job).join(Site, isouter=True).with_for_update(skip_locked=True)"),
        ("a.py", "select(Job).join(picked, picked.c.id == Job.id).with_for_update(skip_locked=True)"),
        ("a.py", "', '.join(Names) + str(select(Job).with_for_update(skip_locked=True))"),
        ("a.py", "Job.objects.select_related('site').select_for_update(skip_locked=True, of=('self',)).first()"),
        ("a.py", "Job.objects.select_related(None).select_for_update(skip_locked=True).first()"),
        ("a.rb", "Job.joins(:site).lock('FOR UPDATE OF jobs SKIP LOCKED').first"),
        ("a.js", "db('jobs').join('sites', 'a', 'b').forUpdate('jobs').skipLocked().first()"),
        ("a.js", "db('jobs').leftJoin('sites', 'a', 'b').forUpdate().skipLocked().first()"),
        ("a.ts", "tx.selectFrom('job').innerJoin('site', 'a', 'b').forUpdate('job').skipLocked().limit(1)"),
        (
            "a.ts",
            "tx.selectFrom('job').innerJoin((eb) => eb.selectFrom('s').as('s'), 'a', 'b').forUpdate().skipLocked()",
        ),
        ("a.ts", "tx.select().from(job).innerJoin(site, c).for('update', { of: job, skipLocked: true })"),
        (
            "a.ts",
            "tx.select().from(job).innerJoin(picked, c).for('update', { skipLocked: true }); const picked = tx.select();",
        ),
        (
            "a.ts",
            "qb.innerJoin('o.s', 's').setLock('pessimistic_write', undefined, ['o']).setOnLocked('skip_locked').getOne()",
        ),
        ("a.ts", "Job.findOne({ include: [Site], lock: true, skipLocked: true })"),
        (
            "a.ts",
            "Job.findOne({ include: [{ model: Site, required: true }], lock: { level: 'UPDATE', of: Job }, skipLocked: true })",
        ),
        ("a.go", "tx.Joins(\"Site\").Clauses(clause.Locking{Options: \"SKIP LOCKED\"}).Take(&j)"),
        (
            "a.go",
            "tx.Joins(\"JOIN s ON c\").Clauses(clause.Locking{Options: \"SKIP LOCKED\", Table: clause.Table{Name: \"jobs\"}}).Take(&j)",
        ),
        (
            "A.java",
            "class A { void f() { ctx.select().from(JOB).join(SITE).on(c).forUpdate().of(JOB).skipLocked().fetchAny(); } }",
        ),
        ("a.ex", "from(j in Job, join: s in assoc(j, :site), lock: \"FOR UPDATE OF j0 SKIP LOCKED\")"),
        ("a.ex", "from(j in Job, join: s in \"picked\", on: s.id == j.id, lock: \"FOR UPDATE SKIP LOCKED\")"),
        ("a.ex", "Job |> join(:inner, [j], s in subquery(q)) |> lock(\"FOR UPDATE SKIP LOCKED\")"),
        (
            "a.ts",
            "tx.with('p', (q) => q.selectFrom('x')).selectFrom('job').innerJoin('p', 'a', 'b').forUpdate().skipLocked()",
        ),
        (
            "A.java",
            "class A { void f() { ctx.select().from(JOB).join(picked).on(c).forUpdate().skipLocked().fetchAny(); } }",
        ),
        ("a.ex", "from(j in Job, left_join: s in assoc(j, :site), lock: \"FOR UPDATE SKIP LOCKED\")"),
    ] {
        assert!(lock(path, text).joined.is_none(), "{text}");
    }
}

#[test]
fn what_the_server_does_not_lock_with() {
    for (path, text, what, at) in [
        ("a.php", "<?php $n = Job::where('a', $a)->lockForUpdate()->max('n');", "aggregate functions", "max('n')"),
        ("a.php", "<?php $n = $this->jobs()->sharedLock()->count() + 1;", "aggregate functions", "count()"),
        ("a.php", "<?php $n = Job::distinct()->lockForUpdate()->get();", "DISTINCT clause", "distinct()"),
        ("a.rb", "n = account.jobs.lock.sum(:cents)", "aggregate functions", "sum(:cents)"),
        ("a.rb", "n = Job.where(a: 1).lock(true).maximum(:n)", "aggregate functions", "maximum(:n)"),
        (
            "a.js",
            "const r = await trx('jobs').max('n as n').where({ a }).forUpdate().first();",
            "aggregate functions",
            "max('n as n')",
        ),
        ("a.js", "const r = await trx('jobs').groupBy('a').forUpdate();", "GROUP BY clause", "groupBy('a')"),
        (
            "a.ts",
            "await trx.selectFrom('job').select((eb) => eb.fn.max('n').as('n')).forUpdate().execute()",
            "aggregate functions",
            "select((eb) => eb.fn.max('n').as('n'))",
        ),
        (
            "a.ts",
            "await tx.select({ n: max(job.n) }).from(job).for('update')",
            "aggregate functions",
            "select({ n: max(job.n) })",
        ),
        ("a.ts", "await tx.selectDistinct().from(job).for('update')", "DISTINCT clause", "selectDistinct()"),
        (
            "a.py",
            "s.scalar(select(func.max(Job.n)).where(Job.a == a).with_for_update())",
            "aggregate functions",
            "select(func.max(Job.n))",
        ),
        (
            "a.py",
            "s.query(func.count(Job.id)).with_for_update().scalar()",
            "aggregate functions",
            "query(func.count(Job.id))",
        ),
        ("a.py", "select(Job.a).group_by(Job.a).with_for_update()", "GROUP BY clause", "group_by(Job.a)"),
        (
            "a.go",
            "tx.Model(&Job{}).Clauses(clause.Locking{Strength: \"UPDATE\"}).Where(\"a = ?\", a).Count(&n)",
            "aggregate functions",
            "Count(&n)",
        ),
        (
            "A.java",
            "class A { void f() { ctx.select(max(JOB.N)).from(JOB).forUpdate().fetchOne(); } }",
            "aggregate functions",
            "select(max(JOB.N))",
        ),
        (
            "a.ex",
            "Job |> where([j], j.a == ^a) |> lock(\"FOR UPDATE\") |> Repo.aggregate(:max, :n)",
            "aggregate functions",
            "aggregate(:max, :n)",
        ),
    ] {
        let refused = lock(path, text).refused.unwrap_or_else(|| panic!("{text}"));
        assert_eq!((refused.what, &text[refused.at.range()]), (what, at), "{text}");
    }
    for (path, text) in [
        ("a.php", "<?php $n = Job::lockForUpdate()->get()->count();"),
        ("a.php", "<?php $n = Job::lockForUpdate()->exists();"),
        ("a.php", "<?php $n = Job::lockForUpdate()->pluck('n')->max();"),
        ("a.rb", "n = Job.lock.to_a.sum(&:cents)"),
        ("a.rb", "n = Job.lock.limit(5).count"),
        ("a.rb", "n = Job.lock.exists?"),
        ("a.rb", "n = Job.where(a: 1).lock(false).count"),
        ("a.rb", "n = @mutex.lock.count"),
        ("a.rb", "n = Job.lock.pluck(:n).sum"),
        ("a.js", "const r = await trx('jobs').forUpdate().select('n').then((rows) => rows.count('x'));"),
        (
            "a.ts",
            "await trx.selectFrom('job').select((eb) => eb.selectFrom('x').select(eb.fn.max('n')).as('n')).forUpdate().execute()",
        ),
        ("a.ts", "await tx.select({ count: job.count }).from(job).for('update')"),
        ("a.py", "Job.objects.select_for_update().filter(a=1).count()"),
        ("a.py", "Job.objects.select_for_update().aggregate(Max('n'))"),
        ("a.py", "s.query(Job).with_for_update().count()"),
        ("a.py", "select(Job).where(Job.n == select(func.max(Job.n)).scalar_subquery()).with_for_update()"),
        ("a.ex", "Job |> limit(5) |> lock(\"FOR UPDATE\") |> Repo.aggregate(:count)"),
        ("a.ex", "from(j in Job, lock: \"FOR UPDATE\") |> Repo.all() |> Enum.count()"),
    ] {
        assert!(lock(path, text).refused.is_none(), "{text}");
    }
}

#[test]
fn queues_without_a_bound() {
    for (path, text, open) in [
        (
            "a.py",
            "def f():\n    for j in Job.objects.select_for_update(skip_locked=True).filter(state='new'):\n        j.run()\n",
            true,
        ),
        (
            "a.py",
            "def f():\n    for j in Job.objects.select_for_update(skip_locked=True).filter(state='new')[:10]:\n        j.run()\n",
            false,
        ),
        (
            "a.py",
            "def f():\n    jobs = Job.objects.select_for_update(skip_locked=True).filter(state='new')\n    return jobs\n",
            false,
        ),
        ("a.rb", "def f\n  Job.where(state: 'new').lock('FOR UPDATE SKIP LOCKED').each(&:run)\nend\n", true),
        (
            "a.rb",
            "def f(n)\n  Job.where(state: 'new').limit(n).lock('FOR UPDATE SKIP LOCKED').each(&:run)\nend\n",
            false,
        ),
        ("a.js", "async function f(trx) { return await trx('jobs').where({ state }).forUpdate().skipLocked(); }", true),
        (
            "a.js",
            "async function f(trx) { return trx('jobs').where({ state }).limit(5).forUpdate().skipLocked(); }",
            false,
        ),
        (
            "a.php",
            "<?php function f() { return Job::where('state', 'new')->lock('for update skip locked')->get(); }",
            true,
        ),
        (
            "a.php",
            "<?php function f($ids) { return Job::whereIn('id', $ids)->lock('for update skip locked')->get(); }",
            false,
        ),
    ] {
        assert_eq!(lock(path, text).open, open, "{text}");
    }
}
