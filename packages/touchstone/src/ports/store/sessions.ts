/** A sign-in of a browser. Its two halves are kept nowhere, only the hash of both together. */
export type StoredSession = {
  readonly sessionHash: string;
  /** The key that it stands for: it may do what the key may, and ends with it. */
  readonly keyHash: string;
  readonly expiresAt: number;
  /** When it was last used, to the minute. */
  readonly seenAt: number;
};

/** Looked up before an owner is known, so these take no owner. */
export type Sessions = {
  /** Those that have expired by then go. */
  put(session: StoredSession, now: number): Promise<void>;
  get(sessionHash: string): Promise<StoredSession | undefined>;
  touch(sessionHash: string, at: number): Promise<void>;
  remove(sessionHash: string): Promise<void>;
};
