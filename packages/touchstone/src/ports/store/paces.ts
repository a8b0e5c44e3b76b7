/** What is known of a rate that several processes share. */
export type PaceFacts = {
  /** For how long nobody may ask, as the other side has said; 0 when it has not. */
  readonly heldForMs: number;
  /** How often the other side has refused for too many requests; a burst of refusals counts once. */
  readonly refusals: number;
};

/** How fast something may be taken. */
export type BucketLimits = {
  readonly perMinute: number;
  /** What a bucket holds that nothing was taken from for long. */
  readonly atOnce: number;
};

/** What was taken, and after how long there will be something again where nothing was. */
export type Portion = { readonly taken: number; readonly waitMs: number };

/** Rates that the processes on a store share. Nothing durable depends on them: after a crash of the database they begin anew. */
export type Paces = {
  /** Nobody asks under this name for so long. A shorter hold leaves a longer one as it is. */
  hold(name: string, ms: number): Promise<void>;
  /** Counts a refusal unless another one was counted since `known` were; answers how many were counted by now. */
  refused(name: string, known: number): Promise<number>;
  read(name: string): Promise<PaceFacts>;
  /** Takes up to so much from a bucket, or what is there, or nothing while less than one is there. */
  take(name: string, limits: BucketLimits, wanted: number): Promise<Portion>;
  /** Forgets what has not been used for long. */
  sweep(): Promise<void>;
};
