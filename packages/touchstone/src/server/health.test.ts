import { expect, it } from 'vitest';
import { answerProbe, createReadiness } from './health.js';

function readinessOf(store: { isThere: boolean }) {
  let now = 0;
  let pings = 0;
  const told: string[] = [];
  const ping = async () => {
    pings += 1;
    if (!store.isThere) throw new Error('away');
  };
  const readiness = createReadiness({ ping }, { elapsed: () => now }, { error: (event) => told.push(event) });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { readiness, pings: () => pings, pass, told };
}

it('a process is ready while its store can be used, and alive in any case', async () => {
  const store = { isThere: true };
  const { readiness, pass } = readinessOf(store);
  expect(await answerProbe('GET', '/readyz', readiness)).toEqual({ status: 200, body: { status: 'ready' } });
  store.isThere = false;
  pass(1_000);
  expect(await answerProbe('GET', '/readyz', readiness)).toEqual({ status: 503, body: { status: 'store' } });
  expect(await answerProbe('HEAD', '/healthz', readiness)).toEqual({
    status: 200,
    body: { status: 'alive' },
  });
  store.isThere = true;
  pass(1_000);
  readiness.stop();
  expect(await answerProbe('GET', '/readyz', readiness)).toEqual({
    status: 503,
    body: { status: 'stopping' },
  });
});

it('however many probes come, the store is asked once a second', async () => {
  const { readiness, pings, pass } = readinessOf({ isThere: true });
  for (let i = 0; i < 20; i += 1) await answerProbe('GET', '/readyz', readiness);
  expect(pings()).toBe(1);
  pass(1_000);
  await answerProbe('GET', '/readyz', readiness);
  expect(pings()).toBe(2);
});

it('another path or method is no probe', async () => {
  const { readiness } = readinessOf({ isThere: true });
  for (const [method, path] of [
    ['POST', '/readyz'],
    ['GET', '/v1/runs'],
    ['GET', '/healthz/x'],
  ] as const)
    expect(await answerProbe(method, path, readiness)).toBeUndefined();
});

it('the operator is told once why it is not ready, and again when that comes back', async () => {
  const store = { isThere: false };
  const { readiness, pass, told } = readinessOf(store);
  const probe = async (isThere: boolean) => {
    store.isThere = isThere;
    pass(1_000);
    await answerProbe('GET', '/readyz', readiness);
  };
  for (const isThere of [false, false, true, false]) await probe(isThere);
  expect(told).toEqual(['store.unready', 'store.unready']);
});
