import {
  asId,
  type Digest,
  type EmbedderPin,
  type EvalPlan,
  HOST_OWNER,
  HostError,
  isHostError,
  type Owner,
  type TaskId,
  validationError,
} from '@touchstone/protocol';
import type {
  ContractCriterion,
  ContractTask,
  EvalContract,
  PinnedContract,
} from '@touchstone/protocol/bodies';
import { schemaIssues } from '@touchstone/protocol/schema';
import { profileSchemas } from '@touchstone/protocol/wire';
import { checkForeignSchema, type Models } from '../../agents/index.js';
import type { Store, Suite } from '../../ports/index.js';
import { readContract, shareSchemas } from '../../profiles/index.js';
import { contractThreshold } from '../../scoring/index.js';
import type { Config } from '../config/config.js';
import type { Judges } from '../judges/judges.js';
import { pinContract } from './profiles.js';
import { contractByDigest, ownerOfSuite, taskPages } from './suite-catalogue.js';

/** What a run under a contract is measured by. */
type ContractPins = Pick<EvalPlan, 'contract' | 'judge' | 'embedder'>;

export type Contracts = {
  /** The contract of a suite. Where the suite is the host's, its word counts, for everyone: a laxer one cannot be put beside it. */
  of(owner: Owner, suite: Digest): Promise<PinnedContract | undefined>;
  /** The one a run was planned with. */
  pinned(owner: Owner, digest: Digest): Promise<PinnedContract>;
  /**
   * Who decides its criteria in a run of this owner, of all tasks or of those at `ordinals`. Refuses when a strict one
   * needs a judge that is not available; an advisory criterion without its judge is left out of the run and reported as not judged.
   */
  plan(owner: Owner, pinned: PinnedContract, ordinals?: readonly number[]): Promise<ContractPins>;
  /** The threshold of each task of a run that has a contract; undefined for the suite's own. */
  thresholds(owner: Owner, plan: EvalPlan): Promise<(taskId: TaskId) => number | undefined>;
  /** The configured model that compares meanings, if there is one. Throws when it cannot be asked. */
  embedder(): EmbedderPin | undefined;
};

type ContractParts = {
  readonly config: Pick<Config, 'embedder'>;
  readonly store: Store;
  readonly models: Models;
  readonly chooseJudge: Judges['choose'];
  /** Why this owner may not ask this model; undefined when it may. */
  readonly modelIssue: (owner: Owner, model: string) => string | undefined;
};

export function createContracts(parts: ContractParts): Contracts {
  const { config, store, models } = parts;
  const pinned = async (owner: Owner, digest: Digest): Promise<PinnedContract> => {
    const found = await contractByDigest(store, owner, digest);
    if (found) return { ...found, contract: shareSchemas(found.contract) };
    throw new HostError('not_found', 'The contract that the run was planned with is no longer kept here.');
  };
  return {
    of: async (owner, suite) =>
      store.suites.contractOf((await isHosts(store, suite)) ? HOST_OWNER : owner, suite),
    pinned,
    async plan(owner, { contract, digest }, ordinals) {
      const uses = usesOf(contract, await selectedTasks(store, owner, contract, ordinals));
      const compared = uses.filter(({ evaluator }) => evaluator === 'similarity');
      const embedder = askable(compared, () => chooseEmbedder(config, models));
      const judged = uses.filter((use) => isJudged(use, embedder));
      const judge = askable(judged, () => judgeOf(parts, owner, contract));
      return { contract: digest, ...(judge && { judge }), ...(embedder && { embedder }) };
    },
    embedder: () => chooseEmbedder(config, models),
    async thresholds(owner, plan) {
      if (plan.contract === undefined) return () => undefined;
      const { contract } = await pinned(owner, plan.contract);
      return (taskId) => contractThreshold(contract, taskId);
    },
  };
}

/** A suite that the host no longer offers stays readable, but can no longer be run. */
async function isHosts({ suites }: Store, digest: Digest): Promise<boolean> {
  const head = await suites.byDigest(HOST_OWNER, digest);
  const named = head && (await suites.get(HOST_OWNER, head.suiteId, head.version));
  return named?.digest === digest;
}

