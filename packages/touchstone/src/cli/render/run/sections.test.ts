import { asId, type EvalReport, type ReportedRegression, type ReportedSlice } from '@touchstone/protocol';
import {
  age,
  chance,
  changeOf,
  changesInOrder,
  regressionWords,
  signed,
  verdictOf,
} from '@touchstone/sdk/view';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractOf, gateOf } from '../../testing/contract-cli.js';
import { regressionOf, reportOf, resultOf } from '../../testing/results.js';
import { exitOf, type Failure, type RunView } from '../../verbs/run/result.js';
import { createInk, displayWidth } from '../text.js';
import { documentOf, renderJunit, renderMarkdown } from './document.js';
import { renderScorecard } from './scorecard.js';

const look = { ink: createInk(false), width: 80 };
const result = (contract: RunView['contract'] & object, changes: Partial<RunView> = {}): RunView =>
  resultOf({ one: true, two: true }, { contract, ...changes });

const MISSED = contractOf(
  [
    gateOf('json-validity'),
    gateOf('accuracy', { met: 8, rate: 0.8, required: 0.9, status: 'fail' }),
    gateOf('a-criterion-with-a-name-that-is-longer-than-any-terminal-is-wide-64', {
      applicable: 1234,
      met: 1230,
      mean: 0.9876,
      required: 0.98,
      unjudged: 4,
    }),
    gateOf('tone', { strict: false, met: 3, rate: 0.3, status: 'warn', mean: 0.456 }),
    gateOf('untried', { applicable: 0, met: 0, status: 'warn' }),
    gateOf('advice', { strict: false, applicable: 0, met: 0, unjudged: 3, status: 'error' }),
  ],
  { verdict: 'fail', sla: { expectedLatencyMs: 1500, p95Ms: 2100, policy: 'gate', status: 'fail' } },
);

