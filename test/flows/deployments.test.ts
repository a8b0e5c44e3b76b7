import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AuditLine,
  activate,
  auditOf,
  type DeploymentRecord,
  deploymentEvents,
  expectSoundAudit,
  keyOf,
  logOf,
  managementRuns,
  move,
  type Person,
  peopled,
  ROLES,
  recordsOf,
  type TransitionAnswer,
  type TransitionRequest,
  typesOf,
} from './deployment-host.js';
import { payloadsOf, readJson } from './pack-host.js';
import { KEY } from './processes.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: whatever is asked of a deployment, in whatever order and by whomever, the host does what the rules say and no
// more, and leaves its traces. Method: a model of the rules, written here from their description and not from the code;
// random requests of random people, each held against it: the answer, all records, the run, the audit log.
let host: WholeHost;
beforeAll(async () => {
  host = await openWholeHost(peopled({ egress: { allowPrivate: true } }));
});
afterAll(() => host.close());

const KNOWN = ['1.0.0', '1.10.0', '2.0.0-rc.1'];
const VERSIONS = [...KNOWN, '9.9.9'];
let made = 0;
/** An agent that nobody has moved, nor ever asks anything. */
async function freshAgent(): Promise<string> {
  made += 1;
  const agentId = `local.test.moving-${made}`;
  for (const version of KNOWN) {
    const body = { agentId, version, run: { kind: 'http', url: 'http://127.0.0.1:9/' } };
    const url = `/v1/host/touchstone/agents/${agentId}`;
    expect((await host.fetch(url, { method: 'PUT', body })).status).toBe(201);
  }
  return agentId;
}

type Row = { readonly state: string; readonly percent: number; readonly pointer?: string };
type Model = {
  readonly rows: { readonly [version: string]: Row };
  readonly lines: { readonly stable: readonly string[]; readonly canary: readonly string[] };
};
type Channel = keyof Model['lines'];
type Fact = { readonly type: string; readonly payload: object };
type Outcome =
  | { readonly status: 400 }
  | { readonly status: 403; readonly scope: string }
  | { readonly status: 200; readonly scope: string; readonly next: Model; readonly facts: readonly Fact[] };

const EMPTY: Model = { rows: {}, lines: { stable: [], canary: [] } };
const DRAFT: Row = { state: 'draft', percent: 100 };
const FORWARD: { readonly [state: string]: string } = {
  draft: 'test',
  test: 'staged',
  staged: 'active',
  paused: 'active',
};
const FROM_ACTIVE: { readonly [transition: string]: string } = {
  pause: 'paused',
  deprecate: 'deprecated',
  rollback: 'rolled-back',
  'adjust-canary': 'active',
};
const rowIn = ({ rows }: Model, version: string): Row => rows[version] ?? DRAFT;
const withRow = (model: Model, version: string, row: Row): Model => ({
  ...model,
  rows: { ...model.rows, [version]: row },
});
const activeOn = (model: Model, channel: Channel): readonly string[] =>
  model.lines[channel].filter((version) => rowIn(model, version).state === 'active').reverse();

/** Hundredths of hundredths of a channel, newest first; what is left goes to the oldest. */
function sharesOn(model: Model, channel: Channel): readonly (readonly [string, number])[] {
  const serving = activeOn(model, channel);
  let left = 1;
  return serving.map((version, index) => {
    const isLast = index === serving.length - 1;
    const part = isLast ? left : (left * rowIn(model, version).percent) / 100;
    left -= part;
    return [version, part] as const;
  });
}
function mainOn(model: Model, channel: Channel): string | undefined {
  let most: readonly [string, number] | undefined;
  for (const each of sharesOn(model, channel))
    if (each[1] > 0 && (most === undefined || each[1] > most[1])) most = each;
  return most?.[0];
}
/** 1.0.0 < 1.10.0 < 2.0.0-rc.1, which is how they are listed above. */
const latestIn = (model: Model): string | undefined =>
  KNOWN.findLast((version) => rowIn(model, version).state === 'active');

function scopeFor({ transition, channel, canaryPercent }: TransitionRequest, { state }: Row): string {
  if (transition === 'rollback') return 'deploy:rollback';
  if (transition === 'pause' || transition === 'deprecate') return 'deploy:pause';
  const comesBackAsItWas = state === 'paused' && channel === undefined && canaryPercent === undefined;
  return transition === 'promote' && comesBackAsItWas ? 'deploy:pause' : 'deploy:promote';
}
const scopesOf = (person: Person): readonly string[] =>
  person === 'lead' ? [] : ((ROLES as { [role: string]: readonly string[] })[person] ?? []);
