import type { RunId, TaskResult } from '@touchstone/protocol';
import type { Client } from '../../client.js';
import { HostResponseError } from '../../errors.js';
import type { StepResult } from '../../types.js';

/** Turns a refusal into "absent"; other errors are thrown. */
export function absentElsewhere(error: unknown): undefined {
  if (error instanceof HostResponseError && error.status < 500) return undefined;
  throw error;
}

/** The run is there, so what is not found is the operation: the host is older than it. */
export function absentInOlder(error: unknown): undefined {
  if (!(error instanceof HostResponseError) || error.status !== 404) throw error;
}

/** All results of a run, in the order of the suite. */
export const readResults = async (client: Client, runId: RunId): Promise<readonly TaskResult[]> =>
  (await readSteps(client, runId)).map(({ result }) => result);

/** The same with their places. They are sorted: a pause may have left gaps in the log that were filled later. */
export async function readSteps(client: Client, runId: RunId): Promise<readonly StepResult[]> {
  const rows: StepResult[] = [];
  for await (const page of resultPages(client, runId)) rows.push(...page);
  return rows.sort((a, b) => a.ordinal - b.ordinal);
}

/**
 * Gives the results of a run, in the order of the suite, without holding them all. They are read a second time, and held,
 * where the log has them in another order: `createTaker` then makes another one who takes them.
 */
export async function takeResults<T extends ResultTaker>(
  client: Client,
  runId: RunId,
  createTaker: () => T,
): Promise<T> {
  const taker = createTaker();
  if (await hasTaken(client, runId, taker)) return taker;
  const another = createTaker();
  for (const result of await readResults(client, runId)) another.add(result);
  return another;
}

type ResultTaker = { add(result: TaskResult): void };

async function hasTaken(client: Client, runId: RunId, taker: ResultTaker): Promise<boolean> {
  let last = -1;
  for await (const page of resultPages(client, runId))
    for (const { ordinal, result } of page) {
      if (ordinal <= last) return false;
      last = ordinal;
      taker.add(result);
    }
  return true;
}

/** In the order of the log. */
async function* resultPages(client: Client, runId: RunId): AsyncGenerator<readonly StepResult[]> {
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.results(runId, cursor === undefined ? {} : { cursor });
    yield page.items;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}