describe('the gates of a contract', () => {
  test('are a table that fits a narrow terminal', () => {
    const shown = renderScorecard(result(MISSED), look);
    expect(shown).toMatchSnapshot();
    for (const line of shown.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80);
  });

  test('show a mean only where it says more than how many tasks met them', () => {
    const shown = (mean: number) => renderScorecard(result(contractOf([gateOf('a', { mean })])), look);
    expect(shown(1)).not.toContain('mean');
    expect(shown(0.875)).toContain('mean');
  });

  test('are a table in Markdown', () => {
    expect(renderMarkdown([result(MISSED)])).toMatchSnapshot();
  });

  test('are cases of a JUnit report, as far as they can stop something', () => {
    const xml = renderJunit([result(MISSED)]);
    expect(xml).toMatchSnapshot();
    // Two tasks, four strict gates and the SLA.
    expect(xml).toContain('tests="7" failures="2" errors="0" skipped="1"');
  });

  test.each<[string, RunView, number, string, string | undefined]>([
    ['all passed', result(contractOf([gateOf('a')])), 0, 'PASS', undefined],
    [
      'one missed although the thresholds are met',
      result(contractOf([gateOf('a', { met: 1, status: 'fail' }), gateOf('b')], { verdict: 'fail' })),
      1,
      'FAIL',
      "The suite's thresholds are met, but the contract is not kept: a.",
    ],
    [
      'an SLA missed',
      result(
        contractOf([gateOf('a')], {
          verdict: 'fail',
          sla: { expectedLatencyMs: 1, p95Ms: 2, policy: 'gate', status: 'fail' },
        }),
      ),
      1,
      'FAIL',
      'not kept: the SLA.',
    ],
    [
      'an SLA missed that is only reported',
      result(
        contractOf([gateOf('a')], {
          sla: { expectedLatencyMs: 1, p95Ms: 2, policy: 'warn', status: 'warn' },
        }),
      ),
      0,
      'PASS',
      '! SLA: p95 2 ms, at most 1 ms (reported only)',
    ],
    [
      'one that nobody could decide',
      result(contractOf([gateOf('a', { unjudged: 2, status: 'error' })], { verdict: 'error' })),
      3,
      'NOT JUDGED',
      'No model could be asked about a,',
    ],
    [
      'one that nobody could decide, and certainty was asked for',
      result(contractOf([gateOf('a', { status: 'error' })], { verdict: 'error' }), { conclusive: true }),
      3,
      'NOT JUDGED',
      undefined,
    ],
    [
      'all passed, and a threshold missed',
      resultOf(
        { one: true, two: false },
        { contract: contractOf([gateOf('a')], { summary: { score: 0.5, passed: false } }) },
      ),
      1,
      'FAIL',
      'a threshold of the suite is missed',
    ],
    [
      'all passed by some tasks, which the pass score is not for',
      resultOf(
        { one: true, two: false },
        {
          contract: contractOf([gateOf('a')], { summary: { score: 0.5, passed: false, otherBarsMet: true } }),
        },
      ),
      0,
      'PASS',
      'Every gate of the contract is passed. The pass score is a threshold',
    ],
    [
      'all passed by some tasks, which cost too much',
      resultOf(
        { one: true, two: false },
        {
          contract: contractOf([gateOf('a')], {
            summary: { score: 0.5, passed: false, otherBarsMet: false },
          }),
        },
      ),
      1,
      'FAIL',
      'a threshold of the suite is missed',
    ],
  ])('%s', (_what, run, exit, word, line) => {
    expect([exitOf(run), verdictOf(run).word]).toEqual([exit, word]);
    if (line !== undefined) expect(renderScorecard(run, look)).toContain(line);
    else expect(renderScorecard(run, look)).not.toContain('contract is not kept');
  });

  test('a latency that a contract demands is told once', () => {
    const sla = { expectedLatencyMs: 1, p95Ms: 2, policy: 'gate', status: 'fail' } as const;
    const run = result(contractOf([], { verdict: 'fail', sla }), {
      thresholds: { passScore: 0.9, maxP95LatencyMs: 1 },
      latency: { p50Ms: 2, p95Ms: 2 },
    });
    const xml = renderJunit([run]);
    expect(xml).toContain('name="(SLA)"');
    expect(xml).not.toContain('name="(p95)"');
  });

  describe('decide whether a task is a failure in a JUnit report:', () => {
    type Decided = NonNullable<Failure['criteria']>[number];
    const decided = (id: string, met: number, unjudged?: Decided['unjudged']): Decided => ({
      id: asId(id),
      met,
      weight: 0.5,
      ...(unjudged && { unjudged }),
    });
    const GATES = contractOf([
      gateOf('kept', { met: 9, required: 0.9 }),
      gateOf('broken', { met: 8, required: 0.9, status: 'fail' }),
      gateOf('open', { met: 8, required: 0.9, unjudged: 1, status: 'error' }),
      gateOf('advice', { strict: false, met: 0, status: 'warn' }),
    ]);
    const xmlOf = (failure: Partial<Failure>, contract: RunView['contract'] & object = GATES): string => {
      const failures = [{ taskId: 'two', score: 0.5, ...failure }];
      const thresholds = { passScore: 0.5 };
      return renderJunit([resultOf({ one: true, two: false }, { contract, failures, thresholds })]);
    };
    const two = (xml: string): string =>
      xml.match(/name="two"[^>]*>\n +<([a-z-]+)/)?.[1] ?? 'nothing beside its name';

    test.each<[string, Partial<Failure>, string, string]>([
      ['it misses one that is kept all the same', { criteria: [decided('kept', 0)] }, 'system-out', '1'],
      ['it misses one that is broken', { criteria: [decided('broken', 0)] }, 'failure', '2'],
      ['it misses one of each', { criteria: [decided('kept', 0), decided('broken', 0.5)] }, 'failure', '2'],
      [
        'it meets the broken one, and misses one that is kept',
        { criteria: [decided('broken', 1), decided('kept', 0)] },
        'system-out',
        '1',
      ],
      [
        'nobody could decide what a gate hangs on',
        { criteria: [decided('open', 0, 'judge_unreadable')] },
        'error',
        '1',
      ],
      ['it misses one that hangs on others', { criteria: [decided('open', 0)] }, 'system-out', '1'],
      ['it misses nothing strict', { criteria: [decided('advice', 0)] }, 'failure', '2'],
      ['it could not be scored', { unscored: 'agent_unreachable' }, 'error', '1'],
      ['what it misses is not known', {}, 'failure', '2'],
    ])('%s', (_what, failure, element, failures) => {
      const xml = xmlOf(failure);
      expect(two(xml)).toBe(element);
      expect(xml).toContain(`failures="${failures}"`);
      const counted = (name: string) => xml.match(new RegExp(`<${name} `, 'g'))?.length ?? 0;
      expect(xml).toContain(`failures="${counted('failure')}" errors="${counted('error')}"`);
    });

    test('another host does not say what a task misses, so none is blamed while every gate is kept', () => {
      const xml = xmlOf({}, contractOf([gateOf('kept', { met: 9, required: 0.9 })]));
      expect(two(xml)).toBe('system-out');
      expect(xml).toContain('score 0.50: the contract allows it');
    });

    test('a bar that is missed is a failure where no task is', () => {
      const kept = contractOf([gateOf('kept', { met: 9, required: 0.9 })]);
      const failures = [{ taskId: 'two', score: 0.5, criteria: [decided('kept', 0)] }];
      const thresholds = { passScore: 0, maxCostUsd: 1 };
      const run = resultOf({ one: true, two: false }, { contract: kept, failures, thresholds, costUsd: 2 });
      expect(renderJunit([run])).toMatch(/failures="1"[\s\S]*name="\(cost\)"/);
    });
  });
});

