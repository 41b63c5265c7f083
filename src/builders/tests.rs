use super::*;
use crate::language::Language;
use crate::program;
use crate::source::Source;

/// The spellings found: their text, evidence, and whether a missing row fails.
fn found(path: &str, text: &str) -> Vec<(String, Evidence, bool, bool)> {
    let Some(language @ Language::Host(host)) = Language::of(path) else { panic!("{path}") };
    let source = Source::new(path.into(), language, text.as_bytes().to_vec()).unwrap();
    let (program, _) = program::read(&source);
    let skips = skips(text, host, &program);
    skips.iter().map(|skip| (text[skip.at.range()].to_owned(), skip.evidence, skip.expects_one, skip.state)).collect()
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
