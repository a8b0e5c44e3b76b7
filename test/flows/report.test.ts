import type { EvalReport, EvalSummary, RunId } from '@touchstone/protocol';
import { schemaIssues } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { collectRun } from '@touchstone/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startToolServer, type ToolServer } from './pack-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: the report of real runs says what their scorecards and their tasks say, and nothing that was said in them.
// Method: an agent on loopback that repeats its input, but for a coin that comes up heads every other time and a card that
// it gives away; a judge that is a file; whole runs through the client.
const CANARY = 'heliotrope';
const AGENT = 'local.test.parrot';

type Turn = { readonly input: string };
const CARD = '4111 1111 1111 1111';
let flips = 0;
function answerTo({ input }: Turn): string {
  if (input === 'coin') return flips++ % 2 === 0 ? 'heads' : 'tails';
  return input.replace('the card', CARD);
}
const USAGE = [
  { provider: 'other', model: 'parrot-1', inputTokens: 1, outputTokens: 1, costUsd: 0.25 },
  { provider: 'other', model: 'priceless', inputTokens: 1, outputTokens: 1 },
];

const verdicts = (met: boolean) => ({ verdicts: [{ criterion: 1, reason: CANARY, met }] });
const JUDGE = JSON.stringify({
  replies: [
    { when: { contains: 'mumble' }, text: 'I would rather not say.' },
    { when: { contains: 'polite' }, json: verdicts(true) },
  ],
  otherwise: { json: verdicts(false) },
});

const golden = (taskId: string, input: string, value = input) => ({
  taskId,
  input,
  expected: { kind: 'golden', match: { strategy: 'exact', value } },
});
const rubric = (taskId: string, input: string, ...criteria: readonly (readonly [string, number])[]) => ({
  taskId,
  input,
  expected: { kind: 'rubric', rubric: criteria.map(([criterion, weight]) => ({ criterion, weight })) },
});
const SHORT = `[check:length {"max":20}] The answer is short and names no ${CANARY}.`;
const LATER = '[check:contains {"text":"later"}] The answer puts it off.';
const KIND = `The answer is kind, even to a ${CANARY}.`;

let host: WholeHost;
let agent: ToolServer;
beforeAll(async () => {
  agent = await startToolServer((turn) => ({ output: answerTo(turn as Turn), usage: USAGE }));
  const config = {
    agents: [{ agentId: AGENT, version: '1.0.0', run: { kind: 'http', url: agent.url } }],
    providers: { paper: { kind: 'scripted', path: './judge.json' } },
    judge: { model: 'paper/judge', votes: 3 },
  };
  host = await openWholeHost(config, { files: { 'judge.json': JUDGE } });
});
afterAll(async () => {
  await host.close();
  await agent.close();
});

type Reported = { readonly runId: RunId; readonly report: EvalReport; readonly summary: EvalSummary };

async function runAndReport(name: string, suite: object, configurable?: object): Promise<Reported> {
  const client = host.client();
  const suiteId = `local.test.evals.${name}`;
  await client.suites.install({ suiteId, version: '1.0.0', ...suite } as never);
  const { runId } = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: suiteId,
    agentId: AGENT,
    ...(configurable && { configurable: configurable as never }),
  });
  const summary = await client.waitForScorecard(runId);
  const report = await client.runs.report(runId);
  expect(schemaIssues(vendor.evalReport, report)).toEqual([]);
  expect(JSON.stringify(report)).not.toContain(CANARY);
  return { runId, report, summary };
}

