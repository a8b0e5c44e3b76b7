import type { MaybePromise } from './system.js';

/**
 * The time of the one thread that serves everybody, and what each tenant has used of it. A tenant that is ahead of its share
 * waits before its next piece of work, so that no other tenant has to wait for more than one piece.
 */
export type ThreadShares = {
  /**
   * Waits until the tenant may begin a piece of work; at once for a tenant within its share. `ms` is about how long the piece
   * takes: long ones of one tenant are begun in different turns of the event loop. Rejects when the signal aborts first.
   */
  enter(tenant: string, ms: number, signal?: AbortSignal, kind?: PieceKind): MaybePromise<void>;
  /** Counts what a piece of work has taken. */
  charge(tenant: string, ms: number): void;
  /** Somebody has connected: others may be waiting to be let in. */
  arrived(): void;
};

/**
 * A caller waits for the answer to a request, so requests do not queue behind the other work of their tenant, and go on being
 * answered when its runs have used its share. Requests that only read do not queue behind those that create something.
 */
export type PieceKind = 'read' | 'request' | 'work';

/** For programs with one tenant. */
export const UNSHARED: ThreadShares = {
  enter: () => undefined,
  charge: () => undefined,
  arrived: () => undefined,
};

const BYTES_PER_MS = 65_536;

/** About how long it takes to read, parse and hand on so much content. */
export const threadMs = (bytes: number): number => bytes / BYTES_PER_MS;
