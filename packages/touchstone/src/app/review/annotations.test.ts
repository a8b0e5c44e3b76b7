import {
  asId,
  type Digest,
  HOST_OWNER,
  type Owner,
  type Principal,
  type RunId,
  type SuiteId,
  type TaskId,
  type Version,
} from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { type AnnotationCreateWire, check } from '@touchstone/protocol/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRun, Override, Store } from '../../ports/index.js';
import { maskSecrets } from '../../scoring/index.js';
import { createMemoryStore } from '../../store/index.js';
import { systemClock } from '../system.js';
import { completed, invoked, scored, started } from '../testing/events.js';
import { append } from '../testing/fake-engine.js';
import { ACME, echoAgent } from '../testing/test-host.js';
import { type Annotations, annotationWire, createAnnotations } from './annotations.js';

const RUN = asId<RunId>('run-1');
const DIGEST = asId<Digest>('sha256:suite');
const RIVAL: Owner = { tenant: 'rival', workspace: 'main' };
/** Put together here, so that nothing in this file is a secret by itself. */
const CANARY = `sk${'-'}canary-4f9d-do-not-leak`;

const principal = (scopes: readonly string[], owner = ACME): Principal => ({
  id: 'reviewer',
  owner,
  roles: [],
  scopes: new Set(scopes),
});
const REVIEWER = principal(['runs:annotate', 'evals:override']);

let store: Store;
let annotations: Annotations;
let lines: [string, object][];
beforeEach(async () => {
  store = await createMemoryStore(systemClock);
  lines = [];
  let made = 0;
  annotations = createAnnotations({
    store,
    clock: { now: () => 5_000 + made },
    ids: {
      token() {
        made += 1;
        return `token-${made}`;
      },
    },
    log: { info: (event, facts = {}) => void lines.push([event, facts]) },
    mask: maskSecrets,
  });
  await store.suites.put(ACME, suite, 1);
  await createRun('run-1', { kind: 'eval', ...evalPlan });
  // 0 run.started, 1 agent.invocation.started, 2 and 3 eval.scored, 4 run.completed
  await append(store, ACME, RUN, [started, invoked('t'), scored('t'), scored('u'), completed], 'completed');
});
afterEach(() => store.close());

const task = (taskId: string) => ({
  taskId: asId<TaskId>(taskId),
  input: toBody('x'),
  expected: { kind: 'golden', match: { strategy: 'exact', value: toBody('x') } } as const,
});
const suite = {
  head: {
    suiteId: asId<SuiteId>('core.acme.evals.echo'),
    version: asId<Version>('1.0.0'),
    digest: DIGEST,
    modes: ['golden'] as const,
    taskCount: 3,
    rubricTasks: 0,
    judgedTasks: 0,
  },
  tasks: [task('t'), task('u'), task('left-out')],
};
const { agentId, version, digest } = echoAgent;
const agent = { agentId, version, digest };
const evalPlan = {
  suite: { suiteId: suite.head.suiteId, version: suite.head.version, digest: DIGEST },
  agent,
  modes: ['golden'] as const,
  totalTasks: 3,
  ordinals: [0, 1],
  repeats: 1,
  concurrency: 1,
};
const createRun = (runId: string, plan: NewRun['plan']) =>
  store.runs.create({
    runId: asId<RunId>(runId),
    owner: ACME,
    principal: 'ci',
    origin: 'host',
    workflowId: 'w',
    plan,
    request: {},
    createdAt: 1,
    engineVersion: 1,
  });

const correct = (correction: string, extra: Partial<AnnotationCreateWire> = {}): AnnotationCreateWire => ({
  signal: { kind: 'correction', correction },
  target: { eventId: 'run-1:2' },
  note: 'The answer is right.',
  ...extra,
});
const flag: AnnotationCreateWire = { signal: { kind: 'flag' } };
const refusal = (body: AnnotationCreateWire, by = REVIEWER, runId = RUN) =>
  annotations.annotate(by, runId, body).then(
    () => undefined,
    (error: { code: string; message: string; details?: { issues?: { pointer: string }[] } }) => error,
  );

