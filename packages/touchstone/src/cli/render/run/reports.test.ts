import { asId, type FindingKind, type ModelName, type RunId } from '@touchstone/protocol';
import { printableExcept } from '@touchstone/sdk/view';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeXml } from '../../../exporters/index.js';
import { regressionOf, reportOf, resultOf } from '../../testing/results.js';
import type { Failure } from '../../verbs/run/result.js';
import { withoutBodies } from '../../verbs/run/result.js';
import { renderDelta } from '../../verbs/run/watch.js';
import { createInk } from '../text.js';
import { documentOf, renderJunit, renderMarkdown } from './document.js';
import { renderScorecard } from './scorecard.js';

const secret = 'the customer’s address';
const failures: Failure[] = [
  {
    taskId: 'b',
    score: 0,
    latencyMs: 12,
    schemaValid: false,
    bodies: {
      expected: { kind: 'golden', strategy: 'exact', value: 'x' },
      got: { value: `<&> ${secret} \u0000` },
      outcome: 'completed',
    },
  },
  { taskId: 'c', score: 0, unscored: 'agent_unreachable' },
];
const counts = { total: 3, selected: 3, passed: 1, failed: 1, unscored: 1 };
const mixed = resultOf({ a: true, b: false, c: false }, { failures, counts, unscored: ['c'] });
const stopped = resultOf(
  {},
  {
    status: 'failed',
    summary: null,
    error: { code: 'budget_exhausted', message: 'The ceiling of 1 USD is reached.' },
    counts: { total: 5, selected: 5, passed: 0, failed: 0, unscored: 0 },
  },
);

describe('a JUnit report', () => {
  test('has a suite per run, a failure per failed task and an error for what could not be judged', () => {
    expect(renderJunit([withoutBodies(mixed), stopped])).toMatchSnapshot();
  });

  test('quotes answers only when they are there to quote', () => {
    expect(renderJunit([mixed])).toContain('the customer’s address');
    expect(renderJunit([withoutBodies(mixed)])).not.toContain('customer');
  });

  test('is not green when a bar is missed although every task passed', () => {
    const slow = resultOf(
      { a: true },
      { thresholds: { maxP95LatencyMs: 10 }, latency: { p50Ms: 5, p95Ms: 50 } },
    );
    const report = renderJunit([slow]);
    expect(report).toContain('tests="2" failures="1"');
    expect(report).toContain('message="50 ms, wanted ≤ 10 ms"');
  });

  const within = (changes = {}) =>
    resultOf(
      { a: true, b: false, c: false },
      {
        summary: { ...resultOf({ a: true, b: false, c: false }).summary, passed: true } as never,
        failures: [
          { taskId: 'b', score: 0.5, check: { name: 'json-match', pointers: ['/total'] } },
          { taskId: 'c', score: 0, findings: [{ kind: asId<FindingKind>('leak'), severity: 'low' }] },
        ],
        findings: [{ kind: asId<FindingKind>('leak'), severity: 'low', taskIds: ['c'] }],
        report: reportOf({ regression: regressionOf({ b: [1, 0.5] }, 'pass') }),
        ...changes,
      },
    );

  test('of a run that passed has neither a failure nor an error: what failed within the bar is skipped', () => {
    const report = renderJunit([withoutBodies(within())]);
    expect(report).not.toMatch(/<failure|<error/);
    expect(report).toContain('tests="5" failures="0" errors="0" skipped="4"');
    expect(report).toContain('<skipped message="score 0.50: json-match differs at /total"/>');
    expect(report).toMatch(
      /name="\(newly failing\)">\s*<skipped message="1 task passed in the baseline and does not now: b"/,
    );
    expect(report).toMatch(/name="\(findings\)">\s*<skipped message="leak \(low\): 1 task"/);
  });

  test('has every failed task as a failure when all are asked for', () => {
    const report = renderJunit([withoutBodies(within())], [], 'all');
    expect(report).toContain('<failure message="score 0.50: json-match differs at /total" type="failed"/>');
    expect(report.match(/<failure/g)).toHaveLength(4);
  });

  test('of a run that is only worse than its baseline fails by the comparison and by what is new', () => {
    const regression = regressionOf({ b: [1, 0.5] }, 'fail');
    const report = renderJunit([withoutBodies(within({ report: reportOf({ regression }) }))]);
    expect(report).toMatch(/name="b">\s*<failure/);
    expect(report).toMatch(/name="c">\s*<skipped/);
    expect(report).toMatch(/name="\(regression\)">\s*<failure/);
    expect(report).toMatch(/name="\(newly failing\)">\s*<failure/);
  });

  test('of a run that missed its bar has its failed tasks as failures', () => {
    const summary = resultOf({ a: true, b: false, c: false }).summary as never;
    const report = renderJunit([withoutBodies(within({ summary }))]);
    expect(report).toMatch(/name="b">\s*<failure/);
    expect(report).toMatch(/name="\(findings\)">\s*<failure/);
  });

  test('of a run that fails by a finding of a task that passed has that failure', () => {
    const leak = { kind: asId<FindingKind>('leak'), severity: 'high', taskIds: ['a'] } as const;
    const found = { findings: [leak], failOn: ['finding:high'] } as const;
    const report = renderJunit([resultOf({ a: true }, found)]);
    expect(report).toMatch(/name="\(findings\)">\s*<failure message="leak \(high\): 1 task"/);
    expect(renderJunit([resultOf({ a: true }, { ...found, failOn: ['finding:critical'] })])).toContain(
      '<skipped',
    );
  });

  test('names the check and the places that differ, without a word of the answer', () => {
    const value = { total: 1, items: [{ id: 'x' }], same: true };
    const got = { value: { total: 2, items: [{ id: 'y', [secret]: 1 }], same: true, [secret]: 2 } };
    const bodies = {
      expected: { kind: 'golden', strategy: 'json-match', value },
      got,
      outcome: 'completed',
    } as const;
    const run = resultOf({ a: true, b: false }, { failures: [{ taskId: 'b', score: 0, bodies }] });
    const report = renderJunit([withoutBodies(run)]);
    expect(report).toContain('score 0.00: json-match differs at /total, /items/0/id, /items/0"');
    expect(report).not.toContain('customer');
  });

  test('any text becomes text that XML can hold, and is found again', () => {
    const names: { readonly [reference: string]: string } = {
      amp: '&',
      lt: '<',
      gt: '>',
      quot: '"',
      apos: "'",
    };
    const decode = (text: string): string =>
      text.replace(/&(?:#(\d+)|(\w+));/g, (_all, code, name) =>
        code ? String.fromCharCode(Number(code)) : (names[name] ?? ''),
      );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = escapeXml(text);
        expect(escaped).not.toMatch(/[<>"']|\p{Cc}|\p{Cs}|[\ufffe\uffff]/u);
        if (printableExcept('\t\n\r')(text) === text) expect(decode(escaped)).toBe(text);
      }),
    );
  });
});

