import { check } from '@touchstone/protocol/wire';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ECHO_AGENT, echoAgent, echoSuite, openWholeHost, type WholeHost } from './whole-host.js';

// A client that knows only OpenWOP: discovery, create, events, summary. The suite was put there by the operator.
let host: WholeHost;
beforeAll(async () => {
  host = await openWholeHost(
    { agents: [echoAgent({ modelClass: 'general' })], suites: ['.'] },
    { files: { 'echo.mjs': ECHO_AGENT, 'echo.suite.json': JSON.stringify(echoSuite(12)) }, testSeams: true },
  );
});
afterAll(() => host.close());

/** The members of answers that the tests below read. */
type Answer = { runId: string; events: Event[]; items: unknown[]; isComplete: boolean; taskCount: number };
const json = async (path: string, options?: Parameters<WholeHost['fetch']>[1]): Promise<Answer> =>
  (await host.fetch(path, options)).json() as Promise<Answer>;
const EVAL = { mode: 'eval', evalSuiteRef: 'local.test.evals.echo@1.0.0', agentId: 'local.test.echo' };
type Event = {
  type: string;
  payload: Record<string, unknown>;
  sequence: number;
  eventId: string;
  nodeId?: string;
};

async function eventsOf(runId: string): Promise<readonly Event[]> {
  for (;;) {
    const { events, isComplete } = await json(`/v1/runs/${runId}/events/poll?timeout=5`);
    if (isComplete) return events;
  }
}

async function runToEnd(body: object): Promise<{ runId: string; events: readonly Event[] }> {
  const response = await host.fetch('/v1/runs', { method: 'POST', body });
  expect(response.status).toBe(201);
  const { runId } = (await response.json()) as { runId: string };
  return { runId, events: await eventsOf(runId) };
}

/** What two equal runs may differ in. */
const plain = (events: readonly Event[]): string =>
  JSON.stringify(events, (key, value) =>
    ['eventId', 'runId', 'causationId', 'timestamp', 'latencyMs', 'durationMs'].includes(key)
      ? undefined
      : value,
  );

