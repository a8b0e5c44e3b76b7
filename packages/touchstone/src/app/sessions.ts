import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Store, StoredSession } from '../ports/index.js';

/**
 * A session comes in two halves, each worthless alone. One is a cookie that no script can read; but cookies know no ports, so
 * every other server of the same machine is sent it too. The other one is kept by the page and sent as a header, which no
 * other page can do.
 */
export type SessionHalves = { readonly cookie: string; readonly header: string };

export type Sessions = {
  open(keyHash: string): Promise<SessionHalves & { readonly expiresAt: number }>;
  /** The key that a session stands for, and until when; undefined when there is no such session, or no longer. */
  find(halves: SessionHalves): Promise<Pick<StoredSession, 'keyHash' | 'expiresAt'> | undefined>;
  close(halves: SessionHalves): Promise<void>;
};

const LIFE_MS = 12 * 3_600_000;
const SILENCE_MS = 2 * 3_600_000;
/** A use is written down so often: a write for every request would be one flush of the disk each. */
const NOTE_MS = 60_000;

const hashOf = ({ cookie, header }: SessionHalves): string =>
  `sha256:${createHash('sha256').update(`${cookie}.${header}`).digest('hex')}`;

const newHalf = (): string => randomBytes(32).toString('base64url');

export function createSessions({ sessions }: Pick<Store, 'sessions'>, clock: Pick<Clock, 'now'>): Sessions {
  return {
    async open(keyHash) {
      const halves = { cookie: newHalf(), header: newHalf() };
      const now = clock.now();
      const expiresAt = now + LIFE_MS;
      await sessions.put({ sessionHash: hashOf(halves), keyHash, expiresAt, seenAt: now }, now);
      return { ...halves, expiresAt };
    },
    async find(halves) {
      const session = await sessions.get(hashOf(halves));
      const now = clock.now();
      if (!session || session.expiresAt <= now || session.seenAt + SILENCE_MS <= now) return undefined;
      if (session.seenAt + NOTE_MS <= now) await sessions.touch(session.sessionHash, now);
      return session;
    },
    close: (halves) => sessions.remove(hashOf(halves)),
  };
}
