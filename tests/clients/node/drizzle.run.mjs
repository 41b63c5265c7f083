import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { LOCK, PID, SLOW, XACT, connections, fails, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('drizzle-orm', 'pg');
const db = drizzle({ connection: { max: 2 } });
const pid = async (on, text = PID) => (await on.execute(sql.raw(text))).rows[0].pid;

row('Pool', 'two `execute()` at once', 'Owner::PerCall', connections(...(await Promise.all([pid(db, SLOW), pid(db, SLOW)]))));
row('Pool', '`execute(SELECT)`', 'Begins::Never', await state(await pid(db)));
let name = key();
let one = await pid(db, LOCK(name));
row('Pool', '`execute(pg_advisory_lock)`', 'a session lock is kept', await lock(one, name));
const answer = await db.execute(sql`SELECT false AS got`);
row('Pool', '`execute()` of a false, the answer', 'truthy', answer ? 'truthy' : 'falsy');
name = key();
await db.transaction(async (tx) => {
  one = await pid(tx, LOCK(name));
  row('Tx', 'in `db.transaction()`', 'Begins::Already', await state(one));
  row('Pool', '`transaction()`', 'Does::Within', await state(one));
  row('Tx', '`db.execute()` meanwhile', 'another connection', connections(one, await pid(db)));
  const [outer, inner] = [key(), key()];
  await tx.execute(sql.raw(XACT(outer)));
  await fails(() => tx.transaction(async (nested) => {
    await nested.execute(sql.raw(XACT(inner)));
    throw new Error();
  }));
  row('Tx', 'inner `transaction()` that fails', 'back to a savepoint', await savepoint(outer, inner));
});
row('Pool', 'end of `transaction()`', 'no transaction is open', await state(one));
row('Pool', 'end of `transaction()`', 'a session lock is kept', await lock(one, name));
await fails(() => db.transaction(async (tx) => {
  one = await pid(tx);
  tx.rollback();
}));
row('Tx', '`rollback()`', 'Does::Ends', await state(one));
await db.$client.end();