const ink = createInk(false);
const DAY = 86_400_000;
const TASKS = { a: true, b: true, c: true, d: true, e: true, f: true, g: true, h: true, i: false, j: false };

const told = (report: Partial<EvalReport>, changes: Partial<RunView> = {}): RunView => {
  const { summary, ...rest } = resultOf(TASKS);
  return {
    ...rest,
    summary: summary && { ...summary, passed: true },
    thresholds: { passScore: 0.75 },
    report: reportOf(report),
    baselineAgeMs: 3 * DAY,
    ...changes,
  };
};

const MOVES = {
  i: [1, 0],
  j: [1, 0.25],
  b: [0.9, 0.6],
  c: [0, 1],
  d: [0.2, 0.4],
  e: [1, 0.5],
  f: [1, 0],
} as const;
const FELL = [1, 0] as const;
const ROSE = [0, 1] as const;
const slice = (name: string, score: number, scoreDelta?: number): ReportedSlice => ({
  name: asId<ReportedSlice['name']>(name),
  tasks: 5,
  score,
  passRate: score,
  passRateInterval: [score / 2, 1],
  ...(scoreDelta !== undefined && { scoreDelta }),
  exploratory: true,
});
const everything: Partial<EvalReport> = {
  verdict: 'inconclusive',
  regression: regressionOf(MOVES, 'fail', { tasks: { paired: 40, differing: 7, unpaired: 2 } }),
  repeats: { k: 3, tasks: 10, passAtK: 0.95, passHatK: 0.6, curve: [] },
  adjusted: {
    score: 0.95,
    passed: true,
    overrides: [
      {
        taskId: asId('i'),
        eventId: asId('run-1:9'),
        annotationId: asId('ann-1'),
        before: { score: 0, passed: false },
        after: { score: 1, passed: true },
        by: asId('ann|e'),
        at: asId('2026-01-02T00:00:00.000Z'),
      },
    ],
  },
  criteria: [{ id: asId('c-1'), applicable: 4, met: 0.75, weight: 0.5, agreement: 0.9 }],
  slices: [slice('refund', 0.9, 0.1), slice('order', 0.5, -0.3)],
};

