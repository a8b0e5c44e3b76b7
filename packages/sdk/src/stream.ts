import { isTerminal, type RunId } from '@touchstone/protocol';
import { type Feed, type FollowOptions, follow } from './follow.js';
import type { Retry } from './retry.js';
import type { SseMessage } from './sse.js';
import type { Transport } from './transport.js';
import type { ProgressMessage, RunEvent, RunSnapshot } from './types.js';

/** Which events to stream, and how. */
export type StreamOptions = {
  /**
   * Only events with a higher sequence; all events when absent. Use the sequence of the last event that was stored to
   * continue after a restart.
   */
  readonly after?: number;
  /** `updates` (default): run and eval events. `debug`: every event, with the agent's. */
  readonly streamMode?: 'updates' | 'debug';
  /** Ends the stream: the iteration throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** A connection silent for this long is taken for dead and opened again; 90 s when absent. */
  readonly idleTimeoutMs?: number;
};

/** Event types that end a log. */
const TERMINAL_TYPES = new Set(['run.completed', 'run.failed', 'run.cancelled']);
/** Three keepalives of a host, in milliseconds. */
const IDLE_TIMEOUT_MS = 90_000;

/** The path of a run, its id escaped. */
export const runPath = (runId: string): string => `/v1/runs/${encodeURIComponent(runId)}`;

/** The run's events in order, each once, whatever happens to the connection. Ends after the terminal event. */
export async function* streamEvents(
  transport: Transport,
  retry: Retry,
  runId: RunId,
  options: StreamOptions = {},
): AsyncGenerator<RunEvent> {
  let last = options.after ?? -1;
  // Only a reader that began at or after the end of the log, and has therefore seen nothing, may leave without the end.
  const owesMore = (): boolean => last !== options.after;
  const feed = feedOf(transport, runId, `${runPath(runId)}/events`, options, owesMore);
  for await (const message of follow(feed, followOptions(retry, options))) {
    for (const event of eventsOf(message)) {
      if (event.sequence <= last) continue;
      last = event.sequence;
      yield event;
      if (TERMINAL_TYPES.has(event.type)) return;
    }
  }
}

/** The live feed of a run: not stored, so a reader that was away has missed something and is not told what. */
export async function* streamProgress(
  transport: Transport,
  retry: Retry,
  runId: RunId,
  options: Pick<StreamOptions, 'signal' | 'idleTimeoutMs'> = {},
): AsyncGenerator<ProgressMessage> {
  const path = `/v1/host/touchstone/runs/${encodeURIComponent(runId)}/progress`;
  const feed = feedOf(transport, runId, path, options, () => false);
  for await (const message of follow(feed, followOptions(retry, options))) {
    yield { event: message.event, data: JSON.parse(message.data) } as ProgressMessage;
  }
}

function feedOf(
  transport: Transport,
  runId: RunId,
  path: string,
  options: StreamOptions,
  owesMore: () => boolean,
): Feed {
  return {
    owesMore,
    open: (lastEventId, signal) =>
      transport.open({
        method: 'GET',
        path,
        query: { streamMode: options.streamMode },
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
        signal,
      }),
    isOver: async () => {
      const call = {
        method: 'GET',
        path: runPath(runId),
        ...(options.signal && { signal: options.signal }),
      } as const;
      return isTerminal((await transport.json<RunSnapshot>(call)).status);
    },
  };
}

const followOptions = (retry: Retry, options: StreamOptions): FollowOptions => ({
  retry,
  idleTimeoutMs: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
  ...(options.after !== undefined && { lastEventId: String(options.after) }),
  signal: options.signal,
});

/** A host may gather several events into one `batch` message. */
function eventsOf(message: SseMessage): readonly RunEvent[] {
  const parsed = JSON.parse(message.data) as RunEvent | readonly RunEvent[];
  return Array.isArray(parsed) ? parsed : [parsed as RunEvent];
}
