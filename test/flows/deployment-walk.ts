import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type AuditLine,
  auditOf,
  deploymentEvents,
  expectSoundAudit,
  keyOf,
  logOf,
  managementRuns,
  move,
  type Person,
  peopled,
  recordsOf,
  type TransitionAnswer,
  type TransitionRequest,
  typesOf,
} from './deployment-host.js';
import { ask, EMPTY, KNOWN, type Model, type Outcome, type Row, rowIn, shown } from './deployment-model.js';
import { payloadsOf } from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Sends transitions to a host one by one, and compares each with the model: the answer, all records, the run, the
// audit log.

export const openTransitionHost = (): Promise<WholeHost> =>
  openWholeHost(peopled({ egress: { allowPrivate: true } }));

let agents = 0;
/** An agent without any transition so far; it is never invoked. */
export async function freshAgent(host: WholeHost): Promise<string> {
  agents += 1;
  const agentId = `local.test.moving-${agents}`;
  for (const version of KNOWN) {
    const body = { agentId, version, run: { kind: 'http', url: 'http://127.0.0.1:9/' } };
    const url = `/v1/host/touchstone/agents/${agentId}`;
    expect((await host.fetch(url, { method: 'PUT', body })).status).toBe(201);
  }
  return agentId;
}

type Step = {
  readonly version: string;
  readonly request: TransitionRequest;
  readonly person: Person;
  readonly polite: boolean;
};
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
const anyStep: fc.Arbitrary<Step> = fc.record({
  version: fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...KNOWN) }, fc.constantFrom(...KNOWN, '9.9.9')),
  person: fc.oneof(
    { weight: 3, arbitrary: fc.constant<Person>('lead') },
    {
      weight: 2,
      arbitrary: fc.constantFrom<Person>('releaser', 'promoter', 'pauser', 'roller', 'runner', 'reader'),
    },
  ),
  // Somebody who knows what can be asked for; otherwise few requests would get anywhere.
  polite: fc.boolean(),
  request: fc
    .record({
      transition: fc.oneof(
        { weight: 5, arbitrary: fc.constant('promote') },
        {
          weight: 4,
          arbitrary: fc.constantFrom('pause', 'deprecate', 'rollback', 'rollback', 'adjust-canary'),
        },
      ),
      toState: maybe(
        fc.constantFrom('draft', 'test', 'staged', 'active', 'paused', 'deprecated', 'rolled-back'),
      ),
      channel: maybe(fc.constantFrom('stable', 'stable', 'canary', 'latest', 'nightly', '__proto__')),
      canaryPercent: maybe(fc.oneof(fc.constantFrom(0, 50, 100), fc.integer({ min: 0, max: 100 }))),
      reason: maybe(fc.constantFrom('slow', 'too-many-refusals')),
    })
    .map((request) => Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))),
});
export const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 75, size: 'max' });

/** What makes no sense in the state the version is in is left out. */
function politely({ request, polite }: Step, { state }: Row): TransitionRequest {
  if (!polite) return request;
  const { transition = '', channel, canaryPercent, reason } = request;
  const doable = transition === 'deprecate' || state !== 'active' ? 'promote' : transition;
  const goesLive = doable === 'promote' && ['staged', 'paused', 'active'].includes(state);
  const given = channel === 'canary' ? 'canary' : 'stable';
  return {
    transition: doable,
    ...(goesLive && state !== 'paused' && { channel: given }),
    ...(goesLive && canaryPercent !== undefined && { canaryPercent }),
    ...(doable === 'adjust-canary' && { canaryPercent: canaryPercent ?? 30 }),
    ...(reason !== undefined && { reason }),
  };
}

/** Follows the chain as an auditor would who has only the documented form of a line. */
function createAuditor() {
  let [seq, head] = [0, `sha256:${'0'.repeat(64)}`];
  return {
    async next(host: WholeHost): Promise<readonly AuditLine[]> {
      const lines = await auditOf(host, seq);
      for (const line of lines) {
        const { at, principal, action, resource, allowed, reason = null, runId = null } = line;
        const text = [
          'acme',
          'main',
          seq + 1,
          head,
          Date.parse(at),
          principal,
          action,
          resource,
          allowed,
          reason,
          runId,
        ];
        const digest = `sha256:${createHash('sha256').update(JSON.stringify(text)).digest('hex')}`;
        expect(line).toMatchObject({ seq: seq + 1, previous: head, digest });
        [seq, head] = [line.seq, line.digest];
      }
      return lines;
    },
  };
}

