import { EVAL_MODES, type EvalMode, HostError, isTerminal, type RunId } from '@touchstone/contract';
import type { RunEvent } from '@touchstone/contract/bodies';
import type { Run } from '@touchstone/contract/ports';
import { parseSuite } from '../../suites/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, type Reply } from '../endpoint.js';
import { findRun, type HostParts, runIdOf } from '../host-parts.js';
import { optionalText, type QueryOf } from '../query.js';
import type { Shape } from '../shape.js';
import { SAMPLE_AGENT_ID } from '../touchstone.js';
import { listening } from '../wakeups.js';
import { summaryOf } from './eval-summary.js';

// Conformance tests look inside a host through these. They exist only when the operator asks for them, and every one of
// them takes the way an ordinary request would take.

const eventQuery = {
  type: optionalText('Only events of this type.'),
  correlationId: optionalText('Only events caused by this one.'),
  causationId: optionalText('Only events caused by this one.'),
  nodeId: optionalText('Only events of this node.'),
};

const MAX_TASKS = 1_000;
type EvalRunBody = {
  readonly agentId?: string;
  readonly modes?: readonly EvalMode[];
  readonly taskCount?: number;
};
const evalRunBody: Shape = {
  type: 'object',
  properties: {
    agentId: { type: 'string', minLength: 1 },
    modes: { type: 'array', items: { type: 'string', enum: EVAL_MODES }, minItems: 1, uniqueItems: true },
    taskCount: { type: 'integer', minimum: 1, maximum: MAX_TASKS },
  },
};

export const seamEndpoints = (host: HostParts): readonly Endpoint[] => [
  endpoint({
    operationId: 'seamRunEvents',
    method: 'GET',
    path: '/v1/host/sample/test/runs/{runId}/events',
    auth: 'runs:read',
    summary: 'Test seam: the stored events of a run',
    parameters: eventQuery,
    responses: { 200: { description: 'Events; none for an unknown run.', schema: { type: 'object' } } },
    handle: (call) => storedEvents(host, call),
  }),
  endpoint({
    operationId: 'seamReset',
    method: 'POST',
    path: '/v1/host/sample/test/reset',
    auth: 'key',
    summary: 'Test seam: called between tests; runs share nothing, so there is nothing to reset',
    body: bodyOf<object>({ type: 'object' }, false),
    responses: { 200: { description: 'Done.', schema: { type: 'object' } } },
    handle: () => ({ status: 200, body: {} }),
  }),
  ...(host.evalSuite ? [evalRunSeam(host)] : []),
];

const evalRunSeam = (host: HostParts): Endpoint =>
  endpoint({
    operationId: 'seamEvalRun',
    method: 'POST',
    path: '/v1/host/sample/agents/eval-run',
    auth: 'runs:create',
    summary: 'Test seam: run a small golden suite to its end',
    body: bodyOf<EvalRunBody>(evalRunBody, false),
    responses: { 200: { description: 'The finished run.', schema: { type: 'object' } } },
    handle: (call) => evalRun(host, call),
  });

async function storedEvents(host: HostParts, call: Call<QueryOf<typeof eventQuery>>): Promise<Reply> {
  const { type, nodeId, causationId, correlationId } = call.query;
  const wanted = (event: RunEvent): boolean =>
    (type === undefined || event.type === type) &&
    (nodeId === undefined || event.nodeId === nodeId) &&
    [causationId, correlationId].every((id) => id === undefined || event.causationId === id);
  const events: RunEvent[] = [];
  for (let after = -1; ; ) {
    const page = await host.feed.pages.read(call.principal.owner, runIdOf(call), after);
    events.push(...page.events.filter(wanted));
    if (page.events.length === 0 || page.complete) return { status: 200, body: { events } };
    after = page.lastSequence;
  }
}

async function evalRun(host: HostParts, call: Call<unknown, EvalRunBody>): Promise<Reply> {
  const { modes = ['golden'], taskCount = 2 } = call.body;
  const { owner } = call.principal;
  const suite = sampleSuite(modes, taskCount);
  await host.touchstone.installSuite(owner, suite);
  const agentId = call.body.agentId ?? SAMPLE_AGENT_ID;
  const { suiteId, version } = suite.head;
  const body = { mode: 'eval', evalSuiteRef: `${suiteId}@${version}`, agentId } as const;
  const run = await host.touchstone.createRun(call.principal, body, { origin: 'host' });
  host.follow(run);
  const ended = await waitForEnd(host, call, run.runId);
  if (ended.status !== 'completed')
    return { status: 200, body: { runId: run.runId, suiteId, suiteVersion: version } };
  const { passed, aggregateScore, taskCount: scored } = await summaryOf(host, ended);
  return {
    status: 200,
    body: { runId: run.runId, suiteId, suiteVersion: version, taskCount: scored, passed, aggregateScore },
  };
}

/** A suite per number of tasks and set of modes, under a version of its own, because versions never change. */
function sampleSuite(modes: readonly EvalMode[], taskCount: number) {
  const chosen = EVAL_MODES.filter((mode) => modes.includes(mode));
  return parseSuite({
    suiteId: `host.touchstone.evals.sample-${chosen.join('-')}`,
    version: `1.0.${taskCount}`,
    modes: chosen,
    tasks: Array.from({ length: taskCount }, (_, index) => ({
      taskId: `task-${index + 1}`,
      input: { text: `sample ${index + 1}` },
      expected: { kind: 'golden', match: { strategy: 'contains', value: `sample ${index + 1}` } },
    })),
  });
}

const MAX_WAIT_MS = 60_000;

function waitForEnd(host: HostParts, call: Call, runId: RunId): Promise<Run> {
  const gone = call.untilGone();
  const giveUpAt = host.clock.elapsed() + MAX_WAIT_MS;
  return listening(host.feed.wakeups, runId, gone, async (wakeup) => {
    for (;;) {
      const run = await findRun(host, { ...call, params: { runId } });
      if (isTerminal(run.status)) return run;
      const leftMs = giveUpAt - host.clock.elapsed();
      if (leftMs <= 0 || gone.aborted)
        throw new HostError('unavailable', 'The sample run did not end in time.', { retryAfter: 1 });
      await wakeup.next(leftMs);
    }
  });
}
