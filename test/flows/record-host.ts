import { asId, type RunId } from '@touchstone/protocol';
import { openWholeHost, type WholeHost } from './whole-host.js';

/** What only content may hold. */
export const CANARY = 'heliotrope';

const ORDERS = 'local:orders.find';
const AGENT_SCRIPT = JSON.stringify({
  replies: [
    {
      when: { contains: 'parcel' },
      reasoning: `The customer of ${CANARY} asks for a day.`,
      toolCalls: [{ toolId: ORDERS, inputs: { order: CANARY } }],
    },
    {
      when: { contains: 'parcel', rounds: 1 },
      text: `Your ${CANARY} arrives on Monday.`,
      usage: { inputTokens: 961, outputTokens: 48, costUsd: 0.0009 },
    },
  ],
  otherwise: { text: 'Our desk opens at nine.' },
});
const verdicts = (...met: readonly boolean[]) => ({
  verdicts: met.map((isMet, at) => ({
    criterion: at + 1,
    reason: isMet ? `It says so, ${CANARY}.` : 'No word of regret.',
    met: isMet,
  })),
});
const JUDGE_SCRIPT = JSON.stringify({ otherwise: { json: verdicts(true, false) } });

const rubric = (taskId: string, input: string) => ({
  taskId,
  input,
  expected: {
    kind: 'rubric',
    rubric: [
      { criterion: 'names the day', weight: 1 },
      { criterion: 'acknowledges the wait', weight: 1 },
    ],
  },
  fixtures: { toolResponses: [{ tool: ORDERS, response: { day: 'Monday', of: CANARY } }] },
});
const golden = (taskId: string, value: string) => ({
  taskId,
  input: 'When do you open?',
  expected: { kind: 'golden', match: { strategy: 'exact', value } },
});
export const RECORD_SUITE = {
  suiteId: 'local.shop.evals.record',
  version: '1.0.0',
  modes: ['golden', 'rubric'],
  thresholds: { passScore: 0.8 },
  tasks: [
    rubric('refund-1', 'Where is my parcel?'),
    ...Array.from({ length: 8 }, (_, at) => golden(`hours-${at + 1}`, 'Our desk opens at nine.')),
    golden('late-1', 'At ten.'),
  ],
};

export type RecordHost = WholeHost & {
  /** A run whose first task is asked twice, calls a tool, and has three votes on two criteria. */
  readonly runId: RunId;
  /** The same suite before, which the run is measured against. */
  readonly before: RunId;
};

/** A host with runs that have something to tell of: models, tools, a judge, repeats and a baseline. */
export async function openRecordHost(): Promise<RecordHost> {
  const config = {
    agents: [
      {
        agentId: 'local.shop.support',
        version: '1.8.0',
        toolAllowlist: [ORDERS],
        run: { kind: 'openai', provider: 'local', model: 'large-1', system: 'Be short.' },
      },
      // Never answers, so that a run goes on until somebody ends it.
      { agentId: 'local.shop.silent', version: '1.0.0', run: { kind: 'module', path: './silent.mjs' } },
    ],
    providers: {
      local: { kind: 'scripted', path: './agent.json', tenants: ['acme'] },
      paper: { kind: 'scripted', path: './judge.json', tenants: ['acme'] },
    },
    judge: { model: 'paper/judge-1', votes: 3 },
  };
  const host = await openWholeHost(config, {
    files: {
      'agent.json': AGENT_SCRIPT,
      'judge.json': JUDGE_SCRIPT,
      'silent.mjs': 'export default () => new Promise(() => {});',
    },
  });
  await host.client().suites.install(RECORD_SUITE as never);
  const evaluate = async (configurable: object): Promise<RunId> => {
    const { runId } = await host.client().runs.create({
      mode: 'eval',
      evalSuiteRef: RECORD_SUITE.suiteId,
      agentId: 'local.shop.support',
      configurable: { repeats: 2, ...configurable } as never,
    });
    await host.client().waitForScorecard(asId<RunId>(runId));
    return asId<RunId>(runId);
  };
  const before = await evaluate({});
  return { ...host, before, runId: await evaluate({}) };
}
