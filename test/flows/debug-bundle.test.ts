import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeSource, SOURCES } from './fork-sources.js';
import { eventsOf, readJson } from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import { begin, golden, installSuite, openRunHost, type RunHost, untilEvent } from './run-host.js';

let setup: RunHost;
beforeAll(async () => {
  setup = await openRunHost();
});
afterAll(() => setup.close());

type Bundle = {
  readonly events: readonly object[];
  readonly run: { readonly runId: string; readonly status: string };
  readonly metrics: { readonly eventCount: number };
};
async function bundleOf(runId: string): Promise<Bundle> {
  const response = await setup.host.fetch(`/v1/runs/${runId}/debug-bundle`);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const bundle = (await response.json()) as Bundle;
  expect(check('debug-bundle', bundle)).toEqual([]);
  expect(bundle).toMatchObject({
    redactionApplied: true,
    redactionMode: 'mask',
    run: { runId },
    metrics: { eventCount: bundle.events.length },
  });
  return bundle;
}

it.each(Object.keys(SOURCES))('the bundle of %s has the events that are polled', async (name) => {
  const runId = await makeSource(setup, name);
  const bundle = await bundleOf(runId);
  expect(bundle.events).toEqual(await eventsOf(setup.host, runId));
  expect(bundle).not.toHaveProperty('truncated');
  expect(bundle.run.status).toBe(SOURCES[name]?.[0]);
});

it('the bundle of a running run is what there is of it, and of a foreign one is none', async () => {
  const gate = setup.hold();
  const suiteId = 'local.test.evals.bundled';
  const tasks = [golden('t-0'), golden('t-1', { hold: true })];
  await installSuite(setup.host, { suiteId, version: '1.0.0', modes: ['golden'], tasks });
  const runId = await begin(setup.host, suiteId, { configurable: { concurrency: 1 } });
  await untilEvent(setup.host, runId, 'eval.scored');
  const bundle = await bundleOf(runId);
  expect(bundle.run.status).toBe('running');
  gate.resolve();
  const events = await eventsOf(setup.host, runId);
  expect(bundle.events).toEqual(events.slice(0, bundle.events.length));
  const absent = await readJson(setup.host, '/v1/runs/run-absent/debug-bundle', { key: OTHER_KEY });
  expect(absent.status).toBe(404);
  expect(await readJson(setup.host, `/v1/runs/${runId}/debug-bundle`, { key: OTHER_KEY })).toEqual(absent);
});

it('secrets in what was asked and answered are masked', async () => {
  // Put together here, so that nothing in this file is a secret by itself.
  const secret = `sk${'-'}canary-4f9d-do-not-leak`;
  const suiteId = 'local.test.evals.leaking';
  const tasks = [golden('t-0', { say: `The key is ${secret}.` })];
  await installSuite(setup.host, { suiteId, version: '1.0.0', modes: ['golden'], tasks });
  const runId = await begin(setup.host, suiteId, { tags: [secret] });
  expect(JSON.stringify(await eventsOf(setup.host, runId))).toContain('canary');
  expect(JSON.stringify(await bundleOf(runId))).not.toContain('canary');
});
