/** Requests that stay open until something happens: streams and long polls. A closing host has to end them itself. */
export type OpenEnds = {
  /** Remembers how to end one; call the answer when it has ended. One that comes too late is ended at once. */
  add(end: () => void): () => void;
  readonly size: number;
  /** Ends all and waits until they have ended. */
  close(): Promise<void>;
};

export function createOpenEnds(): OpenEnds {
  const ends = new Set<() => void>();
  let closing = false;
  let allEnded: (() => void) | undefined;
  return {
    add(end) {
      // Wrapped, because the same function may be given twice.
      const entry = () => end();
      ends.add(entry);
      if (closing) entry();
      return () => {
        ends.delete(entry);
        if (ends.size === 0) allEnded?.();
      };
    },
    get size() {
      return ends.size;
    },
    async close() {
      closing = true;
      for (const end of [...ends]) end();
      if (ends.size === 0) return;
      await new Promise<void>((resolve) => {
        allEnded = resolve;
      });
    },
  };
}
