import {
  type EvalPlan,
  isNondeterministic,
  type Owner,
  type RunId,
  type Scorecard,
  timestampOf,
} from '@touchstone/protocol';
import type { Run } from '../../ports/index.js';
import { contractOutcome } from './contract-report.js';
import { logDigest } from './log-normalisation.js';
import { keptAlone, type ResultSource, readSummary, reportable, suiteHead } from './run-measurement.js';

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
    results: await results.all(run),
    summary: await readSummary(store, run),
  };
  const { suiteId, version, digest } = plan.suite;
  const { agent, model, judge, safetyJudge, safetyPolicy } = plan;
  const caveats = caveatsOf(run, plan);
  return {
    runId,
    suite: { suiteId, version, digest },
    agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
    ...(model && { model }),
    ...(judge && { judge }),
    ...(safetyJudge && { safetyJudge }),
    ...(safetyPolicy && { safetyPolicy }),
    ...(plan.contract && { contract: plan.contract }),
    ...(plan.embedder && { embedder: plan.embedder }),
    ...(await contractOutcome(store, run, plan, figures)),
    modes: plan.modes,
    totalTasks: plan.totalTasks,
    repeats: plan.repeats,
    ...figures,
    startedAt: timestampOf(run.startedAt ?? run.createdAt),
    endedAt: timestampOf(run.completedAt ?? run.createdAt),
    log: await logDigest(store, owner, runId),
    ...(Object.keys(caveats).length > 0 && { caveats }),
  };
}

const caveatsOf = ({ headline }: Run, plan: EvalPlan): NonNullable<Scorecard['caveats']> => ({
  ...(plan.rejudgeOf && { rejudgeOf: plan.rejudgeOf }),
  ...(plan.fork && { forkOf: plan.fork.source }),
  ...(headline?.cacheHits && { cacheHits: headline.cacheHits }),
  ...((plan.model?.mock || plan.judge?.mock || plan.safetyJudge?.mock) && { mock: true }),
  ...(plan.targetMismatchAllowed && { targetMismatch: true }),
  ...(isNondeterministic(plan) && { nondeterministic: true }),
});
