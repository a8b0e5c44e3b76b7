import {
  type AgentId,
  asId,
  type ContractReport,
  type CriterionId,
  type Digest,
  type EvalPlan,
  type GateStatus,
  type ModelName,
  type RunId,
  type SuiteId,
  type TaskId,
  type TaskResult,
  type Version,
} from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { ContractTerm } from './contract-gates.js';
import { buildContractReport, type ContractTerms } from './contract-report.js';

const version = asId<Version>('1.0.0');
const digestOf = (text: string) => asId<Digest>(`sha256:${text}`);
const plan: EvalPlan = {
  kind: 'eval',
  suite: { suiteId: asId<SuiteId>('local.acme.evals.a'), version, digest: digestOf('5') },
  agent: { agentId: asId<AgentId>('local.acme.a'), version, digest: digestOf('a') },
  modes: ['rubric'],
  totalTasks: 50,
  repeats: 1,
  concurrency: 8,
  contract: digestOf('c'),
};
const summary = { aggregateScore: 0.75, passed: true };
const idOf = (id: string) => asId<CriterionId>(id);
const term = (id: string, more: Partial<ContractTerm> = {}): ContractTerm => ({
  id: idOf(id),
  strict: true,
  evaluator: 'judge',
  rate: 1,
  ...more,
});

type Decided = NonNullable<TaskResult['criteria']>[number];
/** `+` met, `-` missed, `?` nobody could say, `.` left out. */
type Mark = '+' | '-' | '?' | '.';
const decidedBy = (mark: Mark, id: string): Decided[] =>
  mark === '.'
    ? []
    : [
        {
          id: idOf(id),
          met: mark === '+' ? 1 : 0,
          weight: 1,
          ...(mark === '?' && { unjudged: 'judge_unreachable' as const }),
        },
      ];

const resultOf = (at: number, more: Partial<TaskResult> = {}): TaskResult => ({
  taskId: asId<TaskId>(`row-${at}`),
  score: 1,
  passed: true,
  latencyMs: 10,
  ...more,
});
const marked = (marks: string, id = 'a'): TaskResult[] =>
  [...marks].map((mark, at) => resultOf(at, { criteria: decidedBy(mark as Mark, id) }));

function report(
  criteria: readonly ContractTerm[],
  results: readonly TaskResult[],
  more: { readonly terms?: Partial<ContractTerms>; readonly plan?: Partial<EvalPlan> } = {},
): ContractReport {
  const ids = criteria.map(({ id }) => id);
  const contract: ContractTerms = {
    digest: digestOf('c'),
    criteria,
    tasks: new Map(results.map(({ taskId }) => [taskId, ids])),
    ...more.terms,
  };
  const facts = { runId: asId<RunId>('run-1'), plan: { ...plan, ...more.plan }, contract, summary };
  return buildContractReport(facts, results);
}