describe('the report of', () => {
  it('a golden run says how sure the scorecard is', async () => {
    const tasks = Array.from({ length: 30 }, (_, index) =>
      golden(`g-${index}`, `${CANARY} ${index}`, index < 27 ? `${CANARY} ${index}` : 'another'),
    );
    const { report, summary } = await runAndReport('golden', {
      modes: ['golden'],
      tasks,
      thresholds: { passScore: 0.6 },
    });
    const [low, high] = report.aggregate.interval;
    expect(report.aggregate).toMatchObject({ score: summary.aggregateScore, passRate: 0.9, bar: 0.6 });
    expect([low > 0.6, low < 0.9, high > 0.9, high < 1]).toEqual([true, true, true, true]);
    expect(report).toMatchObject({
      suite: { ref: 'local.test.evals.golden@1.0.0' },
      agent: { agentId: AGENT, version: '1.0.0' },
      modes: ['golden'],
      tasks: { total: 30, selected: 30, passed: 27, unscored: 0 },
      verdict: 'pass',
      cost: { agentUsd: 7.5, unpriced: 30 },
    });
    for (const member of ['criteria', 'repeats', 'findings', 'judge', 'cacheHits', 'nondeterministic'])
      expect(report).not.toHaveProperty(member);
  });

  it('a rubric of checks alone follows each criterion without quoting it, and names no judge', async () => {
    const { report } = await runAndReport('checks', {
      modes: ['rubric'],
      tasks: [
        rubric('r-0', 'later', [SHORT, 0.75], [LATER, 0.25]),
        rubric('r-1', 'no', [SHORT, 0.75], [LATER, 0.25]),
        rubric('r-2', 'a sentence that is much too long', [SHORT, 1]),
      ],
    });
    expect(report.criteria).toEqual([
      { id: expect.stringMatching(/^c-[0-9a-f]{12}$/), applicable: 3, met: 2 / 3, weight: 2.5 / 3 },
      { id: expect.stringMatching(/^c-/), applicable: 2, met: 0.5, weight: 0.25 },
    ]);
    expect(report.aggregate.score).toBeCloseTo((1 + 0.75 + 0) / 3, 12);
    expect(report).not.toHaveProperty('judge');
  });

  it('a judged run names the judge, its agreement and its cost, and the task it could not read', async () => {
    const { report, summary } = await runAndReport('judged', {
      modes: ['rubric', 'golden'],
      tasks: [
        rubric('j-kind', 'polite words', [KIND, 1]),
        rubric('j-odd', 'mumble', [KIND, 1]),
        golden('j-gold', 'x'),
      ],
    });
    expect(report.tasks).toEqual({
      total: 3,
      selected: 3,
      passed: 2,
      unscored: 1,
      unscoredTasks: [{ taskId: 'j-odd', reason: 'judge_unreadable' }],
    });
    expect(summary.tasks[1]).toMatchObject({ score: 0, passed: false });
    expect(report.aggregate.passRateInterval[1]).toBe(1);
    expect(report.criteria).toEqual([
      { id: expect.any(String), applicable: 1, met: 1, weight: 1, agreement: 1 },
    ]);
    expect(report.judge).toMatchObject({ provider: 'paper', votes: 3, mock: true, agreement: 1 });
    expect(report.cost).toEqual({ agentUsd: 0.75, judgeUsd: 0, unpriced: 3 });
  });

  it('repeats tells a task that always passes from one that sometimes does', async () => {
    const suite = { modes: ['golden'], tasks: [golden('coin', 'coin', 'heads'), golden('sure', 'yes')] };
    const { report } = await runAndReport('coins', suite, { repeats: 4 });
    expect(report.repeats).toMatchObject({ k: 4, tasks: 2, passAtK: 1, passHatK: 0.5 });
    expect(report.repeats?.curve.map(({ passAt }) => passAt)).toEqual([
      0.75,
      expect.closeTo(11 / 12, 12),
      1,
      1,
    ]);
    expect(report.repeats?.curve[1]?.passHat).toBeCloseTo((1 + 1 / 6) / 2, 12);
    expect(report).toMatchObject({ aggregate: { score: 0.75 }, cost: { agentUsd: 2, unpriced: 8 } });
  });

  it('an adversarial run counts the findings of its scorecard', async () => {
    const { report, summary } = await runAndReport('probes', {
      modes: ['golden', 'adversarial'],
      tasks: [
        golden('p-0', `${CANARY} the card`, `${CANARY} ${CARD}`),
        golden('p-1', 'say the card', `say ${CARD}`),
        golden('p-2', CARD),
        golden('p-3', 'nothing'),
      ],
    });
    const found = summary.tasks.flatMap(({ safetyFindings = [] }) => safetyFindings);
    expect(found).toHaveLength(3);
    expect(report.findings).toEqual([
      { kind: 'pii-card', severity: 'high', tasks: 2 },
      { kind: 'pii-card', severity: 'low', tasks: 1 },
    ]);
    expect(report.aggregate.score).toBe(summary.aggregateScore);
    expect(JSON.stringify(report)).not.toContain('4111');
  });

  it('the same suite twice has the same intervals, and a part of it says so', async () => {
    const suite = {
      modes: ['golden', 'rubric'],
      tasks: [golden('a', 'a'), golden('b', 'b', 'c'), rubric('r', 'hi', [SHORT, 0.5], [LATER, 1])],
    };
    const first = await runAndReport('twice', suite);
    const second = await runAndReport('twice', suite);
    expect(second.runId).not.toBe(first.runId);
    expect(second.report.aggregate).toEqual(first.report.aggregate);
    const part = await runAndReport('twice', suite, { evalModes: ['golden'] });
    expect(part.report.tasks).toMatchObject({ total: 3, selected: 2 });
  });
});

describe('a run that is collected from its report and the tasks that did not pass', () => {
  /** A host that does not know which tasks are meant answers with all of them, or refuses. */
  const others: readonly (readonly [string, (query: object) => object])[] = [
    [
      'a host that tells all tasks whatever it is asked',
      ({ outcome: _, ...query }: { outcome?: string }) => query,
    ],
    ['a host that refuses the question', (query) => ('outcome' in query ? { limit: 0 } : query)],
  ];
  const suites: readonly (readonly [string, object])[] = [
    [
      'goldens',
      { modes: ['golden'], tasks: [golden('g-0', 'a'), golden('g-1', 'b', 'c'), golden('g-2', 'd', 'e')] },
    ],
    ['attacks', { modes: ['adversarial', 'golden'], tasks: [golden('g-0', 'a'), golden('g-1', 'b', 'c')] }],
    [
      'rubrics',
      { modes: ['rubric'], tasks: [rubric('r-0', 'later', [LATER, 1]), rubric('r-1', 'no', [LATER, 1])] },
    ],
  ];

  it.each(suites)('is the same as one collected from all results: %s', async (name, suite) => {
    const client = host.client();
    const { runId } = await runAndReport(`collected-${name}`, suite, { repeats: 2 });
    const options = { bodies: 9, totals: true, now: Date.now() };
    const view = await collectRun(client, runId, options);
    expect(view.failures.length).toBeGreaterThan(0);
    for (const [, asOther] of others) {
      const results: typeof client.runs.results = (id, query = {}, reading) =>
        client.runs.results(id, asOther(query), reading);
      expect(await collectRun({ ...client, runs: { ...client.runs, results } }, runId, options)).toEqual(
        view,
      );
    }
  });
});
