import { createPool, sql } from 'slonik';
import { LOCK, PID, SLOW, XACT, connections, fails, gone, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('slonik');
const url = `postgresql://${process.env.PGUSER}@${encodeURIComponent(process.env.PGHOST)}/${process.env.PGDATABASE}`;
// What the tag is given for a template.
const raw = (text) => sql.unsafe(Object.assign([text], { raw: Object.freeze([text]) }));
const pid = async (on, text = PID) => (await on.one(raw(text))).pid;
const pool = await createPool(url, { maximumPoolSize: 2 });

row('Pool', 'two `one()` at once', 'Owner::PerCall', connections(...(await Promise.all([pid(pool, SLOW), pid(pool, SLOW)]))));
row('Pool', '`one(SELECT)`', 'Begins::Never', await state(await pid(pool)));
let name = key();
let one = await pid(pool, LOCK(name));
row('Pool', '`one(pg_advisory_lock)`', 'a session lock is released', await lock(one, name));
name = key();
await pool.connect(async (connection) => {
  one = await pid(connection, LOCK(name));
  row('Connection', 'one `one()` after another', 'one connection', connections(one, await pid(connection)));
  row('Connection', '`one(SELECT)`', 'Begins::Never', await state(one));
});
row('Connection', 'end of `pool.connect()`', 'Owner::Reset', await lock(one, name));
await pool.transaction(async (tx) => {
  one = await pid(tx);
  row('Tx', 'in `pool.transaction()`', 'Begins::Already', await state(one));
  row('Pool', '`transaction()`', 'Does::Within', await state(one));
  const [outer, inner] = [key(), key()];
  await tx.any(raw(XACT(outer)));
  await fails(() => tx.transaction(async (nested) => {
    await nested.any(raw(XACT(inner)));
    throw new Error();
  }));
  row('Tx', 'inner `transaction()` that fails', 'back to a savepoint', await savepoint(outer, inner));
});
row('Pool', 'end of `transaction()`', 'no transaction is open', await state(one));
one = await pid(pool);
await pool.end();
row('Pool', '`end()`', 'Does::Closes', await gone(one));
