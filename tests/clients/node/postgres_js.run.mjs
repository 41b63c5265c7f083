import postgres from 'postgres';
import { LOCK, PID, SLOW, XACT, connections, fails, gone, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('postgres');
const options = { max: 2, onnotice: () => {} };
const sql = postgres(options);
const pid = async (on, text = PID) => (await on.unsafe(text))[0].pid;

row('Sql', 'two queries at once', 'Owner::PerCall', connections(...(await Promise.all([pid(sql, SLOW), pid(sql, SLOW)]))));
row('Sql', 'a SELECT', 'Begins::Never', await state(await pid(sql)));
let name = key();
let one = await pid(sql, LOCK(name));
row('Sql', 'a query with pg_advisory_lock', 'a session lock is kept', await lock(one, name));
const answer = await sql`SELECT false AS got`;
row('Sql', 'the answer of a false', 'truthy', answer ? 'truthy' : 'falsy');
row('Sql', 'the answer of a false, destructured', 'truthy', answer[0] ? 'truthy' : 'falsy');
const none = await sql`SELECT 1 WHERE false`;
row('Sql', 'the answer of no rows', 'truthy', none ? 'truthy' : 'falsy');

const reserved = await sql.reserve();
one = await pid(reserved);
row('Reserved', 'one query after another', 'one connection', connections(one, await pid(reserved)));
row('Reserved', 'a query on `sql` meanwhile', 'another connection', connections(one, await pid(sql)));
row('Reserved', 'a SELECT', 'Begins::Never', await state(one));
name = key();
await reserved.unsafe(LOCK(name));
reserved.release();
row('Reserved', '`release()`', 'Owner::Borrowed', await lock(one, name));
row('Reserved', '`release()`', 'Does::Returns', await state(one));

await sql.begin(async (tx) => {
  one = await pid(tx);
  row('Tx', 'in `sql.begin()`', 'Begins::Already', await state(one));
  row('Sql', '`begin()`', 'Does::Within', await state(one));
  row('Tx', 'a query on `sql` meanwhile', 'another connection', connections(one, await pid(sql)));
  const [outer, inner] = [key(), key()];
  await tx.unsafe(XACT(outer));
  await fails(() => tx.savepoint(async (nested) => {
    await nested.unsafe(XACT(inner));
    throw new Error();
  }));
  row('Tx', '`savepoint()` that fails', 'back to a savepoint', await savepoint(outer, inner));
});
row('Sql', 'end of `begin()`', 'no transaction is open', await state(one));
name = key();
await sql.begin(async (tx) => {
  one = await pid(tx, LOCK(name));
});
row('Sql', 'end of `begin()`', 'a session lock is kept', await lock(one, name));
const slow = sql.unsafe('SELECT pg_sleep(5)');
setTimeout(() => slow.cancel(), 200);
const began = Date.now();
await slow.catch(() => {});
row('Sql', '`query.cancel()`', 'the statement is cancelled', Date.now() - began < 4000 ? 'the statement is cancelled' : 'the statement runs on');
one = await pid(sql);
await sql.end();
row('Sql', '`end()`', 'Does::Closes', await gone(one));

const single = postgres({ ...options, max: 1 });
row('Sql', '`max: 1`, two queries at once', 'one connection', connections(...(await Promise.all([pid(single, SLOW), pid(single, SLOW)]))));
await single.end();