describe('a client that knows only OpenWOP', () => {
  it.each<[string, object, object]>([
    ['recursionLimit', EVAL, { recursionLimit: 11 }],
    ['recursionLimit', EVAL, { recursionLimit: 12, repeats: 2 }],
    ['promptOverrides', EVAL, { promptOverrides: { greeting: 'Hi' } }],
    ['promptOverrides', { agentId: 'local.test.echo' }, { promptOverrides: { greeting: 'Hi' } }],
    ['recursionLimit', { workflowId: 'conformance-dispatch-loop' }, { recursionLimit: 3 }],
    ['maxLoopIterations', { workflowId: 'conformance-dispatch-loop' }, { maxLoopIterations: 1 }],
  ])('is refused %s when the run would not keep to it: %j, %j', async (member, body, configurable) => {
    const response = await host.fetch('/v1/runs', { method: 'POST', body: { ...body, configurable } });
    const { error, details } = (await response.json()) as {
      error: string;
      details: { field: string; issues: { pointer: string }[] };
    };
    expect([response.status, error, details.issues.map(({ pointer }) => pointer)]).toEqual([
      400,
      'validation_error',
      [`/configurable/${member}`],
    ]);
    expect(details.field).toBe(`configurable.${member}`);
  });

  it('may set limits that a run keeps to', async () => {
    await runToEnd({ ...EVAL, configurable: { recursionLimit: 24, repeats: 2, maxLoopIterations: 1 } });
    const limits = { recursionLimit: 4, maxLoopIterations: 2 };
    await runToEnd({ workflowId: 'conformance-dispatch-loop', configurable: limits });
  });

  it('reads a discovery document that is valid, cacheable and true', async () => {
    const response = await host.fetch('/.well-known/openwop', { key: null });
    const document = (await response.json()) as {
      agents: { evalSuite: { modes: string[] } };
      fixtures: string[];
    };
    expect(check('capabilities', document)).toEqual([]);
    expect(document.agents.evalSuite.modes).toEqual([
      'golden',
      'rubric',
      'adversarial',
      'regression',
      'live-shadow',
    ]);
    const etag = response.headers.get('etag') as string;
    expect(
      (await host.fetch('/.well-known/openwop', { key: null, headers: { 'if-none-match': etag } })).status,
    ).toBe(304);
  });

  it('evaluates an agent: exact bracket, valid events, a valid summary that is the run’s output', async () => {
    const { runId, events } = await runToEnd(EVAL);
    const bracket = [
      'agent.invocation.started',
      'agent.reasoned',
      'agent.decided',
      'agent.invocation.completed',
      'eval.scored',
    ];
    const tasks = Array.from({ length: 12 }, () => bracket).flat();
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'eval.started',
      ...tasks,
      'eval.completed',
      'run.completed',
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i));
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length);
    for (const event of events)
      expect({ type: event.type, issues: check('run-event', event) }).toEqual({
        type: event.type,
        issues: [],
      });
    const summary = await json(`/v1/runs/${runId}/eval-summary`);
    expect(check('eval-summary', summary)).toEqual([]);
    expect(summary).toMatchObject({
      aggregateScore: 1,
      passed: true,
      taskCount: 12,
      passedCount: 12,
      evaluatedModelClass: 'general',
    });
    expect(events.at(-1)?.payload.outputs).toEqual(summary);
    expect(check('run-snapshot', await json(`/v1/runs/${runId}`))).toEqual([]);
  });

  it('reads a run again only when it has changed, as the discovery document promises', async () => {
    const { runId } = await runToEnd(EVAL);
    const first = await host.fetch(`/v1/runs/${runId}`);
    const etag = first.headers.get('etag') as string;
    expect(etag).toMatch(/^"[^"]+"$/);
    const again = await host.fetch(`/v1/runs/${runId}`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    const other = await host.fetch(`/v1/runs/${runId}`, { headers: { 'if-none-match': '"0"' } });
    expect([other.status, await other.json()]).toEqual([200, await first.json()]);
    const document = (await (await host.fetch('/.well-known/openwop', { key: null })).json()) as object;
    expect(document).toMatchObject({ restTransport: { conditionalRunGet: true } });
  });

  it('cancels what can be cancelled, and is told apart what has ended otherwise', async () => {
    const { runId } = await runToEnd(EVAL);
    const late = await host.fetch(`/v1/runs/${runId}/cancel`, { method: 'POST' });
    const refusal = { error: 'run_terminal', details: { runStatus: 'completed' } };
    expect([late.status, await late.json()]).toMatchObject([409, refusal]);
    const started = { workflowId: 'conformance-cancellable' };
    const { runId: other } = await json('/v1/runs', { method: 'POST', body: started });
    const cancel = () => host.fetch(`/v1/runs/${other}/cancel`, { method: 'POST' });
    expect((await cancel()).status).toBe(200);
    await eventsOf(other);
    const again = await cancel();
    expect([again.status, await again.json()]).toEqual([200, { runId: other, status: 'cancelled' }]);
    const bulk = await json('/v1/runs:bulk-cancel', { method: 'POST', body: { runIds: [runId, other] } });
    expect(bulk).toMatchObject({
      results: [
        { runId, ok: false, error: { code: 'run_terminal' } },
        { runId: other, ok: true, status: 'cancelled' },
      ],
    });
  });

  it('gets equal logs from equal runs', async () => {
    const [a, b] = [await runToEnd(EVAL), await runToEnd(EVAL)];
    expect(plain(a.events)).toBe(plain(b.events));
  });

  it('streams the same events it can poll, and resumes after the last one it saw', async () => {
    const { runId, events } = await runToEnd(EVAL);
    const stream = async (headers: { [name: string]: string }): Promise<number[]> => {
      const text = await (await host.fetch(`/v1/runs/${runId}/events?streamMode=debug`, { headers })).text();
      return [...text.matchAll(/^id: ?(\d+)$/gm)].map((match) => Number(match[1]));
    };
    expect(await stream({})).toEqual(events.map(({ sequence }) => sequence));
    expect(await stream({ 'last-event-id': '20' })).toEqual(events.map(({ sequence }) => sequence).slice(21));
    expect(await stream({ 'last-event-id': String(events.length - 1) })).toEqual([]);
  });

  it('runs a single agent, and learns that it failed', async () => {
    const { events } = await runToEnd({ agentId: 'local.test.echo', inputs: { hello: 'world' } });
    expect(events.at(-1)).toMatchObject({
      type: 'run.completed',
      payload: { outputs: { output: { hello: 'world' } } },
    });
    expect(events.filter(({ type }) => type.startsWith('node.')).map(({ nodeId }) => nodeId)).toEqual([
      'agent',
      'agent',
    ]);
  });

  it('finds the floor fixtures', async () => {
    expect((await runToEnd({ workflowId: 'conformance-noop', inputs: { any: 1 } })).events.at(-1)?.type).toBe(
      'run.completed',
    );
    const failed = await runToEnd({ workflowId: 'conformance-failure' });
    expect(failed.events.at(-1)).toMatchObject({
      type: 'run.failed',
      payload: { error: { code: 'node_failed' } },
    });
    expect(await json(`/v1/runs/${failed.runId}`)).toMatchObject({
      status: 'failed',
      error: { code: 'node_failed' },
    });
    expect(
      (await runToEnd({ workflowId: 'conformance-delay', inputs: { delayMs: 1 } })).events.at(-1)?.type,
    ).toBe('run.completed');
    const { runId } = await json('/v1/runs', {
      method: 'POST',
      body: { workflowId: 'conformance-cancellable' },
    });
    expect((await host.fetch(`/v1/runs/${runId}/cancel`, { method: 'POST', body: {} })).status).toBe(200);
    expect((await eventsOf(runId)).at(-1)?.type).toBe('run.cancelled');
    for (const id of ['conformance-noop', 'conformance-cancellable'])
      expect((await host.fetch(`/v1/workflows/${id}`)).status).toBe(200);
  });

  it('drives an eval run through the test seam', async () => {
    const seam = await json('/v1/host/sample/agents/eval-run', { method: 'POST', body: {} });
    expect(seam).toMatchObject({ passed: true });
    const events = (await json(`/v1/host/sample/test/runs/${seam.runId}/events?type=eval.scored`)).events;
    expect(events.length).toBe(Number(seam.taskCount));
    expect((await host.fetch(`/v1/runs/${seam.runId}/eval-summary`)).status).toBe(200);
    expect((await json('/v1/host/sample/test/runs/__probe__/events')).events).toEqual([]);
  });

  it('compares a regression run of the test seam with a run that it makes first', async () => {
    const seam = await json('/v1/host/sample/agents/eval-run', {
      method: 'POST',
      body: { modes: ['regression'] },
    });
    expect(await json(`/v1/runs/${seam.runId}/eval-summary`)).toMatchObject({
      regression: { scoreDelta: 0 },
    });
  });
});

