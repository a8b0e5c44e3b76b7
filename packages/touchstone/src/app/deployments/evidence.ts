import {
  type AgentDeployments,
  type ContractReport,
  type DeployedVersion,
  defined,
  type EvalPlan,
  type EvalReport,
  type Evidence,
  type EvidenceReason,
  HOST_OWNER,
  isHostError,
  type Owner,
  type RequiredEval,
  type RunError,
  type RunId,
  type TransitionRequest,
} from '@touchstone/protocol';
import { decideEvidence, describeReason, type EvidenceClaim, rivalsOf } from '../../deployments/index.js';
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
type EvidenceRequest = {
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

/** Why the proof that is asked for is not there; undefined when all of it is. */
export async function unmetEvidence(
  parts: EvidenceParts,
  proof: EvidenceRequest,
): Promise<RunError | undefined> {
  const { claim, owner } = proof;
  if (gains(proof) && (await parts.revokedVersions(owner, claim.agentId)).includes(claim.version))
    return unmet('agent_revoked', { suite: '' });
  const run = claim.evalRunId === undefined ? undefined : await parts.store.runs.get(owner, claim.evalRunId);
  for (const required of demandsOf(proof, run)) {
    const unmet = await decide(parts, proof, required, run);
    if (unmet) return unmet;
  }
  return undefined;
}

/** Whether the version comes closer to service, or gets more of it. A revoked one may only leave. */
function gains({ request: { transition, version, canaryPercent = 100 }, before }: EvidenceRequest): boolean {
  const now = before.versions.find((row) => row.version === version)?.canaryPercent ?? 100;
  return transition === 'promote' || (transition === 'adjust-canary' && canaryPercent > now);
}

/** A run that no gate requires is checked like one that a gate requires, for its own suite: a record names it as evidence. */
function demandsOf({ claim, evals }: EvidenceRequest, run: Run | undefined): readonly RequiredEval[] {
  if (evals.length > 0 || claim.evalRunId === undefined) return evals;
  if (run?.plan.kind !== 'eval') return [{ suite: '' }];
  return [{ suite: `${run.plan.suite.suiteId}@${run.plan.suite.version}` }];
}

async function decide(
  parts: EvidenceParts,
  proof: EvidenceRequest,
  required: RequiredEval,
  run: Run | undefined,
): Promise<RunError | undefined> {
  const now = parts.clock.now();
  const judge = (evidence: Evidence | undefined) => decideEvidence(required, proof.claim, evidence, now);
  if (run && run.plan.kind !== 'eval') return unmet('not_an_eval', required);
  const facts = run && (await gather(parts, proof, required, run, run.plan as EvalPlan));
  const reason = judge(facts);
  if (reason || !run || !facts) return reason && unmet(reason, required);
  if (!required.noRegression) return undefined;
  const read = reader(parts, proof, run);
  for (const rival of rivalsOf(proof.before, proof.next, proof.request.version)) {
    const compared = await compareWith(parts.store, run, rival, read);
    const told = { serving: rival.version, ...(compared && { against: compared.regression?.baselineRunId }) };
    const worse = judge(compared ? { ...facts, report: compared } : { ...facts, incomparable: true });
    if (worse) return unmet(worse, required, told);
  }
  return undefined;
}

/** Corrections of the promoting principal are left out. */
function reader(parts: EvidenceParts, { principal }: EvidenceRequest, { owner, runId }: Run): ReadReport {
  const overridesOf: Annotations['overridesOf'] = async (...run) =>
    (await parts.overridesOf(...run)).filter(({ by }) => by !== principal);
  const { store, results, tolerance } = parts;
  return (options = {}) =>
    readReport({ store, results, overridesOf }, owner, runId, { ...options, tolerance });
}

async function gather(
  parts: EvidenceParts,
  proof: EvidenceRequest,
  required: RequiredEval,
  run: Run,
  plan: EvalPlan,
): Promise<Evidence> {
  const suite = await suiteNow(parts, run.owner, required.suite);
  const model = await parts.chooseModel(run.owner, plan.agent, {});
  const facts = {
    runId: run.runId,
    status: run.status,
    plan,
    ...(run.completedAt !== undefined && { endedAt: run.completedAt }),
    ...(run.headline && { headline: run.headline }),
    ...(suite && { suite }),
    ...('model' in model && model.model && { model: model.model }),
  };
  if (run.status !== 'completed') return facts;
  const report = await reader(parts, proof, run)();
  return {
    ...facts,
    report,
    ...(report.adjusted && { adjusted: report.adjusted }),
    ...(await contractFacts(parts, run, plan)),
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

type RefusalDetails = {
  readonly serving?: DeployedVersion['version'];
  readonly against?: string | undefined;
};

const unmet = (
  reason: EvidenceReason,
  { suite }: RequiredEval,
  { serving, against }: RefusalDetails = {},
): RunError => ({
  code: 'eval_gate_unmet',
  message: `No deployment without evidence: ${describeReason(reason)}`,
  details: { reason, ...(suite !== '' && { suite }), ...defined({ serving, against }) },
});

type ReadReport = (options?: ReportOptions) => Promise<EvalReport>;

/** How many runs of a version are looked at, newest first. */
const LOOK = 100;

/**
 * The run held against a version that serves: against the proof by which that one came, or, when the suite has changed
 * since or there was none, against its newest run that fits. Undefined when nothing fits.
 */
async function compareWith(
  store: Store,
  run: Run,
  rival: DeployedVersion,
  read: ReadReport,
): Promise<EvalReport | undefined> {
  for (const against of await candidates(store, run, rival)) {
    const compared = await read({ against }).catch(incomparable);
    if (compared?.regression) return compared;
  }
  return undefined;
}

async function candidates(
  store: Store,
  { owner, plan }: Run,
  rival: DeployedVersion,
): Promise<readonly RunId[]> {
  const { suite, agent } = plan as EvalPlan;
  const filter = {
    agentId: agent.agentId,
    suiteId: suite.suiteId,
    status: 'completed',
    limit: LOOK,
  } as const;
  const { items } = await store.runs.list(owner, filter);
  const own = items.filter(({ plan: other }) => other.kind === 'eval' && isOf(rival, other, suite.digest));
  return [...(rival.evalRunId ? [rival.evalRunId] : []), ...own.map(({ runId }) => runId)];
}

const isOf = ({ version, digest }: DeployedVersion, plan: EvalPlan, suite: string): boolean =>
  plan.agent.version === version &&
  plan.agent.digest === digest &&
  plan.suite.digest === suite &&
  plan.fork === undefined &&
  plan.rejudgeOf === undefined &&
  plan.model?.mock === undefined;

function incomparable(error: unknown): undefined {
  if (!isHostError(error) || (error.code !== 'validation_error' && error.code !== 'not_found')) throw error;
}
