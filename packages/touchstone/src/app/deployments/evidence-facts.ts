import {
  type AgentDeployments,
  type ContractReport,
  type EvalPlan,
  type EvalReport,
  type Evidence,
  HOST_OWNER,
  type Owner,
  type RequiredEval,
  type RunId,
  type TransitionRequest,
} from '@touchstone/protocol';
import type { EvidenceClaim } from '../../deployments/index.js';
import type { Clock, Run, Store } from '../../ports/index.js';
import type { AgentCatalogue } from '../catalogue/agent-catalogue.js';
import type { Contracts } from '../catalogue/contracts.js';
import type { SuiteCatalogue } from '../catalogue/suite-catalogue.js';
import type { Annotations } from '../review/annotations.js';
import { type ReportOptions, readReport } from '../views/report.js';
import type { Results } from '../views/results.js';

export type EvidenceParts = {
  readonly findSuite: SuiteCatalogue['find'];
  /** Of a completed eval run whose suite has a contract. */
  readonly contractReport: (owner: Owner, runId: RunId) => Promise<ContractReport>;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly results: Results;
  readonly overridesOf: Annotations['overridesOf'];
  readonly chooseModel: AgentCatalogue['chooseModel'];
  readonly contractOf: Contracts['of'];
  readonly revokedVersions: AgentCatalogue['revoked'];
  /** What a drop must exceed to count: the operator's word, not the run's. */
  readonly tolerance: number;
};

/** A transition that wants to be proven. */
export type EvidenceRequest = {
  readonly owner: Owner;
  /** The promoting principal; its own corrections of scores do not count. */
  readonly principal: string;
  readonly claim: EvidenceClaim;
  readonly request: TransitionRequest;
  /** What serves, and what would. */
  readonly before: AgentDeployments;
  readonly next: AgentDeployments;
  readonly evals: readonly RequiredEval[];
};

export type ReadReport = (options?: ReportOptions) => Promise<EvalReport>;

/** Corrections of the promoting principal are left out. */
export function reader(
  parts: EvidenceParts,
  { principal }: EvidenceRequest,
  { owner, runId }: Run,
): ReadReport {
  const overridesOf: Annotations['overridesOf'] = async (...run) =>
    (await parts.overridesOf(...run)).filter(({ by }) => by !== principal);
  const { store, results, tolerance } = parts;
  return (options = {}) =>
    readReport({ store, results, overridesOf }, owner, runId, { ...options, tolerance });
}

/** What is known of a run that is offered as proof, or to compare with. */
export async function gatherEvidence(
  parts: EvidenceParts,
  proof: EvidenceRequest,
  required: RequiredEval,
  run: Run,
  plan: EvalPlan,
): Promise<Evidence> {
  const facts = await plannedFacts(parts, required, run, plan);
  if (run.status !== 'completed') return facts;
  const report = await reader(parts, proof, run)();
  return {
    ...facts,
    report,
    ...(report.adjusted && { adjusted: report.adjusted }),
    ...(await contractFacts(parts, run, plan)),
  };
}

/** As far as its row tells: without its results. */
export async function plannedFacts(
  parts: EvidenceParts,
  required: RequiredEval,
  run: Run,
  plan: EvalPlan,
): Promise<Evidence> {
  const suite = await suiteNow(parts, run.owner, required.suite);
  const model = await parts.chooseModel(run.owner, plan.agent, {});
  return {
    runId: run.runId,
    status: run.status,
    plan,
    ...(run.completedAt !== undefined && { endedAt: run.completedAt }),
    ...(run.headline && { headline: run.headline }),
    ...(suite && { suite }),
    ...('model' in model && model.model && { model: model.model }),
  };
}

/** The operator's suite goes before a tenant's of the same name: a tenant cannot replace the gate's suite. */
async function suiteNow(
  { findSuite, contractOf }: EvidenceParts,
  owner: Owner,
  reference: string,
): Promise<Evidence['suite']> {
  const found = (await findSuite(HOST_OWNER, reference)) ?? (await findSuite(owner, reference));
  if (!found) return undefined;
  const contract = await contractOf(found.owner, found.head.digest);
  return { ...found.head, ...(contract && { contract: contract.digest }) };
}

async function contractFacts(
  parts: EvidenceParts,
  { owner, runId, headline }: Run,
  { contract }: EvalPlan,
): Promise<Pick<Evidence, 'contractPassed'>> {
  if (contract === undefined) return {};
  const verdict = headline?.contractVerdict ?? (await parts.contractReport(owner, runId)).verdict;
  return { contractPassed: verdict === 'pass' };
}
