// Goal: content that is too long for one answer comes in parts, and whoever asks for all of it gets all of it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asId, type RunId } from '@touchstone/protocol';
import { afterEach, expect, it } from 'vitest';
import { readJson } from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const AGENT = 'local.acme.talker';
const LONG = 'x'.repeat(3_000_000);

async function startTalker(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ output: LONG })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function evaluate(host: WholeHost, repeats: number): Promise<RunId> {
  const url = await startTalker();
  const agent = { agentId: AGENT, version: '1.0.0', run: { kind: 'http', url } };
  await host.fetch(`/v1/host/touchstone/agents/${AGENT}`, { method: 'PUT', body: agent });
  await host.client().suites.install({
    suiteId: 'local.acme.evals.talk',
    version: '1.0.0',
    modes: ['golden'],
    tasks: [
      {
        taskId: 'talk',
        input: 'Talk.',
        expected: { kind: 'golden', match: { strategy: 'contains', value: 'x' } },
      },
    ],
  } as never);
  const { runId } = await host.client().runs.create({
    mode: 'eval',
    evalSuiteRef: 'local.acme.evals.talk@1.0.0',
    agentId: AGENT,
    configurable: { repeats },
  });
  await host.client().waitForScorecard(runId);
  return runId;
}

it('a task of many long answers is read in parts, and the client joins them', async () => {
  const host = await openWholeHost({ egress: { allowPrivate: true } });
  open.push(host);
  const runId = await evaluate(host, 4);
  const path = `/v1/host/touchstone/runs/${runId}/tasks/talk`;
  const parts: unknown[] = [];
  for (let next: unknown = 0; next !== undefined; ) {
    const { status, body } = await readJson(host, `${path}?fromRepeat=${next}`);
    const { invocations, nextRepeat, score } = body as { [member: string]: unknown };
    parts.push([status, (invocations as unknown[]).length, score]);
    next = nextRepeat;
  }
  expect(parts).toEqual(Array(4).fill([200, 1, 1]));
  const whole = await host.client().task(runId, 'talk');
  expect(whole).not.toHaveProperty('nextRepeat');
  expect(whole.invocations.map(({ output }) => output === LONG)).toEqual([true, true, true, true]);
  expect((await readJson(host, `${path}?fromRepeat=4`)).status).toBe(404);
  expect((await readJson(host, `${path}?fromRepeat=x`)).status).toBe(400);
});

it('a run of long answers is replayed, compared and summed up like any other', async () => {
  const host = await openWholeHost({ egress: { allowPrivate: true } });
  open.push(host);
  const runId = await evaluate(host, 3);
  const forked = await host.fetch(`/v1/runs/${runId}:fork`, { method: 'POST', body: { mode: 'replay' } });
  const replay = asId<RunId>(((await forked.json()) as { runId: string }).runId);
  await host.client().waitForScorecard(replay);
  const { body } = await readJson(host, `/v1/runs/${runId}:diff?against=${replay}`);
  expect(body).toMatchObject({ divergedAtSeq: null, eventDiffs: [] });
  const digests = await Promise.all(
    [runId, replay].map(async (id) => {
      const { body: card } = await readJson(host, `/v1/host/touchstone/runs/${id}/scorecard`);
      return (card as { log: unknown }).log;
    }),
  );
  expect(digests[0]).toMatchObject({ events: expect.any(Number), digest: expect.any(String) });
  expect(digests[1]).toEqual(digests[0]);
  const { body: bundle } = await readJson(host, `/v1/runs/${runId}/debug-bundle`);
  expect(bundle).toMatchObject({ truncated: true });
});