describe('a scorecard with a baseline', () => {
  test('of a real regression, with repeats, corrections and parts', () => {
    expect(renderScorecard(told(everything), { ink, width: 80 })).toMatchSnapshot();
  });

  test.each([60, 80, 100])('fits %i columns', (width) => {
    const lines = renderScorecard(told(everything), { ink, width }).split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(lines.join()).toMatch(width < 80 ? /^(?!.*exploratory)/s : /exploratory/);
  });

  test('lists at most ten tasks and counts the others', () => {
    const moves = Object.fromEntries(
      Array.from({ length: 14 }, (_, index) => [`t-${index}`, index < 12 ? FELL : ROSE]),
    );
    const text = renderScorecard(told({ regression: regressionOf(moves, 'fail', { moreChanges: 5 }) }), {
      ink,
      width: 80,
    });
    expect(text.match(/↓ t-/g)).toHaveLength(10);
    expect(text).toContain('… and 9 more: 2 now fail, 2 now pass');
  });

  test('a run that is compared with nothing grows by its interval and nothing else', () => {
    const { report: _, ...without } = told({});
    const before = renderScorecard(without, { ink, width: 80 });
    const after = renderScorecard(told({ verdict: 'pass', slices: everything.slices ?? [] }), {
      ink,
      width: 80,
    });
    expect(after.replace('  95 %: 0.50–0.95', '')).toBe(before);
  });
});

const words = (verdict: ReportedRegression['verdict'], changes: Partial<ReportedRegression>): string =>
  regressionWords(regressionOf({}, verdict, changes));
const tasks = (differing: number, paired = 40) => ({ tasks: { paired, differing, unpaired: 0 } });

test.each([
  ['fail', { scoreDelta: -0.12, ...tasks(9) }, 'REGRESSION real: −0.12 (p 0.004), 9 of 40 tasks differ'],
  [
    'pass',
    { scoreDelta: -0.01, pValue: 0.341, ...tasks(6) },
    'no real regression: −0.01 (p 0.34), 6 of 40 tasks differ',
  ],
  [
    'pass',
    { scoreDelta: -0.02, tolerance: 0.05, ...tasks(6) },
    'no real regression: −0.02 (p 0.004), within the tolerance of 0.05',
  ],
  [
    'pass',
    { scoreDelta: 0.2, pValue: 0.99, ...tasks(8) },
    'no regression: +0.20 (p 0.99), 8 of 40 tasks differ',
  ],
  ['pass', { scoreDelta: 0, pValue: 1, ...tasks(0) }, 'no regression: 40 tasks scored as before'],
  [
    'inconclusive',
    { scoreDelta: -0.05, ...tasks(3) },
    'cannot tell: −0.05, but only 3 tasks differ (5 are needed)',
  ],
  [
    'inconclusive',
    { scoreDelta: -0.02, ...tasks(1) },
    'cannot tell: −0.02, but only 1 task differs (5 are needed)',
  ],
  ['inconclusive', tasks(0, 0), 'cannot tell: no task was scored in both runs'],
] as const)('a comparison that comes to %s with %j is told in one line', (verdict, changes, line) => {
  expect(words(verdict, changes)).toBe(line);
});

test('what now fails comes first and what rises last, and nothing gets lost', () => {
  const move = fc.tuple(fc.constantFrom(0, 0.3, 0.6, 1), fc.constantFrom(0, 0.3, 0.6, 1));
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), move, { noNullPrototype: true }),
      (moves) => {
        const regression = regressionOf(moves, 'fail');
        const ordered = changesInOrder(regression);
        const ranks = ordered.map(({ side, before, after }) =>
          side === 'now fails' ? 0 : side === 'now passes' ? 2 : after < before ? 1 : 3,
        );
        expect(ranks).toEqual([...ranks].sort());
        expect(new Set(ordered.map(({ taskId }) => taskId))).toEqual(new Set(Object.keys(moves)));
        const failing = ordered.filter(({ side }) => side === 'now fails');
        expect(failing.map(({ before, after }) => after - before)).toEqual(
          failing.map(({ before, after }) => after - before).sort((a, b) => a - b),
        );
      },
    ),
  );
});

