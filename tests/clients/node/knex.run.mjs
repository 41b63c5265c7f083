import knexModule from 'knex';
import { LOCK, PID, SLOW, XACT, connections, fails, gone, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('knex', 'pg');
const knex = knexModule({ client: 'pg', connection: { host: process.env.PGHOST, user: process.env.PGUSER, database: process.env.PGDATABASE }, pool: { min: 0, max: 2 } });
const pid = async (on, sql = PID) => (await on.raw(sql)).rows[0].pid;

row('Knex', 'two `raw()` at once', 'Owner::PerCall', connections(...(await Promise.all([pid(knex, SLOW), pid(knex, SLOW)]))));
row('Knex', '`raw(SELECT)`', 'Begins::Never', await state(await pid(knex)));
let name = key();
let one = await pid(knex, LOCK(name));
row('Knex', '`raw(pg_advisory_lock)`', 'a session lock is kept', await lock(one, name));
const answer = await knex.raw('SELECT false AS got');
row('Knex', '`raw()` of a false, the answer', 'truthy', answer ? 'truthy' : 'falsy');
row('Knex', '`raw()` of a false, `rows[0]`', 'truthy', answer.rows[0] ? 'truthy' : 'falsy');
name = key();
await knex.transaction(async (trx) => {
  one = await pid(trx, LOCK(name));
  row('Tx', 'in `knex.transaction()`', 'Begins::Already', await state(one));
  row('Knex', '`transaction()`', 'Does::Within', await state(one));
  row('Tx', '`knex.raw()` meanwhile', 'another connection', connections(one, await pid(knex)));
  row('Tx', '`knex.raw().transacting(trx)`', 'one connection', connections(one, (await knex.raw(PID).transacting(trx)).rows[0].pid));
  const [outer, inner] = [key(), key()];
  await trx.raw(XACT(outer));
  await fails(() => trx.transaction(async (nested) => {
    await nested.raw(XACT(inner));
    throw new Error();
  }));
  row('Tx', 'inner `transaction()` that fails', 'back to a savepoint', await savepoint(outer, inner));
});
row('Knex', 'end of `transaction()`', 'no transaction is open', await state(one));
row('Knex', 'end of `transaction()`', 'a session lock is kept', await lock(one, name));
const trx = await knex.transaction();
one = await pid(trx);
await trx.commit();
row('Tx', '`commit()`', 'Does::Ends', await state(one));
const other = await knex.transaction();
one = await pid(other);
await other.rollback();
row('Tx', '`rollback()`', 'Does::Ends', await state(one));
name = key();
one = await pid(knex, LOCK(name));
await knex.raw('SELECT pg_sleep(1)').timeout(200).catch(() => {});
row('Knex', '`timeout(ms)` passes', 'a session lock is kept', await lock(one, name));
one = await pid(knex);
await knex.destroy();
row('Knex', '`destroy()`', 'Does::Closes', await gone(one));
