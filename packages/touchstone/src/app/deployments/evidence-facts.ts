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
import type { JudgeCalibrations } from '../judges/calibrations.js';
import type { JudgeCatalogue } from '../judges/judge-catalogue.js';
import type { Annotations } from '../review/annotations.js';
import { type ReportOptions, readReport } from '../views/report.js';
import type { Results } from '../views/results.js';

export type EvidenceParts = {
  readonly findSuite: SuiteCatalogue['find'];
  readonly suiteSignature: SuiteCatalogue['signature'];
  /** Of a completed eval run whose suite has a contract. */
  readonly contractReport: (owner: Owner, runId: RunId) => Promise<ContractReport>;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly results: Results;
  readonly overridesOf: Annotations['overridesOf'];
  readonly chooseModel: AgentCatalogue['chooseModel'];
  readonly contractOf: Contracts['of'];
  /** A portable judge that the host has. */
  readonly hostJudge: JudgeCatalogue['pinned'];
  /** What is known of the judge of a run. */
  readonly calibrationOf: JudgeCalibrations['of'];
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
    ...(await calibrationFacts(parts, proof, required, run)),
  };
}

const DAY_MS = 86_400_000;

/** Labels of the promoting principal are left out, like its corrections: nobody vouches for the proof that they offer. */
async function calibrationFacts(
  { calibrationOf, clock }: EvidenceParts,
  { principal }: EvidenceRequest,
  { calibration: wanted }: RequiredEval,
  run: Run,
): Promise<Pick<Evidence, 'calibration'>> {
  if (!wanted) return {};
  const { blindOnly = true, maxAgeDays } = wanted;
  const since = maxAgeDays === undefined ? 0 : clock.now() - maxAgeDays * DAY_MS;
  const labels = await calibrationOf(run);
  const counted = labels?.calibration({ blindOnly, notBy: principal, since });
  if (!labels || !counted) return {};
  return { calibration: { ...counted, anyAge: labels.calibration({ blindOnly, notBy: principal }).n } };
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
  const signature = required.signedSuite && (await parts.suiteSignature(run.owner, plan.suite.digest));
  return {
    runId: run.runId,
    status: run.status,
    plan,
    ...(run.completedAt !== undefined && { endedAt: run.completedAt }),
    ...(run.headline && { headline: run.headline }),
    ...(suite && { suite }),
    ...(signature && { suiteSigned: signature.trusted }),
    ...('model' in model && model.model && { model: model.model }),
    ...((await isOwnJudge(parts, plan)) && { ownJudge: true }),
  };
}

async function isOwnJudge({ hostJudge }: EvidenceParts, { judge }: EvalPlan): Promise<boolean> {
  return judge?.portable !== undefined && (await hostJudge(HOST_OWNER, judge.promptDigest)) === undefined;
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