type TransitionSubject = {
  readonly host: WholeHost;
  readonly agentId: string;
  readonly version: string;
  readonly person: Person;
};

/** A refusal for want of a right: one run that says so, and nothing moved. */
async function checkDenied(
  { host, agentId, version, person }: TransitionSubject,
  scope: string,
  answer: TransitionAnswer,
): Promise<void> {
  expect(answer.body).toMatchObject({ error: 'forbidden', details: { scopeRequired: scope } });
  const events = await logOf(host, answer.runId as string);
  expect(typesOf(events)).toEqual(['run.started', 'authorization.decided', 'run.failed']);
  expect(payloadsOf(events, 'authorization.decided')).toMatchObject([
    { principal: person, action: scope, resource: `agents/${agentId}@${version}`, allowed: false },
  ]);
  expect(payloadsOf(events, 'run.failed')).toMatchObject([{ error: { code: 'forbidden' } }]);
}
async function checkDone(
  { host, agentId, version, person }: TransitionSubject,
  { scope, facts }: Extract<Outcome, { readonly status: 200 }>,
  answer: TransitionAnswer,
): Promise<void> {
  const events = await logOf(host, answer.runId as string);
  expect(typesOf(events)).toEqual([
    'run.started',
    'authorization.decided',
    ...facts.map(({ type }) => type),
    'run.completed',
  ]);
  expect(payloadsOf(events, 'authorization.decided')).toEqual([
    { principal: person, action: scope, resource: `agents/${agentId}@${version}`, allowed: true },
  ]);
  expect(deploymentEvents(events)).toEqual(facts);
}

export type Walk = {
  /** Answers by status. */
  readonly statuses: { [status in Outcome['status']]: number };
  /** Types of the events that were published. */
  readonly eventTypes: Set<string>;
  take(steps: readonly Step[]): Promise<void>;
};
export function createWalk(host: WholeHost): Walk {
  const auditor = createAuditor();
  const statuses = { 200: 0, 400: 0, 403: 0 };
  const eventTypes = new Set<string>();
  return {
    statuses,
    eventTypes,
    async take(steps) {
      const agentId = await freshAgent(host);
      await auditor.next(host);
      let model = EMPTY;
      let newest = (await managementRuns(host, 1))[0]?.runId;
      for (const step of steps) {
        const { version, person } = step;
        const request = politely(step, rowIn(model, version));
        const expected = ask(model, agentId, version, request, person);
        const answer = await move(host, version, { ...request, agentId, key: keyOf(person) });
        expect({ request, model, ...answer }).toMatchObject({ status: expected.status });
        model = await checkAnswer({ host, agentId, version, person }, expected, answer, model);
        if (expected.status === 200) for (const { type } of expected.facts) eventTypes.add(type);
        newest = await checkRuns(host, expected, answer, newest);
        await checkAudit(await auditor.next(host), person, expected, answer);
        statuses[expected.status] += 1;
      }
      await expectSoundAudit(host);
    },
  };
}

/** The records after the request; answers the model after it. */
async function checkAnswer(
  subject: TransitionSubject,
  expected: Outcome,
  answer: TransitionAnswer,
  before: Model,
): Promise<Model> {
  const { host, agentId, version } = subject;
  const model = expected.status === 200 ? expected.next : before;
  if (expected.status === 403) await checkDenied(subject, expected.scope, answer);
  if (expected.status === 200) {
    await checkDone(subject, expected, answer);
    expect(answer.body).toEqual(shown(model, agentId).find((record) => record.version === version));
  }
  expect(await recordsOf(host, agentId)).toEqual(shown(model, agentId));
  return model;
}

/** A refused request makes no run, any other exactly one; answers the newest run. */
async function checkRuns(host: WholeHost, expected: Outcome, answer: TransitionAnswer, before: unknown) {
  const runs = (await managementRuns(host, 2)).map(({ runId }) => runId);
  if (expected.status === 400)
    expect({ newest: runs[0], answer }).toEqual({ newest: before, answer: { ...answer, runId: undefined } });
  else expect(runs).toEqual(before === undefined ? [answer.runId] : [answer.runId, before]);
  return runs[0];
}

async function checkAudit(
  lines: readonly AuditLine[],
  person: Person,
  expected: Outcome,
  answer: TransitionAnswer,
): Promise<void> {
  const allowed = [person, true, answer.runId];
  expect(lines.map((line) => [line.principal, line.allowed, line.runId])).toEqual(
    expected.status === 200 ? [allowed, allowed] : [[person, false, answer.runId]],
  );
}
