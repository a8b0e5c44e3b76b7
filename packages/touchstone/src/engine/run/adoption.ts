import type { Owner, RunId } from '@touchstone/protocol';
import type { Parts } from '../parts.js';

/** Takes up runs that no process drives: those of a host that has ended, and those that were created elsewhere. */
export type Adoption = {
  adopt(): Promise<void>;
  /** A run has come to rest. Where the last look left runs behind, it is time to look again. */
  placeFreed(): void;
  /** The run is left to another process. */
  passedOver(runId: RunId): void;
  close(): void;
};

/** Of each tenant, so that one with many runs does not hide those of another. */
const ADOPT_AT_ONCE = 100;

export function createAdoption(
  { store, log }: Pick<Parts, 'store' | 'log'>,
  driveSoon: (owner: Owner, runId: RunId) => void,
): Adoption {
  let isClosed = false;
  let leftSomeBehind = false;
  let isLooking = false;

  const adopt = async (): Promise<void> => {
    if (isClosed) return;
    const free = await store.leases.adoptable(ADOPT_AT_ONCE);
    leftSomeBehind = hasFullShare(free);
    for (const { owner, runId } of free) driveSoon(owner, runId);
  };

  return {
    adopt,
    placeFreed() {
      if (!leftSomeBehind || isLooking) return;
      isLooking = true;
      adopt()
        .catch((error) => log.error('runs.adoption-failed', {}, error))
        .finally(() => {
          isLooking = false;
        });
    },
    passedOver: () => undefined,
    close() {
      isClosed = true;
    },
  };
}

/** Some tenant may have more runs than were listed. */
function hasFullShare(free: readonly { readonly owner: Owner }[]): boolean {
  const count = new Map<string, number>();
  for (const { owner } of free) count.set(owner.tenant, (count.get(owner.tenant) ?? 0) + 1);
  return [...count.values()].some((runs) => runs >= ADOPT_AT_ONCE);
}
