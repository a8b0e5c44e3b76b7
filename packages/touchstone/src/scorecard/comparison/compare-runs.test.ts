import {
  asId,
  type CriterionId,
  type Digest,
  judgesDiffer,
  judgesOfCommonDiffer,
  type ScorerName,
  type TaskResult,
  TURNS,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareRuns, type MeasuredResults } from './compare-runs.js';

const result = (taskId: string, score: number, more: Partial<TaskResult> = {}): TaskResult => ({
  taskId: asId(taskId),
  score,
  passed: score >= 0.8,
  ...more,
});

const side = (results: readonly TaskResult[], more: Partial<MeasuredResults> = {}): MeasuredResults => ({
  runId: asId('run-1'),
  suite: { suiteId: asId('acme.evals.one'), version: asId('1.0.0'), digest: asId('sha256:1') },
  agent: { agentId: asId('local.acme.one'), version: asId('1.0.0'), digest: asId('sha256:2') },
  repeats: 1,
  results,
  endedAt: asId('2026-01-01T00:00:00.000Z'),
  ...more,
});

const tasks = (before: readonly TaskResult[], after: readonly TaskResult[]) =>
  compareRuns(side(before), side(after), { tolerance: 0 }).tasks;

const UNSCORED = { unscored: 'judge_unreadable', score: 0, passed: false } as const;

describe('the tasks of two runs', () => {
  test('come with the largest drop on top, then what is unclear, then gains, then the rest', () => {
    const before = [
      result('same', 1),
      result('small-gain', 0.5),
      result('small-drop', 1),
      result('gone', 1),
      result('large-gain', 0),
      result('unscored-now', 1),
      result('large-drop', 1),
      result('unscored-then', 0, UNSCORED),
      result('never-scored', 0, UNSCORED),
    ];
    const after = [
      result('new', 1),
      result('same', 1),
      result('small-gain', 0.6),
      result('small-drop', 0.9),
      result('large-gain', 1),
      result('unscored-now', 0, UNSCORED),
      result('large-drop', 0),
      result('unscored-then', 1),
      result('never-scored', 0, UNSCORED),
    ];
    const sorted = tasks(before, after);
    expect(sorted.map(({ taskId }) => taskId)).toEqual([
      'large-drop',
      'small-drop',
      'unscored-now',
      'unscored-then',
      'large-gain',
      'small-gain',
      'same',
      'never-scored',
      'gone',
      'new',
    ]);
    expect(sorted.filter((pair) => pair.change === undefined).map(({ turn }) => turn)).toEqual([
      'unclear',
      'unclear',
      'same',
      'gone',
      'new',
    ]);
  });

  test('are all there once, sorted by turn and size, whatever the runs', () => {
    const results = fc
      .uniqueArray(fc.tuple(fc.nat(12), fc.constantFrom(0, 0.25, 0.5, 1), fc.boolean()), {
        selector: ([id]) => id,
      })
      .map((rows) => rows.map(([id, score, unscored]) => result(`t-${id}`, score, unscored ? UNSCORED : {})));
    fc.assert(
      fc.property(results, results, (before, after) => {
        const sorted = tasks(before, after);
        const ids = new Set([...before, ...after].map(({ taskId }) => taskId));
        expect(new Set(sorted.map(({ taskId }) => taskId))).toEqual(ids);
        expect(sorted).toHaveLength(ids.size);
        const keys = sorted.map((pair) => TURNS.indexOf(pair.turn) * 10 - Math.abs(pair.change ?? 0));
        expect(keys).toEqual(keys.toSorted((a, b) => a - b));
      }),
    );
  });

  test('that came out the same are counted instead of listed where only the others are asked for', () => {
    const before = [result('a', 1), result('b', 1), result('c', 0, UNSCORED), result('d', 0)];
    const after = [result('a', 1), result('b', 0), result('c', 0, UNSCORED), result('e', 0)];
    const listed = compareRuns(side(before), side(after), { tolerance: 0 });
    const short = compareRuns(side(before), side(after), { tolerance: 0, changedOnly: true });
    expect(short).toEqual({
      ...listed,
      tasks: listed.tasks.filter(({ turn }) => turn !== 'same'),
      sameTasks: 2,
    });
  });

  test('whose means differ in the last digit only have not moved', () => {
    const [pair] = tasks([result('t', 0.1 + 0.2)], [result('t', 0.3)]);
    expect(pair?.change).toBe(0);
  });

  test('that crossed a raised threshold with the same score count as worse', () => {
    const [pair] = tasks([result('t', 0.7, { passed: true })], [result('t', 0.7)]);
    expect(pair?.turn).toBe('worse');
  });
});

