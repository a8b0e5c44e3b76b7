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

/**
 * The same in pieces, without holding them all: what comes too early waits for those before it. Where only some tasks of the suite were
 * selected, nobody can tell which come before, so all are held.
 */
export async function* resultsInOrder(
  client: Client,
  runId: RunId,
  isWhole: boolean,
): AsyncGenerator<readonly TaskResult[]> {
  if (!isWhole) return yield await readResults(client, runId);
  const early = new Map<number, TaskResult>();
  let next = 0;
  for await (const page of resultPages(client, runId)) {
    for (const { ordinal, result } of page) early.set(ordinal, result);
    const piece: TaskResult[] = [];
    for (let result = early.get(next); result; result = early.get(next)) {
      piece.push(result);
      early.delete(next);
      next += 1;
    }
    yield piece;
  }
  yield [...early].sort(([a], [b]) => a - b).map(([, result]) => result);
}

/**
 * What is made of those of tasks that did not pass, in the order of the suite. Undefined from a host that does not know the question.
 */
export async function readFailed<T>(
  client: Client,
  runId: RunId,
  make: (result: TaskResult) => T,
): Promise<readonly T[] | undefined> {
  const ordinals: number[] = [];
  const made: T[] = [];
  for await (const page of resultPages(client, runId, { outcome: 'not-passed' })) {
    if (page.some(({ result }) => result.passed)) return undefined;
    for (const { ordinal, result } of page) {
      ordinals.push(ordinal);
      made.push(make(result));
    }
  }
  if (ordinals.every((ordinal, at) => at === 0 || (ordinals[at - 1] ?? 0) < ordinal)) return made;
  return ordinals
    .map((ordinal, at) => [ordinal, at] as const)
    .sort(([a], [b]) => a - b)
    .map(([, at]) => made[at] as T);
}

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
async function* resultPages(
  client: Client,
  runId: RunId,
  which: { readonly outcome?: 'not-passed' } = {},
): AsyncGenerator<readonly StepResult[]> {
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.results(runId, cursor === undefined ? which : { ...which, cursor });
    yield page.items;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}
