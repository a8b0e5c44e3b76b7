import {
  type ContractReport,
  type CriterionId,
  type Digest,
  type EvalPlan,
  type EvalSummary,
  type GateStatus,
  plannedSteps,
  type ReportedGate,
  type RunId,
  type TaskId,
  type TaskResult,
  type Thresholds,
} from '@touchstone/protocol';
import { nearestRank } from '../fold/aggregate.js';
import { foldResults } from '../fold/build.js';
import { type ContractTerm, reportGates } from './contract-gates.js';

/** The part of a contract that says nothing of its content. */
export type ContractTerms = {
  readonly digest: Digest;
  readonly criteria: readonly ContractTerm[];
  /** Which criteria apply to a task, by its id. A task without any is held against its expected value. */
  readonly tasks: ReadonlyMap<TaskId, readonly CriterionId[]>;
  readonly sla?: { readonly expectedLatencyMs: number; readonly policy: 'gate' | 'warn' };
  readonly dataset?: { readonly digest: Digest; readonly rows: number };
};

export type ContractReportFacts = {
  readonly runId: RunId;
  readonly plan: EvalPlan;
  readonly contract: ContractTerms;
  readonly summary: Pick<EvalSummary, 'aggregateScore' | 'passed'>;
  /** Those of the suite. */
  readonly thresholds?: Thresholds;
};

/** Whether a completed run kept the contract of its suite, from the results in its log. Keeps no counters of its own. */
export function buildContractReport(
  facts: ContractReportFacts,
  results: readonly TaskResult[],
): ContractReport {
  const { runId, plan, contract, summary } = facts;
  const { suite, agent, judge, embedder, repeats } = plan;
  const criteriaOf = ({ taskId }: TaskResult) => contract.tasks.get(taskId) ?? [];
  const criteria = reportGates(contract.criteria, criteriaOf, results, repeats);
  const sla = slaOf(contract, results);
  return {
    runId,
    suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
    agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
    contract: contract.digest,
    verdict: decideVerdict(criteria, sla),
    tasks: {
      total: plan.totalTasks,
      selected: results.length,
      passed: results.filter(({ passed }) => passed).length,
    },
    criteria,
    ...(sla && { sla }),
    summary: { score: summary.aggregateScore, passed: summary.passed, ...otherThresholds(facts, results) },
    ...(contract.dataset && { dataset: contract.dataset }),
    ...(judge && { judge }),
    ...(embedder && { embedder }),
  };
}

/**
 * The pass score of a compiled suite is what its gates leave room for over all tasks. A part of them has other room, so
 * there the gates alone say whether the answers are good enough; the thresholds on cost and latency apply to it as well.
 */
function otherThresholds(
  { plan, thresholds }: ContractReportFacts,
  results: readonly TaskResult[],
): Pick<ContractReport['summary'], 'otherBarsMet'> {
  if (plannedSteps(plan) === plan.totalTasks) return {};
  return { otherBarsMet: foldResults({ ...thresholds, passScore: 0 }, results).passed };
}

/** What is certain goes first: a gate that is missed whatever could not be decided is missed. */
function decideVerdict(
  gates: readonly ReportedGate[],
  sla: ContractReport['sla'],
): ContractReport['verdict'] {
  const binding = gates.filter(({ strict }) => strict).map(({ status }) => status);
  const statuses: readonly (GateStatus | undefined)[] = [...binding, sla?.status];
  if (statuses.includes('fail')) return 'fail';
  return statuses.includes('error') ? 'error' : 'pass';
}

/** The 95th percentile of what the agent took, by nearest rank: below 20 tasks, the longest. */
function slaOf({ sla }: ContractTerms, results: readonly TaskResult[]): ContractReport['sla'] {
  if (!sla) return undefined;
  const { expectedLatencyMs, policy } = sla;
  const known = results.flatMap(({ latencyMs }) => (latencyMs === undefined ? [] : [latencyMs]));
  const p95Ms = nearestRank(known, 95);
  const missed = policy === 'warn' ? 'warn' : known.length > 0 ? 'fail' : 'error';
  const isKept = known.length > 0 && p95Ms <= expectedLatencyMs;
  return { expectedLatencyMs, p95Ms, policy, status: isKept ? 'pass' : missed };
}
