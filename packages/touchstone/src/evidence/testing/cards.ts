import { createPrivateKey } from 'node:crypto';
import {
  asId,
  EVAL_MODES,
  type Finding,
  type HostError,
  type Id,
  type Issue,
  isHostError,
  MODEL_CLASSES,
  type Scorecard,
  SEVERITIES,
  type TaskResult,
  UNSCORED_REASONS,
} from '@touchstone/protocol';
import fc from 'fast-check';

export const HOST = { name: 'touchstone', version: '0.1.0' };

const digest = (digit: string) => asId<Id<'digest'>>(`sha256:${digit.repeat(64)}`);

const RESULTS: readonly TaskResult[] = [
  {
    taskId: asId('refund-1'),
    score: 0.75,
    passed: false,
    latencyMs: 120,
    costUsd: 0.003,
    judgeUsd: 0.001,
    unpriced: 1,
    cacheHits: 2,
    schemaValid: true,
    findings: [{ kind: asId('pii-email'), severity: 'medium' }],
    outcome: 'refused',
    criteria: [{ id: asId('c-0123456789ab'), met: 0.5, weight: 2, agreement: 0.8 }],
    judge: digest('4'),
    repeats: [0.5, 1],
  },
  { taskId: asId('refund-2'), score: 0, passed: false, unscored: 'judge_unreadable', repeats: [0, 0] },
];

const JUDGE = {
  provider: asId<Id<'model'>>('local'),
  model: asId<Id<'model'>>('judge-1'),
  votes: 3,
  promptDigest: digest('3'),
  digest: digest('4'),
  mock: true,
} as const;

/** A scorecard in which every member there can be is set. */
export const FULL_CARD: Scorecard = {
  runId: asId('run-1'),
  suite: { suiteId: asId('core.acme.evals.refunds'), version: asId('1.2.0'), digest: digest('1') },
  agent: {
    agentId: asId('local.acme.support'),
    version: asId('2.0.0-rc.1'),
    digest: digest('2'),
    channel: asId('beta'),
  },
  model: {
    provider: asId('127.0.0.1:8000'),
    model: asId('gröẞe/small-1'),
    temperature: 0.2,
    maxTokens: 512,
    mock: true,
  },
  judge: JUDGE,
  safetyJudge: JUDGE,
  safetyPolicy: digest('5'),
  modes: ['golden', 'rubric'],
  totalTasks: 3,
  repeats: 2,
  thresholds: { passScore: 0.8, maxCostUsd: 1, maxP95LatencyMs: 2000 },
  results: RESULTS,
  summary: {
    suiteId: asId('core.acme.evals.refunds'),
    suiteVersion: asId('1.2.0'),
    evaluatedModelClass: 'general',
    aggregateScore: 0.375,
    passed: false,
    taskCount: 2,
    passedCount: 0,
    totalCostUsd: 0.003,
    tasks: [
      {
        taskId: asId('refund-1'),
        score: 0.75,
        passed: false,
        costUsd: 0.003,
        latencyMs: 120,
        schemaValid: true,
        safetyFindings: [{ kind: asId('pii-email'), severity: 'medium' }],
      },
      { taskId: asId('refund-2'), score: 0, passed: false },
    ],
    regression: {
      baselineRunId: asId('run-0'),
      scoreDelta: -0.25,
      diffRef: '/v1/runs/run-1:diff?against=run-0',
    },
  },
  startedAt: asId('2026-01-31T12:00:00.000Z'),
  endedAt: asId('2026-01-31T12:00:07.250Z'),
  log: { events: 21, digest: digest('6') },
  caveats: {
    rejudgeOf: asId('run-a'),
    forkOf: asId('run-b'),
    cacheHits: 2,
    mock: true,
    targetMismatch: true,
    nondeterministic: true,
  },
};

const idLike = <T extends Id<string>>(pattern: RegExp) =>
  fc.stringMatching(pattern).map((text) => asId<T>(text));
const anyDigest = idLike<Id<'digest'>>(/^sha256:[0-9a-f]{64}$/);
const fraction = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const usd = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => value + 0);
const moment = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => asId<Id<'timestamp'>>(date.toISOString()));
const finding: fc.Arbitrary<Finding> = fc.record({
  kind: idLike(/^[a-z]{1,5}-[a-z]{1,5}$/),
  severity: fc.constantFrom(...SEVERITIES),
});

