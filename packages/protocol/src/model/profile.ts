// Part of the bodies door: descriptions and references are content that an author wrote.

import type { Json, JsonObject } from '../values/json.js';
import type { Digest, SuiteId, Version } from './ids.js';
import type { Evaluator } from './verdicts.js';

/** One condition for success, under the names and with the defaults of the format it comes from. */
export type SuccessCriterion = {
  readonly name: string;
  readonly description: string | null;
  readonly threshold: number | null;
  /** A hard requirement; otherwise a warning. */
  readonly strict: boolean;
};

/** The test contract that an agent carries. */
export type EvaluationProfile = {
  readonly expected_latency_ms: number | null;
  readonly golden_dataset_uri: string | null;
  /** Null only in form A. */
  readonly grading_rubric: readonly SuccessCriterion[] | null;
  readonly evaluator_model: string | null;
};

/** A bound on the length of an answer, as its description states it. */
export type LengthBound = {
  readonly most: number;
  readonly unit: 'words' | 'characters' | 'sentences' | 'lines';
  /** Whether `most` itself is still allowed. */
  readonly inclusive: boolean;
};

export type ContractCriterion = {
  /** A slug of the name, which says nothing about content. */
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly threshold?: number;
  readonly strict: boolean;
  readonly evaluator: Evaluator;
  /** Binary: met or not in each task. Graded: met when the degree reaches the threshold. */
  readonly class: 'binary' | 'graded';
  /** `min`: the lower the degree, the better. */
  readonly direction: 'max' | 'min';
  /** The share of the tasks it applies to that must meet it. */
  readonly rate: number;
  /** From this degree on a graded criterion is met (up to it, in direction `min`). */
  readonly degree?: number;
  readonly bound?: LengthBound;
  /** For `latency`: the most milliseconds. */
  readonly latencyMs?: number;
  /** For JSON: one surrounding code fence is tolerated. */
  readonly fenceTolerant?: true;
  /** For similarity: words may be compared where meanings cannot be. */
  readonly approximate?: true;
  /** Added by the compiler because the row has an expected value that no criterion reads. */
  readonly implicit?: true;
};

/** What the criteria of one task are held against. */
export type ContractTask = {
  readonly criteria: readonly string[];
  readonly reference?: Json;
  readonly match?: 'exact' | 'contains' | 'json-match';
  readonly schema?: JsonObject;
  readonly forbidden?: readonly string[];
  readonly tools?: readonly string[];
  /** Where a criterion is decided otherwise than elsewhere, e.g. by the judge because there is no reference. */
  readonly evaluators?: { readonly [criterionId: string]: Evaluator };
};

/** What a suite cannot hold: thresholds, hard and soft, evaluators, judge, dataset. Compiling twice gives equal bytes. */
export type EvalContract = {
  readonly contractVersion: 1;
  readonly suiteId: SuiteId;
  readonly suiteVersion: Version;
  readonly suiteSha256: string;
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly version: string;
    readonly sha256: string;
  };
  readonly dataset?: {
    readonly uri?: string;
    readonly sha256: string;
    readonly bytes: number;
    readonly format: 'json' | 'jsonl' | 'csv' | 'rows';
    readonly rows: number;
    /** When only some of the rows became tasks. */
    readonly sample?: { readonly seed: string; readonly of: number };
  };
  readonly sla?: { readonly expectedLatencyMs: number; readonly policy: 'gate' | 'warn' };
  readonly judge?: { readonly model: string };
  readonly criteria: readonly ContractCriterion[];
  readonly tasks: { readonly [taskId: string]: ContractTask };
};

/** The contract a suite was installed with, and its own digest. */
export type PinnedContract = { readonly contract: EvalContract; readonly digest: Digest };
