import type { Owner } from '@touchstone/protocol';
import type { Clock, Webhook, Webhooks } from '../../ports/index.js';
import type { Lane } from './webhook-lane.js';

/** The lanes of every owner that has been asked about, kept in step with the store. */
export type Lanes = {
  /** Whether it is known, without asking anyone, that this owner has no webhooks. Asked at every commit. */
  hasNone(owner: Owner): boolean;
  of(owner: Owner): Promise<readonly Lane[]>;
  /** The owner's webhooks have changed: the next look is at the store. */
  forget(owner: Owner): void;
  /** Ends one lane at once. */
  drop(owner: Owner, webhookId: string): void;
  close(): Promise<void>;
};

/** Other processes register webhooks too, and tell nobody. */
const FRESH_MS = 5_000;
const STALE = 0;

type Known = { readonly lanes: Map<string, Lane>; freshUntil: number; reading: boolean };

export function createLanes(
  stored: Pick<Webhooks, 'list'>,
  clock: Pick<Clock, 'elapsed'>,
  openLane: (owner: Owner, webhook: Webhook) => Lane,
): Lanes {
  const owners = new Map<string, Known>();
  const keyOf = ({ tenant, workspace }: Owner): string => JSON.stringify([tenant, workspace]);
  const knownOf = (owner: Owner): Known => {
    const known = owners.get(keyOf(owner)) ?? {
      lanes: new Map<string, Lane>(),
      freshUntil: STALE,
      reading: false,
    };
    owners.set(keyOf(owner), known);
    return known;
  };
  const isFresh = (known: Known): boolean => !known.reading && clock.elapsed() < known.freshUntil;

  const read = async (owner: Owner, known: Known): Promise<void> => {
    known.reading = true;
    // Before the read, so that a change during it leaves the answer stale.
    known.freshUntil = clock.elapsed() + FRESH_MS;
    try {
      const webhooks = await stored.list(owner);
      const ids = new Set(webhooks.map(({ webhookId }) => webhookId));
      for (const webhookId of [...known.lanes.keys()]) if (!ids.has(webhookId)) end(known, webhookId);
      for (const webhook of webhooks)
        if (!known.lanes.has(webhook.webhookId)) known.lanes.set(webhook.webhookId, openLane(owner, webhook));
    } catch (error) {
      known.freshUntil = STALE;
      throw error;
    } finally {
      known.reading = false;
    }
  };

  return {
    hasNone(owner) {
      const known = owners.get(keyOf(owner));
      return known !== undefined && known.lanes.size === 0 && isFresh(known);
    },
    async of(owner) {
      const known = knownOf(owner);
      if (!isFresh(known)) {
        do await read(owner, known);
        while (known.freshUntil === STALE);
      }
      return [...known.lanes.values()];
    },
    forget: (owner) => {
      knownOf(owner).freshUntil = STALE;
    },
    drop(owner, webhookId) {
      const known = knownOf(owner);
      known.freshUntil = STALE;
      end(known, webhookId);
    },
    async close() {
      const all = [...owners.values()].flatMap(({ lanes }) => [...lanes.values()]);
      await Promise.all(all.map((lane) => lane.close()));
    },
  };
}

function end({ lanes }: Known, webhookId: string): void {
  void lanes.get(webhookId)?.close();
  lanes.delete(webhookId);
}
