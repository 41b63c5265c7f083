import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { LOCK, PID, SLOW, XACT, connections, gone, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('kysely', 'pg');
const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ max: 2 }) }) });
const pid = async (on, text = PID) => (await sql.raw(text).execute(on)).rows[0].pid;

row('Kysely', 'two `execute(db)` at once', 'Owner::PerCall', connections(...(await Promise.all([pid(db, SLOW), pid(db, SLOW)]))));
row('Kysely', '`execute(db)` of a SELECT', 'Begins::Never', await state(await pid(db)));
let name = key();
let one = await pid(db, LOCK(name));
row('Kysely', '`execute(db)` of pg_advisory_lock', 'a session lock is kept', await lock(one, name));
name = key();
await db.connection().execute(async (held) => {
  one = await pid(held, LOCK(name));
  row('Held', 'one `execute(held)` after another', 'one connection', connections(one, await pid(held)));
  row('Held', '`execute(held)` of a SELECT', 'Begins::Never', await state(one));
  row('Held', '`execute(db)` meanwhile', 'another connection', connections(one, await pid(db)));
});
row('Held', 'end of `db.connection().execute()`', 'Owner::Borrowed', await lock(one, name));
await db.transaction().execute(async (tx) => {
  one = await pid(tx);
  row('Tx', 'in `db.transaction().execute()`', 'Begins::Already', await state(one));
  row('Transactions', '`execute()`', 'Does::Within', await state(one));
});
row('Tx', 'end of `db.transaction().execute()`', 'no transaction is open', await state(one));
const tx = await db.startTransaction().execute();
one = await pid(tx);
row('Controlled', '`execute()`', 'Does::Begins', await state(one));
const [outer, inner] = [key(), key()];
await sql.raw(XACT(outer)).execute(tx);
const inside = await tx.savepoint('here').execute();
await sql.raw(XACT(inner)).execute(inside);
await inside.rollbackToSavepoint('here').execute();
row('Tx', '`rollbackToSavepoint()`', 'Does::Inner', await savepoint(outer, inner));
await tx.commit().execute();
row('End', '`execute()` of `commit()`', 'Does::Ends', await state(one));
one = await pid(db);
await db.destroy();
row('Kysely', '`destroy()`', 'Does::Closes', await gone(one));