const may = (person: Person, scope: string): boolean => person === 'lead' || scopesOf(person).includes(scope);

function ask(
  model: Model,
  agentId: string,
  version: string,
  request: TransitionRequest,
  person: Person,
): Outcome {
  const row = rowIn(model, version);
  const scope = scopeFor(request, row);
  if (!may(person, scope)) return { status: 403, scope };
  const moved = KNOWN.includes(version) ? carryOut(model, agentId, version, row, request) : undefined;
  return moved ? { status: 200, scope, ...moved } : { status: 400 };
}

/** One step ahead; a version that serves already can be put at the head of one more channel. */
function forward(
  { lines }: Model,
  version: string,
  { state }: Row,
  { channel }: TransitionRequest,
): string | undefined {
  if (state !== 'active') return FORWARD[state];
  const line = channel === 'stable' || channel === 'canary' ? lines[channel] : undefined;
  return line && line.at(-1) !== version ? 'active' : undefined;
}
const outOfService = ({ state }: Row, transition: string): string | undefined =>
  state === 'active' ? FROM_ACTIVE[transition] : undefined;

type Done = { readonly next: Model; readonly facts: readonly Fact[] };
function carryOut(
  model: Model,
  agentId: string,
  version: string,
  row: Row,
  request: TransitionRequest,
): Done | undefined {
  const { transition = '', toState, channel, canaryPercent } = request;
  const to = transition === 'promote' ? forward(model, version, row, request) : outOfService(row, transition);
  if (to === undefined || (toState !== undefined && toState !== to)) return undefined;
  const goesLive = transition === 'promote' && to === 'active';
  if (channel !== undefined && !(goesLive || transition === 'rollback')) return undefined;
  if (channel !== undefined && channel !== 'stable' && channel !== 'canary') return undefined;
  if (canaryPercent !== undefined && !(goesLive || transition === 'adjust-canary')) return undefined;
  const changed = {
    type: 'deployment.state.changed',
    payload: { agentId, version, fromState: row.state, toState: to },
  };
  if (transition === 'rollback') return rollBack(model, agentId, version, request);
  if (transition === 'adjust-canary') {
    if (canaryPercent === undefined) return undefined;
    const payload = { agentId, version, fromPercent: row.percent, toPercent: canaryPercent };
    const next = withRow(model, version, { ...row, percent: canaryPercent });
    return { next, facts: [{ type: 'deployment.canary.adjusted', payload }] };
  }
  if (transition !== 'promote')
    return { next: withRow(model, version, { ...row, state: to }), facts: [changed] };
  const percent = canaryPercent ?? (row.state === 'paused' ? row.percent : 100);
  const placed = withRow(channel === undefined ? model : headOf(model, channel, version), version, {
    state: to,
    percent,
  });
  const fromVersion = channel === undefined ? undefined : mainOn(model, channel);
  const promoted = {
    type: 'deployment.promoted',
    payload: {
      agentId,
      toVersion: version,
      toState: to,
      ...(fromVersion !== undefined && fromVersion !== version && { fromVersion }),
      ...(channel !== undefined && { channel }),
      ...(percent !== 100 && { canaryPercent: percent }),
    },
  };
  if (row.state !== 'paused') return { next: placed, facts: [promoted] };
  const isMore = channel !== undefined || canaryPercent !== undefined;
  return { next: placed, facts: isMore ? [changed, promoted] : [changed] };
}

const headOf = (model: Model, channel: Channel, version: string): Model => ({
  ...model,
  lines: { ...model.lines, [channel]: [...model.lines[channel].filter((one) => one !== version), version] },
});

