import type { EvalReport } from '@touchstone/protocol';
import { schemaIssues } from '@touchstone/protocol/schema';
import { check, vendor } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Event, eventsOf, payloadsOf, readJson, type Summary } from './pack-host.js';
import {
  AGENT,
  diffOf,
  finish,
  golden,
  installSuite,
  openRunHost,
  type RunHost,
  type RunOptions,
  rubric,
  USD,
} from './run-host.js';

// Goal: what a run says of the run it is held against is right, on the wire and in the report. Method: one suite of forty
// tasks and three versions of an agent: one gets all of it right, one breaks ten tasks, one breaks three.
const TASKS = 40;
const BROKEN = { '2.0.0': 10, '3.0.0': 3 };
const SUITE = 'local.test.evals.compared';
const SILENT = 'local.test.evals.silent';

const nameOf = (index: number): string => (index < TASKS / 2 ? `alpha-${index}` : `beta-${index}`);
const brokenIn = (index: number): readonly string[] =>
  Object.entries(BROKEN).flatMap(([version, count]) => (index < count ? [version] : []));
const tasks = Array.from({ length: TASKS }, (_, index) =>
  golden(nameOf(index), { brokenIn: brokenIn(index) }),
);
const firstOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => nameOf(index));

let setup: RunHost;
let baseline: string;
beforeAll(async () => {
  setup = await openRunHost();
  const suite = { version: '1.0.0', thresholds: { passScore: 0.6 }, tasks };
  await installSuite(setup.host, { ...suite, suiteId: SUITE, modes: ['golden', 'regression'] });
  await installSuite(setup.host, { ...suite, suiteId: SILENT, modes: ['golden'] });
  baseline = await finish(setup.host, SUITE);
});
afterAll(() => setup.close());

type Compared = {
  readonly runId: string;
  readonly events: readonly Event[];
  readonly summary: Summary & {
    readonly regression?: {
      readonly baselineRunId: string;
      readonly scoreDelta: number;
      readonly diffRef: string;
    };
  };
  readonly report: EvalReport;
};
async function compared(
  suite: string,
  version: string,
  configurable: object = { baselineRunId: baseline },
  asking: RunOptions = {},
): Promise<Compared> {
  const agentId = `${AGENT}@${version}`;
  const runId = await finish(setup.host, suite, { agentId, configurable, ...asking });
  const events = await eventsOf(setup.host, runId);
  const summary = (await readJson(setup.host, `/v1/runs/${runId}/eval-summary`)).body;
  expect(check('eval-summary', summary)).toEqual([]);
  for (const event of events) expect(check('run-event', event)).toEqual([]);
  return {
    runId,
    events,
    summary: summary as unknown as Compared['summary'],
    report: await reportOf(runId),
  };
}
async function reportOf(runId: string, query = ''): Promise<EvalReport> {
  const { status, body } = await readJson(setup.host, `/v1/host/touchstone/runs/${runId}/report${query}`);
  expect({ status, issues: schemaIssues(vendor.evalReport, body) }).toEqual({ status: 200, issues: [] });
  return body as unknown as EvalReport;
}