describe('a gate', () => {
  it.each<[string, Partial<ContractTerm>, GateStatus, ContractReport['verdict'], string]>([
    ['++++', {}, 'pass', 'pass', 'met everywhere'],
    ['+++-', {}, 'fail', 'fail', 'missed once of four, where all are required'],
    ['+++-', { rate: 0.75 }, 'pass', 'pass', 'missed once, where three quarters will do'],
    ['++--', { rate: 0.75 }, 'fail', 'fail', 'missed twice'],
    ['++-', { rate: 2 / 3 }, 'pass', 'pass', 'two thirds are two thirds, however they are rounded'],
    ['---', { rate: 0 }, 'pass', 'pass', 'nothing is required'],
    ['+++?', {}, 'error', 'error', 'nobody could say of one, on which it hangs'],
    ['++-?', {}, 'fail', 'fail', 'missed whatever the open one is'],
    ['+++?', { rate: 0.75 }, 'pass', 'pass', 'met whatever the open one is'],
    ['++-?', { rate: 0.75 }, 'error', 'error', 'it hangs on the open one'],
    ['+--?', { rate: 0.75 }, 'fail', 'fail', 'the open one could not save it'],
    ['????', {}, 'error', 'error', 'nobody could say anything'],
    ['+++.', {}, 'error', 'error', 'a strict one that is missing is not met'],
    ['', {}, 'warn', 'pass', 'none of the chosen tasks has to meet it'],
    ['+++-', { strict: false }, 'warn', 'pass', 'advice that was not followed'],
    ['++++', { strict: false }, 'pass', 'pass', 'advice that was'],
    ['+++-', { strict: false, rate: 0.7 }, 'pass', 'pass', 'or followed often enough'],
    ['+.++', { strict: false }, 'pass', 'pass', 'advice that could not be given once'],
    ['+?-+', { strict: false, rate: 0.66 }, 'pass', 'pass', 'is not counted'],
    ['....', { strict: false }, 'error', 'pass', 'advice that could not be given at all stops nobody'],
    ['', { strict: false }, 'warn', 'pass', 'nor does advice that nobody needed'],
  ])('over %j with %j is %s, and the verdict %s: %s', (marks, more, status, verdict) => {
    const built = report([term('a', more)], marked(marks));
    expect(built.criteria).toMatchObject([{ status }]);
    expect(built.verdict).toBe(verdict);
  });

  it('says what was counted', () => {
    const strict = report([term('a', { rate: 0.5, evaluator: 'similarity' })], marked('++-?'));
    expect(strict.criteria).toEqual([
      {
        id: 'a',
        strict: true,
        evaluator: 'similarity',
        applicable: 4,
        met: 2,
        rate: 0.5,
        required: 0.5,
        mean: 2 / 3,
        unjudged: 1,
        status: 'pass',
      },
    ]);
    const advisory = report([term('a', { strict: false })], marked('++-.'));
    expect(advisory.criteria).toMatchObject([{ applicable: 3, met: 2, rate: 2 / 3, unjudged: 1 }]);
    expect(report([term('a')], []).criteria[0]).not.toHaveProperty('rate');
  });

  it('has the mean of its degrees; without any, met is 1 and missed is 0', () => {
    const values = [0.5, undefined, 1].map((value, at) =>
      resultOf(at, {
        criteria: [{ id: idOf('a'), met: 1, weight: 1, ...(value !== undefined && { value }) }],
      }),
    );
    expect(report([term('a')], values).criteria[0]?.mean).toBe(2.5 / 3);
    expect(report([term('a')], marked('+?-.')).criteria[0]?.mean).toBe(0.5);
    expect(report([term('a')], marked('?')).criteria[0]).not.toHaveProperty('mean');
  });

  it('is about the tasks its criterion applies to, and no others', () => {
    const [first, second] = [...marked('+'), resultOf(1, { criteria: decidedBy('-', 'b') })] as [
      TaskResult,
      TaskResult,
    ];
    const tasks = new Map([
      [first.taskId, [idOf('a')]],
      [second.taskId, [idOf('b')]],
    ]);
    const built = report([term('a'), term('b', { strict: false })], [first, second], { terms: { tasks } });
    expect(built.criteria).toMatchObject([
      { id: 'a', applicable: 1, status: 'pass' },
      { id: 'b', applicable: 1, status: 'warn' },
    ]);
  });

  it('is met by a task only in every repeat, and open when one could not be looked at', () => {
    const statusOf = (decided: Partial<Decided>, more: Partial<TaskResult> = {}) => {
      const criteria = [{ id: idOf('a'), met: 1, weight: 1, ...decided }];
      const built = report([term('a')], [resultOf(0, { criteria, ...more })], { plan: { repeats: 3 } });
      return built.criteria[0]?.status;
    };
    expect(statusOf({})).toBe('pass');
    expect(statusOf({ met: 2 / 3 })).toBe('fail');
    expect(statusOf({ met: 2 / 3, unjudged: 'judge_unreadable' })).toBe('error');
    expect(statusOf({}, { unscored: 'agent_unreachable' })).toBe('error');
    expect(statusOf({ met: 0.5 }, { unscored: 'agent_unreachable' })).toBe('fail');
  });

  it('takes a task that was scored as a whole at its score', () => {
    const statusOf = (more: Partial<TaskResult>) =>
      report([term('a', { evaluator: 'reference-match' })], [resultOf(0, more)]).criteria[0]?.status;
    expect(statusOf({})).toBe('pass');
    expect(statusOf({ score: 0.5 })).toBe('fail');
    expect(statusOf({ score: 0, outcome: 'failed' })).toBe('fail');
    expect(statusOf({ score: 0, outcome: 'failed', unscored: 'agent_unreachable' })).toBe('error');
  });

  it('stands for tasks that the contract names no criteria for, under a name of its own', () => {
    const results = [resultOf(0), resultOf(1, { score: 0, passed: false })];
    const built = report([term('golden', { strict: false })], results, { terms: { tasks: new Map() } });
    expect(built.criteria[1]).toMatchObject({
      id: 'golden-2',
      strict: true,
      applicable: 2,
      met: 1,
      status: 'fail',
    });
    expect(built.verdict).toBe('fail');
  });

  it('never does better with one more miss, nor is it sure of what is open', () => {
    const marks = fc.array(fc.constantFrom<Mark>('+', '-', '?'), { minLength: 1, maxLength: 30 });
    const rates = fc.double({ min: 0, max: 1, noNaN: true });
    const statusOf = (all: readonly Mark[], rate: number) =>
      report([term('a', { rate })], marked(all.join(''))).criteria[0]?.status;
    fc.assert(
      fc.property(marks, rates, (all, rate) => {
        const worst = statusOf(
          all.map((mark) => (mark === '?' ? '-' : mark)),
          rate,
        );
        const best = statusOf(
          all.map((mark) => (mark === '?' ? '+' : mark)),
          rate,
        );
        expect(statusOf(all, rate)).toBe(worst === best ? worst : 'error');
        expect([worst, best]).not.toEqual(['pass', 'fail']);
      }),
    );
  });
});

