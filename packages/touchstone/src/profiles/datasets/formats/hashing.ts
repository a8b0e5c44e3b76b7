import { createHash } from 'node:crypto';

/** Bytes on their way, hashed exactly as they came. */
export type Hashing = {
  readonly bytes: AsyncIterableIterator<Uint8Array>;
  /** Whether the source itself gave up, so that there is nothing more to read. */
  readonly failed: boolean;
  /** Passes the rest by, so that the hash is that of the whole. */
  drain(): Promise<void>;
  /** Lets the source go, read to the end or not. */
  close(): Promise<void>;
  /** Of everything that has passed. */
  result(): { readonly sha256: string; readonly bytes: number };
};

export function createHashing(source: AsyncIterable<Uint8Array>): Hashing {
  const hash = createHash('sha256');
  const iterator = source[Symbol.asyncIterator]();
  let bytes = 0;
  let isOver = false;
  let failed = false;

  async function next(): Promise<IteratorResult<Uint8Array>> {
    if (isOver) return { done: true, value: undefined };
    try {
      const step = await iterator.next();
      if (step.done) isOver = true;
      else {
        hash.update(step.value);
        bytes += step.value.length;
      }
      return step;
    } catch (error) {
      isOver = true;
      failed = true;
      throw error;
    }
  }

  // No `return`: a reader that stops early leaves the rest to whoever wants the hash of the whole.
  const passing: AsyncIterableIterator<Uint8Array> = { next, [Symbol.asyncIterator]: () => passing };
  return {
    bytes: passing,
    get failed() {
      return failed;
    },
    async drain() {
      while (!(await next()).done);
    },
    async close() {
      if (isOver) return;
      isOver = true;
      await iterator.return?.();
    },
    result: () => ({ sha256: hash.copy().digest('hex'), bytes }),
  };
}
