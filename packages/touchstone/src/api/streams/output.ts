import { createHeldBytes, createTenantTurns, type HeldBytes } from '../../app/index.js';

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

export function createOutput(
  limits: { readonly perTenant: number; readonly total: number },
  onFull?: () => void,
): Output {
  const held = createHeldBytes(limits, onFull);
  const [turns, slowTurns] = [createTenantTurns(), createTenantTurns()];
  return {
    held,
    of:
      (tenant, slow = false) =>
      (work, signal) =>
        (slow ? slowTurns : turns).run(
          tenant,
          async () => {
            const made = await work();
            if (made === undefined) return undefined;
            const bytes = Buffer.isBuffer(made) ? made : Buffer.from(made);
            await held.hold(tenant, bytes.length, signal);
            return { bytes, release: () => held.release(tenant, bytes.length) };
          },
          signal,
        ),
  };
}
