import type { MemoryEntry, MemorySeed } from '@touchstone/contract/bodies';

/**
 * The memory an invocation reads: the task's seeds, completed, with known secrets replaced and expired entries left
 * out. It is built for one invocation and dropped with it.
 */
export function overlayMemory(
  seeds: readonly MemorySeed[],
  ordinal: number,
  now: number,
  redact: (text: string) => string,
): readonly MemoryEntry[] {
  return seeds
    .map((seed, index) => ({
      id: seed.id ?? `seed-${ordinal}.${index}`,
      content: redact(seed.content),
      tags: seed.tags ?? [],
      createdAt: seed.createdAt ?? new Date(now).toISOString(),
      ...(seed.expiresAt !== undefined && { expiresAt: seed.expiresAt }),
    }))
    .filter((entry) => entry.expiresAt === undefined || Date.parse(entry.expiresAt) > now);
}
