import type { Json, JsonObject } from '@touchstone/protocol';

/** A function that decides a criterion. It sees no weights, and nothing that others have decided. */
export type ScorerFunction = (given: ScorerInput) => ScorerResult | Promise<ScorerResult>;

/** What a scorer is given: one invocation of the agent, with known secrets redacted. */
export type ScorerInput = {
  readonly protocol: 'touchstone.scorer/1';
  /** The input of the task. */
  readonly input: Json;
  /** What the agent answered. */
  readonly output: Json;
  /** How the invocation ended: `completed` or `refused`. */
  readonly outcome: string;
  /** Calls of tools in order. */
  readonly toolCalls: readonly {
    readonly toolId: string;
    readonly inputs: Json;
    readonly status: string;
    readonly outcome?: Json;
  }[];
  /** How long the agent took, in milliseconds. */
  readonly latencyMs?: number;
  /** Calls of models that were reported. */
  readonly usage: readonly JsonObject[];
  /** What the check of the suite says under `config`. */
  readonly config?: Json;
};

/** A verdict, a score from 0 to 1, or both with a reason in words. */
export type ScorerResult =
  | boolean
  | number
  | { readonly score: number; readonly met?: boolean; readonly reason?: string };
