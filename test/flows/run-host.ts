import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { ModelScript, ModelServer } from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import {
  type Deferred,
  deferred,
  type Event,
  eventsOf,
  type HostClient,
  readJson,
  startModelServer,
  startToolServer,
  type ToolServer,
} from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import { bothJudges } from './rejudge-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// A host with an agent of several versions, a tool and two judges, all on loopback and all counted: runs of every kind
// are made in it, and then looked at again.

export const AGENT = 'local.test.worker';
export const TOOL = 'local:notes.read';
/** May start runs, and not read them. */
export const BLIND_KEY = 'test-key-of-acme-blind-0123456789';
/** May read runs and say what is thought of them. */
export const REVIEWER_KEY = 'test-key-of-acme-reviewer-0123456789';
export const READER_KEY = 'test-key-of-acme-reader-0123456789';
export const OVERRIDER_KEY = 'test-key-of-acme-overrider-0123456789';

/** What a task asks of the agent. */
export type TaskInput = {
  readonly say: string;
  /** Versions that get it wrong. */
  readonly brokenIn?: readonly string[];
  readonly calls?: readonly string[];
  readonly fail?: true;
  readonly refuse?: true;
  /** It is answered when the test lets it be. */
  readonly hold?: true;
};
type Turn = { readonly input: TaskInput; readonly turn: number };

export type RunHost = {
  readonly host: WholeHost;
  readonly judge: ModelServer;
  readonly tool: ToolServer;
  /** What the agent was asked, in order. */
  readonly asked: TaskInput[];
  /** Calls of agents, tools and judges so far. */
  calls(): number;
  /** From now on tasks that are to be held are held, until the returned promise is resolved. */
  hold(): Deferred;
  close(): Promise<void>;
};

const VERSIONS = ['1.0.0', '2.0.0', '3.0.0'];
export const USD = 0.25;

export async function openRunHost(extra: object = {}): Promise<RunHost> {
  const judge = await startModelServer(judgement);
  const tool = await startToolServer(() => ({ found: 'a note' }));
  const asked: TaskInput[] = [];
  let held: Promise<void> = Promise.resolve();
  const agent = await startAgent(async ({ input, turn }, version) => {
    asked.push(input);
    if (input.hold) await held;
    return answerTo(input, turn, version);
  });
  const host = await openWholeHost({
    keys: KEYS,
    roles: ROLES,
    agents: VERSIONS.map((version) => ({
      agentId: AGENT,
      version,
      toolAllowlist: [TOOL],
      run: { kind: 'http', url: `${agent.url}${version}` },
    })),
    tools: [{ toolId: TOOL, kind: 'http', url: tool.url, safetyTier: 'read', tenants: ['acme', 'globex'] }],
    providers: { local: { kind: 'openai-compatible', baseUrl: judge.baseUrl, tenants: ['acme', 'globex'] } },
    prices: { 'local/judge-1': { inputPerMTok: 1_000, outputPerMTok: 10_000 } },
    judge: { model: 'local/judge-1', votes: 1 },
    egress: { allowPrivate: true },
    ...extra,
  });
  return {
    host,
    judge,
    tool,
    asked,
    calls: () => asked.length + tool.requests.length + judge.requests.length,
    hold() {
      const gate = deferred();
      held = gate.promise;
      return gate;
    },
    async close() {
      await host.close();
      await Promise.all([agent.close(), judge.close(), tool.close()]);
    },
  };
}

/** Two judges of opposite opinions, and neither has one on a criterion that begins with "Mumble". */
const judgement: ModelScript = (request) =>
  JSON.stringify(request.body.messages).includes('Mumble') ? { say: 'Who knows?' } : bothJudges(request);

const ROLES = {
  blind: ['runs:create'],
  reviewer: ['runs:read', 'runs:annotate'],
  reader: ['runs:read'],
  overrider: ['runs:read', 'runs:annotate', 'evals:override'],
};
const KEYS = [
  { key: KEY, tenant: 'acme', principal: 'lead', roles: ['admin'] },
  { key: BLIND_KEY, tenant: 'acme', principal: 'blind', roles: ['blind'] },
  { key: REVIEWER_KEY, tenant: 'acme', principal: 'reviewer', roles: ['reviewer'] },
  { key: READER_KEY, tenant: 'acme', principal: 'reader', roles: ['reader'] },
  { key: OVERRIDER_KEY, tenant: 'acme', principal: 'overrider', roles: ['overrider'] },
  { key: OTHER_KEY, tenant: 'globex', principal: 'stranger', roles: ['admin'] },
];

function answerTo(
  { say, brokenIn = [], calls = [], fail, refuse }: TaskInput,
  turn: number,
  version: string,
) {
  if (turn === 0 && calls.length > 0)
    return { toolCalls: calls.map((toolId, index) => ({ callId: `c${index}`, toolId, inputs: { q: 1 } })) };
  if (fail) return { nonsense: true };
  const usage = [{ provider: 'other', model: 'worker', inputTokens: 5, outputTokens: 5, costUsd: USD }];
  const output = brokenIn.includes(version) ? 'broken' : say;
  return { output, usage, ...(refuse && { refused: true }) };
}

