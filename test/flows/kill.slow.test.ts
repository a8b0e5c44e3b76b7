import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { asId, type EvalSummary, type RunId } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import { createClient } from '@touchstone/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { openStore } from '../../packages/touchstone/src/store/index.js';
import { createRandom, SEED } from '../setup/seed.js';
import { callsIn, KEY, kill, runCli, serve, startCli, temporaryFolder, writeProject } from './processes.js';

// Goal: `kill -9` at any moment costs nothing but the invocations in flight. Method: kill real processes after random
// numbers of invocations of a 500-task run, 25 times for the CLI and 25 for the host; after each kill note what is sealed
// and what has been called, go on, and at the end compare with a run that was not disturbed.
const TASKS = 500;
const KILLS = 25;
const random = createRandom();

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

describe(`kill -9 (seed ${SEED})`, () => {
  it('touchstone run: every task scored once, sealed tasks never invoked again, the same scorecard and exit code', async () => {
    writeProject(folder.path, TASKS, { delayMs: 4, passScore: 0.95 });
    const calls = join(folder.path, 'calls.log');
    const args = [
      'run',
      'numbers.suite.json',
      '--agent',
      'local.test.numbers',
      '--concurrency',
      '8',
      '--json',
    ];
    const undisturbed = await runCli([...args, '--data', 'calm'], folder.path);
    expect(undisturbed.code).toBe(1);

    const watch = sealedWatch(
      join(folder.path, 'storm/touchstone.db'),
      { tenant: 'local', workspace: 'main' },
      calls,
    );
    let kills = 0;
    for (; kills < KILLS; ) {
      const resume = (await watch.unfinished()) ? ['--resume'] : [];
      const running = startCli([...args, '--data', 'storm', ...resume], folder.path, { CALLS: calls });
      await untilCalled(calls, callsIn(calls).length + moment(), running.finished);
      const { code } = await kill(running);
      if (code === null) kills += 1;
      await watch.note();
    }
    const last = await runCli(
      [...args, '--data', 'storm', ...((await watch.unfinished()) ? ['--resume'] : [])],
      folder.path,
      { CALLS: calls },
    );
    expect(last).toMatchObject({ code: 1, stderr: '' });
    expect(comparable(JSON.parse(last.stdout).summary)).toEqual(
      comparable(JSON.parse(undisturbed.stdout).summary),
    );
    await watch.checkAllRuns();
  });

  it('touchstone serve: the run goes on by itself after every restart, and ends as an undisturbed one', async () => {
    writeProject(folder.path, TASKS, { delayMs: 12 });
    const calls = join(folder.path, 'calls.log');
    const owner = { tenant: 'acme', workspace: 'main' };
    const watch = sealedWatch(join(folder.path, '.touchstone/touchstone.db'), owner, calls);
    const create = async (url: string): Promise<RunId> => {
      const client = createClient({ baseUrl: url, key: KEY });
      const body = {
        mode: 'eval' as const,
        evalSuiteRef: 'local.test.evals.numbers',
        agentId: 'local.test.numbers',
      };
      return asId<RunId>((await client.runs.create(body)).runId);
    };

    const calm = await serve(['--data', 'calm'], folder.path);
    const calmSummary = await createClient({ baseUrl: calm.url, key: KEY }).waitForScorecard(
      await create(calm.url),
    );
    expect((await kill(calm, 'SIGTERM')).code).toBe(0);

    for (let kills = 0; kills < KILLS; kills++) {
      const host = await serve([], folder.path, { CALLS: calls });
      const runId = (await watch.unfinished()) ?? (await create(host.url));
      const killed = new AbortController();
      const over = createClient({ baseUrl: host.url, key: KEY })
        .waitForScorecard(runId, { signal: killed.signal })
        .catch(() => undefined);
      await untilCalled(calls, callsIn(calls).length + moment(), over);
      killed.abort();
      await kill(host);
      await watch.note();
    }
    const host = await serve([], folder.path, { CALLS: calls });
    const runId = (await watch.unfinished()) ?? (await create(host.url));
    const summary = await createClient({ baseUrl: host.url, key: KEY }).waitForScorecard(runId);
    expect(comparable(summary)).toEqual(comparable(calmSummary));
    await kill(host, 'SIGTERM');
    await watch.checkAllRuns();
  });
});

/** Up to so many invocations between two kills that a run of 500 tasks is killed a dozen times. */
const moment = (): number => Math.floor(random() * 80);
/** Looks every millisecond: the agent notes its calls in a file, and has no other way to tell this process. */
async function untilCalled(file: string, count: number, over: Promise<unknown>): Promise<void> {
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!isOver && callsIn(file).length < count) await wait(1);
}

const comparable = (summary: EvalSummary): unknown =>
  JSON.parse(JSON.stringify(summary, (key, value) => (key === 'latencyMs' ? undefined : value)));

/** Looks into the store between the kills. Each look opens the file anew, as the next process will. */
function sealedWatch(file: string, owner: { tenant: string; workspace: string }, calls: string) {
  const sealedAt: { readonly runId: RunId; readonly sealed: Set<number>; readonly calls: number }[] = [];

  const look = async <T>(use: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>): Promise<T> => {
    const store = await openStore({ file, clock: systemClock });
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  };
  const runs = (store: Awaited<ReturnType<typeof openStore>>) =>
    store.runs.list(owner, { limit: 100 }).then((page) => page.items);

  return {
    async unfinished(): Promise<RunId | undefined> {
      if (!existsSync(file)) return undefined;
      return look(
        async (store) =>
          (await runs(store)).find((run) => ['pending', 'running'].includes(run.status))?.runId,
      );
    },
    async note(): Promise<void> {
      if (!existsSync(file)) return;
      await look(async (store) => {
        for (const { runId, status } of await runs(store)) {
          if (status === 'completed') continue;
          const pending = await store.log.pending(owner, runId);
          const sealed = new Set([
            ...(await store.log.appended(owner, runId)),
            ...pending.map((seal) => seal.ordinal),
          ]);
          sealedAt.push({ runId, sealed, calls: callsIn(calls).length });
        }
      });
    },
    async checkAllRuns(): Promise<void> {
      const all = callsIn(calls);
      await look(async (store) => {
        const found = await runs(store);
        expect(found.map((run) => run.status)).toEqual(found.map(() => 'completed'));
        for (const { runId, eventCount } of found) {
          const events = await readLog((after) => store.log.read(owner, runId, after, 500));
          expect(events.map((event) => event.sequence)).toEqual(
            Array.from({ length: eventCount }, (_, i) => i),
          );
          const scored = events.flatMap((event) =>
            event.type === 'eval.scored' ? [(event.payload as { taskId: string }).taskId] : [],
          );
          expect(scored).toEqual(Array.from({ length: TASKS }, (_, i) => `n-${i}`));
        }
        for (const { runId, sealed, calls: from } of sealedAt) {
          const again = all.slice(from).filter((call) => call.runId === runId && sealed.has(call.ordinal));
          expect(again).toEqual([]);
        }
      });
    },
  };
}

async function readLog(read: (after: number) => Promise<readonly RunEvent[]>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for (;;) {
    const page = await read(events.length - 1);
    if (page.length === 0) return events;
    events.push(...page);
  }
}
