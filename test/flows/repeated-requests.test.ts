import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import { ECHO_AGENT, echoAgent, echoSuite, openWholeHost, type WholeHost } from './whole-host.js';

// Goal: a request that is sent again under its Idempotency-Key takes effect once, also when the host was killed after it
// had done what was asked and before it had kept its answer. Method: a host that cannot keep answers leaves the same rows
// behind as one that is killed there; a minute later the claim of the first attempt has run out.

let host: WholeHost;
let lateMs = 0;
let keepsAnswers = false;
beforeEach(async () => {
  [lateMs, keepsAnswers] = [0, false];
  const clock = { ...systemClock, now: () => systemClock.now() + lateMs };
  host = await openWholeHost(
    { agents: [echoAgent()], egress: { allowPrivate: true } },
    {
      clock,
      files: { 'echo.mjs': ECHO_AGENT },
      wrap(touchstone) {
        const { idempotency } = touchstone.store;
        const keep: typeof idempotency.keep = (...answer) =>
          keepsAnswers ? idempotency.keep(...answer) : Promise.reject(new Error('killed'));
        return { ...touchstone, store: { ...touchstone.store, idempotency: { ...idempotency, keep } } };
      },
    },
  );
});
afterEach(() => host.close());

type Answer = { readonly status: number; readonly body: { readonly [member: string]: unknown } };

async function post(path: string, body: object, headers: { [name: string]: string } = {}): Promise<Answer> {
  const response = await host.fetch(path, { method: 'POST', body, headers });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** The answers to the same request: the first, which no caller has seen, one after the restart, and one more. */
async function repeated(path: string, body: object, more = {}): Promise<readonly [Answer, Answer, Answer]> {
  const headers = { 'idempotency-key': 'k', ...more };
  const lost = await post(path, body, headers);
  lateMs += 61_000;
  keepsAnswers = true;
  return [lost, await post(path, body, headers), await post(path, body, headers)];
}

const itemsOf = async (path: string, member = 'items'): Promise<readonly unknown[]> =>
  ((await (await host.fetch(path)).json()) as { [member: string]: readonly unknown[] })[member] ?? [];
const runs = () => itemsOf('/v1/host/touchstone/runs');

const noop = { workflowId: 'conformance-noop' };
async function endedRun(): Promise<string> {
  await post('/v1/host/touchstone/suites', echoSuite(1));
  const body = { mode: 'eval', evalSuiteRef: 'local.test.evals.echo', agentId: 'local.test.echo' };
  const runId = (await post('/v1/runs', body)).body.runId as string;
  await host.client().waitForScorecard(runId as never);
  return runId;
}

describe('a request whose answer was never kept, sent again', () => {
  it('to create a run: the run that it has created', async () => {
    const [lost, second, third] = await repeated('/v1/runs', noop);
    expect([lost.status, second.status, third.status]).toEqual([201, 201, 201]);
    expect([second.body.runId, third.body.runId]).toEqual([lost.body.runId, lost.body.runId]);
    expect(await runs()).toHaveLength(1);
  });

  it('to create a run alone in its scope: it does not stand in its own way', async () => {
    const waiting = { workflowId: 'conformance-approval', scopeId: 's' };
    const [lost, second] = await repeated('/v1/runs', waiting, { 'x-dedup': 'enforce' });
    expect(second).toMatchObject({ status: 201, body: { runId: lost.body.runId } });
    expect(await runs()).toHaveLength(1);
  });

  it('to fork a run: the fork', async () => {
    const source = await endedRun();
    const [lost, second] = await repeated(`/v1/runs/${source}:fork`, { mode: 'replay' });
    expect(second).toMatchObject({ status: 201, body: { runId: lost.body.runId } });
    expect(await runs()).toHaveLength(2);
  });

  it('to promote a version: one step, not two', async () => {
    const path = '/v1/agents/local.test.echo/deployments';
    const [lost, second, third] = await repeated(path, { version: '1.0.0', transition: 'promote' });
    for (const answer of [lost, second, third])
      expect(answer).toMatchObject({ status: 200, body: { version: '1.0.0', state: 'test' } });
    expect(await runs()).toHaveLength(1);
    expect(await itemsOf('/v1/host/touchstone/audit')).toHaveLength(2);
  });

  it('to annotate a run: the annotation', async () => {
    const source = await endedRun();
    const body = { signal: { kind: 'flag' } };
    const [lost, second] = await repeated(`/v1/runs/${source}/annotations`, body);
    expect(second).toMatchObject({ status: 201, body: { annotationId: lost.body.annotationId } });
    expect(await itemsOf(`/v1/runs/${source}/annotations`, 'annotations')).toHaveLength(1);
  });

  it('to register a webhook: the webhook, with its secret', async () => {
    const body = { url: 'http://127.0.0.1:9/', events: ['run.completed'] };
    const [lost, second] = await repeated('/v1/webhooks', body);
    expect(second).toEqual(lost);
    expect(await itemsOf('/v1/host/touchstone/webhooks')).toHaveLength(1);
  });
});
