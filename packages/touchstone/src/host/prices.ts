import type { PriceOf } from '@touchstone/contract/ports';

export type Prices = {
  readonly [model: string]: { readonly inputPerMTok: number; readonly outputPerMTok: number };
};

const TOKENS = 1_000_000;

/** Prices come from the configuration, under `provider/model`. A model that is not listed has no price, not a free one. */
export const createPriceOf =
  (prices: Prices): PriceOf =>
  ({ provider, model, inputTokens, outputTokens }) => {
    const price = prices[`${provider}/${model}`];
    return price && (inputTokens * price.inputPerMTok + outputTokens * price.outputPerMTok) / TOKENS;
  };
