import {
  type DeployedVersion,
  type EvalPlan,
  type EvalReport,
  type Evidence,
  isHostError,
  type RequiredEval,
} from '@touchstone/protocol';
import { decideBaseline } from '../../deployments/index.js';
import type { Run, Store } from '../../ports/index.js';
import {
  type EvidenceParts,
  type EvidenceRequest,
  gatherEvidence,
  plannedFacts,
  reader,
} from './evidence-facts.js';

/** How many runs of a version are looked at, newest first. */
const LOOK = 100;

/**
 * The run held against a version that serves: against the proof by which that one came, or, when the suite has changed
 * since or there was none, against its newest run that would be evidence of it. Undefined when nothing fits.
 */
export async function compareWithServing(
  parts: EvidenceParts,
  proof: EvidenceRequest,
  required: RequiredEval,
  run: Run,
  serving: DeployedVersion,
): Promise<EvalReport | undefined> {
  const read = reader(parts, proof, run);
  const compare = async (against: Run['runId']): Promise<EvalReport | undefined> => {
    const compared = await read({ against }).catch(incomparable);
    return compared?.regression && compared;
  };
  const proven = serving.evalRunId && (await compare(serving.evalRunId));
  if (proven) return proven;
  for (const other of await runsOf(parts.store, run, serving)) {
    if (!(await isBaseline(parts, proof, required, other, serving))) continue;
    const compared = await compare(other.runId);
    if (compared) return compared;
  }
  return undefined;
}

async function runsOf(
  store: Store,
  { owner, plan }: Run,
  { version }: DeployedVersion,
): Promise<readonly Run[]> {
  const { suite, agent } = plan as EvalPlan;
  const { agentId } = agent;
  const filter = { agentId, suiteId: suite.suiteId, status: 'completed', limit: LOOK } as const;
  const { items } = await store.runs.list(owner, filter);
  return items.filter((other) => other.plan.kind === 'eval' && other.plan.agent.version === version);
}

/** Everybody who may run suites can make runs of the version that serves, so most are passed over by their plan alone. */
async function isBaseline(
  parts: EvidenceParts,
  proof: EvidenceRequest,
  required: RequiredEval,
  other: Run,
  { version, digest }: DeployedVersion,
): Promise<boolean> {
  const claim = { agentId: proof.claim.agentId, version, digest, evalRunId: other.runId };
  const plan = other.plan as EvalPlan;
  const fits = (facts: Evidence): boolean =>
    decideBaseline(required, claim, facts, parts.clock.now()) === undefined;
  return (
    fits(await plannedFacts(parts, required, other, plan)) &&
    fits(await gatherEvidence(parts, proof, required, other, plan))
  );
}

function incomparable(error: unknown): undefined {
  if (!isHostError(error) || (error.code !== 'validation_error' && error.code !== 'not_found')) throw error;
}
