import {
  asId,
  type Digest,
  type EvalSummary,
  type ModelName,
  type RunId,
  type TaskScore,
  type VariableName,
} from '@touchstone/protocol';
import { describe, expect, test } from 'vitest';
import { reportOf } from '../../testing/results.js';
import type { Failure, RunView } from '../../verbs/run/result.js';
import { createInk, displayWidth } from '../text.js';
import { renderScorecard } from './scorecard.js';

const ink = createInk(false);
const digest = asId<Digest>('sha256:0');

function summaryOf(
  result: Pick<EvalSummary, 'aggregateScore' | 'passed' | 'taskCount' | 'passedCount'>,
): EvalSummary {
  const tasks: TaskScore[] = [];
  return { suiteId: asId('acme.shop.evals.refunds'), suiteVersion: asId('1.2.0'), tasks, ...result };
}

const passing: RunView = {
  runId: asId<RunId>('run_01'),
  status: 'completed',
  interrupted: false,
  suite: { suiteId: asId('acme.shop.evals.refunds'), version: asId('1.2.0'), digest },
  agent: { agentId: asId('local.acme.support'), version: asId('1.0.0'), digest },
  summary: summaryOf({ aggregateScore: 1, passed: true, taskCount: 12, passedCount: 12 }),
  thresholds: { passScore: 0.9, maxCostUsd: 0.05, maxP95LatencyMs: 2000 },
  counts: { total: 12, selected: 12, passed: 12, failed: 0, unscored: 0 },
  unscored: [],
  failures: [],
  latency: { p50Ms: 120, p95Ms: 420 },
  costUsd: 0.0132,
  unpriced: 0,
  repeats: 1,
  wallMs: 12_300,
};

const failures: Failure[] = [
  {
    taskId: 'refund-window',
    score: 0,
    latencyMs: 12,
    bodies: {
      expected: { kind: 'golden', strategy: 'exact', value: 'The refund window is 30 days from delivery.' },
      got: { value: 'The refund window is 14 days from delivery.' },
      outcome: 'completed',
    },
  },
  {
    taskId: 'order-status-with-a-rather-long-name-that-nobody-should-ever-choose-but-somebody-will',
    score: 0.5,
    latencyMs: 1420,
    schemaValid: false,
    findings: [{ kind: asId('pii-leak'), severity: 'high' }],
    bodies: {
      expected: { kind: 'golden', strategy: 'json-match', value: { orders: [{ total: 12 }], name: 'Ann' } },
      got: { value: '{"orders":[{"total":13}],"extra":[1,2,3]}' },
      outcome: 'completed',
    },
  },
  {
    taskId: 'greeting',
    score: 0,
    bodies: {
      expected: { kind: 'golden', strategy: 'contains', value: 'Grüß Gott' },
      got: { value: `grüß gott\u001b[2J ${'and so on '.repeat(20)}` },
      outcome: 'completed',
    },
  },
  {
    taskId: 'tone',
    score: 0.4,
    bodies: {
      expected: {
        kind: 'rubric',
        criteria: [
          { text: 'answers in the customer’s language', met: true, weight: 0.4 },
          {
            text: 'does not promise a date',
            met: false,
            weight: 0.6,
            agreement: 2 / 3,
            reason: 'It names tomorrow.',
          },
        ],
      },
      got: { value: 'Tomorrow!' },
      outcome: 'completed',
    },
  },
  {
    taskId: 'slow',
    score: 0,
    bodies: {
      expected: { kind: 'golden', strategy: 'exact', value: 'x' },
      outcome: 'failed',
      reason: 'no answer within 60 s',
    },
  },
  { taskId: 'offline', score: 0, unscored: 'agent_unreachable' },
];

const failing: RunView = {
  ...passing,
  summary: summaryOf({ aggregateScore: 0.8999, passed: false, taskCount: 132, passedCount: 126 }),
  counts: { total: 500, selected: 132, passed: 126, failed: 5, unscored: 0 },
  failures: failures.slice(0, 5),
  costUsd: 0.062,
};

