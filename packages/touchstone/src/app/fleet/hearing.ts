import { performance } from 'node:perf_hooks';
import { SILENT_MS } from '../../ports/index.js';

/** Whether the others have heard of this process in time: they take what it has when it was silent for long. */
export type Hearing = {
  isSilent(): boolean;
  /** How often it was, before it was heard again. */
  readonly silences: number;
  /** Tells them that it lives. */
  tell(send: () => Promise<void>): Promise<void>;
};

/** What has begun must reach the agent before the others count this process as lost. */
const MARGIN_MS = 1_000;

/** In real time, which is what the others go by. Who has not told anything yet has nothing that could be taken. */
export function createHearing(elapsed: () => number = () => performance.now()): Hearing {
  let heardAt = Number.POSITIVE_INFINITY;
  let silences = 0;
  const isLate = (now: number): boolean => now - heardAt > SILENT_MS - MARGIN_MS;
  return {
    isSilent: () => isLate(elapsed()),
    get silences() {
      return silences;
    },
    async tell(send) {
      const toldAt = elapsed();
      await send();
      if (isLate(toldAt)) silences += 1;
      // One that was told before may arrive after it.
      heardAt = heardAt === Number.POSITIVE_INFINITY ? toldAt : Math.max(heardAt, toldAt);
    },
  };
}
