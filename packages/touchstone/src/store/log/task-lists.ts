import { setImmediate } from 'node:timers/promises';
import { type SummaryTotals, type TaskScore, taskScore } from '@touchstone/protocol';
import type { Payloads, RunEvent } from '@touchstone/protocol/bodies';
import type { StepResult } from '../../ports/index.js';
import type { LogRow } from './page-rows.js';

const PAGE = 1_000;

type ReadResults = (offset: number, limit: number) => Promise<readonly StepResult[]>;
type PlacedTask = { readonly ordinal: number; readonly task: TaskScore };

/**
 * The summary of an evaluation lists every task, which its results tell already. So it is stored without the list, and gets it when
 * somebody reads its event. Undefined when results are missing.
 */
export async function withTaskList(
  events: readonly RunEvent[],
  rows: readonly LogRow[],
  read: ReadResults,
): Promise<readonly RunEvent[] | undefined> {
  const [event, count] = [events.at(-1), rows.at(-1)?.row.tasks];
  if (event?.type !== 'run.completed' || count == null) return events;
  const tasks = await readTasks(Number(count), read);
  if (!tasks) return undefined;
  const payload = event.payload as Payloads['run.completed'];
  const { regression, ...totals } = payload.outputs as SummaryTotals;
  const outputs = { ...totals, tasks, ...(regression && { regression }) };
  return [...events.slice(0, -1), { ...event, payload: { ...payload, outputs } }];
}

/** In the order of the suite: a pause may have left gaps in the log that were filled later. */
async function readTasks(count: number, read: ReadResults): Promise<readonly TaskScore[] | undefined> {
  const placed: PlacedTask[] = [];
  while (placed.length < count) {
    const page = await read(placed.length, PAGE);
    if (page.length === 0) return undefined;
    for (const { ordinal, result } of page) placed.push({ ordinal, task: taskScore(result) });
    // The list of a long run takes as long as many requests, so others get a turn.
    if (placed.length < count) await setImmediate();
  }
  return placed.sort((a, b) => a.ordinal - b.ordinal).map(({ task }) => task);
}
