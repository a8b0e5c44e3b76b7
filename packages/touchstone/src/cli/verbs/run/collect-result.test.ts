import { afterEach, beforeEach, expect, test } from 'vitest';
import { asEvalRun, findRun } from '../../find-run.js';
import { LOCAL_OWNER, type Local } from '../../local.js';
import { type EvidenceDesk, openEvidenceDesk } from '../../testing/evidence-desk.js';
import { collectResult } from './collect-result.js';

let desk: EvidenceDesk;
beforeEach(() => {
  desk = openEvidenceDesk();
});
afterEach(() => desk.close());

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

test('what the command tells and the report of the same run come from one reading of the log', async () => {
  const runId = await desk.runSuite();
  await desk.inStore(async (touchstone) => {
    const run = asEvalRun(await findRun(touchstone, runId));
    const alone = await touchstone.report(LOCAL_OWNER, runId);
    const reads = countReads(touchstone);
    const { report, counts } = await collectResult(touchstone, run, COLLECTING);
    expect(reads.pages).toBe(1);
    expect(report).toEqual(alone);
    expect(counts).toEqual({ total: 3, selected: 3, passed: 2, failed: 1, unscored: 0 });
  });
});

test('bodies are read for the first failures only, and none is lost', async () => {
  desk.write('agent.mjs', `export default () => 'ANSWER-WRONG';`);
  const runId = await desk.runSuite();
  await desk.inStore(async (touchstone) => {
    const run = asEvalRun(await findRun(touchstone, runId));
    const { failures } = await collectResult(touchstone, run, { ...COLLECTING, bodies: 2 });
    expect(failures.map(({ taskId, bodies }) => [taskId, bodies?.got?.value])).toEqual([
      ['late', 'ANSWER-WRONG'],
      ['early', 'ANSWER-WRONG'],
      ['never', undefined],
    ]);
  });
});
