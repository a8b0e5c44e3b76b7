import {
  asId,
  type CriterionId,
  type EvalPlan,
  type Finding,
  type FindingKind,
  type RunId,
  type RunTotals,
  type TaskId,
  type TaskResult,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run, StepResult } from '../../ports/index.js';
import {
  createComparison,
  createHeadlineFigures,
  createReport,
  type MeasuredFacts,
} from '../../scorecard/index.js';
import { foldRuns, type ResultsOf } from './fold-runs.js';
import { createResults } from './results.js';

// Goal: results that are read page by page come to the same figures, byte for byte, as results that are all at hand.
// Method: random runs longer than a page, in a log and as a list, through the same folds.

const criteria = fc.array(
  fc.record(
    {
      id: fc.constantFrom('polite', 'short', 'right').map((id) => asId<CriterionId>(id)),
      met: fc.constantFrom(0, 1 / 3, 1),
      weight: fc.constantFrom(1, 0.1),
      agreement: fc.constantFrom(1, 2 / 3),
    },
    { requiredKeys: ['id', 'met', 'weight'] },
  ),
  { maxLength: 3 },
);
const finding: fc.Arbitrary<Finding> = fc.record({
  kind: fc.constantFrom('secret', 'injection').map((kind) => asId<FindingKind>(kind)),
  severity: fc.constantFrom('low', 'critical'),
});
const usd = fc.double({ min: 0, max: 1, noNaN: true });
const result = fc.record(
  {
    score: fc.oneof(fc.constantFrom(0, 1, 1 / 3), usd),
    passed: fc.boolean(),
    latencyMs: fc.oneof(fc.nat(100), usd),
    costUsd: usd,
    judgeUsd: usd,
    simulatedUserUsd: usd,
    unpriced: fc.constant(1),
    cacheHits: fc.constant(2),
    findings: fc.array(finding, { minLength: 1, maxLength: 2 }),
    unscored: fc.constant('judge_unreadable'),
    criteria,
    repeats: fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 2, maxLength: 2 }),
  },
  { requiredKeys: ['score', 'passed'] },
);

/** A run of so many tasks, made of a few different results in turn. */
const runOf = (few: readonly object[], count: number): readonly TaskResult[] =>
  Array.from(
    { length: count },
    (_, at) => ({ taskId: asId<TaskId>(`s${at % 3}-${at}`), ...few[at % few.length] }) as TaskResult,
  );
const runs = fc
  .tuple(
    fc.array(result, { minLength: 1, maxLength: 7 }),
    fc.array(result, { minLength: 1, maxLength: 7 }),
    fc.constantFrom(1, 4, 250, 501),
  )
  .map(([before, after, count]) => [runOf(before, count), runOf(after, count)] as const);

const suite = { suiteId: asId('acme.evals.one'), version: asId('1.0.0'), digest: asId('sha256:1') } as const;
const agent = { agentId: asId('local.acme.one'), version: asId('1.0.0'), digest: asId('sha256:2') } as const;
const plan = {
  ...{ kind: 'eval', suite, agent, modes: ['golden'], totalTasks: 600, repeats: 2, concurrency: 1 },
} as EvalPlan;
const facts = { runId: asId<RunId>('after'), plan, thresholds: { passScore: 0.5, maxCostUsd: 9 } };
const measured = (name: string) =>
  ({
    runId: asId(name),
    suite,
    agent,
    repeats: 2,
    endedAt: asId('2026-01-01T00:00:00.000Z'),
  }) as MeasuredFacts;

/** The same runs in a log. Without totals a run counts as a long one. */
function logOf(stored: { readonly [runId: string]: readonly StepResult[] }, headline?: RunTotals) {
  const read: number[] = [];
  const results = createResults({
    failures: async () => [],
    async results(_owner, runId, from, limit) {
      read.push(limit);
      return stored[runId]?.slice(from, from + limit) ?? [];
    },
  });
  const from = (runId: string): ResultsOf => ({
    run: { runId, owner: {}, status: 'completed', ...(headline && { headline }) } as unknown as Run,
  });
  return { results, from, read };
}
const steps = (results: readonly TaskResult[]): readonly StepResult[] =>
  results.map((one, ordinal) => ({ ordinal, result: one, firstSequence: ordinal, lastSequence: ordinal }));

async function allFigures(results: ReturnType<typeof createResults>, before: ResultsOf, after: ResultsOf) {
  const baseline = measured('before');
  const options = { tolerance: 0.01 };
  const compared = await foldRuns(results, before, after, () =>
    createComparison(baseline, measured('after'), options),
  );
  const report = await foldRuns(results, before, after, () => createReport(facts, { baseline }));
  const figures = await foldRuns(results, before, after, () => createHeadlineFigures(facts, baseline));
  const alone = await foldRuns(results, undefined, after, () => createReport(facts, {}));
  return JSON.stringify([
    compared.fold.result(compared.sameTasks),
    report.fold.result(),
    figures.fold.result(),
    alone.fold.result(),
  ]);
}

describe('runs that are folded page by page', () => {
  it('come to what they come to when all of their results are at hand', () =>
    fc.assert(
      fc.asyncProperty(runs, async ([before, after]) => {
        const { results, from, read } = logOf({ before: steps(before), after: steps(after) });
        const walked = await allFigures(results, from('before'), from('after'));
        expect(Math.max(...read)).toBe(250);
        expect(walked).toBe(await allFigures(results, { results: before }, { results: after }));
      }),
      { numRuns: 30 },
    ));

  it('are folded as a whole where their tasks or their order differ', async () => {
    const [before, after] = [
      runOf([{ score: 1, passed: true }], 600),
      runOf([{ score: 0, passed: false }], 600),
    ];
    const [first, ...others] = steps(after);
    const late = [...others, first as StepResult];
    const logs = { before: steps(before), after: late, short: steps(before.slice(1)) };
    const { results, from } = logOf(logs);
    const atHand = await allFigures(results, { results: before }, { results: after });
    expect(await allFigures(results, from('before'), from('after'))).toBe(atHand);
    expect(await allFigures(results, from('short'), from('before'))).toBe(
      await allFigures(results, { results: before.slice(1) }, { results: before }),
    );
  });

  it('are refused as damaged when they do not come to the totals of their run', async () => {
    const totals = { aggregateScore: 1, passed: true, taskCount: 10_001, passedCount: 10_001, unscored: 0 };
    const after = runOf([{ score: 1, passed: true }], 10_001);
    const fold = (headline: RunTotals) => {
      const { results, from } = logOf({ after: steps(after) }, headline);
      return foldRuns(results, undefined, from('after'), () => createHeadlineFigures(facts));
    };
    expect((await fold(totals)).sameTasks).toBe(true);
    await expect(fold({ ...totals, passedCount: 10_000 })).rejects.toMatchObject({ code: 'unavailable' });
  });
});
