import type { EventId } from '../../model/ids.js';
import type { runEvent } from '../openwop/run-event.js';
import {
  amount,
  choice,
  closed,
  count,
  id,
  integer,
  list,
  mark,
  ref,
  text,
  type Wire,
} from '../schema/build.js';

/** What a span is the time of. */
export const SPAN_KINDS = ['model', 'tool', 'memory', 'judge', 'embedder'] as const;

const taskSpan = closed(
  {
    /** What was called. */
    kind: choice(SPAN_KINDS),
    /** The repeat of the task, counted from 0. */
    repeat: count('The repeat of the task, counted from 0.'),
    /** The model as provider/model, the tool, or the memory. */
    name: text('The model as provider/model, the tool, or the memory.'),
    /** Since the invocation began, in milliseconds. Judges are asked after it. */
    startMs: integer('Since the invocation began, in milliseconds.'),
    /** How long it took, in milliseconds. */
    durationMs: count('How long it took, in milliseconds.'),
  },
  {
    /** Nobody measured how long it took: the start is when it was told, and the duration is 0. */
    untimed: mark('Nobody measured how long it took.'),
    /** The event that tells of it; absent until the log has it. */
    eventId: id<EventId>(),
    /** What the model read and wrote. */
    tokens: closed({ input: count(), output: count() }),
    /** What the call cost, in US dollars; absent when the price is unknown. */
    costUsd: amount(),
    /** Whether the tool answered. */
    status: choice(['ok', 'error']),
    /** The model played the user of a conversation. */
    simulatedUser: mark('The model played the user of a conversation.'),
  },
);
/** The time of one call in a task. */
export type TaskSpan = Wire<typeof taskSpan>;

/** Answer of `GET …/runs/{runId}/tasks/{taskId}/events`. */
export const taskEvents = closed(
  {
    /** Those of the task, in order, as many as fit one answer; none while the log waits for the tasks before this one. */
    items: list(ref<typeof runEvent>('run-event')),
    /** All calls of the task, by repeat and start; on the first page alone. */
    spans: list(taskSpan),
  },
  {
    /** `cursor` of the next part; absent when this is the last. */
    nextCursor: text('The cursor of the next part.'),
  },
);
/** The events of one task with their content, and the times of its calls. */
export type TaskEvents = Wire<typeof taskEvents>;