describe('an annotation', () => {
  it.each<[AnnotationCreateWire['signal']]>([
    [{ kind: 'rating', rating: 4 }],
    [{ kind: 'label', label: 'tone' }],
    [{ kind: 'correction', correction: 'Paris' }],
    [{ kind: 'flag' }],
  ])('%j is recorded with its author, time and run, and fits the published shape', async (signal) => {
    const target = { eventId: 'run-1:1', nodeId: 't' };
    const recorded = await annotations.annotate(REVIEWER, RUN, { signal, target, note: 'Because.' });
    expect(await annotations.list(ACME, RUN)).toEqual([recorded]);
    const wire = annotationWire(recorded);
    expect(check('annotation', wire)).toEqual([]);
    expect(wire).toEqual({
      annotationId: 'ann-token-1',
      target: { runId: 'run-1', ...target },
      signal,
      actor: { principalRef: 'reviewer' },
      createdAt: '1970-01-01T00:00:05.001Z',
      note: 'Because.',
    });
  });

  it('leaves a line for the audit that names who, where and whether it overrides, and no content', async () => {
    await annotations.annotate(REVIEWER, RUN, correct('{"score":0.5}'));
    await annotations.annotate(REVIEWER, RUN, flag);
    const line = { runId: 'run-1', by: 'reviewer' };
    expect(lines).toEqual([
      ['annotation.recorded', { ...line, annotationId: 'ann-token-1', override: true }],
      ['annotation.recorded', { ...line, annotationId: 'ann-token-2', override: false }],
    ]);
  });

  it('changes neither the log nor the run', async () => {
    const before = [await store.runs.get(ACME, RUN), await store.log.read(ACME, RUN, -1, 100)];
    await annotations.annotate(REVIEWER, RUN, correct('{"passed":false}'));
    expect([await store.runs.get(ACME, RUN), await store.log.read(ACME, RUN, -1, 100)]).toEqual(before);
  });

  it('loses what looks like a secret before it is stored', async () => {
    const bodies: AnnotationCreateWire[] = [
      correct(`Use ${CANARY} here`, { note: CANARY }),
      { signal: { kind: 'label', label: CANARY } },
    ];
    for (const body of bodies) await annotations.annotate(REVIEWER, RUN, body);
    const stored = await store.annotations.list(ACME, RUN);
    expect(stored).toMatchObject([
      { signal: { correction: 'Use [REDACTED] here' }, note: '[REDACTED]' },
      { signal: { label: '[REDACTED]' } },
    ]);
    expect(JSON.stringify([stored, lines])).not.toContain('canary');
  });

  it('on a run of another owner, or of nobody, is refused in the same words', async () => {
    const message = 'There is no such run.';
    for (const [by, runId] of [
      [principal(['*'], RIVAL), RUN],
      [REVIEWER, asId<RunId>('run-404')],
    ] as const) {
      expect(await refusal(flag, by, runId)).toMatchObject({ code: 'not_found', message });
      await expect(annotations.list(by.owner, runId)).rejects.toMatchObject({ code: 'not_found', message });
      expect(await annotations.overridesOf(by.owner, runId)).toEqual([]);
    }
    expect(lines).toEqual([]);
  });

  it('has texts of 8192 characters at most; what is too long is named and not quoted', async () => {
    const [fits, long] = ['x'.repeat(8_192), 'y'.repeat(8_193)];
    await annotations.annotate(REVIEWER, RUN, { signal: { kind: 'label', label: fits }, note: fits });
    const error = await refusal({
      signal: { kind: 'correction', correction: long, label: long },
      note: long,
    });
    expect(error?.code).toBe('validation_error');
    expect(error?.details?.issues?.map(({ pointer }) => pointer)).toEqual([
      '/note',
      '/signal/correction',
      '/signal/label',
    ]);
    expect(JSON.stringify([error, error?.message])).not.toContain('yy');
  });
});

describe('a target', () => {
  const about = (target: AnnotationCreateWire['target'] & object) => ({ ...flag, target });

  it.each([[{}], [{ eventId: 'run-1:0' }], [{ eventId: 'run-1:4' }], [{ nodeId: 'u' }]])(
    '%j of the run is accepted',
    async (target) => {
      expect(await annotations.annotate(REVIEWER, RUN, about(target))).toMatchObject(target);
    },
  );

  it.each([
    [{ eventId: 'run-1:5' }, 'event'],
    [{ eventId: 'run-1:-1' }, 'event'],
    [{ eventId: 'run-1:02' }, 'event'],
    [{ eventId: 'run-1:2.0' }, 'event'],
    [{ eventId: 'run-1:' }, 'event'],
    [{ eventId: 'run-2:2' }, 'event'],
    [{ eventId: '2' }, 'event'],
    [{ eventId: '' }, 'event'],
    [{ nodeId: 'left-out' }, 'node'],
    [{ nodeId: 'nowhere' }, 'node'],
    [{ eventId: 'run-1:2', nodeId: 'nowhere' }, 'node'],
  ])('%j that the run does not have is not found', async (target, what) => {
    const message = `There is no such ${what} in this run.`;
    expect(await refusal(about(target))).toMatchObject({ code: 'not_found', message });
  });

  it.each([[{ eventId: 'run-1:2', nodeId: 'u' }], [{ eventId: 'run-1:0', nodeId: 't' }]])(
    '%j whose parts disagree is refused',
    async (target) => {
      const error = await refusal(about(target));
      expect(error?.code).toBe('validation_error');
      expect(error?.details?.issues?.map(({ pointer }) => pointer)).toEqual(['/target/nodeId']);
    },
  );

  it('names the one node of an agent run, and the nodes of a workflow', async () => {
    await createRun('run-2', { kind: 'agent', agent });
    await createRun('run-3', { kind: 'workflow', workflowId: 'conformance-noop' });
    for (const [runId, own, foreign] of [
      ['run-2', 'agent', 'noop'],
      ['run-3', 'noop', 'agent'],
    ] as const) {
      const run = asId<RunId>(runId);
      expect(await refusal(about({ nodeId: own }), REVIEWER, run)).toBeUndefined();
      expect(await refusal(about({ nodeId: foreign }), REVIEWER, run)).toMatchObject({ code: 'not_found' });
    }
  });

  it('may be a task of a suite that belongs to the host', async () => {
    const hosts = asId<Digest>('sha256:hosts');
    await store.suites.put(HOST_OWNER, { ...suite, head: { ...suite.head, digest: hosts } }, 1);
    const { ordinals: _, ...whole } = evalPlan;
    await createRun('run-4', { kind: 'eval', ...whole, suite: { ...evalPlan.suite, digest: hosts } });
    expect(await refusal(about({ nodeId: 'left-out' }), REVIEWER, asId<RunId>('run-4'))).toBeUndefined();
  });
});

