import { EVAL_MODES, type EvalMode } from '@touchstone/protocol';
import { choice, integer, name, object, set, type Wire } from '@touchstone/protocol/schema';
import { readSummary, SAMPLE_AGENT_ID } from '../../app/index.js';
import type { Run } from '../../ports/index.js';
import { parseSuite } from '../../suites/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, ok, type Reply } from '../endpoint.js';
import type { Services } from '../services.js';
import { runToEnd } from './real-run.js';

const MAX_TASKS = 1_000;
const evalRunBody = object(
  {},
  {
    agentId: name(),
    modes: set(choice(EVAL_MODES), undefined, { minItems: 1 }),
    taskCount: integer(undefined, { minimum: 1, maximum: MAX_TASKS }),
  },
);
type EvalRunBody = Wire<typeof evalRunBody>;

export const evalRunSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamEvalRun',
    route: 'POST /v1/host/sample/agents/eval-run',
    auth: 'runs:create',
    summary: 'Test seam: run a small golden suite to its end',
    body: bodyOf(evalRunBody, false),
    responses: ok('The finished run.', { type: 'object' }),
    handle: (call) => evalRun(host, call),
  });

async function evalRun(host: Services, call: Call<unknown, EvalRunBody>): Promise<Reply> {
  const { modes = ['golden'], taskCount = 2, agentId = SAMPLE_AGENT_ID } = call.body;
  const compares = modes.includes('regression');
  const suite = sampleSuite(compares ? [...modes, 'golden'] : modes, taskCount);
  const first = await evaluate(host, call, suite, agentId);
  const ended = compares ? await compareWith(first, host, call, { suite, agentId, modes }) : first;
  const { runId } = ended;
  const { suiteId, version: suiteVersion } = suite.head;
  if (ended.status !== 'completed') return { status: 200, body: { runId, suiteId, suiteVersion } };
  const { passed, aggregateScore, taskCount: scored } = await readSummary(host.touchstone.store, ended);
  return {
    status: 200,
    body: { runId, suiteId, suiteVersion, taskCount: scored, passed, aggregateScore },
  };
}

type Suite = ReturnType<typeof parseSuite>;

async function evaluate(host: Services, call: Call, suite: Suite, agentId: string): Promise<Run> {
  await host.touchstone.suites.install(call.principal.owner, suite);
  return runToEnd(host, call, { mode: 'eval', evalSuiteRef: refOf(suite), agentId });
}

const refOf = ({ head }: Suite): string => `${head.suiteId}@${head.version}`;

/** A regression needs a run to compare with, and a caller of the seam has none to name. */
const compareWith = (
  { runId: baselineRunId }: Run,
  host: Services,
  call: Call,
  { suite, agentId, modes }: { suite: Suite; agentId: string; modes: readonly EvalMode[] },
): Promise<Run> =>
  runToEnd(host, call, {
    mode: 'eval',
    evalSuiteRef: refOf(suite),
    agentId,
    configurable: { evalModes: [...modes], baselineRunId },
  });

/** A completed evaluation that this agent has not passed, unless it says a word that it was not told. */
export const failedEval = (host: Services, call: Call, agentId: string): Promise<Run> =>
  evaluate(host, call, unmetSuite(), agentId);

/** A suite per number of tasks and set of modes, under a version of its own, because versions never change. */
function sampleSuite(modes: readonly EvalMode[], taskCount: number): Suite {
  const chosen = EVAL_MODES.filter((mode) => modes.includes(mode));
  return parseSuite({
    suiteId: `host.touchstone.evals.sample-${chosen.join('-')}`,
    version: `1.0.${taskCount}`,
    modes: chosen,
    tasks: Array.from({ length: taskCount }, (_, index) => sampleTask(index + 1, `sample ${index + 1}`)),
  });
}

const sampleTask = (number: number, expected: string) => ({
  taskId: `task-${number}`,
  input: { text: `sample ${number}` },
  expected: { kind: 'golden', match: { strategy: 'contains', value: expected } },
});

const unmetSuite = (): Suite =>
  parseSuite({
    suiteId: 'host.touchstone.evals.sample-unmet',
    version: '1.0.0',
    modes: ['golden'],
    tasks: [sampleTask(1, 'the word that was not said')],
  });