function rollBack(
  model: Model,
  agentId: string,
  version: string,
  { channel, reason }: TransitionRequest,
): Done | undefined {
  const on = (['stable', 'canary'] as const).find((name) => model.lines[name].includes(version));
  const line = model.lines[(channel as Channel | undefined) ?? on ?? 'stable'];
  if (!line.includes(version)) return undefined;
  const target = line
    .slice(0, line.indexOf(version))
    .findLast((one) => ['active', 'paused'].includes(rowIn(model, one).state));
  if (target === undefined) return undefined;
  const headed = (['stable', 'canary'] as const).filter((name) => activeOn(model, name)[0] === version);
  const lines = {
    stable: model.lines.stable.filter((one) => one !== version),
    canary: model.lines.canary.filter((one) => one !== version),
  };
  let next = withRow({ ...model, lines }, version, {
    ...rowIn(model, version),
    state: 'rolled-back',
    pointer: target,
  });
  const before = rowIn(model, target).state;
  next = withRow(next, target, { state: 'active', percent: 100 });
  for (const name of headed) if (activeOn(next, name).length === 0) next = headOf(next, name, target);
  const back = {
    type: 'deployment.rolled-back',
    payload: {
      agentId,
      fromVersion: version,
      toVersion: target,
      rollbackPointer: target,
      ...(reason !== undefined && { reason }),
    },
  };
  const payload = { agentId, version: target, fromState: before, toState: 'active' };
  return {
    next,
    facts: before === 'active' ? [back] : [back, { type: 'deployment.state.changed', payload }],
  };
}

/** What everybody can see of the model. */
const shown = (model: Model, agentId: string): readonly DeploymentRecord[] =>
  KNOWN.map((version) => {
    const { state, percent, pointer } = rowIn(model, version);
    const channels = [
      ...(['stable', 'canary'] as const).filter((name) =>
        sharesOn(model, name).some(([one, part]) => one === version && part > 0),
      ),
      ...(latestIn(model) === version ? ['latest'] : []),
    ];
    return {
      agentId,
      version,
      state,
      ...(state === 'active' && percent !== 100 && { canaryPercent: percent }),
      ...(pointer !== undefined && { rollbackPointer: pointer }),
      ...(channels.length > 0 && { channels }),
    };
  });