describe('an override', () => {
  it.each<[string, Override]>([
    ['{"score":0.9}', { score: 0.9 }],
    [' { "score" : 1e-1 }\n', { score: 0.1 }],
    ['{"score":0}', { score: 0 }],
    ['{"score":1}', { score: 1 }],
    ['{"passed":true}', { score: 1, passed: true }],
    ['{"passed":false}', { score: 0, passed: false }],
  ])('is %s', async (text, override) => {
    expect(await annotations.annotate(REVIEWER, RUN, correct(text))).toMatchObject({ override });
    expect(await annotations.annotate(principal(['*']), RUN, correct(text))).toMatchObject({ override });
  });

  const exact = '{"score":0.9}';
  it.each<[string, AnnotationCreateWire, Principal?]>([
    ['a score above 1', correct('{"score":1.01}')],
    ['a score below 0', correct('{"score":-0.1}')],
    ['a score without end', correct('{"score":1e999}')],
    ['a score in words', correct('{"score":"0.9"}')],
    ['no number', correct('{"score":NaN}')],
    ['nothing', correct('{"score":null}')],
    ['a side in words', correct('{"passed":"true"}')],
    ['both', correct('{"score":0.9,"passed":true}')],
    ['something beside it', correct('{"score":0.9,"why":1}')],
    ['two scores', correct('{"score":0.1,"score":0.9}')],
    ['a list', correct('[{"score":0.9}]')],
    ['prose around it', correct('Make it {"score":0.9}')],
    ['a bare number', correct('0.9')],
    ['an empty object', correct('{}')],
    ['a blank note', correct(exact, { note: ' \n\t' })],
    ['a note that nobody can see', correct(exact, { note: '\u200b\u2060\u00ad \u{e0041}\u0007' })],
    ['a note of foreign spaces', correct(exact, { note: '\u00a0\u3000\u2028\ufeff' })],
    ['no note', { signal: { kind: 'correction', correction: exact }, target: { eventId: 'run-1:2' } }],
    ['no target', correct(exact, { target: {} })],
    ['only the task as its target', correct(exact, { target: { nodeId: 't' } })],
    ['an event that is no score', correct(exact, { target: { eventId: 'run-1:1' } })],
    ['a label', correct('', { signal: { kind: 'label', label: exact, correction: exact } })],
    ['an author without the scope', correct(exact), principal(['runs:annotate', 'runs:create', 'evals:*'])],
  ])('is not made by %s, which stays an ordinary remark', async (_, body, by = REVIEWER) => {
    expect(await annotations.annotate(by, RUN, body)).not.toHaveProperty('override');
    expect(await annotations.overridesOf(ACME, RUN)).toEqual([]);
    expect(await annotations.list(ACME, RUN)).toHaveLength(1);
  });

  it('is listed with its task, oldest first, and each event is read once', async () => {
    await annotations.annotate(REVIEWER, RUN, correct('{"score":0.2}'));
    await annotations.annotate(REVIEWER, RUN, correct('Just a remark.'));
    await annotations.annotate(REVIEWER, RUN, correct('{"passed":true}', { target: { eventId: 'run-1:3' } }));
    await annotations.annotate(REVIEWER, RUN, correct('{"score":0.4}'));
    let reads = 0;
    const { read } = store.log;
    const counting = {
      ...store,
      log: {
        ...store.log,
        read: (...place: Parameters<typeof read>) => {
          reads += 1;
          return read(...place);
        },
      },
    };
    const counted = createAnnotations({
      store: counting,
      clock: systemClock,
      ids: { token: () => 'x' },
      log: { info: () => undefined },
      mask: maskSecrets,
    });
    const by = { by: 'reviewer' };
    expect(await counted.overridesOf(ACME, RUN)).toEqual([
      {
        taskId: 't',
        eventId: 'run-1:2',
        annotationId: 'ann-token-1',
        override: { score: 0.2 },
        at: 5_001,
        ...by,
      },
      {
        taskId: 'u',
        eventId: 'run-1:3',
        annotationId: 'ann-token-3',
        override: { score: 1, passed: true },
        at: 5_003,
        ...by,
      },
      {
        taskId: 't',
        eventId: 'run-1:2',
        annotationId: 'ann-token-4',
        override: { score: 0.4 },
        at: 5_004,
        ...by,
      },
    ]);
    expect(reads).toBe(2);
  });
});
