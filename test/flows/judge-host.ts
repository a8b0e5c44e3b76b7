import { expect } from 'vitest';
import type {
  ModelAction,
  ModelRequest,
  ModelScript,
  ModelServer,
} from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import {
  type Evaluated,
  eventsOf,
  readJson,
  type Snapshot,
  startModelServer,
  startToolServer,
  type ToolServer,
} from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// A host with an agent of the turn protocol and a judge, both on loopback, both counted, both doing as the test says.
export const AGENT = 'local.test.actor';
export const SUITE = 'local.test.evals.judged';
export const AGENT_USD = 0.25;
/** What one judgement costs: 7 tokens in and 3 out at 1 000 and 10 000 dollars a million. */
export const JUDGE_USD = 0.037;

export type Turn = {
  readonly input: unknown;
  readonly turn: number;
  readonly toolResults?: readonly { readonly status: string }[];
};
export type Actor = (turn: Turn) => object;
/** Says what it is asked to say, for a quarter of a dollar. */
export const says: Actor = ({ input }) => ({
  output: (input as { readonly say: unknown }).say,
  usage: [USAGE],
});
const USAGE = { provider: 'other', model: 'actor-1', inputTokens: 5, outputTokens: 5, costUsd: AGENT_USD };

export type JudgeHost = {
  readonly host: WholeHost;
  readonly judge: ModelServer;
  readonly agent: ToolServer;
  close(): Promise<void>;
};
type HostOptions = {
  readonly judge?: ModelScript;
  readonly actor?: Actor;
  readonly votes?: number;
  readonly agent?: object;
  readonly config?: object;
  readonly files?: { readonly [name: string]: string };
  readonly host?: Parameters<typeof openWholeHost>[1];
};

export async function openJudgeHost(options: HostOptions = {}): Promise<JudgeHost> {
  const judge = await startModelServer(options.judge ?? literally);
  const agent = await startToolServer((turn) => (options.actor ?? says)(turn as Turn));
  const host = await openWholeHost(judgeConfig(judge, agent, options), {
    ...(options.files && { files: options.files }),
    ...options.host,
  });
  return {
    host,
    judge,
    agent,
    async close() {
      await host.close();
      await judge.close();
      await agent.close();
    },
  };
}

export const judgeConfig = (
  judge: Pick<ModelServer, 'baseUrl'>,
  agent: Pick<ToolServer, 'url'>,
  options: Pick<HostOptions, 'votes' | 'agent' | 'config'> = {},
): object => ({
  providers: { local: { kind: 'openai-compatible', baseUrl: judge.baseUrl, tenants: ['acme'] } },
  prices: { 'local/judge-1': { inputPerMTok: 1_000, outputPerMTok: 10_000 } },
  judge: { model: 'local/judge-1', votes: options.votes ?? 1 },
  agents: [{ agentId: AGENT, version: '1.0.0', run: { kind: 'http', url: agent.url }, ...options.agent }],
  ...options.config,
});

type RubricTask = {
  readonly say: unknown;
  readonly criteria: readonly (string | readonly [sentence: string, weight: number])[];
  readonly fixtures?: object;
};
export const rubricTask = ({ say, criteria, fixtures }: RubricTask, index = 0): object => ({
  taskId: `t-${index}`,
  input: { say },
  expected: {
    kind: 'rubric',
    rubric: criteria.map((one) => {
      const [criterion, weight] = typeof one === 'string' ? [one, 1] : one;
      return { criterion, weight };
    }),
  },
  ...(fixtures && { fixtures }),
});
export const suiteOf = (tasks: readonly object[], extra: object = {}): object => ({
  suiteId: SUITE,
  version: '1.0.0',
  modes: ['rubric'],
  tasks,
  ...extra,
});

export const installSuite = (host: WholeHost, suite: object) =>
  readJson(host, '/v1/host/touchstone/suites', { method: 'POST', body: suite });
export const createRun = (host: WholeHost, configurable: object = {}) =>
  readJson(host, '/v1/runs', {
    method: 'POST',
    body: { mode: 'eval', evalSuiteRef: SUITE, agentId: AGENT, configurable },
  });

/** Installs the suite, if one is given, runs it to the end, and reads what came of it. */
export async function judged(host: WholeHost, suite?: object, configurable: object = {}): Promise<Evaluated> {
  if (suite) {
    const installed = await installSuite(host, suite);
    expect(installed).toMatchObject({ status: 201 });
  }
  const created = await createRun(host, configurable);
  expect(created).toMatchObject({ status: 201 });
  return resultOf(host, created.body.runId as string);
}
export async function resultOf(host: WholeHost, runId: string): Promise<Evaluated> {
  const events = await eventsOf(host, runId);
  const snapshot = (await readJson(host, `/v1/runs/${runId}`)).body as Snapshot;
  const summary = (await readJson(host, `/v1/runs/${runId}/eval-summary`))
    .body as unknown as Evaluated['summary'];
  return { runId, events, snapshot, summary };
}

export type TaskView = {
  readonly score: number;
  readonly invocations: readonly {
    readonly reason?: string;
    readonly outcome: string;
    readonly criteria?: readonly {
      readonly met: boolean;
      readonly reason?: string;
      readonly agreement?: number;
    }[];
  }[];
};
export const viewOf = async (host: WholeHost, runId: string, taskId = 't-0'): Promise<TaskView> =>
  (await readJson(host, `/v1/host/touchstone/runs/${runId}/tasks/${taskId}`)).body as unknown as TaskView;

/** What a judge is asked, read line by line. Whatever is not exactly of the form fails the test. */
export type JudgeQuestion = {
  readonly asked: unknown;
  readonly answered: unknown;
  readonly criteria: readonly string[];
};
export function questionOf({ body }: ModelRequest): JudgeQuestion {
  expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  const lines = String(body.messages[1]?.content).split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
  const [asked, answered] = ['asked', 'answered'].map((name) => {
    const mark = new RegExp(`^--- ${name} ([0-9a-f]{16}) ---$`).exec(lines.shift() ?? '')?.[1];
    const value: unknown = JSON.parse(lines.shift() ?? '');
    expect(lines.shift()).toBe(`--- end ${mark} ---`);
    return value;
  });
  expect(lines.shift()).toBe('Criteria:');
  const criteria = lines.map((line, index) => {
    expect(line.startsWith(`${index + 1}. "`)).toBe(true);
    return JSON.parse(line.slice(`${index + 1}. `.length)) as string;
  });
  return { asked, answered, criteria };
}

type Decide = (sentence: string, asked: JudgeQuestion) => boolean;
export const verdictsFor = (request: ModelRequest, decide: Decide): readonly object[] => {
  const asked = questionOf(request);
  return asked.criteria.map((sentence, index) => ({
    criterion: index + 1,
    reason: `thought about it`,
    met: decide(sentence, asked),
  }));
};
export const decides =
  (decide: Decide) =>
  (request: ModelRequest): ModelAction => ({
    say: JSON.stringify({ verdicts: verdictsFor(request, decide) }),
  });
/** A judge to whom a criterion is met when it begins with "Yes". */
export const literally: (request: ModelRequest) => ModelAction = decides((sentence) =>
  sentence.startsWith('Yes'),
);
