import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import { LOCK, PID, SLOW, XACT, connections, fails, gone, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('@mikro-orm/postgresql', 'pg');
const orm = await MikroORM.init({
  host: process.env.PGHOST, user: process.env.PGUSER, dbName: process.env.PGDATABASE, pool: { min: 0, max: 2 },
  entities: [new EntitySchema({ name: 'Thing', properties: { id: { type: 'number', primary: true } } })],
});
const em = orm.em.fork();
const pid = async (on, sql = PID) => (await on.execute(sql))[0].pid;

row('Manager', 'two `execute()` at once', 'another connection', connections(...(await Promise.all([pid(em, SLOW), pid(em, SLOW)]))));
row('Manager', '`execute(SELECT)`', 'no transaction is open', await state(await pid(em)));
let name = key();
let one = await pid(em, LOCK(name));
row('Manager', '`execute(pg_advisory_lock)`', 'a session lock is kept', await lock(one, name));
await em.transactional(async (tx) => {
  one = await pid(tx);
  row('Tx', 'in `em.transactional()`', 'Begins::Already', await state(one));
  row('Manager', '`transactional()`', 'Does::Within', await state(one));
  row('Tx', 'one `execute()` after another', 'one connection', connections(one, await pid(tx)));
  row('Connection', '`em.getConnection().execute()` meanwhile', 'another connection', connections(one, await pid(em.getConnection())));
  const [outer, inner] = [key(), key()];
  await tx.execute(XACT(outer));
  await fails(() => tx.transactional(async (nested) => {
    await nested.execute(XACT(inner));
    throw new Error();
  }));
  row('Tx', 'inner `transactional()` that fails', 'back to a savepoint', await savepoint(outer, inner));
});
row('Manager', 'end of `transactional()`', 'no transaction is open', await state(one));
await em.begin();
one = await pid(em);
row('Manager', '`begin()`', 'Does::Begins', await state(one));
await em.commit();
row('Manager', '`commit()`', 'Does::Ends', await state(one));
await em.begin();
one = await pid(em);
await em.rollback();
row('Manager', '`rollback()`', 'Does::Ends', await state(one));
one = await pid(em);
await orm.close();
row('ORM', '`close()`', 'Does::Closes', await gone(one));
