import { evalScored, type RunId, type TaskResult } from '@touchstone/protocol';
import { eventIdOf, type NewEvent, type RunEvent } from '@touchstone/protocol/bodies';
import type { Row } from '../db.js';
import { jsonAt, numberAt } from '../rows.js';
import { withoutContent } from './content.js';

type Run = { readonly runId: RunId; readonly engineVersion: string };

/**
 * Turns log rows into numbered events. A step comes as one row per record, in repeat order; its result closes it as an
 * `eval.scored` that is stored nowhere else.
 */
export function expand(run: Run, rows: readonly Row[], after: number): readonly RunEvent[] {
  const events: RunEvent[] = [];
  for (const entryRows of byEntry(rows)) {
    let sequence = numberAt(entryRows[0], 'first_seq');
    for (const block of blocksOf(entryRows)) {
      appendBlock(events, run, block, sequence, after);
      sequence += block.length;
    }
  }
  return events;
}

/** Rows in log order, those of one entry together. */
export function byEntry(rows: readonly Row[]): readonly (readonly [Row, ...Row[]])[] {
  const entries: [Row, ...Row[]][] = [];
  for (const row of rows) {
    const current = entries.at(-1);
    if (current?.[0].first_seq === row.first_seq) current?.push(row);
    else entries.push([row]);
  }
  return entries;
}

function blocksOf(rows: readonly [Row, ...Row[]]): readonly (readonly NewEvent[])[] {
  const [{ bodies_removed_at, suite_id }] = rows;
  const blocks = storedBlocks(rows);
  if (bodies_removed_at == null) return blocks;
  return blocks.map((block) => withoutContent(block, suite_id !== null));
}

function storedBlocks(rows: readonly [Row, ...Row[]]): readonly (readonly NewEvent[])[] {
  const [entry] = rows;
  if (entry.events !== null) return [jsonAt<readonly NewEvent[]>(entry, 'events')];
  const blocks = rows
    .slice(0, numberAt(entry, 'repeats'))
    .map((row) => jsonAt<readonly NewEvent[]>(row, 'block'));
  return entry.result === null ? blocks : [...blocks, [scoredEvent(entry)]];
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
  first: number,
  after: number,
): void {
  for (const [index, event] of block.entries()) {
    if (first + index > after) events.push(numbered(run, event, first, first + index));
  }
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
