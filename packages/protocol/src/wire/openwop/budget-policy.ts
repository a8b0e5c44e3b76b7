import {
  amount,
  choice,
  closed,
  count,
  integer,
  number,
  published,
  set,
  text,
  type Wire,
} from '../schema/build.js';

/**
 * The protocol's schema of a run's budget. An absent member sets no limit. This host enforces `maxCostUsd` and
 * `onExhaustion: "fail"`, and refuses a budget with any other member.
 */
export const budgetPolicy = closed(
  {},
  {
    /** Input and output tokens of all model calls of the run, added up; at least 1. */
    maxTokens: integer('The most tokens, read and written together.', { minimum: 1 }),
    /**
     * The most money, in US dollars. In US dollars, judges included. The run ends with `budget_exhausted` when it is
     * spent.
     */
    maxCostUsd: amount('The most money, in US dollars.'),
    /** Tool calls of all invocations of the run, added up; at least 1. */
    maxToolCalls: integer('The most tool calls.', { minimum: 1 }),
    /** Retries of all model calls of the run, added up. */
    maxRetries: count('The most retries.'),
    /** Only these models may be called. Names of models; every model when absent. */
    modelAllow: set(text(), 'Only these models may be called.'),
    /** These models may not be called, even if allowed above. Names of models. A model in both lists is denied. */
    modelDeny: set(text(), 'These models may not be called, even if allowed above.'),
    /** From 0 to 100. The host writes `budget.threshold.crossed` when that share of a limit is used. */
    thresholdPercent: number('Say so when this share of a limit is used.', { minimum: 0, maximum: 100 }),
    /** `fail` ends the run. `interrupt` suspends it and asks a person. */
    onExhaustion: choice(
      ['fail', 'interrupt'],
      'What happens at the limit: the run fails, or a person is asked.',
    ),
  },
  published('budget-policy', 'BudgetPolicy', 'What a run may spend.'),
);
/** The `budget` of a run: what its creator lets it spend. */
export type BudgetPolicyWire = Wire<typeof budgetPolicy>;
