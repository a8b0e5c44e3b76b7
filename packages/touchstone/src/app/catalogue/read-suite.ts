import { bodyError, type Issue, isHostError, type Owner } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import { type Checker, type CheckWork, type Suite, type ThreadShares, threadMs } from '../../ports/index.js';
import { parseSuite } from '../../suites/index.js';
import { refuseSlow } from './schema-budget.js';

type Reading = { readonly head: Suite['head'] } | { readonly issues: readonly Issue[] };

/** Checks a suite. Its tasks are not sent back: who sent it has them. */
export const SUITE_READING: CheckWork<unknown, Reading> = {
  name: 'suite-reading',
  run(value) {
    try {
      return { head: parseSuite(value).head };
    } catch (error) {
      const issues = isHostError(error) ? error.details?.issues : undefined;
      if (!issues) throw error;
      return { issues: issues as readonly Issue[] };
    }
  },
};

/** For each byte, where the suite consists of short values or of criteria with schemas. */
const US_PER_BYTE = 0.2;

type ReadingParts = { readonly check: Checker; readonly shares: ThreadShares };

/**
 * A suite as a caller sends it. Checking a long one takes long, so that is done in a thread. What is done with it next, such as
 * writing it out for the store, counts for its tenant.
 */
export async function readSentSuite(
  { check, shares }: ReadingParts,
  { tenant }: Owner,
  value: unknown,
  bytes: number,
): Promise<Suite> {
  const read = refuseSlow(SLOW_SUITE, () => check(SUITE_READING, value, bytes * US_PER_BYTE));
  const reading = await read();
  if ('issues' in reading) throw bodyError(reading.issues);
  const ms = threadMs(2 * bytes);
  await shares.enter(tenant, ms);
  shares.charge(tenant, ms);
  return { head: reading.head, tasks: (value as { readonly tasks: readonly Task[] }).tasks };
}

const SLOW_SUITE: Issue = {
  pointer: '',
  message: 'This suite takes too long to check. Split it, or simplify its criteria.',
};
