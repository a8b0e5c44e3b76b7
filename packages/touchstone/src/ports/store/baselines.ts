import type { AgentId, AgentPin, Digest, Owner, RunId, Scorecard, SuitePin } from '@touchstone/protocol';

/** A reviewer's decision that a run is the baseline for this suite, this agent and this judge. */
export type Blessing = {
  readonly runId: RunId;
  readonly suite: SuitePin;
  readonly agent: AgentPin;
  /** Identity of the judge; absent when no task needed one. */
  readonly judge?: Digest;
  readonly score: number;
  readonly principal: string;
  readonly at: number;
};

export type Baselines = {
  /** The latest blessing counts; earlier ones are kept. False when the owner has no such run. */
  bless(owner: Owner, blessing: Blessing): Promise<boolean>;
  /** Newest first, those that no longer count included. */
  list(owner: Owner): Promise<readonly Blessing[]>;
  /** The one that counts, whatever version of the agent it was given to. */
  find(
    owner: Owner,
    question: { readonly suite: Digest; readonly agentId: AgentId; readonly judge?: Digest },
  ): Promise<Blessing | undefined>;
  /** Keeps a scorecard that came in a file. The same run id again replaces it: a signature has been checked before. */
  keep(owner: Owner, scorecard: Scorecard): Promise<void>;
  kept(owner: Owner, runId: RunId): Promise<Scorecard | undefined>;
};