describe('the scorecard', () => {
  test('of a run that passed', () => {
    const next = [{ command: 'touchstone show run_01', does: 'the tasks of this run' }];
    expect(renderScorecard(passing, { ink, width: 80, next })).toMatchSnapshot();
  });

  test('of a run that missed its bar, with what was expected and what came', () => {
    expect(renderScorecard(failing, { ink, width: 80 })).toMatchSnapshot();
  });

  test('of a run with more failures than fit', () => {
    const many = Array.from({ length: 31 }, (_, index) => ({
      taskId: `task-${index}`,
      score: 0,
      latencyMs: 5,
    }));
    const counts = { ...failing.counts, failed: 31 };
    const text = renderScorecard({ ...failing, failures: many, counts }, { ink, width: 80 });
    expect(text).toContain('… and 11 more: touchstone show run_01 --failed');
    expect(text).toContain('task-19');
    expect(text).not.toContain('task-20');
  });

  test('of a run that a budget stopped', () => {
    const error = { code: 'budget_exhausted' as const, message: 'The ceiling of 0.05 USD is reached.' };
    const stopped = { ...failing, status: 'failed' as const, summary: null, error, failures: [] };
    expect(renderScorecard(stopped, { ink, width: 80 })).toMatchSnapshot();
  });

  test('of a run with a task nobody could score, and calls of unknown price', () => {
    const unjudged: RunView = {
      ...passing,
      counts: { ...passing.counts, passed: 11, unscored: 1 },
      failures: failures.slice(5),
      unscored: ['offline'],
      unpriced: 3,
    };
    expect(renderScorecard(unjudged, { ink, width: 80 })).toMatchSnapshot();
  });

  test.each([60, 80, 200])('fits %i columns', (width) => {
    const lines = renderScorecard(failing, { ink, width }).split('\n');
    const failureLines = lines.filter((line) => line.startsWith('      ') || /^ {2}[✗?]/.test(line));
    for (const line of failureLines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  });

  test('an answer cannot send control characters to the terminal', () => {
    expect(renderScorecard(failing, { ink, width: 200 })).not.toContain('\u001b');
  });
});

describe('equal failures', () => {
  const failed = (taskId: string, reason: string): Failure => ({
    taskId,
    score: 0,
    latencyMs: 3,
    bodies: { expected: { kind: 'golden', strategy: 'exact', value: taskId }, outcome: 'failed', reason },
  });
  const crash = 'TypeError: x is not a function\nat agent.mjs:3';
  const many = Array.from({ length: 40 }, (_, index) => failed(`task-${index}`, crash));
  const show = (list: readonly Failure[], width = 80): string =>
    renderScorecard(
      { ...passing, failures: list, counts: { ...passing.counts, passed: 0, failed: list.length } },
      { ink, width },
    );

  test('are shown once, with the tasks they are of and how many', () => {
    const text = show([...many, failed('other', 'Error: late')]);
    expect(text.match(/TypeError: x is not a function/g)).toHaveLength(1);
    expect(text).toMatch(/✗ task-0, task-1, .*0\.00 {4}40 tasks\n/);
    expect(text).toContain('                at agent.mjs:3\n');
    expect(text).toContain('✗ other');
    expect(text).not.toContain('more: touchstone show');
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });

  test('name as many tasks as fit, and how many more there are', () => {
    expect(show(many, 60)).toMatch(/\n {4}task-\d+.* … and \d+ more\n/);
  });

  test('are not those whose answers were wrong', () => {
    const wrong = (taskId: string): Failure => ({
      ...failed(taskId, ''),
      bodies: {
        expected: { kind: 'golden', strategy: 'exact', value: 'x' },
        got: { value: 'y' },
        outcome: 'completed',
      },
    });
    expect(show([wrong('a'), wrong('b')]).match(/got/g)).toHaveLength(2);
  });
});

describe('the width of the terminal', () => {
  const name = `${'a-long-name-'.repeat(7)}end`;
  const long: RunView = { ...passing, failures: [{ taskId: name, score: 0.5 }] };

  test.each([50, 60, 80, 120, 140])('of %d columns is used and kept', (width) => {
    const lines = renderScorecard(long, { ink, width }).split('\n');
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    const [task = ''] = lines.filter((line) => line.includes('✗ a-long'));
    expect(displayWidth(task.trimEnd())).toBeGreaterThan(width - 16);
    expect(task).toMatch(width >= 120 ? /name-end / : /….*end /);
  });
});

test('a run with a task that has no score says nothing about chance', () => {
  const counts = { ...passing.counts, passed: 11, unscored: 1 };
  const text = renderScorecard(
    { ...passing, report: reportOf(), counts, unscored: ['x'] },
    { ink, width: 80 },
  );
  expect(text).toContain('NOT JUDGED');
  expect(text).not.toMatch(/chance|95 %/);
  expect(renderScorecard({ ...passing, report: reportOf() }, { ink, width: 80 })).toMatch(/chance/);
});

test.each([
  ['openai', 'Check the name of the model and the address of openai'],
  [passing.agent.agentId, `Check the address of ${passing.agent.agentId}`],
])('a 404 of %s is told by what can be wrong there', (provider, words) => {
  const denial = { provider: asId<ModelName>(provider), status: 404 } as const;
  const denied = { taskId: 'x', score: 0, unscored: 'agent_denied', denial } as const;
  const text = renderScorecard({ ...passing, failures: [denied] }, { ink, width: 200 });
  expect(text.replaceAll(/\s+/g, ' ')).toContain(words);
});

test('of tasks that nobody was let in for, the first lines tell the cause and what to do', () => {
  const denial = {
    provider: asId<ModelName>('openai'),
    status: 401,
    keyEnv: asId<VariableName>('OPENAI_API_KEY'),
  } as const;
  const denied = { taskId: 'x', score: 0, unscored: 'judge_denied', denial } as const;
  const counts = { ...passing.counts, passed: 11, unscored: 1 };
  const text = renderScorecard({ ...passing, counts, failures: [denied] }, { ink, width: 80 });
  expect(text.split('\n').slice(4, 7).join(' ').replaceAll(/ +/g, ' ')).toContain(
    '1 task without a score: the judge could not be asked: openai answered 401; the key is read from OPENAI_API_KEY. Check the key in OPENAI_API_KEY',
  );
  expect(text.replaceAll(/\s+/g, ' ')).toContain(
    'judge the recorded answers again with "touchstone rejudge"',
  );
});
