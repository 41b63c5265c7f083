// What the runs in JavaScript share: they ask the server, over a connection of its own, and print what they saw.
// A row is `row HANDLE CALL CLAIM SEEN`, separated by tabs; `tests/clients/table.py` has the words.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What psql prints. */
export async function server(sql) {
  return (await run('psql', ['-XAtqc', sql])).stdout.trim();
}

export function versions(...packages) {
  const of = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url))).version;
  console.log(['versions', packages.map((name) => `${name} ${of(name)}`).join(', ')].join('\t'));
}

export function row(handle, call, claim, seen) {
  console.log(['row', handle, call, claim, seen].join('\t'));
}

let last = 0;

/** A key that nothing else uses. */
export const key = () => ++last;

/** The transaction of that backend. A client may wait for no answer to what it sends last. */
export async function state(pid) {
  let found;
  for (let tries = 0; tries < 100; tries++) {
    found = await server(`SELECT state FROM pg_stat_activity WHERE pid = ${pid}`);
    if (found !== 'active') break;
    await sleep(50);
  }
  return { '': 'the connection is closed', idle: 'no transaction is open' }[found] ?? 'a transaction is open';
}

/** What became of a session lock. A backend whose client has left goes on for a moment. */
export async function lock(pid, key) {
  let held;
  for (let tries = 0; tries < 6; tries++) {
    held = await server(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = ${key} AND pid = ${pid}`);
    if (held === '0') break;
    await sleep(50);
  }
  if ((await state(pid)) === 'the connection is closed') return 'the connection is closed';
  return held === '1' ? 'a session lock is kept' : 'a session lock is released';
}

/** Whether a backend is gone; it needs a moment. */
export async function gone(pid) {
  for (let tries = 0; tries < 100; tries++) {
    if ((await state(pid)) === 'the connection is closed') break;
    await sleep(50);
  }
  return state(pid);
}

export const connections = (...pids) => (new Set(pids).size === 1 ? 'one connection' : 'another connection');

/** What an inner rollback took away, of two locks of the transaction. */
export async function savepoint(outer, inner) {
  const held = await server(
    `SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid IN (${outer}, ${inner}) ORDER BY objid`,
  );
  if (held === `${outer}`) return 'back to a savepoint';
  return held === '' ? 'the transaction ended' : 'nothing is rolled back';
}

export const LOCK = (key) => `SELECT pg_backend_pid() AS pid, pg_advisory_lock(${key})`;
export const XACT = (key) => `SELECT pg_advisory_xact_lock(${key})`;
export const PID = 'SELECT pg_backend_pid() AS pid';
export const SLOW = 'SELECT pg_backend_pid() AS pid FROM pg_sleep(1)';

/** Runs a function that is meant to fail. */
export async function fails(doing) {
  try {
    await doing();
  } catch {
    return;
  }
  throw new Error('did not fail');
}
