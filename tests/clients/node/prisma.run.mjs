import { PrismaPg } from '@prisma/adapter-pg';
import prismaClient from '@prisma/client';
import { PID, SLOW, connections, gone, key, lock, row, state, versions } from './seen.mjs';

versions('@prisma/client', '@prisma/adapter-pg');
const { host, user, database } = { host: process.env.PGHOST, user: process.env.PGUSER, database: process.env.PGDATABASE };
const prisma = new prismaClient.PrismaClient({ adapter: new PrismaPg({ host, user, database, max: 2 }) });
const pid = async (on, sql = PID) => (await on.$queryRawUnsafe(sql))[0].pid;
const LOCK = (key) => `SELECT pg_backend_pid() AS pid, pg_advisory_lock(${key})::text`;

row('Client', 'two `$queryRawUnsafe()` at once', 'Owner::PerCall', connections(...(await Promise.all([pid(prisma, SLOW), pid(prisma, SLOW)]))));
row('Client', '`$queryRaw(SELECT)`', 'Begins::Never', await state(await pid(prisma)));
let name = key();
let one = await pid(prisma, LOCK(name));
row('Client', '`$queryRaw(pg_advisory_lock)`', 'a session lock is kept', await lock(one, name));
const answer = await prisma.$queryRaw`SELECT false AS got`;
row('Client', '`$queryRaw` of a false, the answer', 'truthy', answer ? 'truthy' : 'falsy');
row('Client', '`$queryRaw` of a false, `[0]`', 'truthy', answer[0] ? 'truthy' : 'falsy');
const count = await prisma.$executeRaw`SELECT pg_try_advisory_lock(1) AND false`;
row('Client', '`$executeRaw` of a false', 'truthy', count ? 'truthy' : 'falsy');
name = key();
await prisma.$transaction(async (tx) => {
  one = await pid(tx, LOCK(name));
  row('Tx', 'in `prisma.$transaction()`', 'Begins::Already', await state(one));
  row('Client', '`$transaction()`', 'Does::Within', await state(one));
  row('Tx', 'one `$queryRaw` after another', 'one connection', connections(one, await pid(tx)));
  row('Tx', '`prisma.$queryRaw` meanwhile', 'another connection', connections(one, await pid(prisma)));
});
row('Client', 'end of `$transaction()`', 'no transaction is open', await state(one));
row('Client', 'end of `$transaction()`', 'a session lock is kept', await lock(one, name));
const [first, second] = await prisma.$transaction([prisma.$queryRawUnsafe(PID), prisma.$queryRawUnsafe(PID)]);
row('Client', '`$transaction([…])`', 'one connection', connections(first[0].pid, second[0].pid));
await prisma.$disconnect();
row('Client', '`$disconnect()`', 'Does::Closes', await gone(one));
