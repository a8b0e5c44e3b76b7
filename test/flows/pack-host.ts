import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import {
  type ModelAction,
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../packages/touchstone/src/agents/fixtures/model-server.js';
import { buildPack } from '../../packages/touchstone/src/packs/build-pack.js';
import {
  agentEntry,
  manifest,
  options,
  PACK_NAME,
  packFiles,
} from '../../packages/touchstone/src/packs/testing/pack-bytes.js';
import type { FetchOptions, WholeHost } from './whole-host.js';

// One pack with one agent, made to measure for each test, and a model on loopback that answers as the test says.
export const AGENT = `${PACK_NAME}.default`;
export const SUITE = 'vendor.acme.evals.support';
export const VERSION = '1.2.0';
export const PACK_URL = packUrl(PACK_NAME, VERSION);
export const PROMPT = 'You are the desk whose prompt nobody else may read.\n';

export function packUrl(name: string, version: string): string {
  return `/v1/host/touchstone/packs/${name}/-/${version}.tgz`;
}

type TaskInput = { readonly input: unknown; readonly expect?: unknown; readonly fixtures?: object };
export type PackShape = {
  readonly tasks?: readonly TaskInput[];
  readonly agent?: object;
  readonly manifest?: object;
  readonly suite?: object;
  readonly taskSchema?: object;
  readonly returnSchema?: object;
};

export function filesOf(shape: PackShape = {}): Map<string, Buffer> {
  const { taskSchema, returnSchema } = shape;
  const handoff = {
    ...(taskSchema && { taskSchemaRef: 'schemas/task.json' }),
    ...(returnSchema && { returnSchemaRef: 'schemas/return.json' }),
  };
  const agent = agentEntry({ handoff: taskSchema || returnSchema ? handoff : undefined, ...shape.agent });
  return packFiles(manifest({ agents: [agent], ...shape.manifest }), {
    'prompts/support.md': PROMPT,
    'schemas/task.json': taskSchema && JSON.stringify(taskSchema),
    'schemas/return.json': returnSchema && JSON.stringify(returnSchema),
    'evals/support.json': JSON.stringify(suiteOf(shape)),
  });
}

const suiteOf = ({ tasks = [{ input: 'hello', expect: 'hello' }], suite }: PackShape): object => ({
  suiteId: SUITE,
  version: '1.0.0',
  targetAgentId: AGENT,
  modes: ['golden'],
  tasks: tasks.map((task, index) => ({
    taskId: `t-${index}`,
    input: task.input,
    expected: {
      kind: 'golden',
      match: {
        strategy: typeof task.expect === 'object' ? 'json-match' : 'contains',
        value: task.expect ?? '',
      },
    },
    ...(task.fixtures && { fixtures: task.fixtures }),
  })),
  ...suite,
});

type Signing = { readonly keyId: string; readonly privateKey: string };
export const archiveFor = async (shape: PackShape = {}, signing?: Signing): Promise<Buffer> =>
  (await buildPack(filesOf(shape), { ...options, ...(signing && { signing }) })).archive;

export async function install(host: WholeHost, shape: PackShape = {}, key?: string): Promise<void> {
  const body = await archiveFor(shape);
  const response = await host.fetch(PACK_URL, { method: 'PUT', body, ...(key !== undefined && { key }) });
  expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 201 });
}

/** The configuration of a host whose agents ask the model on loopback. */
export const modelConfig = (model: Pick<ModelServer, 'baseUrl'>, extra: object = {}): object => ({
  trust: { policy: 'open' },
  providers: { local: { kind: 'openai-compatible', baseUrl: model.baseUrl, tenants: ['acme', 'globex'] } },
  modelClasses: { general: 'local/small-1' },
  prices: { 'local/small-1': { inputPerMTok: 1_000, outputPerMTok: 10_000 } },
  ...extra,
});

/** What was asked last by a person. */
export const questionIn = ({ body }: ModelRequest): string =>
  String(body.messages.findLast(({ role }) => role === 'user')?.content);
export const systemIn = ({ body }: ModelRequest): string =>
  String(body.messages.find(({ role }) => role === 'system')?.content);
/** What tools have said so far, as the model gets to see it. */
export const resultsIn = ({ body }: ModelRequest): readonly { readonly [member: string]: unknown }[] =>
  body.messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(String(content)));

