import {
  defined,
  type EvalPlan,
  type EvalSummary,
  HostError,
  isTerminal,
  type Owner,
  type RunId,
  type Scorecard,
  type SummaryTotals,
  type Thresholds,
  timestampOf,
  validationError,
} from '@touchstone/protocol';
import type { NewEvent, Payloads } from '@touchstone/protocol/bodies';
import type { Run, Store, SuiteHead } from '../../ports/index.js';
import type { MeasuredFacts, MeasuredResults } from '../../scorecard/index.js';
import { damagedError } from '../../store/index.js';
import { suiteByDigest } from '../catalogue/suite-catalogue.js';
import { loadResults, type ResultsOf } from './fold-runs.js';
import type { Results } from './results.js';
import { checkTotals } from './totals.js';

// What reports, scorecards and comparisons are made of: a completed eval run with its results, or a scorecard in its place.

/** Where runs and their results are read. */
export type ResultSource = { readonly store: Store; readonly results: Results };

export async function reportable(
  store: Store,
  owner: Owner,
  runId: RunId,
): Promise<{ readonly run: Run; readonly plan: EvalPlan }> {
  const run = await ownRun(store, owner, runId);
  return { run, plan: checkReportable(run) };
}

/** A run of another owner looks like an absent one. */
export async function ownRun(
  { runs }: { readonly runs: Pick<Store['runs'], 'get'> },
  owner: Owner,
  runId: RunId,
): Promise<Run> {
  const run = await runs.get(owner, runId);
  if (run) return run;
  throw new HostError('not_found', 'There is no such run.');
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
  const head = await suiteByDigest(store, owner, suite.digest);
  if (head) return head;
  throw new Error(`Suite ${suite.suiteId}@${suite.version}, to which run ${runId} is pinned, is gone.`);
}

/** Of the suite that an eval run is pinned to. */
export async function readThresholds(store: Store, { owner, plan }: Run): Promise<Thresholds | undefined> {
  return plan.kind === 'eval'
    ? (await suiteByDigest(store, owner, plan.suite.digest))?.thresholds
    : undefined;
}

/** The summary is the output of a completed run: it is read from the last event and computed nowhere else. */
export async function readSummary(store: Store, run: Run): Promise<EvalSummary> {
  const last = await store.log.last(run.owner, run.runId);
  const summary = outputsOf(last) as EvalSummary;
  checkTotals(run, summary.tasks);
  checkTotals({ headline: { ...summary, unscored: 0 } }, summary.tasks);
  return summary;
}

/** The same without its list of tasks, which is not read. */
export async function readSummaryTotals(store: Store, run: Run): Promise<SummaryTotals> {
  const [stored] = await store.log.entries(run.owner, run.runId, run.eventCount - 1, 1);
  const last = stored?.entry.kind === 'events' ? stored.entry.events.at(-1) : undefined;
  const { tasks: _, ...totals } = outputsOf(last) as SummaryTotals & Partial<EvalSummary>;
  const { headline } = run;
  if (headline && !agree(totals, headline)) throw damagedError('headline');
  return totals;
}

const agree = (totals: SummaryTotals, headline: NonNullable<Run['headline']>): boolean =>
  TOTALS.every((member) => totals[member] === headline[member]);

const TOTALS = ['aggregateScore', 'passed', 'taskCount', 'passedCount'] as const;

function outputsOf(
  last: Pick<NewEvent, 'type' | 'payload'> | undefined,
): Payloads['run.completed']['outputs'] {
  if (last?.type !== 'run.completed') throw damagedError('events');
  return (last.payload as Payloads['run.completed']).outputs;
}

/** What is known of a run before its results are read, and where these are. */
export type Measurement = { readonly facts: MeasuredFacts; readonly from: ResultsOf };

