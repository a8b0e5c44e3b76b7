import type { EmbedderPin, JsonObject, JudgeIdentity } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';
import type { AccessRefusal } from './access.js';
import type { Usage } from './usage.js';

/** One thing to be judged. A graded one is answered with a degree of fulfilment beside yes and no. */
export type JudgedCriterion = {
  readonly sentence: string;
  readonly graded?: true;
  /** What the judge sees for this criterion beside question and answer. */
  readonly data?: { readonly reference?: Body; readonly calls?: Body; readonly memory?: Body };
};

export type JudgeQuestion = {
  readonly input: Body;
  readonly output: Body;
  readonly criteria: readonly JudgedCriterion[];
  /** Where chance begins: the same question is shuffled the same way every time. */
  readonly seed: string;
};

export type CriterionVerdict = {
  readonly met: boolean;
  /** How far, from 0 to 1, for criteria that have degrees. */
  readonly score?: number;
  readonly reason?: string;
  /** The share of votes that said so; absent when there was one vote. */
  readonly agreement?: number;
};

/** Usage has been paid whatever became of the answer. */
export type JudgeAnswer = { readonly usage: readonly Usage[] } & (
  | { readonly kind: 'judged'; readonly verdicts: readonly CriterionVerdict[] }
  | { readonly kind: 'unreadable' | 'unreachable'; readonly reason: string }
  | AccessRefusal
);

/** Commits what a call has used. */
export type Spend = (usage: readonly Usage[]) => Promise<unknown>;

export type Judge = {
  readonly identity: JudgeIdentity;
  /** Every call is paid through `spend` before anything it bought is used. */
  judge(question: JudgeQuestion, signal: AbortSignal, spend?: Spend): Promise<JudgeAnswer>;
  close(): void;
};

/** One question to a model, answered in JSON. Rejects only when the signal aborts. */
export type AskModel = (
  question: {
    readonly system: string;
    readonly user: string;
    readonly schema: JsonObject;
    readonly round: number;
  },
  signal: AbortSignal,
) => Promise<
  | { readonly kind: 'reply'; readonly text: string; readonly usage: Usage }
  | { readonly kind: 'failed' | 'unreachable'; readonly reason: string }
  | AccessRefusal
>;

/** Turns texts into vectors whose directions say what they mean. Rejects only when the signal aborts. */
export type Embedder = {
  readonly pin: EmbedderPin;
  /** One vector per text, all of the same length. What it costs is paid through `spend` before they are used. */
  embed(texts: readonly string[], signal: AbortSignal, spend: Spend): Promise<EmbeddingResult>;
  close(): void;
};

export type EmbeddingResult =
  | { readonly kind: 'embedded'; readonly vectors: readonly (readonly number[])[] }
  | { readonly kind: 'unreachable' | 'failed'; readonly reason: string }
  | AccessRefusal;
