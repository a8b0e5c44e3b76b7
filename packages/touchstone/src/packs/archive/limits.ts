/** How large a pack may be. Held while reading, so that nothing larger is ever in memory. */
export type PackLimits = {
  /** Of the tar archive, once it is unzipped. */
  readonly maxUnpackedBytes: number;
  readonly maxManifestBytes: number;
  readonly maxEntryBytes: number;
  readonly maxEntries: number;
  readonly maxPathLength: number;
  readonly maxPromptBytes: number;
  readonly maxAgents: number;
  /** Of the prompts and schemas of all agents: a file that several of them name counts, and is kept, once for each. */
  readonly maxResolvedBytes: number;
};

export const PACK_LIMITS: PackLimits = {
  maxUnpackedBytes: 50 * 1024 * 1024,
  maxManifestBytes: 256 * 1024,
  maxEntryBytes: 5 * 1024 * 1024,
  maxEntries: 10_000,
  maxPathLength: 512,
  maxPromptBytes: 256 * 1024,
  maxAgents: 100,
  maxResolvedBytes: 8 * 1024 * 1024,
};
