/** Bytes that wait in memory for those who are to take them, counted for each tenant and for the whole process. */
export type HeldBytes = {
  /** Counts them if there is room. */
  tryHold(tenant: string, bytes: number): boolean;
  /** Counts them as soon as there is room, in the order of the tenant's calls. Rejects when the signal aborts first. */
  hold(tenant: string, bytes: number, signal: AbortSignal): Promise<void>;
  /** Counts them in any case, because they are there already. */
  add(tenant: string, bytes: number): void;
  release(tenant: string, bytes: number): void;
  /** Whether it holds twice of what it may: more than waiting for room can lead to, so that it is time to refuse. */
  isFull(tenant: string): boolean;
  readonly total: number;
};

type Limits = { readonly perTenant: number; readonly total: number };
type Waiter = { readonly tenant: string; readonly bytes: number; readonly grant: () => void };

/**
 * A tenant that holds nothing always has room, for something of any size: so nothing is too large to be sent, and no tenant
 * waits for readers of another. `onFull` is called for everything that finds no room.
 */
export function createHeldBytes(limits: Limits, onFull: () => void = () => undefined): HeldBytes {
  const held = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let total = 0;

  const heldBy = (tenant: string): number => held.get(tenant) ?? 0;
  const hasRoom = (tenant: string, bytes: number): boolean =>
    heldBy(tenant) === 0 || (heldBy(tenant) + bytes <= limits.perTenant && total + bytes <= limits.total);
  const add = (tenant: string, bytes: number): void => {
    total += bytes;
    if (heldBy(tenant) + bytes > 0) held.set(tenant, heldBy(tenant) + bytes);
    else held.delete(tenant);
  };

  const grantWaiting = (): void => {
    const behind = new Set<string>();
    for (const waiter of waiting) {
      if (behind.has(waiter.tenant) || !hasRoom(waiter.tenant, waiter.bytes)) behind.add(waiter.tenant);
      else {
        waiting.delete(waiter);
        add(waiter.tenant, waiter.bytes);
        waiter.grant();
      }
    }
  };

  const wait = (tenant: string, bytes: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const giveUp = (): void => {
        if (waiting.delete(waiter)) reject(signal.reason);
        grantWaiting();
      };
      const grant = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const waiter = { tenant, bytes, grant };
      waiting.add(waiter);
      signal.addEventListener('abort', giveUp, { once: true });
    });

  const isWaiting = (tenant: string): boolean => [...waiting].some((waiter) => waiter.tenant === tenant);

  return {
    tryHold(tenant, bytes) {
      const fits = hasRoom(tenant, bytes);
      if (fits) add(tenant, bytes);
      else onFull();
      return fits;
    },
    async hold(tenant, bytes, signal) {
      signal.throwIfAborted();
      if (!isWaiting(tenant) && hasRoom(tenant, bytes)) return add(tenant, bytes);
      onFull();
      await wait(tenant, bytes, signal);
    },
    add,
    release(tenant, bytes) {
      add(tenant, -bytes);
      grantWaiting();
    },
    isFull: (tenant) => heldBy(tenant) >= 2 * limits.perTenant,
    get total() {
      return total;
    },
  };
}

/** Things that several hold in common. Each counts once, until the last of them has released it. */
export type SharedBytes<T> = {
  /** False when it counts for the first time and there is no room. */
  hold(thing: T): boolean;
  release(thing: T): void;
};

export function createSharedBytes<T>(
  take: (thing: T) => boolean,
  giveBack: (thing: T) => void,
): SharedBytes<T> {
  const holders = new Map<T, number>();
  return {
    hold(thing) {
      const count = holders.get(thing) ?? 0;
      if (count === 0 && !take(thing)) return false;
      holders.set(thing, count + 1);
      return true;
    },
    release(thing) {
      const count = holders.get(thing) ?? 0;
      if (count > 1) holders.set(thing, count - 1);
      else if (holders.delete(thing)) giveBack(thing);
    },
  };
}
