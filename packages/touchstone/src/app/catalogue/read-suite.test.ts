// Goal: a suite that is checked in a thread is the same suite, and has the same mistakes, as one that is checked at once.
import { afterEach, expect, it } from 'vitest';
import { CheckOverLimit, checkAtOnce, threadMs, UNSHARED } from '../../ports/index.js';
import { parseSuite } from '../../suites/index.js';
import { type Checkers, createCheckers } from '../checkers/checkers.js';
import { systemClock } from '../system.js';
import { readSentSuite } from './read-suite.js';

const OWNER = { tenant: 'acme', workspace: 'main' };
const LONG = 16 * 1024 * 1024;

let checkers: Checkers | undefined;
afterEach(() => checkers?.close());

const suiteOf = (taskId: string) => ({
  ...{ suiteId: 'local.acme.evals.long', version: '1.0.0', modes: ['rubric'] },
  tasks: [
    {
      ...{ taskId, input: 'go' },
      expected: { kind: 'rubric', rubric: [{ criterion: '[check:json] Is JSON.', weight: 1 }] },
    },
  ],
});

it('a long suite is read in a thread, with its digest and its mistakes', async () => {
  checkers = createCheckers({ clock: systemClock, limits: { perTenant: 1, seconds: 60 } });
  const check = checkers.forRequest(OWNER);
  const charged: [string, number][] = [];
  const shares = { ...UNSHARED, charge: (tenant: string, ms: number) => void charged.push([tenant, ms]) };
  const suite = suiteOf('t-1');
  expect(await readSentSuite({ check, shares }, OWNER, suite, LONG)).toEqual(parseSuite(suite));
  expect(charged).toEqual([['acme', threadMs(2 * LONG)]]);
  const wrong = { ...suite, tasks: [...suite.tasks, ...suite.tasks] };
  const atOnce = await readSentSuite({ check: checkAtOnce, shares: UNSHARED }, OWNER, wrong, LONG).catch(
    (error) => error,
  );
  expect(atOnce).toMatchObject({ code: 'validation_error' });
  await expect(readSentSuite({ check, shares }, OWNER, wrong, LONG)).rejects.toEqual(atOnce);
});

it('a suite that cannot be checked in time is refused as such', async () => {
  const slow = () => Promise.reject(new CheckOverLimit('It took too long.'));
  await expect(
    readSentSuite({ check: slow, shares: UNSHARED }, OWNER, suiteOf('t-1'), LONG),
  ).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('takes too long to check'),
  });
});

it.each([
  [[], 'body'],
  [5, 'body'],
  [{ ...suiteOf('t-1'), tasks: [] }, 'tasks'],
])('the refusal of %j names the member that is wrong: %s', async (sent, field) => {
  const parts = { check: checkAtOnce, shares: UNSHARED };
  await expect(readSentSuite(parts, OWNER, sent, 100)).rejects.toMatchObject({ details: { field } });
});
