import type { NewEvent, Payloads } from '@touchstone/contract/bodies';
import type { Clock } from '@touchstone/contract/ports';

/** Collects the event block of one step, in the order things happened. */
export type Recorder = {
  readonly events: readonly NewEvent[];
  /** Returns the event's index in the block, to be named as the cause of a later one. */
  add<T extends NewEvent['type']>(type: T, payload: Payloads[T], cause?: number): number;
};

export function createRecorder(nodeId: string, clock: Clock): Recorder {
  const events: NewEvent[] = [];
  return {
    events,
    add(type, payload, cause) {
      const event = { type, at: clock.now(), payload, nodeId, ...(cause !== undefined && { cause }) };
      return events.push(event as NewEvent) - 1;
    },
  };
}
