import {
  type AgentDeployments,
  type ChannelName,
  type DeployedVersion,
  type EvalPlan,
  type Evidence,
  type EvidenceReason,
  isHostError,
  type Owner,
  type RequiredEval,
  type RunError,
  type TransitionRequest,
} from '@touchstone/contract';
import type { Clock, Run, Store } from '@touchstone/contract/ports';
import { decideEvidence, describeReason, type EvidenceClaim, shares } from '../../scorecard/index.js';
import type { Annotations } from '../annotations.js';
import { readReport } from '../report.js';
import type { Touchstone } from '../touchstone.js';

export type EvidenceParts = Pick<Touchstone, 'findSuite' | 'contractReport'> & {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly overridesOf: Annotations['overridesOf'];
};

/** A transition that wants to be proven. */
export type Case = {
  readonly owner: Owner;
  /** Whoever promotes cannot have corrected the scores it is promoted by. */
  readonly principal: string;
  readonly claim: EvidenceClaim;
  readonly request: TransitionRequest;
  readonly serving: AgentDeployments;
  readonly evals: readonly RequiredEval[];
};

/** Why the proof that is asked for is not there; undefined when all of it is. */
export async function unmetEvidence(parts: EvidenceParts, proof: Case): Promise<RunError | undefined> {
  const run = await namedRun(parts.store, proof);
  for (const required of demandsOf(proof, run)) {
    const reason = await decide(parts, proof, required, run);
    if (reason) return unmet(reason, required);
  }
  return undefined;
}

const namedRun = async (store: Store, { owner, claim }: Case): Promise<Run | undefined> =>
  claim.evalRunId === undefined ? undefined : store.runs.get(owner, claim.evalRunId);

/** A run that nobody asked for is held to the same, for the suite it is of: what a record names as proof is one. */
function demandsOf({ claim, evals }: Case, run: Run | undefined): readonly RequiredEval[] {
  if (evals.length > 0 || claim.evalRunId === undefined) return evals;
  if (run?.plan.kind !== 'eval') return [{ suite: '' }];
  return [{ suite: `${run.plan.suite.suiteId}@${run.plan.suite.version}` }];
}

async function decide(
  parts: EvidenceParts,
  proof: Case,
  required: RequiredEval,
  run: Run | undefined,
): Promise<EvidenceReason | undefined> {
  if (run && run.plan.kind !== 'eval') return 'not_an_eval';
  const evidence = run && (await gather(parts, proof, required, run, run.plan as EvalPlan));
  return decideEvidence(required, proof.claim, evidence, parts.clock.now());
}

async function gather(
  parts: EvidenceParts,
  proof: Case,
  required: RequiredEval,
  run: Run,
  plan: EvalPlan,
): Promise<Evidence> {
  const { owner } = proof;
  const found = await parts.findSuite(owner, required.suite);
  const facts = {
    runId: run.runId,
    status: run.status,
    plan,
    ...(run.completedAt !== undefined && { endedAt: run.completedAt }),
    ...(run.headline && { headline: run.headline }),
    ...(found && { suite: found.head }),
  };
  if (run.status !== 'completed') return facts;
  return {
    ...facts,
    ...(await measured(parts, proof, run)),
    ...(await contractFacts(parts, owner, run, plan)),
  };
}

/** The report, held against what serves now where that can be; corrections of the promoting principal left out. */
async function measured(
  parts: EvidenceParts,
  proof: Case,
  { owner, runId }: Run,
): Promise<Pick<Evidence, 'report' | 'adjusted' | 'incomparable'>> {
  const overridesOf: Annotations['overridesOf'] = async (...run) =>
    (await parts.overridesOf(...run)).filter(({ by }) => by !== proof.principal);
  const read = (options = {}) => readReport({ store: parts.store, overridesOf }, owner, runId, options);
  const serving = servingProof(proof);
  const against = serving?.evalRunId === runId ? undefined : serving?.evalRunId;
  const compared = against && (await read({ against }).catch(incomparable));
  const report = compared || (await read());
  // What serves and came without proof can be compared with nothing, except by a baseline that the run chose itself.
  const isAlone = serving !== undefined && serving.evalRunId !== runId && !compared;
  return {
    report,
    ...(report.adjusted && { adjusted: report.adjusted }),
    ...(isAlone && (against !== undefined || !report.regression) && { incomparable: true }),
  };
}

function incomparable(error: unknown): undefined {
  if (!isHostError(error) || (error.code !== 'validation_error' && error.code !== 'not_found')) throw error;
}

/** The version, other than the one on its way, that serves most on the channel. */
function servingProof({ serving, request }: Case): DeployedVersion | undefined {
  const channel = request.channel ?? ('latest' as ChannelName);
  const others = {
    ...serving,
    versions: serving.versions.filter(({ version }) => version !== request.version),
  };
  const [most] = [...shares(others, channel)].sort((a, b) => b.share - a.share);
  return others.versions.find(({ version }) => version === most?.version);
}

async function contractFacts(
  parts: EvidenceParts,
  owner: Owner,
  { runId, headline }: Run,
  { contract }: EvalPlan,
): Promise<Pick<Evidence, 'contractPassed'>> {
  if (contract === undefined) return {};
  const verdict = headline?.contractVerdict ?? (await parts.contractReport(owner, runId)).verdict;
  return { contractPassed: verdict === 'pass' };
}

const unmet = (reason: EvidenceReason, { suite }: RequiredEval): RunError => ({
  code: 'eval_gate_unmet',
  message: `No deployment without evidence: ${describeReason(reason)}`,
  details: { reason, ...(suite !== '' && { suite }) },
});
