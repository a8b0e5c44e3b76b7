import { amount, choice, closed, count, flag, name, number, text } from '../../schema/build.js';
import { budgetScope } from '../parts.js';

const spent = {
  dimension: choice(['tokens', 'cost', 'toolCalls', 'retries'], 'What is counted.'),
  consumed: amount('How much is used.'),
  limit: amount('How much there is.'),
};

export const moneyPayloads = {
  'provider.usage': closed(
    {
      provider: name('Who ran the model.'),
      model: name('The model.'),
      inputTokens: count('Tokens read.'),
      outputTokens: count('Tokens written.'),
    },
    {
      totalTokens: count('Both together.'),
      costEstimateUsd: amount('What the call cost; absent when nobody knows.'),
      currency: text('The currency, when it is not the US dollar.', { pattern: '^[A-Z]{3}$' }),
      cacheHit: flag('Whether the answer came from a cache.'),
      cacheReadTokens: count('Tokens read from the provider cache.'),
      cacheWriteTokens: count('Tokens written to the provider cache.'),
      nodeId: text('The node that called; in an eval run, the task.'),
      traceId: text('The trace the call belongs to.'),
    },
  ),
  'budget.reserved': closed({
    effectiveBudget: closed(
      {},
      {
        maxTokens: count('Tokens.'),
        maxCostUsd: amount('US dollars.'),
        maxToolCalls: count('Tool calls.'),
        maxRetries: count('Retries.'),
      },
      { description: 'What the run may use.' },
    ),
    scope: budgetScope('What set the limit.'),
  }),
  'budget.consumed': closed(spent, { remaining: number('What is left.') }),
  'budget.threshold.crossed': closed({
    ...spent,
    percent: number('The share that was reached.', { minimum: 0, maximum: 100 }),
  }),
  'budget.exhausted': closed(spent),
};
