import type { ServerResponse } from 'node:http';
import type { HostError } from '@touchstone/protocol';
import type { Config, LimitCounts } from '../app/index.js';
import { createHeldBytes, createSlots } from '../app/index.js';
import {
  type Clock,
  type LeaveSlot,
  type MaybePromise,
  type PieceKind,
  type ThreadShares,
  threadMs,
} from '../ports/index.js';

/** Tells when the caller is gone: its connection, or the answer on it. */
type Caller = Pick<NodeJS.EventEmitter, 'once' | 'off'>;

export type RequestKind = Exclude<PieceKind, 'work'>;

/** What a tenant's requests wait for, each before it costs the host something. Who waits too long is refused. */
export type RequestTurns = {
  /** Before a body of so many bytes is read. They count until the answer has been sent. */
  holdBody(tenant: string, bytes: number, raw: ServerResponse): Promise<void>;
  /** Parses a body that has been read, when it is the tenant's turn. */
  parse<T>(tenant: string, bytes: Uint8Array, caller: Caller, parse: () => T): Promise<T>;
  /**
   * Before a request is executed; call the answer when that is done. Requests that only read have slots and turns of their
   * own: who creates a hundred runs at once can still look at one of them.
   */
  begin(tenant: string, caller: Caller, kind: RequestKind): Promise<LeaveSlot>;
  /** Does some of the work on a request, and counts its time for the tenant. */
  spend<T>(tenant: string, work: () => T): T;
};

type TurnParts = {
  readonly limits: Config['limits'];
  readonly shares: ThreadShares;
  readonly counts: LimitCounts;
  readonly clock: Clock;
};

/** How long a request waits before it is refused, and when it is worth another try. */
const PATIENCE_MS = 10_000;
const RETRY_AFTER_S = 5;
/** Parsing less takes no longer than the request itself. */
const LONG_BODY = 16_384;
/** About what a short request takes. */
const REQUEST_MS = 0.5;

export function createRequestTurns({ limits, shares, counts, clock }: TurnParts): RequestTurns {
  const { perTenant, maxUnreadBytes } = limits;
  const bodies = createHeldBytes({ perTenant: perTenant.requestBytes, total: maxUnreadBytes });
  const openSlots = () =>
    createSlots({ perTenant: perTenant.openRequests, onWait: () => counts.reached('openRequests') });
  const slots = { read: openSlots(), request: openSlots() };
  const refusal = (limit: keyof typeof REFUSALS) => () =>
    counts.refusal(limit, REFUSALS[limit], RETRY_AFTER_S);
  const enter = (tenant: string, ms: number, caller: Caller, kind: PieceKind): MaybePromise<void> =>
    patiently(caller, clock, (signal) => shares.enter(tenant, ms, signal, kind), refusal('aheadMs'));
  const spend = <T>(tenant: string, work: () => T): T => {
    const startedAt = clock.elapsed();
    try {
      return work();
    } finally {
      shares.charge(tenant, clock.elapsed() - startedAt);
    }
  };
  return {
    spend,
    async holdBody(tenant, bytes, raw) {
      if (bytes === 0) return;
      if (!bodies.tryHold(tenant, bytes)) {
        counts.reached('requestBytes');
        const hold = (signal: AbortSignal) => bodies.hold(tenant, bytes, signal);
        await patiently(raw, clock, hold, refusal('requestBytes'));
      }
      const release = () => bodies.release(tenant, bytes);
      if (raw.destroyed) release();
      else raw.once('close', release);
    },
    async parse(tenant, bytes, caller, parse) {
      const kind = bytes.byteLength < LONG_BODY ? 'request' : 'work';
      await enter(tenant, threadMs(bytes.byteLength), caller, kind);
      // Receiving it has taken the thread's time, too, in many small parts.
      shares.charge(tenant, threadMs(bytes.byteLength / 2));
      return spend(tenant, parse);
    },
    async begin(tenant, caller, kind) {
      const slot = (signal: AbortSignal) => slots[kind].enter(tenant, 'requests', signal);
      const entered = await patiently(caller, clock, slot, refusal('openRequests'));
      if (!entered) throw refusal('openRequests')();
      const leave = onlyOnce(entered);
      try {
        await enter(tenant, REQUEST_MS, caller, kind);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
  };
}

const REFUSALS = {
  aheadMs:
    "This tenant has used more than its share of this host's time. Send fewer or smaller requests, and try again.",
  openRequests:
    'This tenant has as many requests under way as it may. Wait for their answers, and try again.',
  requestBytes:
    'The requests of this tenant that are under way have as many bytes as they may. Wait for their answers, and try again.',
};

function onlyOnce(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** What is waited for, unless that takes too long or the caller leaves. Nothing is set up for what is there at once. */
export function patiently<T>(
  caller: Caller,
  clock: Clock,
  wait: (signal: AbortSignal) => MaybePromise<T>,
  refusal: () => HostError,
  patienceMs = PATIENCE_MS,
): MaybePromise<T> {
  const over = new AbortController();
  const waited = wait(over.signal);
  return waited instanceof Promise ? outlast(waited) : waited;

  async function outlast(waited: Promise<T>): Promise<T> {
    const giveUp = (): void => over.abort();
    caller.once('close', giveUp);
    const patience = clock.sleep(patienceMs, over.signal).then(giveUp, () => undefined);
    try {
      return await waited;
    } catch (error) {
      throw over.signal.aborted ? refusal() : error;
    } finally {
      caller.off('close', giveUp);
      over.abort();
      await patience;
    }
  }
}
