import { asId } from '@touchstone/protocol';
import { verdictOf } from '@touchstone/sdk/view';
import { describe, expect, test } from 'vitest';
import { contractOf, gateOf } from '../../testing/contract-cli.js';
import { resultOf } from '../../testing/results.js';
import { exitOf, type Failure, type RunView } from '../../verbs/run/result.js';
import { createInk } from '../text.js';
import { renderJunit, renderMarkdown } from './reports.js';
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
      'Nobody could be asked about a,',
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
      'Every gate of the contract is passed. The pass score is a bar',
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
