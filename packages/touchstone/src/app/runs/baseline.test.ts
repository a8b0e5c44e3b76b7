import {
  type AgentId,
  asId,
  type Digest,
  type EvalPlan,
  type HostError,
  type Issue,
  type JudgeIdentity,
  judgesDiffer,
  type RunId,
  type Scorecard,
  type SuiteId,
  type TaskId,
  type Version,
} from '@touchstone/protocol';
import { type Task, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../ports/index.js';
import { createMemoryStore } from '../../store/index.js';
import { createManualClock } from '../testing/manual-clock.js';
import { ACME } from '../testing/test-host.js';
import { type Comparable, comparisonIssues, pinBaseline } from './baseline.js';

const version = asId<Version>('1.0.0');
const suite = { suiteId: asId<SuiteId>('local.test.evals.s'), version, digest: asId<Digest>('sha256:suite') };
const agent = { agentId: asId<AgentId>('local.test.a'), version, digest: asId<Digest>('sha256:agent') };
const judge = (name: string): JudgeIdentity =>
  ({ provider: 'local', model: name, votes: 1, digest: `sha256:${name}` }) as unknown as JudgeIdentity;
const BASELINE = asId<RunId>('run-baseline');
const plan: EvalPlan & { readonly baselineRunId: RunId } = {
  kind: 'eval',
  suite,
  agent,
  modes: ['golden'],
  totalTasks: 3,
  repeats: 1,
  concurrency: 8,
  baselineRunId: BASELINE,
};
const taskIds = ['a', 'b', 'c'].map((name) => asId<TaskId>(name));
const tasks = taskIds.map(
  (taskId): Task => ({
    taskId,
    input: toBody(taskId),
    expected: { kind: 'golden', match: { strategy: 'exact', value: toBody(taskId) } },
  }),
);

/** A scorecard that came in a file, of these tasks. */
const card = (ids: readonly TaskId[], extra: Partial<Scorecard> = {}): Scorecard =>
  ({
    runId: BASELINE,
    suite,
    agent,
    modes: ['golden'],
    totalTasks: 3,
    repeats: 1,
    results: ids.map((taskId) => ({ taskId, score: 1, passed: true })),
    ...extra,
  }) as unknown as Scorecard;

let store: Store;
beforeEach(async () => {
  store = await createMemoryStore(createManualClock());
  const head = { ...suite, modes: ['golden'], taskCount: 3, rubricTasks: 0, judgedTasks: 0 } as const;
  await store.suites.put(ACME, { head, tasks }, 0);
});
afterEach(() => store.close());

const pin = (options: Partial<EvalPlan> = {}, configurable: object = {}, tolerance = 0) =>
  pinBaseline(store, ACME, { ...plan, ...options }, configurable as { [key: string]: unknown }, tolerance);
const pointers = (error: HostError) =>
  ((error.details?.issues ?? []) as readonly Issue[]).map(({ pointer }) => pointer);

describe('a baseline that came in a file', () => {
  it('is pinned as such', async () => {
    await store.baselines.keep(ACME, card(taskIds));
    expect(await pin()).toEqual({ baselineImported: true });
  });

  it.each<[string, readonly TaskId[], readonly number[] | undefined, boolean]>([
    ['all of them', taskIds, undefined, true],
    ['all of them by number', taskIds, [0, 1, 2], true],
    ['the same part', taskIds.slice(1), [1, 2], true],
    ['another part of the same size', taskIds.slice(1), [0, 1], false],
    ['less', taskIds.slice(1), undefined, false],
    ['more', taskIds, [0, 1], false],
    ['tasks of another name', [asId<TaskId>('x'), asId<TaskId>('b')], [0, 1], false],
  ])('with %s is compared only with a run of the same tasks', async (_, ids, ordinals, isSame) => {
    await store.baselines.keep(ACME, card(ids));
    const attempt = pin(ordinals ? { ordinals } : {});
    if (isSame) return void expect(await attempt).toEqual({ baselineImported: true });
    expect(await attempt.catch(pointers)).toEqual(['/configurable/baselineRunId']);
  });

  it('of another owner is none', async () => {
    await store.baselines.keep({ tenant: 'globex', workspace: 'main' }, card(taskIds));
    await expect(pin()).rejects.toMatchObject({ code: 'validation_error' });
  });
});

describe('what is pinned', () => {
  it('is the tolerance of the caller before that of the host, and nothing when there is none', async () => {
    await store.baselines.keep(ACME, card(taskIds));
    const toleranceOf = async (configurable: object, host: number) =>
      (await pin({}, configurable, host)).tolerance;
    expect(await toleranceOf({}, 0)).toBeUndefined();
    expect(await toleranceOf({}, 0.1)).toBe(0.1);
    expect(await toleranceOf({ regression: { tolerance: 0.2 } }, 0.1)).toBe(0.2);
    expect(await toleranceOf({ regression: { tolerance: 0 } }, 0.1)).toBeUndefined();
  });

  it('is the leave to compare across judges only when it is needed', async () => {
    await store.baselines.keep(ACME, card(taskIds, { judge: judge('one') }));
    const allowed = { allowJudgeMismatch: true };
    expect(await pin({ judge: judge('one') }, allowed)).toEqual({ baselineImported: true });
    expect(await pin({ judge: judge('two') }, allowed)).toEqual({
      baselineImported: true,
      judgeMismatchAllowed: true,
    });
    await expect(pin({ judge: judge('two') })).rejects.toMatchObject({ code: 'validation_error' });
    await expect(pin({ judge: judge('two') }, { allowJudgeMismatch: false })).rejects.toThrow();
  });

  it.each([
    null,
    [],
    'x',
    0.1,
    {},
    { tolerance: null },
    { tolerance: Number.NaN },
    { tolerance: 0.1, more: 1 },
  ])('is never a tolerance of %j', async (regression) => {
    await store.baselines.keep(ACME, card(taskIds));
    const found = await pin({}, { regression }).catch(pointers);
    expect(found).toEqual([expect.stringMatching(/^\/configurable\/regression(\/tolerance)?$/)]);
  });
});

const digests = fc.option(
  fc.constantFrom('sha256:a', 'sha256:b').map((text) => asId<Digest>(text)),
  { nil: undefined },
);
const comparables = fc
  .record({
    suite: fc.constantFrom('sha256:s', 'sha256:t'),
    repeats: fc.integer({ min: 1, max: 2 }),
    judge: digests,
    safetyJudge: digests,
    safetyPolicy: digests,
    embedder: fc.option(fc.constantFrom('embed-1', 'embed-2'), { nil: undefined }),
  })
  .map(
    (made): Comparable => ({
      suite: { ...suite, digest: asId<Digest>(made.suite) },
      repeats: made.repeats,
      ...(made.judge && { judge: { ...judge('any'), digest: made.judge } }),
      ...(made.safetyJudge && { safetyJudge: { ...judge('any'), digest: made.safetyJudge } }),
      ...(made.safetyPolicy && { safetyPolicy: made.safetyPolicy }),
      ...(made.embedder && { embedder: { provider: asId('local'), model: asId(made.embedder) } }),
    }),
  );

it('two runs have different judges when any of the four says so, and whichever comes first', () => {
  fc.assert(
    fc.property(comparables, comparables, (a, b) => {
      const same =
        a.judge?.digest === b.judge?.digest &&
        a.safetyJudge?.digest === b.safetyJudge?.digest &&
        a.safetyPolicy === b.safetyPolicy &&
        a.embedder?.model === b.embedder?.model;
      expect([judgesDiffer(a, b), judgesDiffer(b, a), judgesDiffer(a, a)]).toEqual([!same, !same, false]);
    }),
  );
});

it('nothing speaks against a run and itself; suite, tasks and repeats each speak for themselves', () => {
  fc.assert(
    fc.property(comparables, comparables, fc.boolean(), (a, b, sameTasks) => {
      expect(comparisonIssues(a, a, true)).toEqual([]);
      const sameSuite = a.suite.digest === b.suite.digest;
      const expected = (sameSuite && sameTasks ? 0 : 1) + (a.repeats === b.repeats ? 0 : 1);
      expect(comparisonIssues(a, b, sameTasks)).toHaveLength(expected);
    }),
  );
});
