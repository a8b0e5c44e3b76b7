import type { TaskResult } from '@touchstone/protocol';
import type { Run, SealedUnit } from '../../ports/index.js';
import type { RunKind } from '../kinds/run-kind.js';
import type { Backlog } from '../log/backlog.js';
import { readResults } from '../log/read-results.js';
import type { Parts } from '../parts.js';
import { foldStep } from './loop.js';

/**
 * Brings back what earlier drivers of this run made durable: steps in the log are done, sealed ones only wait for their
 * turn. Nothing sealed is executed again. Returns the results known so far, for the progress picture.
 */
export async function restoreBacklog(
  parts: Parts,
  run: Run,
  kind: RunKind,
  backlog: Backlog,
): Promise<readonly TaskResult[]> {
  if (run.eventCount === 0) return [];
  const { log } = parts.store;
  const positionOf = positions(kind);
  for (const ordinal of await log.appended(run.owner, run.runId)) backlog.markAppended(positionOf(ordinal));
  const results = (await readResults(parts.store, run)).map(({ result }) => result);
  for (const sealed of await log.pending(run.owner, run.runId)) {
    const result = await restoreSeal(kind, backlog, positionOf(sealed.ordinal), sealed);
    if (result) results.push(result);
  }
  return results;
}

async function restoreSeal(
  kind: RunKind,
  backlog: Backlog,
  position: number,
  sealed: SealedUnit,
): Promise<TaskResult | undefined> {
  const all = backlog.seal(position, sealed.repeat, sealed);
  if (!all) return undefined;
  const result = await foldStep(kind, sealed.ordinal, all);
  backlog.finish(position, sealed.ordinal, all, result);
  return result;
}

/** From ordinal to position. */
export function positions(kind: RunKind): (ordinal: number) => number {
  if (kind.steps === 0 || kind.ordinalAt(kind.steps - 1) === kind.steps - 1) return (ordinal) => ordinal;
  const byOrdinal = new Map(
    Array.from({ length: kind.steps }, (_, position) => [kind.ordinalAt(position), position]),
  );
  return (ordinal) => byOrdinal.get(ordinal) as number;
}
