import {
  type DeployedVersion,
  defined,
  type EvalPlan,
  type EvalReport,
  type Evidence,
  type EvidenceReason,
  type RequiredEval,
  type RunError,
} from '@touchstone/protocol';
import { decideEvidence, describeReason, rivalsOf } from '../../deployments/index.js';
import type { Run } from '../../ports/index.js';
import { type EvidenceParts, type EvidenceRequest, gatherEvidence } from './evidence-facts.js';
import { compareWithServing } from './serving-baseline.js';

/** Why the proof that is asked for is not there; undefined when all of it is. */
export async function unmetEvidence(
  parts: EvidenceParts,
  proof: EvidenceRequest,
): Promise<RunError | undefined> {
  const { claim, owner } = proof;
  if (gains(proof) && (await parts.revokedVersions(owner, claim.agentId)).includes(claim.version))
    return unmet('agent_revoked', { suite: '' });
  const run = await offeredRun(parts, proof);
  for (const required of demandsOf(proof, run)) {
    const { reason, told } = await decideProof(parts, proof, required, run);
    if (reason) return unmet(reason, required, told);
  }
  return undefined;
}

/** The run that is named as proof; undefined when none is, or there is no such run. */
export const offeredRun = async (
  { store }: EvidenceParts,
  { owner, claim }: EvidenceRequest,
): Promise<Run | undefined> =>
  claim.evalRunId === undefined ? undefined : store.runs.get(owner, claim.evalRunId);

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

/** Whether a run is the proof that a gate asks for, and what was read to find out. */
type ProofDecision = {
  /** Why it is none; absent when it is one. */
  readonly reason?: EvidenceReason;
  readonly told?: RefusalDetails;
  /** What the run has shown; absent when it has no result. */
  readonly report?: EvalReport;
  /** The run held against each version that it would stand in for, as far as that was done. */
  readonly compared: readonly { readonly serving: DeployedVersion['version']; readonly report: EvalReport }[];
};

export async function decideProof(
  parts: EvidenceParts,
  proof: EvidenceRequest,
  required: RequiredEval,
  run: Run | undefined,
): Promise<ProofDecision> {
  const now = parts.clock.now();
  const judge = (evidence: Evidence | undefined) => decideEvidence(required, proof.claim, evidence, now);
  if (run && run.plan.kind !== 'eval') return { reason: 'not_an_eval', compared: [] };
  const facts = run && (await gatherEvidence(parts, proof, required, run, run.plan as EvalPlan));
  const reason = judge(facts);
  const shown = defined({ report: facts?.report });
  if (reason || !run || !facts)
    return { ...defined({ reason, told: facts && judgeTold(facts, reason) }), ...shown, compared: [] };
  const compared: { serving: DeployedVersion['version']; report: EvalReport }[] = [];
  const rivals = required.noRegression ? rivalsOf(proof.before, proof.next, proof.request.version) : [];
  for (const { version: serving, ...rival } of rivals) {
    const report = await compareWithServing(parts, proof, required, run, { version: serving, ...rival });
    if (report) compared.push({ serving, report });
    const worse = judge(report ? { ...facts, report } : { ...facts, incomparable: true });
    const told = { serving, ...(report && { against: report.regression?.baselineRunId }) };
    if (worse) return { reason: worse, told, ...shown, compared };
  }
  return { ...shown, compared };
}

type RefusalDetails = {
  readonly serving?: DeployedVersion['version'];
  readonly against?: string | undefined;
  readonly judged?: { readonly [fact: string]: string | number };
};

/** What is known of the judge, where that is the reason: as many labels are missing as the caller can count. */
function judgeTold(
  { calibration }: Evidence,
  reason: EvidenceReason | undefined,
): RefusalDetails | undefined {
  if (!reason?.startsWith('judge_') || !calibration) return undefined;
  const { judge, n: labels, anyAge: labelsOfAnyAge, kappa, kappaInterval } = calibration;
  return { judged: defined({ judge, labels, labelsOfAnyAge, kappa, kappaLow: kappaInterval?.[0] }) };
}

const unmet = (
  reason: EvidenceReason,
  { suite }: RequiredEval,
  { serving, against, judged }: RefusalDetails = {},
): RunError => ({
  code: 'eval_gate_unmet',
  message: `No deployment without evidence: ${describeReason(reason)}`,
  details: { reason, ...(suite !== '' && { suite }), ...defined({ serving, against }), ...judged },
});
