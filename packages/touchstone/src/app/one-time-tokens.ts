import { randomBytes } from 'node:crypto';
import type { Clock } from '../ports/index.js';
import { hashKey } from './principal.js';

const LIFE_MS = 10 * 60_000;

/** Links that sign a person at this machine in: good once, for ten minutes, and only while the process lives. */
export type OneTimeTokens = {
  make(keyHash: string): string;
  /** The key that it stands for. It is used up, also when that key no longer works. */
  redeem(token: string): string | undefined;
};

export function createOneTimeTokens(clock: Pick<Clock, 'elapsed'>): OneTimeTokens {
  const waiting = new Map<string, { readonly keyHash: string; readonly until: number }>();
  return {
    make(keyHash) {
      const token = randomBytes(32).toString('base64url');
      waiting.set(hashKey(token), { keyHash, until: clock.elapsed() + LIFE_MS });
      return token;
    },
    redeem(token) {
      const hash = hashKey(token);
      const found = waiting.get(hash);
      waiting.delete(hash);
      return found && clock.elapsed() < found.until ? found.keyHash : undefined;
    },
  };
}
