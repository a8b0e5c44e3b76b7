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
import { createLatencies, nearestRank } from '../fold/aggregate.js';
import { createTotals } from '../fold/build.js';
import { type ContractTerm, createGates } from './contract-gates.js';

/** The part of a contract that says nothing of its content. */
export type ContractTerms = {
  readonly digest: Digest;
  readonly criteria: readonly ContractTerm[];
  /** Which criteria apply to a task, by its id. A task without any is held against its expected value. */
  readonly tasks: ReadonlyMap<TaskId, readonly CriterionId[]>;
  readonly sla?: { readonly expectedLatencyMs: number; readonly policy: 'gate' | 'warn' };
  readonly dataset?: { readonly digest: Digest; readonly rows: number };
};

type ContractFacts = {
  readonly runId: RunId;
  readonly plan: EvalPlan;
  readonly contract: ContractTerms;
  /** Those of the suite. */
  readonly thresholds?: Thresholds;
};

type Verdict = Pick<EvalSummary, 'aggregateScore' | 'passed'>;

/** Whether a completed run kept the contract of its suite, from the results in its log. Keeps no counters of its own. */
export function buildContractReport(
  { summary, ...facts }: ContractFacts & { readonly summary: Verdict },
  results: Iterable<TaskResult>,
): ContractReport {
  const fold = createContractReport(facts);
  for (const result of results) fold.add(result);
  return fold.result(summary);
}

/** The same, of results that come one after the other; what they come to is said at the end. */
export type ContractFold = { add(result: TaskResult): void; result(summary: Verdict): ContractReport };

export function createContractReport({ runId, plan, contract, thresholds }: ContractFacts): ContractFold {
  const { suite, agent, judge, embedder, repeats } = plan;
  const criteriaOf = ({ taskId }: TaskResult) => contract.tasks.get(taskId) ?? [];
  const gates = createGates(contract.criteria, criteriaOf, repeats);
  const latencies = createLatencies();
  const others = createTotals({ ...thresholds, passScore: 0 });
  return {
    add(result) {
      gates.add(result);
      latencies.add(result);
      others.add(result);
    },
    result(summary) {
      const criteria = gates.result();
      const sla = slaOf(contract, latencies.result());
      const { taskCount: selected, passedCount: passed, passed: otherBarsMet } = others.result();
      return {
        runId,
        suite: { ref: `${suite.suiteId}@${suite.version}`, digest: suite.digest },
        agent: { agentId: agent.agentId, version: agent.version, digest: agent.digest },
        contract: contract.digest,
        verdict: decideVerdict(criteria, sla),
        tasks: { total: plan.totalTasks, selected, passed },
        criteria,
        ...(sla && { sla }),
        summary: {
          score: summary.aggregateScore,
          passed: summary.passed,
          // The pass score of a compiled suite is what its gates leave room for over all tasks. A part of them has other
          // room, so there the gates alone say whether the answers are good enough; cost and latency apply to it as well.
          ...(plannedSteps(plan) !== plan.totalTasks && { otherBarsMet }),
        },
        ...(contract.dataset && { dataset: contract.dataset }),
        ...(judge && { judge }),
        ...(embedder && { embedder }),
      };
    },
  };
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
function slaOf({ sla }: ContractTerms, known: Float64Array): ContractReport['sla'] {
  if (!sla) return undefined;
  const { expectedLatencyMs, policy } = sla;
  const p95Ms = nearestRank(known, 95);
  const missed = policy === 'warn' ? 'warn' : known.length > 0 ? 'fail' : 'error';
  const isKept = known.length > 0 && p95Ms <= expectedLatencyMs;
  return { expectedLatencyMs, p95Ms, policy, status: isKept ? 'pass' : missed };
}
