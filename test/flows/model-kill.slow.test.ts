import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asId, type RunId } from '@touchstone/protocol';
import { createClient } from '@touchstone/sdk';
import { expect, it } from 'vitest';
import type { ModelServer } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { openStore } from '../../packages/touchstone/src/store/index.js';
import {
  AGENT,
  deferred,
  eventsOf,
  filesOf,
  modelConfig,
  payloadsOf,
  questionIn,
  SUITE,
  startModelServer,
} from './pack-host.js';
import { KEY, kill, serve, temporaryFolder } from './processes.js';

// Goal: `kill -9` in the middle of a model run costs at most one question per task in flight, and the run goes on with
// the model it began with. Method: the model answers twenty questions and holds back the rest until every place is taken
// by a question it has not answered; then the host is killed, configured otherwise, and started again.
const TASKS = 60;
const CONCURRENCY = 8;
const ANSWERED = 20;

const headers = { authorization: `Bearer ${KEY}` };
const tasks = Array.from({ length: TASKS }, (_, index) => ({
  input: `question ${index}`,
  expect: `question ${index}`,
}));

function writeProject(folder: string, model: ModelServer): (modelName: string) => void {
  for (const [path, bytes] of filesOf({ tasks })) {
    const file = join(folder, 'packs/desk', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  return (modelName) => {
    const config = modelConfig(model, {
      keys: [{ key: KEY, tenant: 'acme', roles: ['admin'] }],
      packs: ['./packs'],
      modelClasses: { general: `local/${modelName}` },
    });
    writeFileSync(join(folder, 'touchstone.config.json'), JSON.stringify(config));
  };
}

async function sealedIn(file: string, runId: RunId): Promise<ReadonlySet<number>> {
  const owner = { tenant: 'acme', workspace: 'main' };
  const store = await openStore({ file, clock: systemClock });
  const pending = await store.log.pending(owner, runId);
  const appended = await store.log.appended(owner, runId);
  await store.close();
  return new Set([...appended, ...pending.map(({ ordinal }) => ordinal)]);
}

it('a host killed in a model run goes on with the same model, and asks no answered question again', async (context) => {
  const folder = temporaryFolder();
  const full = deferred();
  const killed = deferred();
  let heldBack = 0;
  const model = await startModelServer(async (request, index) => {
    if (index >= ANSWERED && index < ANSWERED + CONCURRENCY) {
      heldBack += 1;
      if (heldBack === CONCURRENCY) full.resolve();
      await killed.promise;
    }
    return { say: questionIn(request) };
  });
  context.onTestFinished(async () => {
    await model.close();
    folder.remove();
  });
  const configure = writeProject(folder.path, model);

  configure('small-1');
  const first = await serve([], folder.path);
  context.onTestFinished(async () => void (await kill(first)));
  const body = { mode: 'eval' as const, evalSuiteRef: SUITE, agentId: AGENT };
  const configurable = { concurrency: CONCURRENCY };
  const { runId } = await createClient({ baseUrl: first.url, key: KEY }).runs.create({
    ...body,
    configurable,
  });
  await full.promise;
  await kill(first);
  killed.resolve();
  const asked = model.requests.map(questionIn);
  expect(asked).toHaveLength(ANSWERED + CONCURRENCY);
  const sealed = await sealedIn(join(folder.path, '.touchstone/touchstone.db'), asId<RunId>(runId));
  expect(sealed.size).toBeGreaterThan(0);
  expect(sealed.size).toBeLessThanOrEqual(ANSWERED);

  configure('large-2');
  const second = await serve([], folder.path);
  context.onTestFinished(async () => void (await kill(second)));
  const client = createClient({ baseUrl: second.url, key: KEY });
  const summary = await client.waitForScorecard(asId<RunId>(runId));
  expect(summary).toMatchObject({ taskCount: TASKS, passedCount: TASKS, passed: true });
  expect(new Set(model.requests.map((request) => request.body.model))).toEqual(new Set(['small-1']));
  const again = model.requests.slice(asked.length).map(questionIn);
  expect(again).toHaveLength(new Set(again).size);
  expect(new Set(again)).toEqual(
    new Set(tasks.map(({ input }) => input).filter((_, ordinal) => !sealed.has(ordinal))),
  );
  const events = await eventsOf({ fetch: (path) => fetch(second.url + path, { headers }) }, runId);
  const scored = payloadsOf(events, 'eval.scored').map(({ taskId }) => taskId);
  expect(scored).toEqual(tasks.map((_, index) => `t-${index}`));
});