describe('the expected latency', () => {
  const took = (...latencies: readonly (number | undefined)[]) =>
    latencies.map((latencyMs, at) => {
      const { latencyMs: _, ...rest } = resultOf(at);
      return latencyMs === undefined ? rest : { ...rest, latencyMs };
    });
  const slaOf = (
    results: readonly TaskResult[],
    expectedLatencyMs: number,
    policy: 'gate' | 'warn' = 'gate',
  ) => report([], results, { terms: { sla: { expectedLatencyMs, policy } } });

  it.each<[readonly (number | undefined)[], number, 'gate' | 'warn', GateStatus, string]>([
    [[10, 20], 20, 'gate', 'pass', 'kept to the millisecond'],
    [[10, 21], 20, 'gate', 'fail', 'missed'],
    [[10, 21], 20, 'warn', 'warn', 'missed, with a warning'],
    [[0], 0, 'gate', 'pass', 'no time at all'],
    [[1], 0, 'gate', 'fail', 'is a real bound'],
    [[...Array(19).fill(10), 99], 10, 'gate', 'pass', 'one of twenty may take longer'],
    [[...Array(18).fill(10), 99], 10, 'gate', 'fail', 'one of nineteen may not'],
    [[undefined, 21], 20, 'gate', 'fail', 'what nobody measured is not 0'],
    [[undefined], 20, 'gate', 'error', 'and where nobody measured anything, nothing is known'],
    [[undefined], 20, 'warn', 'warn', 'which is worth a warning'],
  ])('over %j, at most %d, by %s: %s (%s)', (latencies, expectedMs, policy, status) => {
    const built = slaOf(took(...latencies), expectedMs, policy);
    expect(built.sla).toMatchObject({ expectedLatencyMs: expectedMs, policy, status });
    expect(built.verdict).toBe(status === 'fail' || status === 'error' ? status : 'pass');
  });

  it('is nothing where the contract names none', () => {
    expect(report([term('a')], marked('+'))).not.toHaveProperty('sla');
  });

  it('fails a contract whose gates are kept, and one whose gates are open', () => {
    const sla = { expectedLatencyMs: 5, policy: 'gate' } as const;
    expect(report([term('a')], marked('+'), { terms: { sla } }).verdict).toBe('fail');
    expect(report([term('a')], marked('?'), { terms: { sla } }).verdict).toBe('fail');
  });
});

