import { Sequelize } from 'sequelize';
import { LOCK, PID, SLOW, XACT, connections, fails, gone, key, lock, row, savepoint, state, versions } from './seen.mjs';

versions('sequelize', 'pg');
const sequelize = new Sequelize(process.env.PGDATABASE, process.env.PGUSER, '', { dialect: 'postgres', host: process.env.PGHOST, logging: false, pool: { max: 2 } });
const pid = async (sql = PID, options = {}) => (await sequelize.query(sql, options))[0][0].pid;

row('Sequelize', 'two `query()` at once', 'Owner::PerCall', connections(...(await Promise.all([pid(SLOW), pid(SLOW)]))));
row('Sequelize', '`query(SELECT)`', 'Begins::NeverByDefault', await state(await pid()));
let name = key();
let one = await pid(LOCK(name));
row('Sequelize', '`query(pg_advisory_lock)`', 'a session lock is kept', await lock(one, name));
const answer = await sequelize.query('SELECT false AS got');
row('Sequelize', '`query()` of a false, the answer', 'truthy', answer ? 'truthy' : 'falsy');
name = key();
await sequelize.transaction(async (transaction) => {
  one = await pid(LOCK(name), { transaction });
  row('Tx', '`query(…, { transaction })`', 'Begins::Already', await state(one));
  row('Sequelize', '`transaction()`', 'Does::Within', await state(one));
  row('Tx', '`query()` without it', 'another connection', connections(one, await pid()));
  const [outer, inner] = [key(), key()];
  await sequelize.query(XACT(outer), { transaction });
  await fails(() => sequelize.transaction({ transaction }, async (nested) => {
    await sequelize.query(XACT(inner), { transaction: nested });
    throw new Error();
  }));
  row('Tx', '`transaction({ transaction })` that fails', 'back to a savepoint', await savepoint(outer, inner));
});
row('Sequelize', 'end of `transaction()`', 'no transaction is open', await state(one));
row('Sequelize', 'end of `transaction()`', 'a session lock is kept', await lock(one, name));
for (const end of ['commit', 'rollback']) {
  const transaction = await sequelize.transaction();
  one = await pid(PID, { transaction });
  await transaction[end]();
  row('Tx', `\`${end}()\``, 'Does::Ends', await state(one));
}
one = await pid();
await sequelize.close();
row('Sequelize', '`close()`', 'Does::Closes', await gone(one));
