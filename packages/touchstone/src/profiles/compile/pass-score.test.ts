import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agent, criterion, profile, rowsOf } from './fixtures/agents.js';
import { type CompiledContract, compileProfile } from './outputs.js';
import { passScoreOf } from './pass-score.js';

describe('worked examples', () => {
  test.each([
    {
      tasks: 2,
      soft: 0,
      hard: [
        { rate: 0.98, tasks: [0, 0, 2] },
        { rate: 0.9, tasks: [0, 0, 2] },
      ],
      passScore: 1,
    },
    { tasks: 10, soft: 0, hard: [{ rate: 0.9, tasks: [0, 10] }], passScore: 0.9 },
    { tasks: 3, soft: 0, hard: [{ rate: 0.5, tasks: [0, 3] }], passScore: 0.666666666 },
    { tasks: 4, soft: 1, hard: [{ rate: 1, tasks: [0, 3] }], passScore: 0.75 },
    { tasks: 4, soft: 0, hard: [{ rate: 0, tasks: [0, 4] }], passScore: 0 },
    // 0.29 · 100 is a little more than 29 in binary: without slack, 30 of 100 tasks would have to be met.
    { tasks: 100, soft: 0, hard: [{ rate: 0.29, tasks: [0, 100] }], passScore: 0.29 },
    // Its two misses cost most where it stands alone.
    { tasks: 4, soft: 0, hard: [{ rate: 0.5, tasks: [0, 1, 3] }], passScore: 0.625 },
    { tasks: 5, soft: 5, hard: [], passScore: 0 },
  ])('$tasks tasks, $soft soft: $passScore', ({ tasks, soft, hard, passScore }) => {
    expect(passScoreOf(tasks, soft, hard)).toBe(passScore);
  });
});

/** The scorecard's mean: summed with compensation, then divided. */
function meanOf(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return (sum + lost) / values.length;
}

/** Names of binary checks that apply to every row. */
const NAMES = ['json_validity', 'valid_json', 'non_empty', 'latency', 'response_time'];

type RandomProfile = {
  readonly criteria: readonly { readonly strict: boolean; readonly rate: number }[];
  readonly rows: readonly { readonly applies: readonly boolean[]; readonly golden: boolean }[];
};

const flags = fc.array(fc.boolean(), { minLength: NAMES.length, maxLength: NAMES.length });
const rate = fc.oneof(fc.constantFrom(0.5, 0.9, 2 / 3, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const profiles: fc.Arbitrary<RandomProfile> = fc.record({
  criteria: fc.array(fc.record({ strict: fc.boolean(), rate }), { minLength: 1, maxLength: NAMES.length }),
  rows: fc.array(fc.record({ applies: flags, golden: fc.boolean() }), { minLength: 1, maxLength: 24 }),
});

/** Compiles a random profile of binary checks; rows to which nothing applies are golden. */
function compileRandom({ criteria, rows }: RandomProfile) {
  const names = NAMES.slice(0, criteria.length);
  const given = rows.map(({ applies, golden }) => {
    const applied = names.filter((_, index) => applies[index]);
    return { input: 1, criteria: applied, ...((golden || applied.length === 0) && { expected: 1 }) };
  });
  // A hard criterion that applies nowhere would be refused.
  const isUsed = (name: string) => given.some((row) => row.criteria.includes(name));
  const grading_rubric = criteria.map(({ strict, rate: threshold }, index) =>
    criterion(names[index] ?? '', { strict: strict && isUsed(names[index] ?? ''), threshold }),
  );
  const subject = agent(profile({ grading_rubric, expected_latency_ms: 9 }));
  return compileProfile({ agent: subject, rows: rowsOf(...given) });
}

/** One criterion on one task. */
type Cell = { readonly id: string; readonly weight: number };
type MissesOf = (id: string, tasks: readonly number[], allowed: number) => readonly number[];

const cellsOf = ({ suite, contract }: CompiledContract): readonly (readonly Cell[])[] =>
  suite.tasks.map(({ taskId, expected }) => {
    const rubric = (expected.rubric ?? [{ weight: 1 }]) as unknown as readonly { readonly weight: number }[];
    const ids = contract.tasks[taskId]?.criteria ?? [];
    return ids.map((id, at) => ({ id, weight: rubric[at]?.weight ?? Number.NaN }));
  });

/** The score of a run that misses each criterion in the tasks that `missesOf` picks. */
function scoreWith(compiled: CompiledContract, missesOf: MissesOf): number {
  const cells = cellsOf(compiled);
  const missed = new Map<string, ReadonlySet<number>>();
  for (const { id, strict, rate: required } of compiled.contract.criteria) {
    const tasks = cells.flatMap((row, task) => (row.some((cell) => cell.id === id) ? [task] : []));
    const allowed = strict ? tasks.length - Math.ceil(required * tasks.length - 1e-9) : tasks.length;
    missed.set(id, new Set(missesOf(id, tasks, allowed)));
  }
  return meanOf(
    cells.map((row, task) => {
      const met = row.map(({ id, weight }) => (missed.get(id)?.has(task) ? 0 : weight));
      return total(met) / total(row.map(({ weight }) => weight));
    }),
  );
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/**
 * Goal: the bar is exactly the lowest score of a run that keeps its gates. Method: draw runs whose hard criteria are
 * missed at most as often as their rates allow, and the run that misses them that often where they weigh most.
 */
describe('the pass score of random contracts', () => {
  test('no run that keeps every gate falls below it', async () => {
    await fc.assert(
      fc.asyncProperty(
        profiles,
        fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
        async (given, draws) => {
          const compiled = await compileRandom(given);
          let at = 0;
          const draw = (below: number) => (draws[at++ % draws.length] ?? 0) % below;
          const score = scoreWith(compiled, (_, tasks, allowed) => {
            const left = [...tasks];
            return Array.from(
              { length: draw(allowed + 1) },
              () => left.splice(draw(left.length), 1)[0] ?? -1,
            );
          });
          expect(score).toBeGreaterThanOrEqual(compiled.suite.thresholds.passScore ?? Number.NaN);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('one run reaches it, to within what rounding down takes', async () => {
    await fc.assert(
      fc.asyncProperty(profiles, async (given) => {
        const compiled = await compileRandom(given);
        const cells = cellsOf(compiled);
        const weightIn = (id: string, task: number) =>
          cells[task]?.find((cell) => cell.id === id)?.weight ?? 0;
        const lowest = scoreWith(compiled, (id, tasks, allowed) =>
          [...tasks].sort((a, b) => weightIn(id, b) - weightIn(id, a)).slice(0, allowed),
        );
        const passScore = compiled.suite.thresholds.passScore ?? Number.NaN;
        expect(lowest).toBeGreaterThanOrEqual(passScore);
        expect(lowest - passScore).toBeLessThan(2.1e-9);
      }),
      { numRuns: 300 },
    );
  });

  test('what does not add up exactly in binary keeps a distance from the pass score', () => {
    const each = (count: number) =>
      Array.from({ length: count }, () => ({ rate: 0.9, tasks: [...Array(count).fill(0), 10] }));
    expect(passScoreOf(10, 0, each(2))).toBe(0.9);
    expect(passScoreOf(10, 0, each(3))).toBe(0.899999999);
  });
});
