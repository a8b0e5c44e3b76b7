import type { Redact } from '@touchstone/protocol';
import type { Task } from '@touchstone/protocol/bodies';
import type {
  Checker,
  Embedder,
  ForeignSchemas,
  Judge,
  Scorer,
  ScoringResult,
  Spend,
  Transcript,
} from '../../ports/index.js';
import type { CriterionDecision } from './criteria.js';

export type RubricParts = {
  readonly check: Checker;
  readonly schemas: ForeignSchemas;
  /** Asked about prose. Tasks that need one are refused at create where there is none. */
  readonly judge?: Judge;
  /** Compares meanings, for the check `similar`. Tasks that need one are refused at create where there is none. */
  readonly embedder?: Embedder;
  /** Programs that decide the checks `scorer`, by name. Tasks that name another are refused at create. */
  readonly scorers?: ReadonlyMap<string, Scorer>;
  /** Secrets of this host are not for a model or a program to read. */
  readonly redact?: Redact;
};

/** One task that is being scored. */
export type RubricContext = {
  readonly parts: RubricParts;
  readonly task: Task;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
  readonly spend: Spend;
};

/** What a model or a program decided about its criteria, in their order; or why the task has no score. */
export type GroupDecision =
  | { readonly decisions: readonly CriterionDecision[]; readonly judge?: ScoringResult['judge'] }
  | { readonly unscored: ScoringResult };
