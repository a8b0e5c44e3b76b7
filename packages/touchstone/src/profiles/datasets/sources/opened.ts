/** A dataset whose bytes can be read, once. */
export type OpenedDataset = {
  /** For its ending, which tells the format. */
  readonly name: string;
  readonly mediaType?: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** For whoever does not read it: reading, to the end or not, lets go of everything by itself. */
  close(): void;
};
