import {
  type DeployedVersion,
  defined,
  type EvalPlan,
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
  const facts = run && (await gatherEvidence(parts, proof, required, run, run.plan as EvalPlan));
  const reason = judge(facts);
  if (reason || !run || !facts) return reason && unmet(reason, required);
  if (!required.noRegression) return undefined;
  for (const rival of rivalsOf(proof.before, proof.next, proof.request.version)) {
    const compared = await compareWithServing(parts, proof, required, run, rival);
    const told = { serving: rival.version, ...(compared && { against: compared.regression?.baselineRunId }) };
    const worse = judge(compared ? { ...facts, report: compared } : { ...facts, incomparable: true });
    if (worse) return unmet(worse, required, told);
  }
  return undefined;
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
