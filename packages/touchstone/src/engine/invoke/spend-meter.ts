import {
  type ModelName,
  type Owner,
  type ProviderUsage,
  type Redact,
  type RepeatScore,
  type RunId,
  redactDeep,
} from '@touchstone/protocol';
import type { PriceOf, Store, Usage } from '../../ports/index.js';
import type { Recorder } from '../log/recorder.js';

/** The spend of a run: commits usage to the ledger and knows the sum, invocations lost in a crash included. */
export type SpendMeter = {
  /** Resolves when the usage is on disk, with each call's price filled in when it is known. */
  spend(usage: readonly Usage[]): Promise<readonly Usage[]>;
  readonly spentUsd: number;
  /** The sum as another process has made it. */
  told(spentUsd: number): void;
};

export async function openSpendMeter(
  store: Store,
  owner: Owner,
  runId: RunId,
  { priceOf, redact }: { readonly priceOf: PriceOf; readonly redact?: Redact },
  onSpent: (spentUsd: number) => void,
): Promise<SpendMeter> {
  let spentUsd = (await store.ledger.total(owner, runId)).usd;
  // Calls are booked side by side, and by several processes: the largest sum is the newest.
  const told = (sum: number): void => {
    spentUsd = Math.max(spentUsd, sum);
    onSpent(spentUsd);
  };
  told(spentUsd);
  return {
    async spend(usage) {
      // An agent says which model it has asked, so that name may hold anything.
      const priced = redactDeep(usage, redact).map((call) => withPrice(call, priceOf));
      if (priced.length === 0) return priced;
      told(await store.ledger.record(owner, runId, priced));
      return priced;
    },
    get spentUsd() {
      return spentUsd;
    },
    told,
  };
}

function withPrice(call: Usage, priceOf: PriceOf): Usage {
  if (call.costUsd !== undefined || call.uncounted) return call;
  const costUsd = priceOf(call);
  return costUsd === undefined ? call : { ...call, costUsd };
}

/** Writes down model calls of one who asked, with the times that were measured. */
export function recordCalls(
  recorder: Recorder,
  calls: readonly Usage[],
  by: 'agent' | 'user' | 'judge',
): void {
  for (const call of calls) {
    const { of = by, ...time } = call.time ?? {};
    recorder.addCall(usagePayload(call), { by: of, ...time });
  }
}

const usagePayload = (call: Usage): ProviderUsage => ({
  provider: call.provider as ModelName,
  model: call.model as ModelName,
  inputTokens: call.inputTokens,
  outputTokens: call.outputTokens,
  totalTokens: call.inputTokens + call.outputTokens,
  ...(call.costUsd !== undefined && { costEstimateUsd: call.costUsd, currency: 'USD' as const }),
  ...(call.cacheHit && { cacheHit: true }),
  ...(call.cacheReadTokens !== undefined && { cacheReadTokens: call.cacheReadTokens }),
  ...(call.cacheWriteTokens !== undefined && { cacheWriteTokens: call.cacheWriteTokens }),
});

/** What a unit has cost, the calls of agent, judge and user apart; `unpriced` counts the calls without a known price. */
export function costOf(
  agent: readonly Usage[],
  judge: readonly Usage[],
  user: readonly Usage[] = [],
): RepeatScore['cost'] {
  if (agent.length === 0 && judge.length === 0 && user.length === 0) return { unpriced: 0 };
  const [agentTotal, judgeTotal, userTotal] = [totalOf(agent), totalOf(judge), totalOf(user)];
  const cacheHits = agentTotal.cacheHits + judgeTotal.cacheHits + userTotal.cacheHits;
  return {
    ...(agentTotal.usd !== undefined && { agentUsd: agentTotal.usd }),
    ...(judgeTotal.usd !== undefined && { judgeUsd: judgeTotal.usd }),
    ...(userTotal.usd !== undefined && { simulatedUserUsd: userTotal.usd }),
    unpriced: agentTotal.unpriced + judgeTotal.unpriced + userTotal.unpriced,
    ...(cacheHits > 0 && { cacheHits }),
  };
}

type Total = { readonly usd?: number; readonly unpriced: number; readonly cacheHits: number };

function totalOf(calls: readonly Usage[]): Total {
  const prices = calls.map((call) => call.costUsd).filter((cost) => cost !== undefined);
  const counts = {
    unpriced: calls.length - prices.length,
    cacheHits: calls.filter((call) => call.cacheHit).length,
  };
  return prices.length === 0 ? counts : { ...counts, usd: prices.reduce((sum, cost) => sum + cost, 0) };
}
