import { amount, choice, closed, count, flag, name, number, text } from '../../schema/build.js';
import { budgetScope } from '../parts.js';

/** A limit, and how much of it is used. */
const spent = {
  /** The quantity; it decides the unit of the other two. */
  dimension: choice(['tokens', 'cost', 'toolCalls', 'retries'], 'What is counted.'),
  /** How much is used. In tokens, US dollars, or calls. */
  consumed: amount('How much is used.'),
  /** The limit, in the same unit. */
  limit: amount('How much there is.'),
};

/** Payloads of model calls and budgets. This host writes `provider.usage` and no budget events. */
export const moneyPayloads = {
  /** One model call, of the agent or of a judge (RFC 0026). */
  'provider.usage': closed(
    {
      /** The configured name of the provider. */
      provider: name('Who ran the model.'),
      /** The model. As its provider calls it. */
      model: name('The model.'),
      /** Tokens read. As the provider reports them. */
      inputTokens: count('Tokens read.'),
      /** Tokens written. As the provider reports them. */
      outputTokens: count('Tokens written.'),
    },
    {
      /** Input and output tokens together. */
      totalTokens: count('Both together.'),
      /** What the call cost, in US dollars; absent, and never 0, when the price is unknown. */
      costEstimateUsd: amount('What the call cost; absent when the price is unknown.'),
      /** The currency, when it is not the US dollar. ISO 4217; `USD` when absent. */
      currency: text('The currency, when it is not the US dollar.', { pattern: '^[A-Z]{3}$' }),
      /** The host's own response cache, not the provider's. */
      cacheHit: flag('Whether the answer came from a cache.'),
      /** Tokens read from the provider cache. Part of `inputTokens`; absent when the provider does not report it. */
      cacheReadTokens: count('Tokens read from the provider cache.'),
      /** Tokens written to the provider cache. Absent when the provider does not report it. */
      cacheWriteTokens: count('Tokens written to the provider cache.'),
      /** The node that called; in an eval run, the task. Absent when the call belongs to no node. */
      nodeId: text('The node that called; in an eval run, the task.'),
      /** The trace the call belongs to. Absent on this host. */
      traceId: text('The trace the call belongs to.'),
    },
  ),
  /** The budget that applies to the run, written once. */
  'budget.reserved': closed({
    /** An absent member is not limited. */
    effectiveBudget: closed(
      {},
      {
        /** Tokens that the whole run may use. */
        maxTokens: count('Tokens.'),
        /** US dollars that the whole run may cost. */
        maxCostUsd: amount('US dollars.'),
        /** Tool calls that the whole run may make. */
        maxToolCalls: count('Tool calls.'),
        /** Retries that the whole run may make. */
        maxRetries: count('Retries.'),
      },
      { description: 'What the run may use.' },
    ),
    /** Where the lowest limit came from. */
    scope: budgetScope('What set the limit.'),
  }),
  /** A part of the budget was used. */
  'budget.consumed': closed(spent, {
    /** What is left. In the unit of `limit`; below zero when the last step went over it. */
    remaining: number('What is left.'),
  }),
  /** The share that `thresholdPercent` names was reached. */
  'budget.threshold.crossed': closed({
    ...spent,
    /** The share that was reached. From 0 to 100. */
    percent: number('The share that was reached.', { minimum: 0, maximum: 100 }),
  }),
  /** A limit was reached. */
  'budget.exhausted': closed(spent),
};
