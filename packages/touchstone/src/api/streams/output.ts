import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createHeldBytes, createTenantTurns, type HeldBytes } from '../../app/index.js';
import { PAGE_BYTES, type ThreadShares, threadMs, UNSHARED } from '../../ports/index.js';

/** Something that is being sent; it is in memory until it is released. */
export type Chunk = {
  readonly bytes: Buffer;
  /** The bytes in the order in which they are sent, each piece when it is the tenant's turn. */
  pieces(signal?: AbortSignal): AsyncIterable<Buffer>;
  release(): void;
};

export type MakeChunk = (
  work: () => Promise<Buffer | string | undefined>,
  signal: AbortSignal,
) => Promise<Chunk | undefined>;

/** What this host sends and readers have not taken yet, of all answers and streams together. */
export type Output = {
  readonly held: HeldBytes;
  /** What has been made already, whether or not there is room. */
  add(tenant: string, bytes: Buffer): Chunk;
  /**
   * How long answers and pages of streams are made: for each tenant one at a time, and the next one when there is room to
   * hold this one. So readers that do not read hold up their own tenant, and no more memory than it may have. What is slow
   * to make has turns of its own.
   */
  of(tenant: string, slow?: boolean): MakeChunk;
};

/** Making more than this takes some milliseconds. */
const LONG_BYTES = PAGE_BYTES / 4;
/** Handed to a connection at a time: the operating system takes megabytes at once, and everybody waits meanwhile. */
export const PIECE_BYTES = 64 * 1024;

export function createOutput(
  limits: { readonly perTenant: number; readonly total: number },
  onFull?: () => void,
  shares = UNSHARED,
): Output {
  const held = createHeldBytes(limits, onFull);
  const [turns, slowTurns] = [createTenantTurns(), createTenantTurns()];

  const chunkOf = (tenant: string, bytes: Buffer): Chunk => ({
    bytes,
    pieces: (signal) => piecesOf(bytes, tenant, shares, signal),
    release: () => held.release(tenant, bytes.length),
  });
  const make = async (tenant: string, ...[work, signal]: Parameters<MakeChunk>) => {
    const made = await work();
    if (made === undefined) return undefined;
    const bytes = Buffer.isBuffer(made) ? made : Buffer.from(made);
    // Other tenants are answered before the next long one of this tenant is made.
    if (bytes.length >= LONG_BYTES) await yieldToEventLoop();
    await held.hold(tenant, bytes.length, signal);
    return chunkOf(tenant, bytes);
  };

  return {
    held,
    add(tenant, bytes) {
      held.add(tenant, bytes.length);
      return chunkOf(tenant, bytes);
    },
    of:
      (tenant, slow = false) =>
      (work, signal) =>
        (slow ? slowTurns : turns).run(tenant, () => make(tenant, work, signal), signal),
  };
}

/** What fits one piece is sent at once. */
async function* piecesOf(
  bytes: Buffer,
  tenant: string,
  shares: ThreadShares,
  signal?: AbortSignal,
): AsyncGenerator<Buffer, void> {
  if (bytes.length <= PIECE_BYTES) return void (yield bytes);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    // Sending is about half of the work on some content; reading it has been counted.
    const ms = threadMs(piece.length / 2);
    await shares.enter(tenant, ms, signal);
    shares.charge(tenant, ms);
    yield piece;
  }
}
