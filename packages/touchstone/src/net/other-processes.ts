import type { Clock, PaceFacts, Paces } from '../ports/index.js';

/** What the processes that ask the same provider tell each other. */
export type SharedPaces = Pick<Paces, 'hold' | 'refused' | 'read'>;

/** The other processes that ask a provider, as its pace sees them. All of it is hints: while the store is away there are none. */
export type OtherProcesses = {
  /** What they have met meanwhile is heeded when it resolves; undefined when there is nothing to look at. */
  look(): Promise<void> | undefined;
  tellRefusal(): void;
  tellHold(ms: number): void;
};

const NOTHING = (): undefined => undefined;
export const NO_OTHERS: OtherProcesses = { look: NOTHING, tellRefusal: NOTHING, tellHold: NOTHING };

/** How soon what another process has met holds for this one. */
const LOOK_MS = 1_000;

export function watchOthers(
  { clock, name, shared }: { readonly clock: Clock; readonly name: string; readonly shared: SharedPaces },
  heed: { hold(ms: number): void; halve(): void },
): OtherProcesses {
  /** Refusals that all processes together have counted, as far as is known here. */
  let known = 0;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  const note = ({ heldForMs, refusals }: PaceFacts): void => {
    if (heldForMs > 0) heed.hold(heldForMs);
    if (refusals > known) heed.halve();
    known = refusals;
  };
  const readNow = async (): Promise<void> => {
    await shared.read(name).then(note, NOTHING);
    looking = undefined;
  };
  return {
    look() {
      if (clock.elapsed() - lookedAt < LOOK_MS) return looking;
      lookedAt = clock.elapsed();
      looking = readNow();
      return looking;
    },
    tellRefusal() {
      const counted = (count: number): void => {
        known = count;
      };
      shared.refused(name, known).then(counted, NOTHING);
      // At once, so that a look meanwhile does not take it for another one.
      known += 1;
    },
    tellHold: (ms) => void shared.hold(name, ms).catch(NOTHING),
  };
}