/** A completed run, or a scorecard that came in a file. `pointer` is where the caller named it. */
export async function measurementOf(
  { store }: Pick<ResultSource, 'store'>,
  owner: Owner,
  runId: RunId,
  pointer: string,
): Promise<Measurement | undefined> {
  const run = await store.runs.get(owner, runId);
  if (!run) {
    const card = await store.baselines.kept(owner, runId);
    return card && { facts: cardFacts(card), from: card };
  }
  const plan = checkCompared(run, pointer);
  const endedAt = timestampOf(run.completedAt ?? run.createdAt);
  const outcome = { ...run.headline, ...(plan.fork && { fork: plan.fork }) };
  return { facts: factsOf(plan, { ...outcome, runId, endedAt }), from: { run } };
}

/** The same with its results. */
export async function measuredRun(
  source: ResultSource,
  owner: Owner,
  runId: RunId,
  pointer: string,
): Promise<MeasuredResults | undefined> {
  const found = await measurementOf(source, owner, runId, pointer);
  return found && { ...found.facts, results: await loadResults(source.results, found.from) };
}

const cardFacts = (card: Scorecard): MeasuredFacts => ({
  ...factsOf(card, card),
  ...(card.caveats?.forkOf && { fork: { source: card.caveats.forkOf } }),
  imported: true,
});

/** What a run is pinned to besides suite and agent, as far as there is any. */
export const pinsOf = (plan: EvalPlan | Scorecard) => {
  const { model, judge, safetyJudge, safetyPolicy, contract, embedder, simulatedUser, scorers } = plan;
  return defined({ model, judge, safetyJudge, safetyPolicy, contract, embedder, simulatedUser, scorers });
};

/** Suite and agent by name, version and digest alone. */
export const subjectsOf = ({ suite, agent }: EvalPlan | Scorecard) => ({
  suite: { suiteId: suite.suiteId, version: suite.version, digest: suite.digest },
  agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
});

/** What was pinned before the run, and what is known since. */
function factsOf(
  pins: EvalPlan | Scorecard,
  known: Pick<MeasuredFacts, 'runId' | 'endedAt' | 'contractVerdict' | 'fork'>,
): MeasuredFacts {
  const { runId, endedAt, contractVerdict, fork } = known;
  const measured = { runId, ...subjectsOf(pins), ...pinsOf(pins), repeats: pins.repeats, endedAt };
  return { ...measured, ...defined({ contractVerdict, fork }) };
}

function checkCompared({ plan, status }: Run, pointer: string): EvalPlan {
  if (plan.kind === 'eval' && status === 'completed') return plan;
  const came = plan.kind === 'eval' ? `one that is ${status}` : 'none';
  const message = `Expected a completed evaluation to compare with, got ${came}.`;
  throw validationError([{ pointer, message }]);
}

type ReportedRun = Pick<Scorecard, 'thresholds'> & { readonly plan: EvalPlan; readonly from: ResultsOf };

/** The run itself; or, to hold one file against another, the scorecard that came of it elsewhere. */
export async function reportedRun(
  { store }: Pick<ResultSource, 'store'>,
  owner: Owner,
  runId: RunId,
  { against, tolerance }: { readonly against?: RunId; readonly tolerance?: number },
): Promise<ReportedRun> {
  const card = against === undefined ? undefined : await keptAlone(store, owner, runId);
  const asked = tolerance === undefined ? {} : { tolerance };
  if (card)
    return {
      plan: { ...planOf(card), ...asked },
      from: card,
      ...(card.thresholds && { thresholds: card.thresholds }),
    };
  const { run, plan } = await reportable(store, owner, runId);
  const { thresholds } = await suiteHead(store, run, plan);
  return { plan: { ...plan, ...asked }, from: { run }, ...(thresholds && { thresholds }) };
}

/** A scorecard that came in a file, unless the run itself is here: its own log then says more. */
export const keptAlone = async (store: Store, owner: Owner, runId: RunId): Promise<Scorecard | undefined> =>
  (await store.runs.get(owner, runId)) ? undefined : store.baselines.kept(owner, runId);

/** How it was driven is not known of a run elsewhere, and no report says it. */
function planOf(card: Scorecard): EvalPlan {
  const { suite, agent, modes, totalTasks, repeats } = card;
  return { kind: 'eval', suite, agent, modes, totalTasks, repeats, concurrency: 1, ...pinsOf(card) };
}
