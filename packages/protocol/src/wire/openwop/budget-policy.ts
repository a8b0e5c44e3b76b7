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

export const budgetPolicy = closed(
  {},
  {
    maxTokens: integer('The most tokens, read and written together.', { minimum: 1 }),
    maxCostUsd: amount('The most money, in US dollars.'),
    maxToolCalls: integer('The most tool calls.', { minimum: 1 }),
    maxRetries: count('The most retries.'),
    modelAllow: set(text(), 'Only these models may be called.'),
    modelDeny: set(text(), 'These models may not be called, even if allowed above.'),
    thresholdPercent: number('Say so when this share of a limit is used.', { minimum: 0, maximum: 100 }),
    onExhaustion: choice(
      ['fail', 'interrupt'],
      'What happens at the limit: the run fails, or a person is asked.',
    ),
  },
  published('budget-policy', 'BudgetPolicy', 'What a run may spend.'),
);
/** The `budget` of a run: what its creator lets it spend. */
export type BudgetPolicyWire = Wire<typeof budgetPolicy>;