describe('a run in mode regression', () => {
  it('names its baseline, and the difference of the two scorecards, wherever it speaks of them', async () => {
    const { runId, events, summary, report } = await compared(SUITE, '2.0.0');
    const scoreDelta = -BROKEN['2.0.0'] / TASKS;
    expect(payloadsOf(events, 'eval.started')).toMatchObject([
      { baselineRunId: baseline, modes: ['golden', 'regression'], taskCount: TASKS },
    ]);
    expect(summary.aggregateScore - 1).toBeCloseTo(scoreDelta, 12);
    expect(summary.regression?.scoreDelta).toBe(summary.aggregateScore - 1);
    expect(payloadsOf(events, 'eval.completed')).toMatchObject([
      { regressionVsBaseline: summary.regression?.scoreDelta },
    ]);
    expect(report.regression?.scoreDelta).toBe(summary.regression?.scoreDelta);
    expect(summary.regression).toMatchObject({ baselineRunId: baseline });
    const diffRef = await readJson(setup.host, summary.regression?.diffRef as string);
    expect(diffRef).toMatchObject({ status: 200, body: { a: runId, b: baseline } });
    expect(diffRef.body).toEqual(await diffOf(setup.host, runId, baseline));
    expect((await readJson(setup.host, `/v1/runs/${runId}`)).body.touchstone).toMatchObject({
      baselineRunId: baseline,
    });
  });

  it('that breaks ten of forty tasks is a real regression, which the scorecard’s own verdict does not follow', async () => {
    const { summary, report } = await compared(SUITE, '2.0.0');
    expect(summary.passed).toBe(true);
    expect(report.verdict).not.toBe('fail');
    const { regression } = report;
    expect(regression).toMatchObject({
      baselineRunId: baseline,
      baseline: { agent: { agentId: AGENT, version: '1.0.0' }, score: 1 },
      verdict: 'fail',
      tolerance: 0,
      tasks: { paired: TASKS, differing: 10, unpaired: 0 },
      toFail: firstOf(10),
      toPass: [],
      changes: firstOf(10).map((taskId) => ({ taskId, before: 1, after: 0 })),
      cost: { beforeUsd: USD * TASKS, afterUsd: USD * TASKS },
    });
    // Ten differences, all of one sign: one of 1,024 ways to flip them, and McNemar's test has two sides.
    expect(regression?.pValue).toBeCloseTo(1 / 1_024, 12);
    expect(regression?.mcnemarP).toBeCloseTo(2 / 1_024, 12);
    const [low, high] = regression?.interval ?? [0, 0];
    expect([low < -0.25, high > -0.25, high < 0]).toEqual([true, true, true]);
    expect(regression?.smallestDetectableDrop).toBeGreaterThan(0);
    expect(report.slices).toMatchObject([
      { name: 'alpha', tasks: 20, score: 0.5, scoreDelta: -0.5, exploratory: true },
      { name: 'beta', tasks: 20, score: 1, scoreDelta: 0, exploratory: true },
    ]);
  });

  it('with three differing tasks cannot tell, with none it passes, and better is no regression', async () => {
    const few = await compared(SUITE, '3.0.0');
    expect(few.report.regression).toMatchObject({ verdict: 'inconclusive', tasks: { differing: 3 } });
    const same = await compared(SUITE, '1.0.0');
    expect(same.report.regression).toMatchObject({
      verdict: 'pass',
      scoreDelta: 0,
      pValue: 1,
      changes: [],
      tasks: { differing: 0 },
    });
    const worse = await finish(setup.host, SUITE, { agentId: `${AGENT}@2.0.0` });
    const better = await compared(SUITE, '1.0.0', { baselineRunId: worse });
    expect(better.report.regression).toMatchObject({ verdict: 'pass', toPass: firstOf(10), toFail: [] });
    expect(better.summary.regression?.scoreDelta).toBeCloseTo(0.25, 12);
  });

  it('that drops by no more than is tolerated is no failure', async () => {
    const verdictAt = async (tolerance: number) => {
      const { report } = await compared(SUITE, '2.0.0', {
        baselineRunId: baseline,
        regression: { tolerance },
      });
      expect(report.regression?.tolerance).toBe(tolerance);
      return report.regression?.verdict;
    };
    expect([await verdictAt(0.24), await verdictAt(0.25), await verdictAt(0.3)]).toEqual([
      'fail',
      'pass',
      'pass',
    ]);
  });
});

describe('a baseline beside a suite that does not declare regression', () => {
  it('is nowhere on the wire, and in the report', async () => {
    const own = await finish(setup.host, SILENT);
    const { events, summary, report } = await compared(SILENT, '2.0.0', { baselineRunId: own });
    expect(summary).not.toHaveProperty('regression');
    expect(payloadsOf(events, 'eval.completed')[0]).not.toHaveProperty('regressionVsBaseline');
    expect(payloadsOf(events, 'eval.started')[0]).toMatchObject({ modes: ['golden'] });
    expect(report.regression).toMatchObject({ baselineRunId: own, verdict: 'fail' });
  });
});

describe('a report against another run', () => {
  /** Times are measured anew in every run. */
  const withoutTimes = (regression: EvalReport['regression']) => {
    const { latency: _, baseline: before, ...rest } = regression as NonNullable<typeof regression>;
    return { ...rest, baseline: { ...before, endedAt: undefined } };
  };

  it('says what a run with that baseline would have said', async () => {
    const runId = await finish(setup.host, SUITE, { agentId: `${AGENT}@2.0.0` });
    expect(await reportOf(runId)).not.toHaveProperty('regression');
    const asked = await reportOf(runId, `?against=${baseline}`);
    const { report } = await compared(SUITE, '2.0.0');
    expect(withoutTimes(asked.regression)).toEqual(withoutTimes(report.regression));
  });

  it('takes the place of the run’s own baseline', async () => {
    const { runId, report } = await compared(SUITE, '2.0.0');
    expect(report.regression).toMatchObject({ baselineRunId: baseline, verdict: 'fail' });
    const asked = await reportOf(runId, `?against=${runId}`);
    expect(asked.regression).toMatchObject({ baselineRunId: runId, verdict: 'pass', scoreDelta: 0 });
  });
});

it('tasks that could not be scored are left out of the comparison and counted', async () => {
  const suiteId = 'local.test.evals.mumbled';
  const some = [rubric('odd', 'Mumble'), ...tasks.slice(0, 12)];
  const modes = ['golden', 'rubric', 'regression'];
  await installSuite(setup.host, { suiteId, version: '1.0.0', modes, tasks: some });
  const before = await finish(setup.host, suiteId);
  const { report, summary } = await compared(suiteId, '2.0.0', { baselineRunId: before });
  expect(report.tasks).toMatchObject({ unscored: 1 });
  expect(report.regression).toMatchObject({
    verdict: 'fail',
    tasks: { paired: 12, differing: 10, unpaired: 1 },
    toFail: firstOf(10),
  });
  // On the wire an unscored task counts as 0 in both runs, as the scorecards have it.
  expect(summary.regression?.scoreDelta).toBeCloseTo(-10 / 13, 12);
  expect(report.regression?.scoreDelta).toBe(summary.regression?.scoreDelta);
});