/** Criteria, reasons and answers of others, with everything that acts on a reader's screen or hides there. */
const hostile = (() => {
  const attack = '\u001b]0;x\u0007\u009b2J\u202e\u061c\u{e0041}\u200b\ufffe';
  const criterion = { text: `Polite${attack}`, weight: 1, met: false, reason: `No${attack}` };
  const failure: Failure = {
    taskId: `b${attack}`,
    score: 0,
    bodies: {
      expected: { kind: 'rubric', criteria: [criterion] },
      got: { value: `answer${attack}` },
      outcome: 'completed',
      reason: `why${attack}`,
    },
  };
  const error = { code: `code${attack}\n# FORGED`, message: `words${attack}\n# FORGED` } as never;
  const fork = { source: asId<RunId>(`run-0${attack}\n# FORGED`), mode: 'replay', fromSeq: 0 } as const;
  return resultOf({ a: true }, { failures: [failure], error, fork, runId: asId<RunId>(`r${attack}`) });
})();

test.each([
  ['JUnit', () => renderJunit([hostile], [{ suite: { ref: 's' }, error: hostile.error as never }])],
  ['Markdown', () => renderMarkdown([hostile], [{ suite: { ref: 's' }, error: hostile.error as never }])],
])('nothing that acts on a screen or hides gets into a report: %s', (_name, render) => {
  const report = render();
  expect(report).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}|\p{Default_Ignorable_Code_Point}(?<!️)|\ufffe/u);
  expect(report).toContain('u202e');
  expect(report.split('\n').filter((line) => line.startsWith('# FORGED'))).toEqual([]);
});

describe('a Markdown summary', () => {
  test('has the verdict, the bars and the failed tasks', () => {
    expect(renderMarkdown([withoutBodies(mixed), stopped])).toMatchSnapshot();
  });

  test('an answer cannot break out of its cell', () => {
    const table = renderMarkdown([mixed])
      .split('\n')
      .filter((line) => line.startsWith('| `b`'));
    expect(table).toHaveLength(1);
    expect(table[0]).not.toContain('<&>');
  });
});

test('live tools, remembered answers and the model are told everywhere, and only where there are any', () => {
  const model = {
    provider: asId<ModelName>('local'),
    model: asId<ModelName>('small-1'),
    mock: true,
  } as const;
  const shadow = resultOf({ a: true }, { model, cacheHits: 1, nondeterministic: true });
  const look = { ink: createInk(false), width: 80 };
  const told = { junit: renderJunit([shadow]), markdown: renderMarkdown([shadow]), json: documentOf(shadow) };
  expect(told).toMatchSnapshot();
  expect(renderScorecard(shadow, look)).toMatchSnapshot();
  const plain = resultOf({ a: true });
  const words = [renderJunit([plain]), renderMarkdown([plain]), renderScorecard(plain, look)].join();
  expect(words + JSON.stringify(documentOf(plain))).not.toMatch(/model|cache|[Ll]ive|nondeterministic/);
});

test('the JSON form is content-free and carries the exit code', () => {
  expect(documentOf(mixed)).toMatchObject({
    runId: 'run-1',
    exitCode: 3,
    unscored: ['c'],
    suite: { ref: 'acme.shop.evals.refunds@1.2.0' },
  });
  expect(documentOf(stopped)).toMatchObject({
    exitCode: 4,
    summary: null,
    error: { code: 'budget_exhausted' },
  });
  expect(JSON.stringify(documentOf(mixed))).not.toContain('customer');
});

test('the delta names the tasks that changed sides, and nothing without a run before', () => {
  const ink = createInk(false);
  const before = resultOf({ a: true, b: false, c: true });
  const after = resultOf({ a: false, b: true, c: true, d: true });
  expect(renderDelta(undefined, after, ink)).toEqual([]);
  expect(renderDelta(before, stopped, ink)).toEqual([]);
  expect(renderDelta(before, before, ink)).toEqual(['= score 0.67, as in the last run']);
  expect(renderDelta(before, after, ink)).toEqual([
    '↑ score 0.67 → 0.75 since the last run',
    '↑ now passing: b',
    '↓ now failing: a',
  ]);
});