const anyResult: fc.Arbitrary<TaskResult> = fc.record(
  {
    taskId: idLike<Id<'task'>>(/^[a-z0-9][a-z0-9-]{0,8}$/),
    score: fraction,
    passed: fc.boolean(),
    latencyMs: fc.nat(),
    costUsd: usd,
    judgeUsd: usd,
    unpriced: fc.nat(),
    schemaValid: fc.boolean(),
    findings: fc.array(finding, { maxLength: 2 }),
    unscored: fc.constantFrom(...UNSCORED_REASONS),
    outcome: fc.constantFrom('failed', 'refused'),
    judge: anyDigest,
  },
  { requiredKeys: ['taskId', 'score', 'passed'] },
);

/** Any scorecard whose parts agree with each other. */
export const anyCard: fc.Arbitrary<Scorecard> = fc
  .record({
    runId: idLike<Id<'run'>>(/^run-[a-z0-9]{1,10}$/),
    suiteId: idLike<Id<'suite'>>(/^[a-z]{1,5}\.evals\.[a-z]{1,5}$/),
    agentId: idLike<Id<'agent'>>(/^local\.[a-z]{1,5}\.[a-z]{1,5}$/),
    version: idLike<Id<'version'>>(/^[1-9]\.[0-9]\.[0-9]$/),
    digests: fc.tuple(anyDigest, anyDigest, anyDigest),
    modes: fc.uniqueArray(fc.constantFrom(...EVAL_MODES), { minLength: 1 }),
    modelClass: fc.constantFrom(...MODEL_CLASSES),
    results: fc.uniqueArray(anyResult, { minLength: 1, maxLength: 5, selector: ({ taskId }) => taskId }),
    aggregateScore: fraction,
    passed: fc.boolean(),
    moments: fc.tuple(moment, moment),
    events: fc.integer({ min: 1 }),
    beyond: fc.nat(),
  })
  .map(({ suiteId, agentId, version, digests, results, aggregateScore, passed, moments, ...rest }) => ({
    runId: rest.runId,
    suite: { suiteId, version, digest: digests[0] },
    agent: { agentId, version, digest: digests[1] },
    modes: rest.modes,
    totalTasks: results.length + rest.beyond,
    repeats: 1,
    results,
    summary: {
      suiteId,
      suiteVersion: version,
      evaluatedModelClass: rest.modelClass,
      aggregateScore,
      passed,
      taskCount: results.length,
      passedCount: results.filter((result) => result.passed).length,
      tasks: results.map(({ taskId, score, passed: taskPassed }) => ({ taskId, score, passed: taskPassed })),
    },
    startedAt: earlier(moments[0], moments[1]),
    endedAt: earlier(moments[1], moments[0]) === moments[0] ? moments[1] : moments[0],
    log: { events: rest.events, digest: digests[2] },
  }));

// A key that everybody has: the first secret key of RFC 8032, section 7.1, in its PKCS 8 wrapping.
const KNOWN_SECRET = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
export const KNOWN_PRIVATE_KEY = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${KNOWN_SECRET}`, 'hex'),
  format: 'der',
  type: 'pkcs8',
})
  .export({ type: 'pkcs8', format: 'pem' })
  .toString();

/** The refusal that comes of this, or undefined. Any other error is a defect and comes through as it is. */
export function refusalOf(attempt: () => unknown): HostError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (isHostError(error) && error.code === 'validation_error') return error;
    throw error;
  }
}

export const pointersOf = (error: HostError | undefined): readonly string[] =>
  ((error?.details?.issues ?? []) as readonly Issue[]).map(({ pointer }) => pointer);

type Path = readonly (string | number)[];

/** Every place in a JSON value, the root first. */
export function placesOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const below = steps.flatMap((step) =>
    placesOf((value as { readonly [step: string | number]: unknown })[step], [...path, step]),
  );
  return [path, ...below];
}

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((node, step) => (node as { readonly [step: string | number]: unknown })[step], value);

/** A copy with another value in one place; undefined takes the member out. */
export function withValueAt(value: unknown, [step, ...rest]: Path, replacement: unknown): unknown {
  if (step === undefined) return replacement;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as {
    [step: string | number]: unknown;
  };
  const changed = withValueAt(copy[step], rest, replacement);
  if (changed === undefined) delete copy[step];
  else copy[step] = changed;
  return copy;
}

function earlier<T extends string>(one: T, other: T): T {
  return [one, other].sort()[0] as T;
}