/** A model that repeats the question. */
export const echoes: ModelScript = (request) => ({ say: questionIn(request) });
/** Calls these tools, one per round, and then says what it says. */
export const callsThen =
  (
    calls: readonly { readonly name: string; readonly arguments: object }[],
    say: (r: ModelRequest) => string,
  ) =>
  (request: ModelRequest): ModelAction => {
    const call = calls[resultsIn(request).length];
    return call ? { calls: [call] } : { say: say(request) };
  };
export { type ModelScript, startModelServer };

export type Event = {
  readonly type: string;
  readonly nodeId?: string;
  readonly eventId: string;
  readonly causationId?: string;
  readonly payload: { readonly [member: string]: unknown };
};
export type Summary = {
  readonly aggregateScore: number;
  readonly passed: boolean;
  readonly passedCount: number;
  readonly taskCount: number;
  readonly totalCostUsd?: number;
  readonly tasks: readonly {
    readonly taskId: string;
    readonly score: number;
    readonly passed: boolean;
    readonly costUsd?: number;
    readonly latencyMs?: number;
    readonly schemaValid?: boolean;
  }[];
};
type Json = { readonly [member: string]: unknown };
export type Snapshot = {
  readonly status: string;
  readonly touchstone: Json;
  readonly [member: string]: unknown;
};

/** A host as far as asking it goes, whichever process it is in. */
export type HostClient = Pick<WholeHost, 'fetch'>;

export const readJson = async (
  host: HostClient,
  path: string,
  options?: FetchOptions,
): Promise<{ readonly status: number; readonly body: Json }> => {
  const response = await host.fetch(path, options);
  return { status: response.status, body: (await response.json()) as Json };
};

/** Asks for a run of the pack's agent; says what the host answers. */
export const createEval = (host: WholeHost, extra: object = {}, key?: string) =>
  readJson(host, '/v1/runs', {
    method: 'POST',
    body: { mode: 'eval', evalSuiteRef: SUITE, agentId: AGENT, ...extra },
    ...(key !== undefined && { key }),
  });

/** Every event of a run, once it is over. */
export async function eventsOf(host: HostClient, runId: string, key?: string): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let after = ''; ; ) {
    const path = `/v1/runs/${runId}/events/poll?timeout=5${after}`;
    const { status, body } = await readJson(host, path, key === undefined ? {} : { key });
    // A clock that skips an hour also ends the wait for room to make an answer in.
    if (status === 429) continue;
    events.push(...(body.events as readonly Event[]));
    if (body.isComplete === true) return events;
    if (events.length > 0) after = `&lastSequence=${events.length - 1}`;
  }
}

export type Evaluated = {
  readonly runId: string;
  readonly events: readonly Event[];
  readonly snapshot: Snapshot;
  /** Empty when the run has none. */
  readonly summary: Summary;
};

/** Runs the pack's agent on the pack's suite, to the end. */
export async function evaluate(host: WholeHost, extra: object = {}, key?: string): Promise<Evaluated> {
  const { status, body } = await createEval(host, extra, key);
  expect({ status, body }).toMatchObject({ status: 201 });
  const runId = body.runId as string;
  const events = await eventsOf(host, runId, key);
  const as = key === undefined ? {} : { key };
  const snapshot = (await readJson(host, `/v1/runs/${runId}`, as)).body as Snapshot;
  const summary = (await readJson(host, `/v1/runs/${runId}/eval-summary`, as)).body as unknown as Summary;
  return { runId, events, snapshot, summary };
}

export const ofType = (events: readonly Event[], type: string): readonly Event[] =>
  events.filter((event) => event.type === type);
export const payloadsOf = (events: readonly Event[], type: string): readonly Json[] =>
  ofType(events, type).map(({ payload }) => payload);

/** A log without what may differ between equal runs. */
export const plain = (events: readonly Event[]): string =>
  JSON.stringify(events, (name, value) => (APART.has(name) ? undefined : value));
const APART = new Set(['eventId', 'runId', 'causationId', 'timestamp', 'latencyMs', 'durationMs']);

export type ToolServer = {
  readonly url: string;
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly body: unknown }[];
  close(): Promise<void>;
};

/** A live tool on loopback that remembers who asked. */
export async function startToolServer(
  answer: (inputs: unknown, headers: IncomingHttpHeaders) => unknown,
): Promise<ToolServer> {
  const requests: ToolServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse(await text(request));
    requests.push({ headers: request.headers, body });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(body, request.headers)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export type Deferred = { readonly promise: Promise<void>; resolve(): void };
/** A promise that somebody else settles. */
export function deferred(): Deferred {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
