import {
  type CompareRuns,
  HostError,
  type Owner,
  type RunComparison,
  type RunId,
} from '@touchstone/protocol';
import { compareRuns } from '../../scorecard/index.js';
import { measuredRun, type ResultSource } from './run-measurement.js';

/** Two completed runs of an owner, task by task. A scorecard that was kept from a file stands for its run. Reads no body. */
export async function readComparison(
  source: ResultSource,
  owner: Owner,
  { before, after, ...options }: CompareRuns,
  tolerance: number,
): Promise<RunComparison> {
  const [first, second] = [await find('before', before), await find('after', after)];
  return compareRuns(first, second, { tolerance, ...options });

  async function find(member: string, runId: RunId) {
    const found = await measuredRun(source, owner, runId, `/${member}`);
    if (found) return found;
    throw new HostError('not_found', 'There is no such run to compare.', { field: member });
  }
}
