import { asId, type RunId } from '@touchstone/protocol';
import { type Client, collectRun } from '@touchstone/sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Local } from '../../local.js';
import { withSession } from '../../session.js';
import { type EvidenceCli, openEvidenceCli } from '../../testing/evidence-cli.js';

let desk: EvidenceCli;
beforeEach(() => {
  desk = openEvidenceCli();
});
afterEach(() => desk.close());

const SETTINGS = { data: '.touchstone', json: false, color: false };
const COLLECTING = { bodies: 0, now: 0 };

/** Counts how often results are read from the log, by whichever part of the host. */
function countReads({ store: { log } }: Local['touchstone']): { pages: number } {
  const reads = { pages: 0 };
  const read = log.results;
  const counted: typeof read = (...asked) => {
    reads.pages += 1;
    return read(...asked);
  };
  Object.assign(log, { results: counted });
  return reads;
}

const inSession = (use: (client: Client, local: Local) => Promise<void>): Promise<void> =>
  withSession({ io: desk.io, settings: SETTINGS }, {}, 'store', ({ client, local }) =>
    use(client, local as Local),
  );

test('what the command tells and the report of the same run come from one reading of the log', async () => {
  const runId = asId<RunId>(await desk.runSuite());
  await inSession(async (client, { touchstone, principal }) => {
    const reads = countReads(touchstone);
    const { report, counts } = await collectRun(client, runId, COLLECTING);
    expect(reads.pages).toBe(1);
    expect(report).toEqual(await touchstone.report(principal.owner, runId));
    expect(counts).toEqual({ total: 3, selected: 3, passed: 2, failed: 1, unscored: 0 });
  });
});

test('bodies are read for the first failures only, and none is lost', async () => {
  desk.write('agent.mjs', `export default () => 'ANSWER-WRONG';`);
  const runId = asId<RunId>(await desk.runSuite());
  await inSession(async (client) => {
    const { failures } = await collectRun(client, runId, { ...COLLECTING, bodies: 2 });
    expect(failures.map(({ taskId, bodies }) => [taskId, bodies?.got?.value])).toEqual([
      ['late', 'ANSWER-WRONG'],
      ['early', 'ANSWER-WRONG'],
      ['never', undefined],
    ]);
  });
});

test('totals alone are those of the summary, and everything else is the same', async () => {
  const runId = asId<RunId>(await desk.runSuite());
  await inSession(async (client) => {
    const { summary, ...view } = await collectRun(client, runId, COLLECTING);
    const asked: string[] = [];
    const evalSummary: Client['evalSummary'] = (...call) => {
      asked.push(call[0]);
      return client.evalSummary(...call);
    };
    const short = await collectRun({ ...client, evalSummary }, runId, { ...COLLECTING, summary: 'headline' });
    const { tasks, ...totals } = summary ?? {};
    expect(tasks).toHaveLength(3);
    expect(short).toEqual({ ...view, summary: totals });
    expect(asked).toEqual([]);
  });
});
