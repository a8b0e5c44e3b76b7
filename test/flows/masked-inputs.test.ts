import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Event, eventsOf, readJson } from './pack-host.js';
import { AGENT, finishPlain, fork, openRunHost, type RunHost, untilEvent } from './run-host.js';

// Goal: a secret in the inputs of a run reaches the agent, and nobody who reads the run. Method: inputs with secrets of
// several shapes, put together here so that nothing in this file is a secret by itself.

const MARK = 'CANARY-do-not-leak';
const SECRETS = {
  openai: `sk${'-'}${MARK}-9Lt7Nw2QrZ0aB8mYjPpQe`,
  anthropic: `sk${'-ant-'}${MARK}-3Ko0LqFqzv9Sb1J7mNcR`,
  google: `AI${'za'}${MARK}Goog12345abcdef9876abcdef`,
  jwt: `eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOnRydWV9.${MARK}-jwt-signature-xyz`,
  reference: `cred${'_'}${MARK}-OpaqueRefAlphaNumX9Y8Z7`,
};

let setup: RunHost;
beforeAll(async () => {
  setup = await openRunHost();
});
afterAll(() => setup.close());

const start = (body: object) => finishPlain(setup.host, body);
const inputsOf = (events: readonly Event[]): unknown =>
  events.find(({ type }) => type === 'run.started')?.payload.inputs;
const bundleOf = async (runId: string): Promise<string> =>
  (await setup.host.fetch(`/v1/runs/${runId}/debug-bundle`)).text();

it.each(Object.entries(SECRETS))(
  '%s in the inputs of a workflow is masked wherever the run is read',
  async (_name, secret) => {
    const inputs = {
      note: `use ${secret}, please`,
      deep: [{ value: secret }],
      plain: 'the colour is red',
      n: 7,
    };
    const runId = await start({ workflowId: 'conformance-noop', inputs });
    const events = await eventsOf(setup.host, runId);
    expect(inputsOf(events)).toEqual({
      note: 'use [REDACTED], please',
      deep: [{ value: '[REDACTED]' }],
      plain: 'the colour is red',
      n: 7,
    });
    const branch = (await fork(setup.host, runId, { mode: 'branch', fromSeq: 0 })).body.runId as string;
    const replay = (await fork(setup.host, runId, { mode: 'replay' })).body.runId as string;
    for (const one of [branch, replay])
      expect(inputsOf(await eventsOf(setup.host, one))).toEqual(inputsOf(events));
    const { body: diff } = await readJson(setup.host, `/v1/runs/${runId}:diff?against=${replay}`);
    expect(diff).toMatchObject({ divergedAtSeq: null, eventDiffs: [] });
    for (const text of [JSON.stringify(events), await bundleOf(runId), await bundleOf(branch)])
      expect(text).not.toContain(MARK);
  },
);

it('a member whose name says that it is secret is masked, too', async () => {
  const inputs = { password: 'correct horse', maxTokens: 12 };
  const runId = await start({ workflowId: 'conformance-noop', inputs });
  expect(inputsOf(await eventsOf(setup.host, runId))).toEqual({ password: '[REDACTED]', maxTokens: 12 });
});

it('a workflow that asks people is no exception', async () => {
  const created = await readJson(setup.host, '/v1/runs', {
    method: 'POST',
    body: { workflowId: 'conformance-approval', inputs: { note: SECRETS.reference } },
  });
  const runId = created.body.runId as string;
  await untilEvent(setup.host, runId, 'node.suspended');
  const { events } = (await readJson(setup.host, `/v1/runs/${runId}/events/poll?timeout=1`))
    .body as never as {
    events: readonly Event[];
  };
  expect(inputsOf(events)).toEqual({ note: '[REDACTED]' });
});

it('the agent is given what was sent', async () => {
  const say = `The key is ${SECRETS.reference}.`;
  const runId = await start({ agentId: AGENT, inputs: { say } });
  expect(setup.asked.at(-1)).toMatchObject({ say });
  expect(inputsOf(await eventsOf(setup.host, runId))).toEqual({ say: 'The key is [REDACTED].' });
  expect(await bundleOf(runId)).not.toContain(MARK);
});
