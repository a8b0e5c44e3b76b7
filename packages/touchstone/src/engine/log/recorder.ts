import { type Redact, redactDeep } from '@touchstone/protocol';
import type { ModelCallTime, NewEvent, Payloads } from '@touchstone/protocol/bodies';
import type { Clock } from '../../ports/index.js';

/** Collects the event block of one step, in the order things happened. */
export type Recorder = {
  readonly nodeId: string;
  readonly events: readonly NewEvent[];
  /** Returns the event's index in the block, to be named as the cause of a later one. */
  add<T extends NewEvent['type']>(type: T, payload: Payloads[T], cause?: number): number;
  /** What was recorded until the first of these calls happened so long ago. */
  begin(agoMs: number): void;
  /** One model call. The invocation that it is paid for is its cause. */
  addCall(payload: Payloads['provider.usage'], call: ModelCallTime): void;
  /** Brings the block into the order the protocol gives it. Called once everything has happened. */
  settle(): void;
};

/**
 * Whatever is recorded is recorded without the secrets this host knows, wherever an agent or a tool put them. `start` is
 * the place of the invocation's start in a block that these events are appended to.
 */
export function createRecorder(nodeId: string, clock: Clock, redact: Redact, start?: number): Recorder {
  const events: NewEvent[] = [];
  let started = start;
  let beginning: number | undefined;
  return {
    nodeId,
    events,
    add(type, payload, cause) {
      const kept = redactDeep(payload, redact);
      const at = clock.now();
      const event =
        cause === undefined
          ? { type, at, payload: kept, nodeId }
          : { type, at, payload: kept, nodeId, cause };
      const index = events.push(event as NewEvent) - 1;
      if (type === 'agent.invocation.started') started = index;
      return index;
    },
    begin(agoMs) {
      beginning ??= events.length;
      const at = clock.now() - Math.round(agoMs);
      for (let index = 0; index < beginning; index += 1)
        events[index] = { ...(events[index] as NewEvent), at };
    },
    addCall(payload, call) {
      const kept = redactDeep(payload, redact);
      const event: NewEvent = { type: 'provider.usage', at: clock.now(), payload: kept, nodeId, call };
      events.push(started === undefined ? event : { ...event, cause: started });
    },
    settle() {
      const inOrder = reasonedFirst(events);
      if (inOrder !== events) events.splice(0, events.length, ...inOrder);
    },
  };
}

/**
 * All reasoning of an invocation stands before its first tool call, as the protocol wants it. An agent that thinks
 * between its calls has thought later than the place says; the timestamps tell when.
 */
function reasonedFirst(events: readonly NewEvent[]): readonly NewEvent[] {
  const firstCall = events.findIndex(({ type }) => type === 'agent.toolCalled');
  if (firstCall < 0) return events;
  const isLate = (index: number): boolean => index > firstCall && events[index]?.type === 'agent.reasoned';
  const all = events.map((_, index) => index);
  if (!all.some(isLate)) return events;
  const before = all.slice(0, firstCall);
  const order = [...before, ...all.filter(isLate), ...all.slice(firstCall).filter((index) => !isLate(index))];
  const placeOf = new Map(order.map((from, to) => [from, to]));
  return order.map((from) => {
    const event = events[from] as NewEvent;
    return event.cause === undefined ? event : { ...event, cause: placeOf.get(event.cause) as number };
  });
}
