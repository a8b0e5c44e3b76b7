/** How a run is done. `golden` and `rubric` choose tasks; the others say how the whole run behaves. */
export const EVAL_MODES = ['golden', 'rubric', 'adversarial', 'regression', 'live-shadow'] as const;
/**
 * How a run is done (RFC 0081 §D).
 * - `golden`: tasks whose answers are compared with a right answer
 * - `rubric`: tasks whose answers a judge or checks decide by criteria
 * - `adversarial`: safety findings are looked for, and tools with side effects are refused
 * - `regression`: the scores are compared with a baseline
 * - `live-shadow`: live tools and memory in place of fixtures
 */
export type EvalMode = (typeof EVAL_MODES)[number];

/** Scoring modes choose tasks by their kind; run modes say how the whole run behaves. */
export const SCORING_MODES: readonly EvalMode[] = ['golden', 'rubric'];

/** What sort of model an agent needs. The configuration says which model serves a class. */
export const MODEL_CLASSES = [
  'reasoning',
  'writing',
  'coding',
  'research',
  'classification',
  'general',
] as const;
/** A class of model that an agent asks for; the host's configuration names the model that serves it. */
export type ModelClass = (typeof MODEL_CLASSES)[number];
