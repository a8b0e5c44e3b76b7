/** How a run is done. `golden` and `rubric` choose tasks; the others say how the whole run behaves. */
export const EVAL_MODES = ['golden', 'rubric', 'adversarial', 'regression', 'live-shadow'] as const;
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
export type ModelClass = (typeof MODEL_CLASSES)[number];
