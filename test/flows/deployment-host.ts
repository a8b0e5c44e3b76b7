import { check, checkPayload, PAYLOAD_TYPES, type PayloadType } from '@touchstone/protocol/wire';
import { expect, onTestFinished } from 'vitest';
import { type Event, type HostClient, readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import { type FetchOptions, openWholeHost, type WholeHost } from './whole-host.js';

// A host whose agents are on their way into service, and people with different rights who move them or answer for it.

export const AGENT = 'local.test.clerk';
export const SUITE = 'local.test.evals.clerk';
/** Stands in inputs, answers and expectations, and must never leave them. */
export const CANARY = 'kestrel-47-over-the-harbour';

const PEOPLE = {
  releaser: 'releaser',
  promoter: 'promoter',
  pauser: 'pauser',
  roller: 'roller',
  runner: 'runner',
  reader: 'reader',
  ann: 'approver',
  ben: 'approver',
  cem: 'approver',
  chief: 'chief',
  bystander: 'responder',
  corrector: 'corrector',
} as const;
export type Person = keyof typeof PEOPLE | 'lead';

/** The key of somebody of acme. */
export const keyOf = (person: Person): string =>
  person === 'lead' ? KEY : `test-key-of-acme-${person}-0123456789`;
export const SIDE_KEY = 'test-key-of-acme-side-0123456789';

export const ROLES = {
  releaser: ['deploy:promote', 'deploy:rollback', 'deploy:pause', 'runs:read'],
  promoter: ['deploy:promote'],
  pauser: ['deploy:pause'],
  roller: ['deploy:rollback'],
  reader: ['runs:read'],
  approver: ['approvals:respond', 'runs:read', 'runs:create'],
  chief: ['approvals:respond', 'runs:read'],
  responder: ['approvals:respond', 'runs:read'],
  corrector: ['runs:read', 'runs:annotate', 'evals:override'],
};
export const KEYS = [
  { key: KEY, tenant: 'acme', principal: 'lead', roles: ['admin'] },
  ...Object.entries(PEOPLE).map(([principal, role]) => ({
    key: keyOf(principal as Person),
    tenant: 'acme',
    principal,
    roles: [role],
  })),
  { key: SIDE_KEY, tenant: 'acme', workspace: 'side', principal: 'lead', roles: ['admin'] },
  { key: OTHER_KEY, tenant: 'globex', principal: 'stranger', roles: ['admin'] },
];
/** What any host with these people needs; many requests and refusals in a short time are what tests are about. */
export const peopled = (extra: object = {}): object => ({
  keys: KEYS,
  roles: ROLES,
  limits: { requestsPerMinute: 1_000_000, perTenant: { recordedRefusals: 1_000_000 } },
  ...extra,
});

export const VERSIONS = ['1.0.0', '2.0.0', '3.0.0'] as const;
export const moduleOf = (version: string): string => `clerk-${version}.mjs`;

/** Repeats what it is told, and begins with its own version where it is asked to. */
export const clerkSource = (version: string): string =>
  `export default (input) => (input && input.who ? '${version}' : (input?.say ?? input));\n`;
const clerks = (versions: readonly string[]): object[] =>
  versions.map((version) => ({
    agentId: AGENT,
    version,
    run: { kind: 'module', path: `./${moduleOf(version)}` },
  }));
const clerkFiles = (versions: readonly string[]): { [name: string]: string } =>
  Object.fromEntries(versions.map((version) => [moduleOf(version), clerkSource(version)]));

const golden = (index: number): object => ({
  taskId: `t-${index}`,
  input: { say: `${CANARY} ${index}` },
  expected: { kind: 'golden', match: { strategy: 'exact', value: `${CANARY} ${index}` } },
});
export const clerkSuite = (extra: object = {}, tasks = 3): object => ({
  suiteId: SUITE,
  version: '1.0.0',
  modes: ['golden'],
  tasks: Array.from({ length: tasks }, (_, index) => golden(index)),
  ...extra,
});

type HostOptions = {
  readonly gates?: readonly object[];
  readonly versions?: readonly string[];
  readonly config?: object;
  readonly host?: Parameters<typeof openWholeHost>[1];
};
/** Everything a folder needs to hold such a host, for hosts in processes of their own as well. */
export function deployProject({ gates = [], versions = VERSIONS, config = {} }: HostOptions = {}) {
  return {
    config: peopled({ agents: clerks(versions), suites: ['./evals'], gates, ...config }),
    files: { ...clerkFiles(versions), 'evals/clerk.suite.json': JSON.stringify(clerkSuite()) },
  };
}
export async function openDeploymentHost(options: HostOptions = {}): Promise<WholeHost> {
  const { config, files } = deployProject(options);
  return openWholeHost(config, { ...options.host, files: { ...files, ...options.host?.files } });
}

/** One that ends with the test that opens it. */
export async function startDeploymentHost(options: HostOptions = {}): Promise<WholeHost> {
  const host = await openDeploymentHost(options);
  onTestFinished(() => host.close());
  return host;
}

/** Starts a workflow that asks, and waits until it does. */
export async function suspendedRun(
  host: HostClient,
  { workflowId, status }: { readonly workflowId: string; readonly status: string },
  key = KEY,
): Promise<string> {
  const created = await readJson(host, '/v1/runs', { method: 'POST', body: { workflowId }, key });
  expect(created).toMatchObject({ status: 201 });
  const runId = created.body.runId as string;
  while ((await statusOf(host, runId, key)) !== status);
  return runId;
}

export type TransitionRequest = {
  readonly transition?: string;
  readonly toState?: string;
  readonly channel?: string;
  readonly canaryPercent?: number;
  readonly evalRunId?: string;
  readonly reason?: string;
};
export type TransitionCall = TransitionRequest & {
  readonly by?: Person;
  readonly key?: string;
  readonly agentId?: string;
  readonly headers?: { [name: string]: string };
};
type Json = { readonly [member: string]: unknown };
export type TransitionAnswer = {
  readonly status: number;
  readonly body: Json;
  readonly runId: string | undefined;
};

/** Asks for a transition, a promotion unless told otherwise; says what the host answers and which run tells the story. */
export async function move(
  host: HostClient,
  version: string,
  asking: TransitionCall = {},
): Promise<TransitionAnswer> {
  const { by = 'lead', key = keyOf(by), agentId = AGENT, headers = {}, ...request } = asking;
  const response = await host.fetch(`/v1/agents/${agentId}/deployments`, {
    method: 'POST',
    key,
    headers,
    body: { version, transition: 'promote', ...request },
  });
  const body = (await response.json()) as Json;
  if (response.status >= 400) expect(check('error-envelope', body)).toEqual([]);
  else if (response.status === 200) expect(check('agent-deployment', body)).toEqual([]);
  const details = (body.details ?? {}) as { readonly runId?: string };
  return { status: response.status, body, runId: response.headers.get('touchstone-run-id') ?? details.runId };
}
/** Takes a draft all the way. */
export async function activate(
  host: HostClient,
  version: string,
  asking: TransitionCall = {},
): Promise<void> {
  const { channel, canaryPercent, evalRunId, ...rest } = asking;
  for (const toState of ['test', 'staged'])
    expect(await move(host, version, { ...rest, toState })).toMatchObject({ status: 200 });
  expect(await move(host, version, { ...asking, toState: 'active' })).toMatchObject({ status: 200 });
}
/** As far as a gate to `active` lets anybody come. */
export async function stage(host: HostClient, version: string, asking: TransitionCall = {}): Promise<void> {
  for (const toState of ['test', 'staged'])
    expect(await move(host, version, { ...asking, toState })).toMatchObject({ status: 200 });
}

export type DeploymentRecord = {
  readonly version: string;
  readonly state: string;
  readonly canaryPercent?: number;
  readonly channels?: readonly string[];
  readonly rollbackPointer?: string;
  readonly evalRunId?: string;
  readonly approvalGateId?: string;
};
export async function recordsOf(
  host: HostClient,
  agentId = AGENT,
  key = KEY,
): Promise<readonly DeploymentRecord[]> {
  const response = await host.fetch(`/v1/agents/${agentId}/deployments`, { key });
  const body = (await response.json()) as readonly DeploymentRecord[];
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  for (const record of body) expect(check('agent-deployment', record)).toEqual([]);
  return body;
}
export const recordOf = async (
  host: HostClient,
  version: string,
  agentId = AGENT,
): Promise<DeploymentRecord> =>
  (await recordsOf(host, agentId)).find((record) => record.version === version) as DeploymentRecord;

/** A poll with that many events may have left some for the next one. */
const FULL_POLL = 1_000;

/** What a run has said so far, each event as published. Runs that wait are not waited for. */
export async function logOf(host: HostClient, runId: string, key = KEY): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let isFull = true; isFull; ) {
    const after = events.length === 0 ? '' : `&lastSequence=${events.length - 1}`;
    const { status, body } = await readJson(host, `/v1/runs/${runId}/events/poll?timeout=1${after}`, { key });
    expect({ status, body }).toMatchObject({ status: 200 });
    const page = body.events as readonly Event[];
    events.push(...page);
    isFull = page.length >= FULL_POLL && body.isComplete !== true;
  }
  for (const event of events) checkEvent(event);
  return events;
}
function checkEvent(event: Event): void {
  expect(check('run-event', event)).toEqual([]);
  if ((PAYLOAD_TYPES as readonly string[]).includes(event.type))
    expect(checkPayload(event.type as PayloadType, event.payload)).toEqual([]);
}
export const typesOf = (events: readonly Event[]): readonly string[] => events.map(({ type }) => type);
export const deploymentEvents = (events: readonly Event[]) =>
  events.filter(({ type }) => type.startsWith('deployment.')).map(({ type, payload }) => ({ type, payload }));