/** An agent that may take its time; the path it is asked under says which version of it is meant. */
async function startAgent(answer: (turn: Turn, version: string) => Promise<object>) {
  const server = createServer(async (request, response) => {
    const turn = JSON.parse(await text(request)) as Turn;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(await answer(turn, (request.url ?? '').slice(1))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close(): Promise<void> {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const golden = (taskId: string, wish: Partial<TaskInput> = {}): object => ({
  taskId,
  input: { say: `answer of ${taskId}`, ...wish },
  expected: { kind: 'golden', match: { strategy: 'exact', value: `answer of ${taskId}` } },
});
export const goldens = (count: number, wishOf: (index: number) => Partial<TaskInput> = () => ({})) =>
  Array.from({ length: count }, (_, index) => golden(`t-${index}`, wishOf(index)));
export const rubric = (taskId: string, ...criteria: readonly string[]): object => ({
  taskId,
  input: { say: `answer of ${taskId}` },
  expected: { kind: 'rubric', rubric: criteria.map((criterion) => ({ criterion, weight: 1 })) },
});

export async function installSuite(host: WholeHost, suite: object, key?: string): Promise<void> {
  const answer = await readJson(host, '/v1/host/touchstone/suites', {
    method: 'POST',
    body: suite,
    ...(key !== undefined && { key }),
  });
  expect([200, 201]).toContain(answer.status);
}

export type RunOptions = {
  readonly agentId?: string;
  readonly configurable?: object;
  readonly tags?: readonly string[];
  readonly key?: string;
};

/** Asks for an evaluation; says what the host answers. */
export const askFor = (
  host: HostClient,
  suiteRef: string,
  { key, agentId = AGENT, ...asking }: RunOptions = {},
) =>
  readJson(host, '/v1/runs', {
    method: 'POST',
    body: { mode: 'eval', evalSuiteRef: suiteRef, agentId: versioned(agentId), ...asking },
    ...(key !== undefined && { key }),
  });
/** Without a version the first one is meant, however many there are. */
const versioned = (agentId: string): string => (agentId.includes('@') ? agentId : `${agentId}@1.0.0`);

export async function begin(host: HostClient, suiteRef: string, asking: RunOptions = {}): Promise<string> {
  const created = await askFor(host, suiteRef, asking);
  expect(created).toMatchObject({ status: 201 });
  return created.body.runId as string;
}
/** Runs an installed suite to its end, whatever that is. */
export async function finish(host: HostClient, suiteRef: string, asking: RunOptions = {}): Promise<string> {
  const runId = await begin(host, suiteRef, asking);
  await eventsOf(host, runId, asking.key);
  return runId;
}
/** Starts a run that is no evaluation and waits for its end. */
export async function finishPlain(host: HostClient, body: object): Promise<string> {
  const created = await readJson(host, '/v1/runs', { method: 'POST', body });
  expect(created).toMatchObject({ status: 201 });
  await eventsOf(host, created.body.runId as string);
  return created.body.runId as string;
}

export const command = (host: HostClient, path: string, body: object = {}) =>
  readJson(host, path, { method: 'POST', body });

/** Resolves when so many tasks of a running run are sealed. */
export async function untilDone(host: WholeHost, runId: string, done: number): Promise<void> {
  for await (const message of host.client().progress(runId as never))
    if (message.event === 'progress' && message.data.done >= done) return;
  throw new Error('The run ended first.');
}
/** Resolves when an event of this type is in the log of a run that goes on. */
export async function untilEvent(host: HostClient, runId: string, type: string): Promise<void> {
  for (let seen: readonly Event[] = []; !seen.some((event) => event.type === type); ) {
    const last = seen.length > 0 ? `&lastSequence=${seen.length - 1}` : '';
    const { body } = await readJson(host, `/v1/runs/${runId}/events/poll?timeout=5${last}`);
    seen = [...seen, ...(body.events as readonly Event[])];
  }
}

export type Diff = {
  readonly a: string;
  readonly b: string;
  readonly divergedAtSeq: number | null;
  readonly eventDiffs: readonly {
    readonly seq: number;
    readonly op: string;
    readonly aEvent?: object;
    readonly bEvent?: object;
  }[];
  readonly stateDiff: { readonly [member: string]: { readonly a: unknown; readonly b: unknown } };
  readonly truncated?: boolean;
};
export const diffOf = async (host: HostClient, a: string, b: string): Promise<Diff> =>
  (await readJson(host, `/v1/runs/${a}:diff?against=${b}`)).body as unknown as Diff;

export type ForkOptions = { readonly key?: string; readonly headers?: { [name: string]: string } };
export const fork = (host: HostClient, runId: string, body: object, options: ForkOptions = {}) =>
  readJson(host, `/v1/runs/${runId}:fork`, { method: 'POST', body, ...options });

export const pointersOf = (body: { readonly [member: string]: unknown }): readonly string[] =>
  ((body.details as { issues?: readonly { pointer: string }[] }).issues ?? []).map(({ pointer }) => pointer);