/** A criterion on some of the tasks of a run, and who decides it there. */
type Use = Pick<ContractCriterion, 'evaluator' | 'strict' | 'approximate'>;

function usesOf({ criteria }: EvalContract, tasks: Iterable<ContractTask>): readonly Use[] {
  const byId = new Map(criteria.map((criterion) => [criterion.id, criterion]));
  const uses = new Map<string, Use>();
  for (const { criteria: ids, evaluators = {} } of tasks)
    for (const id of ids) {
      const criterion = byId.get(id);
      if (!criterion) continue;
      const evaluator = Object.hasOwn(evaluators, id) ? evaluators[id] : undefined;
      uses.set(`${id} ${evaluator}`, { ...criterion, ...(evaluator && { evaluator }) });
    }
  return [...uses.values()];
}

const isJudged = ({ evaluator, approximate }: Use, embedder: EmbedderPin | undefined): boolean =>
  evaluator === 'judge' || (evaluator === 'similarity' && embedder === undefined && approximate !== true);

/** The judge that those criteria need, if any does. Only a strict criterion makes a missing judge a refusal. */
function askable<T>(uses: readonly Use[], choose: () => T): T | undefined {
  if (uses.length === 0) return undefined;
  try {
    return choose();
  } catch (error) {
    if (uses.some(({ strict }) => strict) || !isHostError(error)) throw error;
    return undefined;
  }
}

/** By their ids: the members of an object need not stand in the order of the suite. */
async function selectedTasks(
  store: Store,
  owner: Owner,
  { tasks, suiteSha256 }: EvalContract,
  ordinals: readonly number[] | undefined,
): Promise<readonly ContractTask[]> {
  if (ordinals === undefined) return Object.values(tasks);
  const digest = asId<Digest>(`sha256:${suiteSha256}`);
  const holder = (await ownerOfSuite(store, owner, digest)) ?? owner;
  const head = await store.suites.byDigest(holder, digest);
  if (!head) return Object.values(tasks);
  const wanted = new Set(ordinals);
  const selected: ContractTask[] = [];
  let ordinal = 0;
  for await (const page of taskPages(store, holder, head))
    for (const { taskId } of page) {
      const terms = Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined;
      if (terms && wanted.has(ordinal)) selected.push(terms);
      ordinal += 1;
    }
  return selected;
}

/**
 * The model the profile names, through the registry of names; the configured judge when this host does not have that one, or when
 * its owner may not ask it: a definition must not open providers that its author has not been granted.
 */
function judgeOf({ chooseJudge, modelIssue }: ContractParts, owner: Owner, { judge }: EvalContract) {
  const denied = judge && modelIssue(owner, judge.model);
  const named = denied === undefined ? judge && chooseJudge({ model: judge.model }) : { issue: denied };
  if (named && !('issue' in named)) return named;
  const fallback = chooseJudge();
  if (fallback && !('issue' in fallback)) return fallback;
  const issue = named?.issue ?? fallback?.issue;
  const message = `Some criteria of the contract need a judge. ${issue ?? 'None is configured.'} Map the evaluator model in "models", or set "judge.model".`;
  throw validationError([{ pointer: '/evalSuiteRef', message }], { code: 'judge_unavailable' });
}

function chooseEmbedder({ embedder }: ContractParts['config'], models: Models): EmbedderPin | undefined {
  if (!embedder) return undefined;
  const choice = models.choose(HOST_OWNER, { name: embedder.model });
  if (choice.kind === 'none') {
    const message = `The configured embedder cannot be asked. ${choice.reason}`;
    throw validationError([{ pointer: '/evalSuiteRef', message }], { code: 'embedder_unavailable' });
  }
  const { provider, model } = choice.pin;
  return { provider, model };
}

/** The contract of a compiled suite, from the text of its file. One that is not this suite's is refused. */
export const openContract = (text: string, file: string, suite: Suite): PinnedContract =>
  pinContract(
    readContract(text, suite, {
      file,
      shapeIssues: (value) => schemaIssues(CONTRACT, value),
      schemaIssues: checkForeignSchema,
    }),
  );

const CONTRACT = profileSchemas['urn:touchstone:eval-contract'];
