import { type EvalPlan, type Owner, validationError } from '@touchstone/protocol';
import type { SuiteHead } from '../../ports/index.js';
import type { Contracts } from '../catalogue/contracts.js';
import type { Scorers } from '../scorers/scorers.js';

export type DeciderParts = {
  readonly contracts: Pick<Contracts, 'embedder'>;
  readonly scorers: Pick<Scorers, 'pin' | 'hasFunction'>;
};

/** The check `similar` compares meanings. Without a model for that nothing could be decided. */
function embedderFor({ contracts }: DeciderParts, { needs }: SuiteHead): Pick<EvalPlan, 'embedder'> {
  if (!needs?.embedder) return {};
  const embedder = contracts.embedder();
  if (embedder) return { embedder };
  const message = 'The suite has a check "similar", and no embedder is configured. Set "embedder.model".';
  throw validationError([{ pointer: '/evalSuiteRef', message }], { code: 'embedder_unavailable' });
}

async function scorersFor(
  { scorers }: DeciderParts,
  owner: Owner,
  { needs }: SuiteHead,
): Promise<Pick<EvalPlan, 'scorers' | 'inProcess'>> {
  if (!needs?.scorers) return {};
  const pins = await scorers.pin(owner, needs.scorers);
  return { scorers: pins, ...(scorers.hasFunction(needs.scorers) && { inProcess: true }) };
}

/** Who decides the criteria that neither a judge nor a decidable check does. Under a contract, the contract says it. */
export const planDeciders = async (parts: DeciderParts, owner: Owner, head: SuiteHead) => ({
  ...embedderFor(parts, head),
  ...(await scorersFor(parts, owner, head)),
});
