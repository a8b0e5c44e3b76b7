import {
  type EvalPlan,
  type EvalSummary,
  HOST_OWNER,
  HostError,
  isTerminal,
  type Owner,
  type RunId,
  type Scorecard,
  type Thresholds,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import type { Payloads, RunEvent } from '@touchstone/protocol/bodies';
import type { Run, Store, SuiteHead } from '../../ports/index.js';
import type { Results } from './results.js';

// What reports, scorecards and comparisons are made of: a completed eval run with its results, or a scorecard in its place.

/** Where runs and their results are read. */
export type ResultSource = { readonly store: Store; readonly results: Results };

export async function reportable(
  store: Store,
  owner: Owner,
  runId: RunId,
): Promise<{ readonly run: Run; readonly plan: EvalPlan }> {
  const run = await store.runs.get(owner, runId);
  if (!run) throw new HostError('not_found', 'There is no such run.');
  return { run, plan: checkReportable(run) };
}

function checkReportable({ plan, status }: Run): EvalPlan {
  if (plan.kind !== 'eval')
    throw new HostError('not_found', 'This run is not an eval run, so it has no report.');
  const details = { runStatus: status };
  if (!isTerminal(status)) {
    const message = `The run is ${status}; its report exists when it has completed.`;
    throw new HostError('run_state_conflict', message, details);
  }
  if (status !== 'completed')
    throw new HostError('not_found', `The run ended as ${status}, so it has no report.`, details);
  return plan;
}

export async function suiteHead(
  store: Store,
  { owner, runId }: Run,
  { suite }: EvalPlan,
): Promise<SuiteHead> {
  const head =
    (await store.suites.byDigest(owner, suite.digest)) ??
    (await store.suites.byDigest(HOST_OWNER, suite.digest));
  if (head) return head;
  throw new Error(`Suite ${suite.suiteId}@${suite.version}, to which run ${runId} is pinned, is gone.`);
}

/** Of the suite that an eval run is pinned to. */
export async function readThresholds(store: Store, { owner, plan }: Run): Promise<Thresholds | undefined> {
  if (plan.kind !== 'eval') return undefined;
  const { digest } = plan.suite;
  const head =
    (await store.suites.byDigest(owner, digest)) ?? (await store.suites.byDigest(HOST_OWNER, digest));
  return head?.thresholds;
}

export async function readSummary(store: Store, { owner, runId }: Run): Promise<EvalSummary> {
  const last = await store.log.last(owner, runId);
  return (last as RunEvent & { readonly payload: Payloads['run.completed'] }).payload.outputs as EvalSummary;
}

export type Side = Pick<Scorecard, 'endedAt' | 'results'> & {
  readonly measured: EvalPlan | Scorecard;
  readonly imported: boolean;
};

/** A completed run with its results, or a scorecard that came in a file. */
export async function findSide(
  { store, results }: ResultSource,
  owner: Owner,
  runId: RunId,
): Promise<Side | undefined> {
  const run = await store.runs.get(owner, runId);
  if (run) {
    const measured = checkCompared(run);
    const endedAt = timestampOf(run.completedAt ?? run.createdAt);
    return { measured, results: await results.all(run), endedAt, imported: false };
  }
  const card = await keptAlone(store, owner, runId);
  return card && { measured: card, results: card.results, endedAt: card.endedAt, imported: true };
}

function checkCompared({ plan, status }: Run): EvalPlan {
  if (plan.kind === 'eval' && status === 'completed') return plan;
  const came = plan.kind === 'eval' ? `one that is ${status}` : 'none';
  const message = `Expected a completed evaluation to compare with, got ${came}.`;
  throw validationError([{ pointer: '/against', message }]);
}

type Measurement = Pick<Scorecard, 'thresholds' | 'results'> & { readonly plan: EvalPlan };

/** The run itself; or, to hold one file against another, the scorecard that came of it elsewhere. */
export async function measuredRun(
  { store, results }: ResultSource,
  owner: Owner,
  runId: RunId,
  { against, tolerance }: { readonly against?: RunId; readonly tolerance?: number },
): Promise<Measurement> {
  const card = against === undefined ? undefined : await keptAlone(store, owner, runId);
  const asked = tolerance === undefined ? {} : { tolerance };
  if (card) return { ...card, plan: { ...planOf(card), ...asked } };
  const { run, plan } = await reportable(store, owner, runId);
  const { thresholds } = await suiteHead(store, run, plan);
  return { plan: { ...plan, ...asked }, results: await results.all(run), ...(thresholds && { thresholds }) };
}

const keptAlone = async (store: Store, owner: Owner, runId: RunId): Promise<Scorecard | undefined> =>
  (await store.runs.get(owner, runId)) ? undefined : store.baselines.kept(owner, runId);

/** How it was driven is not known of a run elsewhere, and no report says it. */
function planOf(card: Scorecard): EvalPlan {
  const { suite, agent, model, judge, safetyJudge, safetyPolicy, modes, totalTasks, repeats } = card;
  const { contract, embedder } = card;
  return {
    kind: 'eval',
    suite,
    agent,
    modes,
    totalTasks,
    repeats,
    concurrency: 1,
    ...(model && { model }),
    ...(judge && { judge }),
    ...(safetyJudge && { safetyJudge }),
    ...(safetyPolicy && { safetyPolicy }),
    ...(contract && { contract }),
    ...(embedder && { embedder }),
  };
}
