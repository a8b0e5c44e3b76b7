import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { createHeldBytes, createTenantTurns, type HeldBytes } from '../../app/index.js';
import { PAGE_BYTES } from '../../ports/index.js';

/** Something that is being sent; it is in memory until it is released. */
export type Chunk = { readonly bytes: Buffer; release(): void };

export type MakeChunk = (
  work: () => Promise<Buffer | string | undefined>,
  signal: AbortSignal,
) => Promise<Chunk | undefined>;

/** What this host sends and readers have not taken yet, of all answers and streams together. */
export type Output = {
  readonly held: HeldBytes;
  /**
   * How long answers and pages of streams are made: for each tenant one at a time, and the next one when there is room to
   * hold this one. So readers that do not read hold up their own tenant, and no more memory than it may have. What is slow
   * to make has turns of its own.
   */
  of(tenant: string, slow?: boolean): MakeChunk;
};

/** Making more than this takes some milliseconds. */
const LONG_BYTES = PAGE_BYTES / 4;

export function createOutput(
  limits: { readonly perTenant: number; readonly total: number },
  onFull?: () => void,
): Output {
  const held = createHeldBytes(limits, onFull);
  const [turns, slowTurns] = [createTenantTurns(), createTenantTurns()];

  const make = async (tenant: string, ...[work, signal]: Parameters<MakeChunk>) => {
    const made = await work();
    if (made === undefined) return undefined;
    const bytes = Buffer.isBuffer(made) ? made : Buffer.from(made);
    // Other tenants are answered before the next long one of this tenant is made.
    if (bytes.length >= LONG_BYTES) await yieldToEventLoop();
    await held.hold(tenant, bytes.length, signal);
    return { bytes, release: () => held.release(tenant, bytes.length) };
  };

  return {
    held,
    of:
      (tenant, slow = false) =>
      (work, signal) =>
        (slow ? slowTurns : turns).run(tenant, () => make(tenant, work, signal), signal),
  };
}
