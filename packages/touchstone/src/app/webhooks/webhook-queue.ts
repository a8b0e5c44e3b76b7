import type { Message } from './webhook-sender.js';

/** What waits for one webhook. Past its bounds the oldest goes: the newest says most about how things stand. */
type Queue = {
  put(message: Message): void;
  take(): Message | undefined;
  /** Empties it; answers how many that were. */
  clear(): number;
  /** How many had to go since it was asked last. */
  takeDropped(): number;
  readonly size: number;
};

const MAX_WAITING = 1_000;
/** Answers can be long; a thousand long ones should not wait in memory for someone who does not answer. */
const MAX_WAITING_CHARS = 16 * 1024 * 1024;

export function createQueue(): Queue {
  const waiting: Message[] = [];
  let chars = 0;
  let dropped = 0;

  const take = (): Message | undefined => {
    const message = waiting.shift();
    chars -= message?.body.length ?? 0;
    return message;
  };
  const isTooLong = (): boolean =>
    waiting.length > MAX_WAITING || (chars > MAX_WAITING_CHARS && waiting.length > 1);

  return {
    put(message) {
      waiting.push(message);
      chars += message.body.length;
      for (; isTooLong(); dropped += 1) take();
    },
    take,
    clear() {
      chars = 0;
      return waiting.splice(0).length;
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
    get size() {
      return waiting.length;
    },
  };
}