type Step = {
  readonly version: string;
  readonly request: TransitionRequest;
  readonly person: Person;
  readonly polite: boolean;
};
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });
const anyStep: fc.Arbitrary<Step> = fc.record({
  version: fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...KNOWN) }, fc.constantFrom(...VERSIONS)),
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
    async next(): Promise<readonly AuditLine[]> {
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

type TransitionSubject = { readonly agentId: string; readonly version: string; readonly person: Person };

/** A refusal for want of a right: one run that says so, and nothing moved. */
async function checkDenied(
  { agentId, version, person }: TransitionSubject,
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
  { agentId, version, person }: TransitionSubject,
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

describe('transitions', () => {
  it('do what the model says, for everyone and in any order, and leave one run and a growing chain each', async () => {
    const auditor = createAuditor();
    const seen = { 200: 0, 400: 0, 403: 0 };
    const kinds = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 75, size: 'max' }), async (steps) => {
        const agentId = await freshAgent();
        await auditor.next();
        let model = EMPTY;
        let last = (await managementRuns(host, 1))[0]?.runId;
        for (const step of steps) {
          const { version, person } = step;
          const request = politely(step, rowIn(model, version));
          const expected = ask(model, agentId, version, request, person);
          const answer = await move(host, version, { ...request, agentId, key: keyOf(person) });
          expect({ request, model, ...answer }).toMatchObject({ status: expected.status });
          const told = { agentId, version, person };
          if (expected.status === 403) await checkDenied(told, expected.scope, answer);
          if (expected.status === 200) {
            await checkDone(told, expected, answer);
            model = expected.next;
            for (const { type } of expected.facts) kinds.add(type);
            expect(answer.body).toEqual(shown(model, agentId).find((record) => record.version === version));
          }
          expect(await recordsOf(host, agentId)).toEqual(shown(model, agentId));
          const runs = (await managementRuns(host, 2)).map(({ runId }) => runId);
          if (expected.status === 400)
            expect({ newest: runs[0], answer }).toEqual({
              newest: last,
              answer: { ...answer, runId: undefined },
            });
          else expect(runs).toEqual(last === undefined ? [answer.runId] : [answer.runId, last]);
          last = runs[0];
          const lines = await auditor.next();
          expect(lines.map(({ principal, allowed, runId }) => [principal, allowed, runId])).toEqual(
            expected.status === 200
              ? [
                  [person, true, answer.runId],
                  [person, true, answer.runId],
                ]
              : [[person, false, answer.runId]],
          );
          seen[expected.status] += 1;
        }
        await expectSoundAudit(host);
      }),
      { numRuns: 30, interruptAfterTimeLimit: 90_000 },
    );
    // Neither of these would be a test: one in which nothing works, and one in which everything does.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
    expect([...kinds].sort()).toEqual([
      'deployment.canary.adjusted',
      'deployment.promoted',
      'deployment.rolled-back',
      'deployment.state.changed',
    ]);
  }, 180_000);

  it('asked for twice with one idempotency key happen once', async () => {
    const agentId = await freshAgent();
    const headers = { 'idempotency-key': `once-${agentId}` };
    const first = await move(host, '1.0.0', { agentId, headers });
    const again = await move(host, '1.0.0', { agentId, headers });
    expect(first).toMatchObject({ status: 200, body: { state: 'test' } });
    expect(again).toEqual(first);
    expect((await recordsOf(host, agentId))[0]).toMatchObject({ state: 'test' });
  });

  it.each<[string, object]>([
    ['no version', { transition: 'promote' }],
    ['no transition', { version: '1.0.0' }],
    ['an unknown transition', { version: '1.0.0', transition: 'resume' }],
    ['an unknown state', { version: '1.0.0', transition: 'promote', toState: 'live' }],
    ['a share above all', { version: '1.0.0', transition: 'promote', canaryPercent: 101 }],
    ['half a percent', { version: '1.0.0', transition: 'promote', canaryPercent: 0.5 }],
    ['an empty channel', { version: '1.0.0', transition: 'promote', channel: '' }],
    ['an empty reason', { version: '1.0.0', transition: 'promote', reason: '' }],
    ['a long reason', { version: '1.0.0', transition: 'promote', reason: 'x'.repeat(513) }],
    ['more than there is', { version: '1.0.0', transition: 'promote', principal: 'lead' }],
  ])('with %s are refused before anyone is asked', async (_, body) => {
    const agentId = await freshAgent();
    for (const person of ['lead', 'reader'] as const) {
      const answer = await readJson(host, `/v1/agents/${agentId}/deployments`, {
        method: 'POST',
        key: keyOf(person),
        body,
      });
      expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    }
    expect((await managementRuns(host)).map(({ touchstone }) => touchstone)).not.toContainEqual(
      expect.objectContaining({ agentId }),
    );
  });

  it('of an agent that is not there are not found', async () => {
    for (const agentId of ['local.test.nobody', 'local.test.clerk@1.0.0', 'no%20name']) {
      const url = `/v1/agents/${agentId}/deployments`;
      expect((await host.fetch(url)).status).toBe(404);
      const body = { version: '1.0.0', transition: 'promote' };
      expect((await host.fetch(url, { method: 'POST', body })).status).toBe(404);
    }
  });

  it('in large numbers at the same moment each win once or lose with a conflict', async () => {
    const agentId = await freshAgent();
    await activate(host, '1.0.0', { agentId, channel: 'stable' });
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        move(host, '1.0.0', { agentId, transition: 'adjust-canary', canaryPercent: index + 1 }),
      ),
    );
    const won = asked.filter(({ status }) => status === 200);
    for (const { status, body } of asked)
      if (status !== 200)
        expect({ status, body }).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(won.length).toBeGreaterThanOrEqual(1);
    const logs = await Promise.all(asked.map(({ runId }) => logOf(host, runId as string)));
    const adjusted = logs.flatMap((events) => payloadsOf(events, 'deployment.canary.adjusted'));
    expect(adjusted).toHaveLength(won.length);
    // Each change starts from where another one ended: they form one line, and its end is what serves.
    let percent: unknown = 100;
    for (let left = [...adjusted]; left.length > 0; ) {
      const next = left.find(({ fromPercent }) => fromPercent === percent);
      expect(next).toBeDefined();
      percent = next?.toPercent;
      left = left.filter((one) => one !== next);
    }
    expect((await recordsOf(host, agentId))[0]).toMatchObject({ canaryPercent: percent });
    await expectSoundAudit(host);
  });

  it('are for those who have a key', async () => {
    const agentId = await freshAgent();
    const url = `/v1/agents/${agentId}/deployments`;
    const body = { version: '1.0.0', transition: 'promote' };
    expect((await host.fetch(url, { method: 'POST', key: null, body })).status).toBe(401);
    expect((await host.fetch(url, { method: 'POST', key: `${KEY}x`, body })).status).toBe(401);
    expect((await recordsOf(host, agentId))[0]).toMatchObject({ state: 'draft' });
  });
});