describe('the verdict of a run', () => {
  const real = told({ regression: regressionOf(MOVES, 'fail') });
  const unsure = told({ verdict: 'inconclusive' });

  test('is a regression although every bar is met', () => {
    expect([exitOf(real), verdictOf(real).word]).toEqual([1, 'REGRESSION']);
    expect(exitOf(told({ regression: regressionOf(MOVES, 'inconclusive') }))).toBe(0);
  });

  test('is inconclusive only for who wants certainty', () => {
    expect(exitOf(unsure)).toBe(0);
    expect([
      exitOf({ ...unsure, conclusive: true }),
      verdictOf({ ...unsure, conclusive: true }).word,
    ]).toEqual([3, 'INCONCLUSIVE']);
    const sure = told({ verdict: 'pass', regression: regressionOf(MOVES, 'inconclusive') });
    expect(exitOf({ ...sure, conclusive: true })).toBe(3);
    expect(exitOf({ ...told({ verdict: 'pass' }), conclusive: true })).toBe(0);
    const { report: _, ...unreported } = unsure;
    expect(exitOf({ ...unreported, conclusive: true })).toBe(3);
  });

  test('a JUnit report of a regression is not green although every task passed', () => {
    const report = reportOf({ regression: regressionOf({ a: [1, 0.9] }, 'fail') });
    const junit = renderJunit([resultOf({ a: true }, { report })]);
    expect(junit).toContain('tests="3" failures="2"');
    expect(junit).toContain('name="(regression)"');
    expect(junit).toContain('name="(newly failing)"');
  });

  test('and the whole report are in the document', () => {
    expect(documentOf(real)).toMatchObject({ exitCode: 1, report: real.report });
  });
});

describe('a pull-request comment', () => {
  test('begins with its marker and the verdict, and tells what got worse first', () => {
    const text = renderMarkdown([told(everything)]);
    expect(text.split('\n').slice(0, 2)).toEqual([
      '<!-- touchstone:acme.shop.evals.refunds -->',
      '### ❌ REGRESSION: acme.shop.evals.refunds@1.2.0, agent local.acme.support@1.0.0',
    ]);
    expect(text).toMatchSnapshot();
  });

  test('no name can break a table or end a fold', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('|', '`', '<', '>', '/', '\\', '\n', '*', 'a', '-', '!'),
    });
    fc.assert(
      fc.property(nasty, nasty, (name, by) => {
        const [override] = everything.adjusted?.overrides ?? [];
        const text = renderMarkdown([
          told({
            slices: [slice(name, 0.5)],
            adjusted: {
              score: 1,
              passed: true,
              overrides: override ? [{ ...override, taskId: asId(name), by: asId(by) }] : [],
            },
            regression: regressionOf({ [`${name}x`]: [1, 0] }, 'fail'),
          }),
        ]);
        const pipes = (line: string): number => line.replace(/\\./g, '').split('|').length;
        const blocks = text.split('\n\n').filter((block) => block.startsWith('|'));
        expect(blocks).toHaveLength(5);
        for (const block of blocks) expect(new Set(block.split('\n').map(pipes)).size).toBe(1);
        expect(text.replace(/\\./g, '').match(/<\/?details>/g)).toHaveLength(4);
      }),
    );
  });
});

test('numbers are shown so that what is there does not vanish', () => {
  expect([0, 0.5, -0.12, -0.0049, 0.00004].map(signed)).toEqual([
    '±0',
    '+0.50',
    '−0.12',
    '−0.005',
    '+0.00004',
  ]);
  expect([0.0499999, 0.0004, 0.341, 1].map(chance)).toEqual(['0.049', '< 0.001', '0.34', '1.00']);
  expect([59_000, 60_000, 7_200_000, 3 * DAY].map(age)).toEqual(['moments', '1 minute', '2 hours', '3 days']);
  expect([changeOf(0, 1), changeOf(10, 12), changeOf(10, 9.7), changeOf(3, 3)]).toEqual([
    '',
    '+20 %',
    '−3 %',
    '±0 %',
  ]);
});