describe('a contract report', () => {
  it('names what it is about', () => {
    const pin = { provider: asId<ModelName>('local'), model: asId<ModelName>('m') };
    const judge = { ...pin, votes: 1, promptDigest: digestOf('p'), digest: digestOf('j') };
    const dataset = { digest: digestOf('d'), rows: 7 };
    const results = [...marked('+'), resultOf(1, { passed: false, criteria: decidedBy('+', 'a') })];
    const built = report([], results, {
      plan: { judge, embedder: pin },
      terms: { dataset, criteria: [], tasks: new Map([]) },
    });
    expect(built).toMatchObject({
      runId: 'run-1',
      suite: { ref: 'local.acme.evals.a@1.0.0', digest: 'sha256:5' },
      agent: { agentId: 'local.acme.a', version: '1.0.0', digest: 'sha256:a' },
      contract: 'sha256:c',
      tasks: { total: 50, selected: 2, passed: 1 },
      summary: { score: 0.75, passed: true },
      dataset,
      judge,
      embedder: pin,
    });
  });

  it.each<[number | undefined, number | undefined, boolean]>([
    [undefined, 0.5, true],
    [0.4, 0.5, false],
    [0.6, 0.5, true],
    [0.6, undefined, true],
  ])(
    'of a part of the suite tells whether the thresholds besides the pass score are met: at most %s USD, cost %s',
    (maxCostUsd, costUsd, otherBarsMet) => {
      const results = [resultOf(0, { score: 0, ...(costUsd !== undefined && { costUsd }) })];
      const thresholds = { passScore: 1, ...(maxCostUsd !== undefined && { maxCostUsd }) };
      const contract: ContractTerms = { digest: digestOf('c'), criteria: [], tasks: new Map() };
      const facts = { runId: asId<RunId>('run-1'), contract, summary, thresholds };
      const part = buildContractReport({ ...facts, plan: { ...plan, ordinals: [0] } }, results);
      expect(part.summary).toMatchObject({ otherBarsMet });
      expect(buildContractReport({ ...facts, plan }, results).summary).not.toHaveProperty('otherBarsMet');
    },
  );

  // The places of a type that take any text at all. Checked by the compiler.
  type Scalar = string | number | boolean | undefined;
  type FreeText<T> =
    T extends ReadonlyMap<infer K, infer V>
      ? FreeTextAt<K, 'key'> | FreeTextAt<V, 'value'>
      : T extends readonly (infer Item)[]
        ? FreeTextAt<Item, 'item'>
        : T extends Scalar
          ? never
          : { [Key in keyof T & string]-?: FreeTextAt<NonNullable<T[Key]>, Key> }[keyof T & string];
  type FreeTextAt<T, Key extends string> = string extends T ? Key : FreeText<T>;

  it('can neither say nor know anything that an author wrote', () => {
    expectTypeOf<FreeText<ContractReport>>().toEqualTypeOf<never>();
    expectTypeOf<FreeText<ContractTerms>>().toEqualTypeOf<never>();
    expectTypeOf<FreeText<{ a: readonly { b?: string }[] }>>().toEqualTypeOf<'b'>();
    const text: string = 'in words';
    const attempts = [
      // @ts-expect-error a sentence is no id
      { ...term('a'), id: text } satisfies ContractTerm,
      // @ts-expect-error and has no place of its own
      { ...term('a'), description: text } satisfies ContractTerm,
    ];
    expect(attempts).toHaveLength(2);
  });
});
