import { expect, it } from 'vitest';
import { threadMs } from '../../ports/index.js';
import type { Outcome, Statement } from '../db.js';
import { type Connection, createGroupCommit } from './group-commit.js';

/** Writes down what it is asked; statements named in `failing` throw, `touching nothing` ones change no row. */
function scriptedConnection(failing: ReadonlySet<string> = new Set()) {
  const calls: string[] = [];
  const call = (name: string): void => {
    calls.push(name);
    if (failing.has(name)) throw new Error(`${name} failed`);
  };
  const run = ({ sql }: Statement): Outcome => {
    call(sql);
    return { changes: sql.startsWith('nothing') ? 0 : 1, rows: [] };
  };
  const connection: Connection = {
    begin: () => call('begin'),
    commit: () => call('commit'),
    rollback: () => call('rollback'),
    run,
  };
  return { connection, calls };
}

const write = (sql: string): readonly Statement[] => [{ sql, params: [] }];
const guard = (sql: string): readonly Statement[] => [{ sql, params: [], guard: true }];
const settledOf = async (work: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map((settled) =>
    settled.status === 'fulfilled' ? 'kept' : (settled.reason as Error).message,
  );

it('batches of one turn share a transaction, in the order of their submission', async () => {
  const { connection, calls } = scriptedConnection();
  const { submit } = createGroupCommit(connection);
  const first = submit(write('a'));
  await Promise.resolve();
  await Promise.all([first, submit([...write('b'), ...write('c')])]);
  await submit(write('d'));
  expect(calls).toEqual(['begin', 'a', 'b', 'c', 'commit', 'begin', 'd', 'commit']);
});

it('nothing is acknowledged before the commit', async () => {
  const { connection, calls } = scriptedConnection();
  const { submit } = createGroupCommit(connection);
  await submit(write('a')).then(() => calls.push('acknowledged'));
  expect(calls).toEqual(['begin', 'a', 'commit', 'acknowledged']);
});

it('a batch that fails or whose guard touches nothing fails alone', async () => {
  const { connection, calls } = scriptedConnection(new Set(['bad']));
  const { submit } = createGroupCommit(connection);
  const settled = await settledOf([
    submit(write('a')),
    submit(write('bad')),
    submit(guard('nothing')),
    submit(write('b')),
  ]);
  expect(settled).toEqual(['kept', 'bad failed', 'Statement 0 of the batch touched no row.', 'kept']);
  expect(calls.slice(0, 4)).toEqual(['begin', 'a', 'bad', 'rollback']);
  expect(calls.slice(4)).toEqual(
    [
      ['begin', 'a', 'commit'],
      ['begin', 'bad', 'rollback'],
      ['begin', 'nothing', 'rollback'],
      ['begin', 'b', 'commit'],
    ].flat(),
  );
});

it('without the write lock all batches fail after a single wait', async () => {
  const { connection, calls } = scriptedConnection(new Set(['begin']));
  const { submit } = createGroupCommit(connection);
  expect(await settledOf([submit(write('a')), submit(write('b'))])).toEqual(['begin failed', 'begin failed']);
  expect(calls).toEqual(['begin']);
});

it('a commit that fails is undone and reported to everyone in it', async () => {
  const { connection } = scriptedConnection(new Set(['commit']));
  const { submit } = createGroupCommit(connection);
  expect(await settledOf([submit(write('a')), submit(write('b'))])).toEqual([
    'commit failed',
    'commit failed',
  ]);
});

it('a very long turn is written in several transactions, and every batch is', async () => {
  const { connection, calls } = scriptedConnection();
  const { submit } = createGroupCommit(connection);
  await Promise.all(Array.from({ length: 1_300 }, (_, i) => submit(write(`${i}`))));
  expect(calls.filter((name) => name === 'commit')).toHaveLength(3);
  expect(calls.filter((name) => /^\d/.test(name))).toEqual(Array.from({ length: 1_300 }, (_, i) => `${i}`));
});

it('a flush writes at once what is waiting', () => {
  const { connection, calls } = scriptedConnection();
  const { submit, flush } = createGroupCommit(connection);
  const written = submit(write('a'));
  flush();
  expect(calls).toEqual(['begin', 'a', 'commit']);
  return written;
});

const store = (sql: string, tenant: string, characters: number): readonly Statement[] => [
  { sql, params: ['x'.repeat(characters)] },
  { sql: `count ${sql}`, params: [tenant, characters], tenant },
];

it('a long batch does not make the flush of others longer: a group ends after half a million characters', async () => {
  const { connection, calls } = scriptedConnection();
  const { submit } = createGroupCommit(connection);
  const long = 300_000;
  await Promise.all([
    submit(store('a', 'rival', long)),
    submit(store('b', 'rival', long)),
    submit(write('c')),
  ]);
  const groups = calls.join(' ').split('commit').length - 1;
  expect(groups).toBe(2);
});

it('a batch that is longer than a group is written alone', async () => {
  const { connection } = scriptedConnection();
  const { submit } = createGroupCommit(connection);
  expect(await submit(store('a', 'rival', 2_000_000))).toHaveLength(2);
});

/** Of a group of 3,000 characters, for a thousand of them. */
const SLOWEST = (10 + threadMs(2 * 3_000)) / 3;

it.each([
  ['the time of a group counts for the tenants whose content it stores, by their lengths', 3, [2, 1]],
  ['a slow disk counts for nobody', 2_000, [2 * SLOWEST, SLOWEST]],
])('%s', async (_name, elapsedMs, [rivalMs, acmeMs]) => {
  const { connection } = scriptedConnection();
  let now = 0;
  const counted: [string, number][] = [];
  const writing = {
    elapsed: () => now,
    charge: (tenant: string, ms: number) => void counted.push([tenant, ms]),
  };
  const slow: Connection = {
    ...connection,
    commit() {
      now += elapsedMs;
    },
  };
  const { submit } = createGroupCommit(slow, writing);
  await Promise.all([
    submit(store('a', 'rival', 2_000 - 'rival'.length)),
    submit(store('b', 'acme', 1_000 - 'acme'.length)),
    submit(write('c')),
  ]);
  expect(counted).toEqual([
    ['rival', expect.closeTo(rivalMs ?? 0)],
    ['acme', expect.closeTo(acmeMs ?? 0)],
  ]);
});
