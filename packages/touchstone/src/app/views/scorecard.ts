import {
  type ContractReport,
  defined,
  type EvalPlan,
  type EvalSummary,
  HostError,
  hasScripted,
  hasUntrustedScorer,
  isNondeterministic,
  type Owner,
  type RunId,
  type RunOutcome,
  type Scorecard,
  type ScorecardResult,
  type TaskResult,
  type Thresholds,
  timestampOf,
} from '@touchstone/protocol';
import type { Run, Store } from '../../ports/index.js';
import { createContractReport, type PairTaker } from '../../scorecard/index.js';
import { contractTerms } from '../../scoring/index.js';
import type { Contracts } from '../catalogue/contracts.js';
import { contractByDigest } from '../catalogue/suite-catalogue.js';
import { suiteDigests } from './common-tasks.js';
import { foldRuns } from './fold-runs.js';
import { logDigest } from './log-normalisation.js';
import {
  keptAlone,
  pinsOf,
  type ResultSource,
  readSummary,
  readSummaryTotals,
  reportable,
  subjectsOf,
  suiteHead,
} from './run-measurement.js';

/** Everything about a completed eval run that can travel; of a run that is not here, the scorecard that was kept from a file. */
export async function readScorecard(
  { store, results }: ResultSource,
  owner: Owner,
  runId: RunId,
): Promise<Scorecard> {
  const kept = await keptAlone(store, owner, runId);
  if (kept) return kept;
  const { run, plan } = await reportable(store, owner, runId);
  const { thresholds } = await suiteHead(store, run, plan);
  const figures = {
    ...(thresholds && { thresholds }),
    results: await withTaskDigests(store, run, plan, await results.all(run)),
    summary: await readSummary(store, run),
  };
  const caveats = caveatsOf(run, plan);
  return {
    runId,
    ...subjectsOf(plan),
    ...pinsOf(plan),
    ...(await contractOutcome(store, run, plan, figures)),
    modes: plan.modes,
    totalTasks: plan.totalTasks,
    repeats: plan.repeats,
    ...figures,
    startedAt: timestampOf(run.startedAt ?? run.createdAt),
    endedAt: timestampOf(run.completedAt ?? run.createdAt),
    log: run.logDigest
      ? { events: run.eventCount, digest: run.logDigest }
      : await logDigest(store, owner, runId),
    ...(Object.keys(caveats).length > 0 && { caveats }),
  };
}

/** Where the suite is not, its tasks can be told by digest no more than by content. */
async function withTaskDigests(
  store: Store,
  { owner }: Run,
  { suite }: EvalPlan,
  results: readonly TaskResult[],
): Promise<readonly ScorecardResult[]> {
  const digests = await suiteDigests(store, owner, suite.digest);
  return results.map((result) => ({ ...result, ...defined({ taskDigest: digests?.get(result.taskId) }) }));
}

async function contractOutcome(
  store: Store,
  run: Run,
  plan: EvalPlan,
  { thresholds, results, summary }: Pick<Scorecard, 'thresholds' | 'results' | 'summary'>,
): Promise<Pick<RunOutcome, 'contractVerdict' | 'otherBarsMet'>> {
  const fold = await openContract(store, run, plan, thresholds);
  for (const result of results) fold.add(result);
  return fold.result(summary);
}

const caveatsOf = ({ headline }: Run, plan: EvalPlan): NonNullable<Scorecard['caveats']> => ({
  ...(plan.rejudgeOf && { rejudgeOf: plan.rejudgeOf }),
  ...(plan.fork && { forkOf: plan.fork.source }),
  ...(headline?.cacheHits && { cacheHits: headline.cacheHits }),
  ...(hasScripted(plan) && { mock: true }),
  ...(plan.targetMismatchAllowed && { targetMismatch: true }),
  ...(isNondeterministic(plan) && { nondeterministic: true }),
  ...(hasUntrustedScorer(plan) && { codeScorer: true }),
  ...(plan.recorded && { recorded: true }),
});

/** Whether a completed run kept the contract its suite was compiled with. Folded anew with every call; reads no body. */
export async function readContractReport(
  { store, results, contracts }: ResultSource & { readonly contracts: Contracts },
  owner: Owner,
  runId: RunId,
): Promise<ContractReport> {
  const { run, plan } = await reportable(store, owner, runId);
  if (plan.contract === undefined)
    throw new HostError('not_found', 'The suite of this run has no contract, so there is no such report.');
  const pinned = await contracts.pinned(owner, plan.contract);
  const { thresholds } = await suiteHead(store, run, plan);
  const { aggregateScore, passed } = await readSummaryTotals(store, run);
  const facts = { runId, plan, contract: contractTerms(pinned), ...(thresholds && { thresholds }) };
  const { fold } = await foldRuns(results, undefined, { run }, () => ofOneRun(createContractReport(facts)));
  return fold.result({ aggregateScore, passed });
}

/** A fold of one run where folds of two are taken. */
const ofOneRun = <F extends { add(result: TaskResult): void }>(fold: F): F & PairTaker => ({
  ...fold,
  before: () => undefined,
  after: fold.add,
  pair: () => undefined,
});

/** What the contract has to say about a run, in the few facts that travel with it; nothing where there is none. */
export async function openContract(
  store: Store,
  { owner, runId }: Pick<Run, 'owner' | 'runId'>,
  plan: EvalPlan,
  thresholds: Thresholds | undefined,
): Promise<ContractFold> {
  const pinned = plan.contract && (await contractByDigest(store, owner, plan.contract));
  if (!pinned) return NO_CONTRACT;
  const contract = contractTerms(pinned);
  const fold = createContractReport({ runId, plan, contract, ...(thresholds && { thresholds }) });
  return {
    add: fold.add,
    result(figures) {
      const { verdict, summary } = fold.result(figures);
      const { otherBarsMet } = summary;
      return { contractVerdict: verdict, ...(otherBarsMet !== undefined && { otherBarsMet }) };
    },
  };
}

type ContractFold = {
  add(result: TaskResult): void;
  result(
    summary: Pick<EvalSummary, 'aggregateScore' | 'passed'>,
  ): Pick<RunOutcome, 'contractVerdict' | 'otherBarsMet'>;
};
const NO_CONTRACT: ContractFold = { add: () => undefined, result: () => ({}) };
