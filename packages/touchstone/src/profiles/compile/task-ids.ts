import { createHash } from 'node:crypto';

export type IdHash = (id: string) => bigint;

/** Eight bytes per task, so that a million ids need not be kept to know that all of them differ. */
export class IdHashes {
  readonly #hashOf: IdHash;
  #hashes = new BigUint64Array(1024);
  #count = 0;

  constructor(hashOf: IdHash = shortHash) {
    this.#hashOf = hashOf;
  }

  add(id: string): void {
    if (this.#count === this.#hashes.length) {
      const larger = new BigUint64Array(this.#count * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#count] = this.#hashOf(id);
    this.#count += 1;
  }

  /** Whether an id may have been added twice: always true if it was, and almost never otherwise. Asked after the last one. */
  suspects(): ((id: string) => boolean) | undefined {
    const sorted = this.#hashes.subarray(0, this.#count).sort();
    const repeated = new Set<bigint>();
    for (let at = 1; at < sorted.length; at += 1) {
      const hash = sorted[at];
      if (hash !== undefined && hash === sorted[at - 1]) repeated.add(hash);
    }
    return repeated.size === 0 ? undefined : (id) => repeated.has(this.#hashOf(id));
  }
}

const shortHash: IdHash = (id) => createHash('sha256').update(id).digest().readBigUInt64LE();
