import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { LimitCounts } from '../app/index.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Resolves when no request is under way. */
    quiet(): Promise<void>;
  }
}

/** Counts requests under way, so that a closing server knows when it has answered them all. */
export function countRequests(server: Server): () => Promise<void> {
  const waiting = new Set<() => void>();
  let underWay = 0;
  server.on('request', (_, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      if (underWay === 0) for (const resolve of waiting) resolve();
    });
  });
  return async () => {
    if (underWay === 0) return;
    await new Promise<void>((resolve) => waiting.add(resolve));
  };
}

/** Requests under way get this long to finish before their connections are cut. */
const GRACE_MS = 10_000;

/**
 * Stops accepting, ends streams, waits for what is under way, then cuts what is left. Node itself would wait for
 * connections on which nothing was ever asked, and browsers and clients like to open those in advance.
 */
export async function closeApp(app: FastifyInstance): Promise<void> {
  const closed = app.close();
  let timer: NodeJS.Timeout | undefined;
  const graceOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([app.quiet(), graceOver]);
  clearTimeout(timer);
  app.server.closeAllConnections();
  await closed;
}

const RETRY_AFTER_S = 5;
const tooMany = (most: number): string =>
  `This tenant has ${most} streams and long polls open, which is its limit. Close one, or try again later.`;

/** Requests that stay open until something happens: streams and long polls. A closing host has to end them itself. */
export type OpenStreams = {
  /**
   * Remembers how to end one; call the answer when it has ended. One that comes too late is ended at once. Throws when the
   * tenant has too many open.
   */
  add(tenant: string, end: () => void): () => void;
  readonly size: number;
  /** Ends all and waits until they have ended. */
  close(): Promise<void>;
};

export function createOpenStreams(perTenant: number, counts: LimitCounts): OpenStreams {
  const ends = new Set<() => void>();
  const open = new Map<string, number>();
  let closing = false;
  let allEnded: (() => void) | undefined;
  return {
    add(tenant, end) {
      const count = open.get(tenant) ?? 0;
      if (count >= perTenant) throw counts.refusal('openStreams', tooMany(perTenant), RETRY_AFTER_S);
      open.set(tenant, count + 1);
      // Wrapped, because the same function may be given twice.
      const entry = () => end();
      ends.add(entry);
      if (closing) entry();
      return () => {
        if (!ends.delete(entry)) return;
        const left = (open.get(tenant) ?? 0) - 1;
        if (left > 0) open.set(tenant, left);
        else open.delete(tenant);
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
