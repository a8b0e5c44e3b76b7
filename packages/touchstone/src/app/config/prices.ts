import { createRequire } from 'node:module';
import type { Clock, PriceOf, Usage } from '../../ports/index.js';

type Prices = {
  readonly [model: string]: { readonly inputPerMTok: number; readonly outputPerMTok: number };
};
type Vendor = { readonly kind: string; readonly baseUrl?: string };

const TOKENS = 1_000_000;

/**
 * Prices come from the configuration, under `provider/model`, then from the public price list of the vendor that was
 * really asked. A model that is in neither has no price, not a free one.
 */
export function createPriceOf(
  prices: Prices,
  vendors: ReadonlyMap<string, Vendor>,
  clock: Pick<Clock, 'now'>,
): PriceOf {
  const unlisted = new Set<string>();
  return (usage) => {
    const name = `${usage.provider}/${usage.model}`;
    const price = prices[name];
    if (price)
      return (usage.inputTokens * price.inputPerMTok + usage.outputTokens * price.outputPerMTok) / TOKENS;
    const vendor = vendors.get(usage.provider) ?? unconfigured(usage.provider);
    if (MADE_HERE.has(vendor.kind) || unlisted.has(name)) return undefined;
    const listed = listedPrice(usage, vendor, clock.now());
    // Looking through the whole list in vain takes longer than finding a price, and nothing is added to it meanwhile.
    if (listed === null && unlisted.size < MOST_UNLISTED) unlisted.add(name);
    return listed ?? undefined;
  };
}

/** Agents name models as they like. */
const MOST_UNLISTED = 1_000;

/** A provider that an agent names itself: a vendor by name, or the host of an endpoint. */
const unconfigured = (name: string): Vendor =>
  name.includes('.') ? { kind: 'openai-compatible', baseUrl: `https://${name}/` } : { kind: name };

/** Providers whose models cost nothing. */
const MADE_HERE = new Set(['scripted', 'openwop']);

const require = createRequire(import.meta.url);

/**
 * Null when the list has no such model. The list is large and most runs never ask for it. Its copy is the one installed: it is
 * never fetched.
 */
function listedPrice(usage: Usage, { kind, baseUrl }: Vendor, now: number): number | null | undefined {
  const { calcPrice } = require('@pydantic/genai-prices') as typeof import('@pydantic/genai-prices');
  const tokens = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  };
  // A compatible endpoint may serve any name; whose it is shows in its address alone.
  const seller = kind === 'openai-compatible' ? { providerApiUrl: baseUrl ?? '' } : { providerId: kind };
  try {
    const found = calcPrice(tokens, usage.model, { ...seller, timestamp: new Date(now) });
    return found === null ? null : found.total_price;
  } catch {
    // The list cannot make sense of these counts; that is no price.
    return undefined;
  }
}
