import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { asId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../packages/touchstone/src/store/index.js';
import { createRandom } from '../../setup/seed.js';
import { verifiedChain } from './audit-cases.js';
import { ACME, readAll, runIdOf, testClock } from './givens.js';

type Child = ChildProcessByStdio<null, Readable, null>;

/** These run the built package in processes of their own; `npm test` builds it first. */
const COMMIT_UNTIL_KILLED = new URL('./commit-until-killed.mjs', import.meta.url);
const APPEND_AUDIT = new URL('./append-audit.mjs', import.meta.url);
const MOVE_UNTIL_KILLED = new URL('./move-until-killed.mjs', import.meta.url);
const OPEN_ONCE = new URL('./open-once.mjs', import.meta.url);

const start = (script: URL, ...args: readonly string[]): Child =>
  spawn(process.execPath, [fileURLToPath(script), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

/** Kills a committing process after so many acknowledgements; answers the highest acknowledged number. */
async function killAfter(script: URL, file: string, acknowledgements: number): Promise<number> {
  const child = start(script, file, 'crashed');
  const exited = once(child, 'exit');
  let highest = -1;
  let lines = 0;
  // Lines that were still in the pipe when the process died are acknowledgements too.
  for await (const line of createInterface({ input: child.stdout })) {
    highest = Math.max(highest, Number(line));
    lines += 1;
    if (lines === acknowledgements) child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  return highest;
}

/** SQLite's own judgement, by the driver that the package under test depends on. */
function integrityOf(file: string): unknown {
  const fromPackage = createRequire(new URL('../../../packages/touchstone/package.json', import.meta.url));
  const { DatabaseSync } = fromPackage('@photostructure/sqlite');
  const database = new DatabaseSync(file);
  try {
    return database.prepare('PRAGMA integrity_check').all();
  } finally {
    database.close();
  }
}

export function crashCases(newFile: () => string): void {
  const random = createRandom();
  describe('processes that die or meet', () => {
    it('kill -9 loses no acknowledged commit, tears none, and leaves no gap', async () => {
      const file = newFile();
      for (let round = 0; round < 5; round += 1) {
        const acknowledged = await killAfter(COMMIT_UNTIL_KILLED, file, 1 + Math.floor(random() * 400));
        expect(integrityOf(file)).toMatchObject([{ integrity_check: 'ok' }]);
        const store = await openStore({ file, clock: testClock() });
        const run = await store.runs.get(ACME, runIdOf('crashed'));
        const events = await readAll(store, runIdOf('crashed'));
        expect(run?.eventCount).toBeGreaterThan(acknowledged);
        expect(events.map((event) => event.sequence)).toEqual(
          Array.from({ length: run?.eventCount ?? 0 }, (_, i) => i),
        );
        expect(await store.log.pending(ACME, runIdOf('crashed'))).toEqual([]);
        // No lease has run out yet: the holder is seen to be gone.
        expect(await store.leases.adoptable(9)).toEqual([{ owner: ACME, runId: 'crashed' }]);
        await store.close();
      }
    });

    it('kill -9 leaves a move with its event and its audit record, or without any of them', async () => {
      const file = newFile();
      for (let round = 0; round < 3; round += 1) {
        const acknowledged = await killAfter(MOVE_UNTIL_KILLED, file, 1 + Math.floor(random() * 200));
        const store = await openStore({ file, clock: testClock() });
        const moved = await store.deployments.get(ACME, asId('a'));
        const events = await readAll(store, runIdOf('crashed'));
        expect(moved?.revision).toBeGreaterThanOrEqual(acknowledged);
        expect(events).toHaveLength(moved?.revision ?? 0);
        expect(await verifiedChain(store.audit, ACME)).toHaveLength(moved?.revision ?? 0);
        await store.close();
      }
    });

    it('processes that append audit records at once make one chain', async () => {
      const file = newFile();
      const children = ['ann', 'bob', 'cat'].map((name) => start(APPEND_AUDIT, file, '100', name));
      const exits = await Promise.all(children.map((child) => once(child, 'exit')));
      expect(exits.map(([code]) => code)).toEqual([0, 0, 0]);
      const store = await openStore({ file, clock: testClock() });
      const chain = await verifiedChain(store.audit, ACME);
      const countOf = (name: string) => chain.filter(({ principal }) => principal === name).length;
      expect(['ann', 'bob', 'cat'].map(countOf)).toEqual([100, 100, 100]);
      await store.close();
    });

    it('processes that create the same file at once do not clash', async () => {
      const file = newFile();
      const children = Array.from({ length: 4 }, (_, i) => start(OPEN_ONCE, file, `r${i}`));
      const exits = await Promise.all(children.map((child) => once(child, 'exit')));
      expect(exits.map(([code]) => code)).toEqual([0, 0, 0, 0]);
      const store = await openStore({ file, clock: testClock() });
      expect((await store.runs.list(ACME, { limit: 9 })).items).toHaveLength(4);
      await store.close();
    });
  });
}