describe('criteria', () => {
  const criteria = (...met: readonly number[]) =>
    met.map((share, at) => ({ id: asId<CriterionId>(`c-${at}`), met: share, weight: 1 }));

  test('are averaged over the tasks that both runs decided, the largest loss first', () => {
    const before = [
      result('one', 1, { criteria: criteria(1, 0, 1) }),
      result('two', 1, { criteria: criteria(1, 1, 1) }),
      result('three', 0, { ...UNSCORED }),
    ];
    const after = [
      result('one', 1, { criteria: criteria(1, 1, 1) }),
      result('two', 1, { criteria: criteria(0.5, 1, 1) }),
      result('three', 1, { criteria: criteria(0, 0, 0) }),
    ];
    const { criteria: changed } = compareRuns(side(before), side(after), { tolerance: 0 });
    const example = (taskId: string, at: number) => ({ taskId, before: at, after: at });
    expect(changed).toEqual([
      { id: 'c-0', tasks: 2, before: 1, after: 0.75, changed: 1, example: example('two', 0) },
      { id: 'c-1', tasks: 2, before: 0.5, after: 1, changed: 1, example: example('one', 1) },
    ]);
  });
});

describe('a verdict', () => {
  const one = side([result('a', 1), result('b', 1)]);
  const other = (digest: string, version: string): MeasuredResults['suite'] => ({
    ...one.suite,
    digest: asId(digest),
    version: asId(version),
  });

  test('is given on two runs of the same tasks', () => {
    const { noVerdict } = compareRuns(one, side([result('a', 0), result('b', 1)]), { tolerance: 0 });
    expect(noVerdict).toBeUndefined();
  });

  test.each([
    ['edited between', { suite: other('sha256:9', '1.0.0') }],
    ['different versions', { suite: other('sha256:9', '1.1.0') }],
    ['different suites', { suite: { ...other('sha256:9', '1.0.0'), suiteId: asId('acme.evals.two') } }],
    ['different tasks', { results: [result('a', 1)] }],
    ['once before and 3 times after', { repeats: 3 }],
    ['different contracts', { contract: asId('sha256:c') }],
  ] as const)('is withheld with a reason: %s', (words, change) => {
    const after = { ...one, ...(change as Partial<MeasuredResults>) };
    expect(compareRuns(one, after, { tolerance: 0 }).noVerdict?.message).toContain(words);
  });

  test('on scores of different judges is given only by request', () => {
    const judged = { ...one, judge: { digest: 'sha256:7' } as NonNullable<MeasuredResults['judge']> };
    expect(compareRuns(one, judged, { tolerance: 0 })).toMatchObject({ noVerdict: { code: 'other_judge' } });
    const allowed = compareRuns(one, judged, { tolerance: 0, allowJudgeMismatch: true });
    expect(allowed).toMatchObject({ regression: { otherJudge: true } });
    expect(allowed.noVerdict).toBeUndefined();
  });

  test('of different judges is noticed in any of the four that may differ', () => {
    const judge = { digest: 'sha256:7' } as MeasuredResults['judge'];
    expect(judgesDiffer(one, one)).toBe(false);
    expect(judgesDiffer(one, { ...one, ...(judge && { judge }) })).toBe(true);
    expect(judgesDiffer(one, { ...one, ...(judge && { safetyJudge: judge }) })).toBe(true);
    expect(judgesDiffer(one, { ...one, safetyPolicy: asId('sha256:8') })).toBe(true);
    const embedder = { provider: asId('local'), model: asId('embed-1') } as NonNullable<
      MeasuredResults['embedder']
    >;
    expect(judgesDiffer(one, { ...one, embedder })).toBe(true);
    expect(judgesDiffer({ ...one, embedder }, { ...one, embedder: { ...embedder } })).toBe(false);
    const scorer = { name: asId<ScorerName>('tone'), digest: asId<Digest>('sha256:1') };
    const edited = { ...scorer, digest: asId<Digest>('sha256:2') };
    expect(judgesDiffer({ ...one, scorers: [scorer] }, { ...one, scorers: [edited] })).toBe(true);
    expect(
      judgesDiffer({ ...one, scorers: [scorer] }, { ...one, scorers: [{ ...scorer, evidence: true }] }),
    ).toBe(false);
  });

  test('of answers to different users is noticed, and a user that only one suite has says nothing about common tasks', () => {
    const user = (digest: string) => ({ digest }) as NonNullable<MeasuredResults['simulatedUser']>;
    const [first, second] = ['sha256:7', 'sha256:8'].map((digest) => ({
      ...one,
      simulatedUser: user(digest),
    }));
    expect(judgesDiffer(first ?? one, second ?? one)).toBe(true);
    expect(judgesDiffer(one, first ?? one)).toBe(true);
    expect(judgesOfCommonDiffer(first ?? one, second ?? one)).toBe(true);
    expect(judgesOfCommonDiffer(one, first ?? one)).toBe(false);
  });
});
