import { HostError, type TaskEvents, type TaskId, type TaskSpan } from '@touchstone/protocol';
import type { RunEvent } from '@touchstone/protocol/bodies';
import type { EndedTask } from '@touchstone/protocol/tasks';
import type { Store } from '../../../ports/index.js';
import { MAX_VIEW_BYTES, recordsOf } from '../task-view.js';
import { spansOf } from './task-spans.js';
import type { EvalRun, TaskTables } from './task-table.js';

type Parts = { readonly store: Pick<Store, 'log'>; readonly tables: TaskTables };

const PAGE_EVENTS = 200;

/** What happened in one task, from an event on, as much as fits one answer; and when its calls were made. Reads bodies. */
export async function readTaskEvents(
  { store: { log }, tables }: Parts,
  run: EvalRun,
  taskId: TaskId,
  cursor?: number,
): Promise<TaskEvents> {
  const task = (await tables.of(run)).byId().get(taskId);
  if (!task) throw new HostError('not_found', 'There is no such task in this run, or it has not ended yet.');
  const spans = cursor === undefined ? await readSpans(log, run, task) : [];
  const { items, next } = await readEvents(log, run, task, cursor ?? 0);
  return {
    items: items as unknown as TaskEvents['items'],
    spans,
    ...(next !== undefined && { nextCursor: String(next) }),
  };
}

async function readSpans(
  log: Store['log'],
  { owner, runId, plan }: EvalRun,
  { ordinal, firstSequence }: EndedTask,
): Promise<readonly TaskSpan[]> {
  const spans: TaskSpan[] = [];
  let first = firstSequence;
  for await (const record of recordsOf(log, owner, runId, ordinal)) {
    const isRejudged = plan.rejudgeOf !== undefined;
    spans.push(...spansOf(record, { runId, firstSequence: first, isRejudged }));
    if (first !== undefined) first += record.events.length;
  }
  return spans;
}

async function readEvents(
  log: Store['log'],
  { owner, runId }: EvalRun,
  { firstSequence, lastSequence }: EndedTask,
  cursor: number,
): Promise<{ readonly items: readonly RunEvent[]; readonly next?: number }> {
  const items: RunEvent[] = [];
  if (firstSequence === undefined || lastSequence === undefined) return { items };
  let bytes = 0;
  for (let next = Math.max(firstSequence, cursor); next <= lastSequence; ) {
    const page = await log.read(owner, runId, next - 1, PAGE_EVENTS);
    for (const event of page) {
      if (event.sequence > lastSequence) return { items };
      bytes += Buffer.byteLength(JSON.stringify(event));
      if (bytes > MAX_VIEW_BYTES && items.length > 0) return { items, next: event.sequence };
      items.push(event);
    }
    const last = page.at(-1);
    if (!last) return { items };
    next = last.sequence + 1;
  }
  return { items };
}
