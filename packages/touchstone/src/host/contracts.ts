import {
  type Digest,
  type EmbedderPin,
  type EvalPlan,
  HOST_OWNER,
  HostError,
  type Owner,
  type TaskId,
  validationError,
} from '@touchstone/contract';
import type { ContractTask, EvalContract, PinnedContract } from '@touchstone/contract/bodies';
import type { Store } from '@touchstone/contract/ports';
import type { Models } from '../agents/index.js';
import { barOf } from '../scoring/index.js';
import type { Config } from './config.js';
import type { JudgeDesk } from './judge-desk.js';

/** What a run under a contract is measured by. */
type ContractPins = Pick<EvalPlan, 'contract' | 'judge' | 'embedder'>;

export type ContractDesk = {
  /** The contract that a suite was compiled with: the owner's, or the host's for everyone. */
  of(owner: Owner, suite: Digest): Promise<PinnedContract | undefined>;
  /** The one a run was planned with. */
  pinned(owner: Owner, digest: Digest): Promise<PinnedContract>;
  /** Who decides its criteria in a run of this owner. Refuses when somebody is needed who cannot be asked. */
  plan(owner: Owner, pinned: PinnedContract): ContractPins;
  bars(owner: Owner, plan: EvalPlan): Promise<(taskId: TaskId) => number | undefined>;
};

type DeskParts = {
  readonly config: Pick<Config, 'embedder'>;
  readonly store: Store;
  readonly models: Models;
  readonly chooseJudge: JudgeDesk['choose'];
  /** Why this owner may not ask this model; undefined when it may. */
  readonly modelTrouble: (owner: Owner, model: string) => string | undefined;
};

export function createContractDesk(parts: DeskParts): ContractDesk {
  const { config, store, models } = parts;
  const find = async (owner: Owner, digest: Digest, read: 'contract' | 'contractOf') =>
    (await store.suites[read](owner, digest)) ?? (await store.suites[read](HOST_OWNER, digest));
  const pinned = async (owner: Owner, digest: Digest): Promise<PinnedContract> => {
    const found = await find(owner, digest, 'contract');
    if (found) return found;
    throw new HostError('not_found', 'The contract that the run was planned with is no longer kept here.');
  };
  return {
    of: (owner, suite) => find(owner, suite, 'contractOf'),
    pinned,
    plan(owner, { contract, digest }) {
      const embedder = usesSimilarity(contract) ? chooseEmbedder(config, models) : undefined;
      const judge = needsJudge(contract, embedder) ? judgeOf(parts, owner, contract) : undefined;
      return { contract: digest, ...(judge && { judge }), ...(embedder && { embedder }) };
    },
    async bars(owner, plan) {
      if (plan.contract === undefined) return () => undefined;
      const { contract } = await pinned(owner, plan.contract);
      return (taskId) => barOf(contract, taskId);
    },
  };
}

/**
 * The model the profile names, through the registry of names; the configured judge when nobody here has that one, or when
 * its owner may not ask it: a definition must not open providers that its author has not been granted.
 */
function judgeOf({ chooseJudge, modelTrouble }: DeskParts, owner: Owner, { judge }: EvalContract) {
  const denied = judge && modelTrouble(owner, judge.model);
  const named = denied === undefined ? judge && chooseJudge({ model: judge.model }) : { trouble: denied };
  if (named && !('trouble' in named)) return named;
  const fallback = chooseJudge();
  if (fallback && !('trouble' in fallback)) return fallback;
  const trouble = named?.trouble ?? fallback?.trouble;
  const message = `Some criteria of the contract need a judge. ${trouble ?? 'None is configured.'} Map the evaluator model in "models", or set "judge.model".`;
  throw validationError([{ pointer: '/evalSuiteRef', message }], { code: 'judge_unavailable' });
}

function chooseEmbedder({ embedder }: DeskParts['config'], models: Models): EmbedderPin | undefined {
  if (!embedder) return undefined;
  const choice = models.choose(HOST_OWNER, { name: embedder.model });
  if (choice.kind === 'none') {
    const message = `The configured embedder cannot be asked. ${choice.reason}`;
    throw validationError([{ pointer: '/evalSuiteRef', message }], { code: 'embedder_unavailable' });
  }
  const { provider, model } = choice.pin;
  return { provider, model };
}

const usesSimilarity = (contract: EvalContract): boolean =>
  contract.criteria.some(({ evaluator }) => evaluator === 'similarity');

function needsJudge(contract: EvalContract, embedder: EmbedderPin | undefined): boolean {
  const byId = new Map(contract.criteria.map((criterion) => [criterion.id, criterion]));
  const isJudged = (task: ContractTask, id: string): boolean => {
    const criterion = byId.get(id);
    const evaluator = task.evaluators?.[id] ?? criterion?.evaluator;
    if (evaluator === 'similarity') return embedder === undefined && criterion?.approximate !== true;
    return evaluator === 'judge';
  };
  return Object.values(contract.tasks).some((task) => task.criteria.some((id) => isJudged(task, id)));
}
