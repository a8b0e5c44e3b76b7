import { expect } from 'vitest';
import { eventsOf, payloadsOf, readJson } from './pack-host.js';
import {
  AGENT,
  begin,
  command,
  finish,
  finishPlain,
  golden,
  goldens,
  installSuite,
  type RunHost,
  rubric,
  TOOL,
  untilDone,
  untilEvent,
} from './run-host.js';

// Runs of every kind there is, each in one call: what a fork, and a diff, has to cope with.

type Source = (setup: RunHost) => Promise<string>;

const suite = (name: string, tasks: readonly object[], extra: object = {}) => ({
  suiteId: `local.test.evals.${name}`,
  version: '1.0.0',
  modes: ['golden'],
  tasks,
  ...extra,
});

const evaluated =
  (name: string, tasks: readonly object[], extra: object = {}, asking: object = {}): Source =>
  async ({ host }) => {
    await installSuite(host, suite(name, tasks, extra));
    return finish(host, `local.test.evals.${name}`, asking);
  };

const MIXED = [
  golden('right'),
  golden('wrong', { say: 'something else' }),
  golden('looks-up', { calls: [TOOL] }),
  golden('reaches-out', { calls: ['local:not.mine'] }),
  golden('fails', { fail: true }),
  golden('refuses', { refuse: true }),
  {
    ...golden('canned', { calls: [TOOL] }),
    fixtures: {
      toolResponses: [{ tool: TOOL, response: { found: 'a canned note' } }],
      memorySeed: [{ content: 'Likes tea.' }],
    },
  },
];
const JUDGED = [rubric('kind', 'Yes, it is kind', 'No, it is not'), rubric('short', 'Yes'), golden('plain')];

/** Held at its first task until everything else is sealed, then paused, then let go: the log has a gap. */
const paused: Source = async (setup) => {
  const { host } = setup;
  const gate = setup.hold();
  await installSuite(
    host,
    suite(
      'paused',
      goldens(6, (index) => (index === 0 ? { hold: true } : {})),
    ),
  );
  const runId = await begin(host, 'local.test.evals.paused', { configurable: { concurrency: 3 } });
  await untilDone(host, runId, 5);
  const answer = await command(host, `/v1/runs/${runId}:pause`, { drainPolicy: 'immediate' });
  expect(answer.status).toBe(202);
  await untilEvent(host, runId, 'run.paused');
  gate.resolve();
  // Whoever drove it may still be letting go of it just after it has said that it is paused.
  let resumed = await command(host, `/v1/runs/${runId}:resume`);
  while (resumed.status === 409) resumed = await command(host, `/v1/runs/${runId}:resume`);
  expect(resumed.status).toBe(202);
  const scored = payloadsOf(await eventsOf(host, runId), 'eval.scored').map(({ taskId }) => taskId);
  expect(scored).toEqual(['t-1', 't-2', 't-3', 't-4', 't-5', 't-0']);
  return runId;
};

const cancelled: Source = async (setup) => {
  const { host } = setup;
  const gate = setup.hold();
  await installSuite(
    host,
    suite(
      'cancelled',
      goldens(4, (index) => (index === 3 ? { hold: true } : {})),
    ),
  );
  const runId = await begin(host, 'local.test.evals.cancelled');
  await untilDone(host, runId, 3);
  const answer = await command(host, `/v1/runs/${runId}/cancel`, { reason: 'enough' });
  expect(answer.status).toBe(200);
  await eventsOf(host, runId);
  gate.resolve();
  return runId;
};

const rejudgedRun: Source = async (setup) => {
  const first = await evaluated('rejudged', JUDGED, { modes: ['golden', 'rubric'] })(setup);
  const path = `/v1/host/touchstone/runs/${first}:rejudge`;
  const created = await command(setup.host, path, { judge: 'local/judge-2' });
  expect(created).toMatchObject({ status: 201 });
  await eventsOf(setup.host, created.body.runId as string);
  return created.body.runId as string;
};

const compared: Source = async (setup) => {
  const modes = { modes: ['golden', 'regression'] };
  const tasks = goldens(6, (index) => ({ brokenIn: index < 2 ? ['2.0.0'] : [] }));
  const baselineRunId = await evaluated('compared', tasks, modes)(setup);
  const asking = { agentId: `${AGENT}@2.0.0`, configurable: { baselineRunId } };
  return finish(setup.host, 'local.test.evals.compared', asking);
};

const budget = { configurable: { concurrency: 1, budget: { maxCostUsd: 0.6 } } };

/** By name: how such a run comes about, how it ends. */
export const SOURCES: { readonly [name: string]: readonly [end: string, make: Source] } = {
  'golden tasks': ['completed', evaluated('mixed', MIXED)],
  'three repeats': ['completed', evaluated('repeated', MIXED, {}, { configurable: { repeats: 3 } })],
  'a part of a suite': [
    'completed',
    evaluated('part', MIXED, {}, { configurable: { onlyTasks: ['right', 'fails'] } }),
  ],
  'a judged rubric': ['completed', evaluated('judged', JUDGED, { modes: ['golden', 'rubric'] })],
  'an adversarial run': [
    'completed',
    evaluated('probes', [...MIXED, golden('card', { say: 'It is 4111 1111 1111 1111.' })], {
      modes: ['golden', 'adversarial'],
    }),
  ],
  'a regression': ['completed', compared],
  'a second judgement': ['completed', rejudgedRun],
  'a pause with a gap': ['completed', paused],
  'a cancelled run': ['cancelled', cancelled],
  'a budget that ran out': ['failed', evaluated('dear', goldens(6), {}, budget)],
  'an agent alone': ['completed', ({ host }) => finishPlain(host, { agentId: AGENT, inputs: { say: 'hi' } })],
  'an agent that fails': [
    'failed',
    ({ host }) => finishPlain(host, { agentId: AGENT, inputs: { fail: true } }),
  ],
  'a workflow': [
    'completed',
    ({ host }) =>
      finishPlain(host, { workflowId: 'conformance-idempotent', inputs: { nonce: 'n' }, tags: ['floor'] }),
  ],
  'a workflow that fails': ['failed', ({ host }) => finishPlain(host, { workflowId: 'conformance-failure' })],
};

export const makeSource = async (setup: RunHost, name: string): Promise<string> => {
  const [end, make] = SOURCES[name] as NonNullable<(typeof SOURCES)[string]>;
  const runId = await make(setup);
  expect((await readJson(setup.host, `/v1/runs/${runId}`)).body.status).toBe(end);
  return runId;
};
