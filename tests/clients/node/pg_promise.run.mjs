import pgPromise from 'pg-promise';
import { LOCK, PID, SLOW, XACT, connections, fails, gone, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('pg-promise', 'pg');
const db = pgPromise()({ max: 2 });
const pid = async (on, sql = PID) => (await on.one(sql)).pid;

row('Database', 'two `one()` at once', 'Owner::PerCall', connections(...(await Promise.all([pid(db, SLOW), pid(db, SLOW)]))));
row('Database', '`one(SELECT)`', 'Begins::Never', await state(await pid(db)));
let name = key();
let one = await pid(db, LOCK(name));
row('Database', '`one(pg_advisory_lock)`', 'a session lock is kept', await lock(one, name));
row('Database', '`one()` of a false', 'truthy', (await db.one('SELECT false AS got')) ? 'truthy' : 'falsy');
name = key();
await db.task(async (t) => {
  one = await pid(t, LOCK(name));
  row('Task', 'one `one()` after another', 'one connection', connections(one, await pid(t)));
  row('Task', '`one(SELECT)`', 'no transaction is open', await state(one));
  row('Task', '`db.one()` meanwhile', 'another connection', connections(one, await pid(db)));
});
row('Task', 'end of `db.task()`', 'a session lock is kept', await lock(one, name));
await db.tx(async (t) => {
  one = await pid(t);
  row('Tx', 'in `db.tx()`', 'Begins::Already', await state(one));
  row('Database', '`tx()`', 'Does::Within', await state(one));
  const [outer, inner] = [key(), key()];
  await t.any(XACT(outer));
  await fails(() => t.tx(async (nested) => {
    await nested.any(XACT(inner));
    throw new Error();
  }));
  row('Tx', 'inner `tx()` that fails', 'back to a savepoint', await savepoint(outer, inner));
});
row('Database', 'end of `tx()`', 'no transaction is open', await state(one));
const connected = await db.connect();
name = key();
one = await pid(connected, LOCK(name));
row('Connected', '`one(SELECT)`', 'Begins::Never', await state(one));
row('Connected', 'one `one()` after another', 'one connection', connections(one, await pid(connected)));
connected.done();
row('Connected', '`done()`', 'Owner::Borrowed', await lock(one, name));
row('Connected', '`done()`', 'Does::Returns', await state(one));
const closing = await db.connect();
one = await pid(closing);
await closing.done(true);
row('Connected', '`done(true)`', 'the connection is closed', await gone(one));
await db.$pool.end();