export const statusOf = async (host: HostClient, runId: string, key = KEY): Promise<string> =>
  (await readJson(host, `/v1/runs/${runId}`, { key })).body.status as string;
const TERMINAL: readonly string[] = ['completed', 'failed', 'cancelled'];
/** Resolves when the run has one of these statuses, and waits for its next event in between. */
export async function untilStatus(
  host: HostClient,
  runId: string,
  ...wanted: readonly string[]
): Promise<string> {
  for (;;) {
    const seen = (await logOf(host, runId)).length;
    const status = await statusOf(host, runId);
    if (wanted.includes(status)) return status;
    if (TERMINAL.includes(status))
      throw new Error(`The run is ${status}, and was to be ${wanted.join(' or ')}.`);
    await readJson(host, `/v1/runs/${runId}/events/poll?timeout=10&lastSequence=${seen - 1}`);
  }
}

/** Runs that moved deployments, or tried to, the newest first. */
export async function managementRuns(host: HostClient, limit = 200, key = KEY): Promise<readonly Json[]> {
  const { body } = await readJson(host, `/v1/host/touchstone/runs?limit=${limit}`, { key });
  return (body.items as readonly Json[]).filter(({ workflowId }) => workflowId === 'touchstone.deployment');
}

export type AuditLine = {
  readonly seq: number;
  readonly at: string;
  readonly principal: string;
  readonly action: string;
  readonly resource: string;
  readonly allowed: boolean;
  readonly reason?: string;
  readonly runId?: string;
  readonly previous: string;
  readonly digest: string;
};
export async function auditOf(host: HostClient, after = 0, key = KEY): Promise<readonly AuditLine[]> {
  const lines: AuditLine[] = [];
  for (let cursor: unknown = after; cursor !== undefined; ) {
    const { body } = await readJson(host, `/v1/host/touchstone/audit?limit=1000&cursor=${cursor}`, { key });
    lines.push(...(body.items as readonly AuditLine[]));
    cursor = body.nextCursor;
  }
  return lines;
}
export async function expectSoundAudit(host: HostClient, key = KEY): Promise<number> {
  const { body } = await readJson(host, '/v1/audit/verify', { key });
  expect(body).toMatchObject({ valid: true });
  return body.records as number;
}

export type Vote = {
  readonly decision?: string;
  readonly reason?: string;
  readonly override?: boolean;
} & Json;
export const GRANTED: Vote = { decision: 'granted' };
/** Answers the question of a run that waits. */
export const answer = (
  host: HostClient,
  runId: string,
  by: Person,
  resumeValue: unknown = GRANTED,
  { nodeId = 'approval', key = keyOf(by) }: { readonly nodeId?: string; readonly key?: string } = {},
) => readJson(host, `/v1/runs/${runId}/interrupts/${nodeId}`, { method: 'POST', key, body: { resumeValue } });

/** Asks for something that people have to agree to; the run that waits for them. */
export async function askPeople(
  host: HostClient,
  version: string,
  asking: TransitionCall = {},
): Promise<string> {
  const asked = await move(host, version, { toState: 'active', ...asking });
  expect(asked).toMatchObject({ status: 202, body: { touchstone: { status: 'waiting-approval' } } });
  return asked.runId as string;
}

/** A host in a process of its own. */
export const clientOf = (url: string): HostClient => ({
  fetch: (path, { method = 'GET', key = KEY, body, headers = {} }: FetchOptions = {}) =>
    fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
});