describe('what is refused', () => {
  it.each<[string, object, string]>([
    ['an unknown suite', { ...EVAL, evalSuiteRef: 'local.test.evals.none@1.0.0' }, 'evalSuiteRef'],
    ['an unknown agent', { ...EVAL, agentId: 'local.test.nobody' }, 'agentId'],
    [
      'a mode nobody declared',
      { ...EVAL, configurable: { evalModes: ['rubric'] } },
      'configurable.evalModes',
    ],
    ['no mode at all', { ...EVAL, configurable: { evalModes: [] } }, 'configurable.evalModes'],
    ['a suite without mode', { evalSuiteRef: 'x', agentId: 'y' }, 'mode'],
    ['workflow and agent together', { workflowId: 'conformance-noop', agentId: 'local.test.echo' }, ''],
    ['an undeclared member', { ...EVAL, surprise: 1 }, ''],
  ])('%s: 400 with a pointer, and nothing is created', async (_name, body, field) => {
    const before = (await json('/v1/host/touchstone/runs?limit=200')).items.length;
    const response = await host.fetch('/v1/runs', { method: 'POST', body });
    const answer = (await response.json()) as {
      error: string;
      details: { field?: string; issues: { pointer: string }[] };
    };
    expect({ status: response.status, error: answer.error }).toEqual({
      status: 400,
      error: 'validation_error',
    });
    expect(check('error-envelope', answer)).toEqual([]);
    expect(answer.details.issues.length).toBeGreaterThan(0);
    if (field) expect(answer.details.field).toBe(field);
    expect((await json('/v1/host/touchstone/runs?limit=200')).items.length).toBe(before);
  });

  it('any suite mutated at random is installed or refused with pointers, never a 5xx', async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('', 'golden', -1, 1e9, null, [], {}, '__proto__'),
    );
    const mutation = fc.tuple(
      fc.array(fc.nat(9), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('set', 'delete', 'add'),
      value,
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        async (mutations, salt) => {
          const suite = JSON.parse(
            JSON.stringify(
              echoSuite(3, { suiteId: `local.fuzz${salt}.evals.echo`, thresholds: { passScore: 0.5 } }),
            ),
          );
          for (const one of mutations) mutate(suite, ...one);
          const response = await host.fetch('/v1/host/touchstone/suites', {
            method: 'POST',
            body: JSON.stringify(suite),
          });
          const answer = (await response.json()) as {
            error?: string;
            details?: { issues?: { pointer: string }[] };
          };
          expect([200, 201, 400, 409]).toContain(response.status);
          if (response.status === 400) {
            expect(answer.error).toBe('validation_error');
            for (const { pointer } of answer.details?.issues ?? []) expect(pointer).toMatch(/^(\/|$)/);
            expect(answer.details?.issues?.length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

function mutate(root: unknown, path: readonly number[], kind: string, value: unknown, name: string): void {
  let node = root as Record<string, unknown>;
  for (const [depth, step] of path.entries()) {
    const keys = Object.keys(node);
    const key = keys[step % Math.max(1, keys.length)];
    if (key === undefined || (Array.isArray(node) && kind === 'add')) return;
    const next = node[key];
    if (depth < path.length - 1 && typeof next === 'object' && next !== null) {
      node = next as Record<string, unknown>;
      continue;
    }
    if (kind === 'delete') delete node[key];
    else node[kind === 'set' ? key : name] = value;
    return;
  }
}
