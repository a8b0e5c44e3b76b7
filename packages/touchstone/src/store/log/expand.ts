import { evalScored, type RunId, type TaskResult } from '@touchstone/protocol';
import { eventIdOf, type NewEvent, type RunEvent } from '@touchstone/protocol/bodies';
import { PAGE_BYTES } from '../../ports/index.js';
import type { Row } from '../db.js';
import { jsonAt, numberAt } from '../rows.js';
import { withoutContent } from './content.js';
import type { LogRow, RowExtent } from './page-rows.js';

type Run = { readonly runId: RunId; readonly engineVersion: string };

/** The columns that `expand` reads. */
export const EVENT_COLUMNS = `u.engine_version, u.suite_id, u.bodies_removed_at, l.at, l.result, l.events, l.tasks, r.events AS block`;

/**
 * Turns log rows into numbered events, those after a sequence. The result of a step closes its last record as an
 * `eval.scored` that is stored nowhere else.
 */
export function expand(runId: RunId, rows: readonly LogRow[], after: number): readonly RunEvent[] {
  const events: RunEvent[] = [];
  for (const { row, extent } of rows) {
    const run = { runId, engineVersion: String(row.engine_version) };
    appendBlock(events, run, blockOf(row), extent.first, after);
    if (row.result !== null && extent.end === extent.entryEnd)
      appendBlock(events, run, [scoredEvent(row)], extent.end - 1, after);
  }
  const [first] = rows;
  return first && first.extent.bytes > PAGE_BYTES ? beginningOf(events) : events;
}

function blockOf(row: Row): readonly NewEvent[] {
  const block = jsonAt<readonly NewEvent[]>(row, row.events === null ? 'block' : 'events');
  return row.bodies_removed_at == null ? block : withoutContent(block, row.suite_id !== null);
}

function scoredEvent(entry: Row): NewEvent {
  const result = jsonAt<TaskResult>(entry, 'result');
  return {
    type: 'eval.scored',
    at: numberAt(entry, 'at'),
    payload: evalScored(result),
    nodeId: result.taskId,
  };
}

function appendBlock(
  events: RunEvent[],
  run: Run,
  block: readonly NewEvent[],
  first: RowExtent['first'],
  after: number,
): void {
  for (const [index, event] of block.entries()) {
    if (first + index > after) events.push(numbered(run, event, first, first + index));
  }
}

/** Not worth another page: for it, the whole record would be read again. */
const SMALL_REST_BYTES = PAGE_BYTES / 16;

/** A record that is larger than a page is read by its events: no more of them than it takes to fill one. */
function beginningOf(events: readonly RunEvent[]): readonly RunEvent[] {
  // One event is a page, however long it is.
  if (events.length === 1) return events;
  const sizes = events.map((event) => JSON.stringify(event).length);
  let rest = sizes.reduce((sum, size) => sum + size, 0);
  let taken = 0;
  const last = sizes.findIndex((size) => {
    taken += size;
    rest -= size;
    return taken >= PAGE_BYTES && rest > SMALL_REST_BYTES;
  });
  return last < 0 ? events : events.slice(0, last + 1);
}

const numbered = (run: Run, event: NewEvent, blockStart: number, sequence: number): RunEvent => ({
  eventId: eventIdOf(run.runId, sequence),
  runId: run.runId,
  type: event.type,
  payload: event.payload,
  timestamp: new Date(event.at).toISOString(),
  sequence,
  ...(event.nodeId !== undefined && { nodeId: event.nodeId }),
  schemaVersion: 1,
  engineVersion: run.engineVersion,
  ...(event.causationId !== undefined && { causationId: event.causationId }),
  ...(event.cause !== undefined && { causationId: eventIdOf(run.runId, blockStart + event.cause) }),
});
