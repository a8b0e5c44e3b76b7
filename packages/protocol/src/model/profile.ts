// Exported from `@touchstone/protocol/bodies`: descriptions and references are content that an author wrote.

import type { Json, JsonObject } from '../values/json.js';
import type { Digest, SuiteId, Version } from './ids.js';
import type { Evaluator } from './verdicts.js';

/** One condition for success, under the names and with the defaults of the format it comes from. */
export type SuccessCriterion = {
  /** What its author calls it. Some names are known and need no judge. */
  readonly name: string;
  /** What is checked, in words for people and for a judge; null when the author wrote none. */
  readonly description: string | null;
  /** What must be reached: a share of the tasks, a degree, or milliseconds; null when nothing is said. */
  readonly threshold: number | null;
  /** A hard requirement; otherwise a warning. */
  readonly strict: boolean;
};

/** The test contract that an agent carries. */
export type EvaluationProfile = {
  /** The longest response time that is expected, in milliseconds; null when nothing is said. */
  readonly expected_latency_ms: number | null;
  /** Where the reference data is; null when rows are brought otherwise. */
  readonly golden_dataset_uri: string | null;
  /** Null only in form A. */
  readonly grading_rubric: readonly SuccessCriterion[] | null;
  /** The model that judges what no other evaluator can decide; null when the host chooses. */
  readonly evaluator_model: string | null;
};

/** A bound on the length of an answer, as its description states it. */
export type LengthBound = {
  /** The number itself. */
  readonly most: number;
  /** What is counted. */
  readonly unit: 'words' | 'characters' | 'sentences' | 'lines';
  /** Whether `most` itself is still allowed. */
  readonly inclusive: boolean;
};

/** One criterion of a compiled contract: the profile's, with what the compiler decided about it. */
export type ContractCriterion = {
  /** A slug of the name, which says nothing about content. */
  readonly id: string;
  /** The name its author gave it. */
  readonly name: string;
  /** As its author wrote it; absent when there is none. */
  readonly description?: string;
  /** As its author wrote it; absent when there is none. */
  readonly threshold?: number;
  /** A hard requirement; otherwise missing it is a warning. */
  readonly strict: boolean;
  /** How it is decided in most tasks; a task may name another one. */
  readonly evaluator: Evaluator;
  /** Binary: met or not in each task. Graded: met when the degree reaches the threshold. */
  readonly class: 'binary' | 'graded';
  /** `min`: the lower the degree, the better. */
  readonly direction: 'max' | 'min';
  /** The share of the tasks it applies to that must meet it. */
  readonly rate: number;
  /** From this degree on a graded criterion is met (up to it, in direction `min`). */
  readonly degree?: number;
  /** For conciseness: the length that the description asks for. */
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
  /** Ids of the criteria that apply to it. */
  readonly criteria: readonly string[];
  /** A right answer, or a list of them; absent when the row has none. */
  readonly reference?: Json;
  /** How an answer is held against the reference. */
  readonly match?: 'exact' | 'contains' | 'json-match';
  /** The JSON Schema of an answer; absent when the row has none. */
  readonly schema?: JsonObject;
  /** What an answer must not contain. */
  readonly forbidden?: readonly string[];
  /** Tools that must be called. */
  readonly tools?: readonly string[];
  /** Where a criterion is decided otherwise than elsewhere, e.g. by the judge because there is no reference. */
  readonly evaluators?: { readonly [criterionId: string]: Evaluator };
};

/** What a suite cannot hold: thresholds, hard and soft, evaluators, judge, dataset. Compiling twice gives equal bytes. */
export type EvalContract = {
  /** Of this format. */
  readonly contractVersion: 1;
  /** The suite it was compiled to. */
  readonly suiteId: SuiteId;
  /** The version of that suite. */
  readonly suiteVersion: Version;
  /** Of that suite: the contract is good for no other. */
  readonly suiteSha256: string;
  /** The agent whose profile it was compiled from. */
  readonly agent: {
    /** The agent's id in its definition. */
    readonly id: string;
    /** The agent's name for people. */
    readonly name: string;
    /** Its version, in full. */
    readonly version: string;
    /** Of the canonical JSON of its whole definition, 64 hex digits. */
    readonly sha256: string;
  };
  /** The rows that the tasks were made of; absent when the caller sent them. */
  readonly dataset?: {
    /** Where the bytes came from; absent when the caller sent the rows. */
    readonly uri?: string;
    /** Of the bytes, 64 hex digits. */
    readonly sha256: string;
    /** How many bytes those were. */
    readonly bytes: number;
    /** How the rows were written; `rows` when the caller sent them as JSON values. */
    readonly format: 'json' | 'jsonl' | 'csv' | 'rows';
    /** How many rows there were. */
    readonly rows: number;
    /** When only some of the rows became tasks. */
    readonly sample?: { readonly seed: string; readonly of: number };
  };
  /** The bound on response times; absent when the profile has none. */
  readonly sla?: { readonly expectedLatencyMs: number; readonly policy: 'gate' | 'warn' };
  /** The model that the profile names; absent when the host chooses. */
  readonly judge?: { readonly model: string };
  /** In the order of the profile; those that the compiler added come last. */
  readonly criteria: readonly ContractCriterion[];
  /** By task id. */
  readonly tasks: { readonly [taskId: string]: ContractTask };
};

/** The contract a suite was installed with, and its own digest. */
export type PinnedContract = {
  /** The contract itself. */
  readonly contract: EvalContract;
  /** Of its canonical form; a run remembers it. */
  readonly digest: Digest;
};
