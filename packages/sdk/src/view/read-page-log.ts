import type { RunId, TaskSpan, TaskView } from '@touchstone/protocol';
import type { Client } from '../client.js';
import type { RunEvent } from '../types.js';
import { type FileLog, hasCalls } from './page-file.js';

/** The host answers a poll with so many events at most. */
const PAGE = 1_000;

/** Reads as much of the log of a run as there is room for, in bytes. A task is in it with all its events, or with none. */
export async function readPageLog(
  client: Client,
  runId: RunId,
  tasks: readonly TaskView[],
  room: number,
): Promise<FileLog> {
  const kept = await chooseTasks(client, runId, tasks, room);
  const events: RunEvent[] = [];
  for await (const event of eventsOf(client, runId))
    if (event.nodeId === undefined || kept.has(event.nodeId)) events.push(event);
  const spans: { [taskId: string]: readonly TaskSpan[] } = {};
  for (const { taskId } of tasks.filter((task) => kept.has(task.taskId) && hasCalls(task)))
    spans[taskId] = (await client.runs.taskEvents(runId, taskId)).spans;
  const leftOut = tasks.length - kept.size;
  return { events, spans, ...(leftOut > 0 && { leftOut }) };
}

/** Of the room, for tasks that passed and called nothing: their events say little more than their answers. */
const PLAIN_SHARE = 0.25;

/** Those that did not pass first, then those with a time line: that is what people look up. */
async function chooseTasks(
  client: Client,
  runId: RunId,
  tasks: readonly TaskView[],
  room: number,
): Promise<ReadonlySet<string>> {
  const sizes = new Map<string, number>();
  for await (const event of eventsOf(client, runId))
    if (event.nodeId !== undefined) sizes.set(event.nodeId, (sizes.get(event.nodeId) ?? 0) + bytesOf(event));
  const rankOf = (task: TaskView): number => (task.passed ? (hasCalls(task) ? 1 : 2) : 0);
  const kept = new Set<string>();
  let left = room;
  for (const task of tasks.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    left -= sizes.get(task.taskId) ?? 0;
    if (left < (rankOf(task) === 2 ? room * (1 - PLAIN_SHARE) : 0)) break;
    kept.add(task.taskId);
  }
  return kept;
}

const encoder = new TextEncoder();
const bytesOf = (event: RunEvent): number => encoder.encode(JSON.stringify(event)).length;

/** The log from its beginning, as far as it goes now. */
async function* eventsOf(client: Client, runId: RunId): AsyncGenerator<RunEvent> {
  for (let after: number | undefined; ; ) {
    const { events, isComplete } = await client.pollEvents(runId, {
      ...(after !== undefined && { after }),
      limit: PAGE,
      timeoutSeconds: 1,
    });
    yield* events;
    after = events.at(-1)?.sequence;
    if (isComplete || after === undefined) return;
  }
}
