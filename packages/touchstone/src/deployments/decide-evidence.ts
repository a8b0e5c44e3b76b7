import {
  type AgentId,
  type Digest,
  type EvalMode,
  type Evidence,
  type EvidenceReason,
  hasScripted,
  hasUntrustedScorer,
  isTerminal,
  type Json,
  type JudgeIdentity,
  jsonEqual,
  type ModelPin,
  type RequiredEval,
  type RunId,
  type Version,
} from '@touchstone/protocol';
import { calibrationTrouble } from './judge-calibration.js';

const HOUR_MS = 3_600_000;

/** What the evidence is to be about: the agent as it is now, and the run that was named for it. */
export type EvidenceClaim = {
  readonly agentId: AgentId;
  readonly version: Version;
  readonly digest: Digest;
  readonly evalRunId?: RunId;
  /** The digest may not cover all files of the agent's program. */
  readonly filesNotFollowed?: true;
};

type EvidenceCase = {
  readonly required: RequiredEval;
  readonly claim: EvidenceClaim;
  readonly evidence: Evidence;
  readonly now: number;
};
type Check = readonly [EvidenceReason, isMissed: (offered: EvidenceCase) => boolean];

/**
 * Why a run is no proof; undefined when it is one. Of several reasons the first is given, in this order: whether there
 * is a result at all, whose it is, how it came about, who measured and when, and last how good it is. So the caller is not told
 * to improve a score that would not have counted. That the run named is an evaluation is for the caller to find out.
 */
export function decideEvidence(
  required: RequiredEval,
  claim: EvidenceClaim,
  evidence: Evidence | undefined,
  now: number,
): EvidenceReason | undefined {
  if (!evidence) return claim.evalRunId === undefined ? 'no_eval_run' : 'not_found';
  return firstMissed(CHECKS, { required, claim, evidence, now });
}

const CHECKS: readonly Check[] = [
  ['not_finished', ({ evidence }) => !isTerminal(evidence.status)],
  ['not_completed', ({ evidence }) => evidence.status !== 'completed' || !evidence.headline],
  ['other_agent', ({ claim, evidence }) => evidence.plan.agent.agentId !== claim.agentId],
  ['other_version', ({ claim, evidence }) => evidence.plan.agent.version !== claim.version],
  ['agent_changed', ({ claim, evidence }) => evidence.plan.agent.digest !== claim.digest],
  ['files_not_followed', isNotFollowed],
  ['other_suite', isOtherSuite],
  ['suite_changed', isOtherContent],
  ['suite_not_signed', isUnsignedSuite],
  ['not_original', ({ evidence: { plan } }) => plan.fork !== undefined || plan.rejudgeOf !== undefined],
  ['not_whole', ({ evidence }) => isPartOfTasks(evidence) || isOtherModes(evidence)],
  ['target_mismatch', ({ evidence }) => evidence.plan.targetMismatchAllowed === true],
  ['mock_model', isMocked],
  ['other_model', isOtherModel],
  ['cached', isCached],
  ['other_judge', isOtherJudge],
  ['judge_uncalibrated', (offered) => calibrationTrouble(offered) === 'judge_uncalibrated'],
  ['judge_labels_stale', (offered) => calibrationTrouble(offered) === 'judge_labels_stale'],
  ['judge_kappa_low', (offered) => calibrationTrouble(offered) === 'judge_kappa_low'],
  ['scorer_not_trusted', ({ evidence }) => hasUntrustedScorer(evidence.plan)],
  ['recorded_answers', ({ evidence }) => evidence.plan.recorded === true],
  ['from_future', isFromFuture],
  ['too_old', isTooOld],
  ['unscored', ({ evidence }) => (evidence.headline?.unscored ?? 0) > 0],
  ['contract_unmet', isContractUnmet],
  ['below_score', isBelowScore],
  ['not_passed', isNotPassed],
  ['not_compared', isNotCompared],
  ['regression', ({ required, evidence }) => isComparison(required, evidence, 'fail')],
  ['inconclusive', isInconclusive],
];

/** Age, result and what is known of the judge are for what is to be proven: a version that serves may be old and poor. */
const NOT_OF_BASELINES: readonly EvidenceReason[] = [
  'judge_uncalibrated',
  'judge_labels_stale',
  'judge_kappa_low',
  'from_future',
  'too_old',
  'contract_unmet',
  'below_score',
  'not_passed',
  'not_compared',
  'regression',
  'inconclusive',
];
const BASELINE_CHECKS = CHECKS.filter(([reason]) => !NOT_OF_BASELINES.includes(reason));

/**
 * Why a run of a version that serves is nothing to compare with; undefined when it is. Everybody who may run suites can
 * make such a run, so it is held to what evidence is held to.
 */
export function decideBaseline(
  required: RequiredEval,
  claim: EvidenceClaim,
  evidence: Evidence,
  now: number,
): EvidenceReason | undefined {
  return firstMissed(BASELINE_CHECKS, { required, claim, evidence, now });
}

const firstMissed = (checks: readonly Check[], offered: EvidenceCase): EvidenceReason | undefined =>
  checks.find(([, isMissed]) => isMissed(offered))?.[0];

function isNotFollowed({ required, claim }: EvidenceCase): boolean {
  return required.requireFollowedFiles === true && claim.filesNotFollowed === true;
}

/** A bare id means whatever its newest version is now; that an older one was run is then seen by the digest. */
function isOtherSuite({ required, evidence: { plan } }: EvidenceCase): boolean {
  const [suiteId, version] = required.suite.split('@');
  return plan.suite.suiteId !== suiteId || (version !== undefined && plan.suite.version !== version);
}

/** A suite is what it asks and, under a contract, by what its answers are measured. */
function isOtherContent({ evidence: { plan, suite } }: EvidenceCase): boolean {
  return plan.suite.digest !== suite?.digest || plan.contract !== suite.contract;
}

/** Signed when it was run, and by a key that is trusted still: a key that was withdrawn vouches for nothing. */
function isUnsignedSuite({ required, evidence: { plan, suiteSigned } }: EvidenceCase): boolean {
  return required.signedSuite === true && !(plan.suiteSignature && suiteSigned);
}

const isPartOfTasks = ({ plan: { ordinals, totalTasks } }: Evidence): boolean =>
  ordinals !== undefined && new Set(ordinals).size < totalTasks;

/**
 * All declared modes, and no others. `regression` adds a comparison and changes no score, so it may be there or not;
 * `live-shadow` runs unasked only where there is nothing else.
 */
function isOtherModes({ plan, suite }: Evidence): boolean {
  const declared: readonly EvalMode[] = suite?.modes ?? [];
  const due = declared.filter(
    (mode) => mode !== 'regression' && (mode !== 'live-shadow' || declared.length === 1),
  );
  const isKnown = (mode: EvalMode): boolean => mode === 'regression' || declared.includes(mode);
  return !due.every((mode) => plan.modes.includes(mode)) || !plan.modes.every(isKnown);
}

function isMocked({ evidence: { plan } }: EvidenceCase): boolean {
  return hasScripted(plan);
}

/** A model that was chosen for the run is not the one that will answer in service. */
function isOtherModel({ evidence: { plan, model } }: EvidenceCase): boolean {
  return !jsonEqual(chosenOf(plan.model), chosenOf(model));
}

/** Whether it is scripted is another question. */
function chosenOf(pin: ModelPin | undefined): Json {
  const { mock: _, ...chosen } = pin ?? {};
  return chosen as Json;
}

function isCached({ evidence: { headline, report } }: EvidenceCase): boolean {
  return (headline?.cacheHits ?? 0) > 0 || (report?.cacheHits ?? 0) > 0;
}

/** A judge that a tenant brought along counts only where the gate names it: anybody could write one that is always pleased. */
function isOtherJudge({ required: { judge: wanted }, evidence: { plan, ownJudge } }: EvidenceCase): boolean {
  if (wanted === undefined) return ownJudge === true;
  return !(plan.judge && namesOf(plan.judge, ownJudge).includes(wanted));
}
/** Of a judge that a tenant brought along neither the model nor the name says what it asks; its digests do. */
function namesOf(judge: JudgeIdentity, ownJudge?: true): readonly string[] {
  const { provider, model, digest, portable, promptDigest } = judge;
  const digests = portable === undefined ? [digest] : [digest, promptDigest];
  return ownJudge ? digests : [`${provider}/${model}`, ...digests, ...(portable ? [portable] : [])];
}

/** A run that does not say when it ended may be of any age. */
function isTooOld({ required: { maxAgeHours }, evidence: { endedAt }, now }: EvidenceCase): boolean {
  if (maxAgeHours === undefined) return false;
  return endedAt === undefined || now - endedAt > maxAgeHours * HOUR_MS;
}

/** A clock that is set while a run ends is no clock that was wrong. */
const CLOCK_STEP_MS = 60_000;

/** It ended while the clock was ahead, so nobody knows how old it is. */
function isFromFuture({ required: { maxAgeHours }, evidence: { endedAt }, now }: EvidenceCase): boolean {
  return maxAgeHours !== undefined && endedAt !== undefined && endedAt - now > CLOCK_STEP_MS;
}

/** A run under a contract whose outcome is unknown has not kept the contract. */
function isContractUnmet({ evidence: { plan, contractPassed } }: EvidenceCase): boolean {
  return !(contractPassed ?? plan.contract === undefined);
}

/** The numbers that count: people's corrections only where the gate lets them. */
function resultOf({ required, evidence: { headline, adjusted } }: EvidenceCase): {
  score: number;
  passed: boolean;
} {
  if (required.acceptOverrides && adjusted) return adjusted;
  return { score: headline?.aggregateScore ?? 0, passed: headline?.passed ?? false };
}

function isBelowScore(offered: EvidenceCase): boolean {
  const { requiredPassScore } = offered.required;
  return requiredPassScore !== undefined && !(resultOf(offered).score >= requiredPassScore);
}

/** A score of the gate's own stands in for the bars of the suite. */
function isNotPassed(offered: EvidenceCase): boolean {
  return offered.required.requiredPassScore === undefined && !resultOf(offered).passed;
}

/** Nothing serves, so nothing to compare with: then there is a report without a comparison, and that is no fault. */
function isNotCompared({ required, evidence }: EvidenceCase): boolean {
  return required.noRegression === true && (evidence.incomparable === true || !evidence.report);
}

const isComparison = (
  { noRegression }: RequiredEval,
  { report }: Evidence,
  verdict: 'fail' | 'inconclusive',
): boolean => noRegression === true && report?.regression?.verdict === verdict;

function isInconclusive({ required, evidence }: EvidenceCase): boolean {
  if (!required.requireConclusive) return false;
  return isUnsure(required, evidence) || isComparison(required, evidence, 'inconclusive');
}

/** Of the bar that decides: the gate's own score where it has one, the suite's otherwise. */
function isUnsure({ requiredPassScore }: RequiredEval, { report }: Evidence): boolean {
  if (!report || requiredPassScore === undefined)
    return report?.verdict !== 'pass' && report?.verdict !== 'fail';
  return report.aggregate.interval[0] < requiredPassScore;
}

const SENTENCES: { readonly [R in EvidenceReason]: string } = {
  agent_revoked: 'The pack of this version is revoked. Install and promote another version.',
  no_eval_run: 'The gate asks for an eval run and none was named. Run the suite, then give its run id.',
  not_found: 'There is no such run here. Check the run id, and that the run was made on this host.',
  not_an_eval: 'The run named is not an evaluation. Name a run of the suite that the gate asks for.',
  not_finished: 'The eval run has not ended yet. Wait for it, then ask again.',
  not_completed: 'The eval run failed or was cancelled, so it has no result. Run the suite again.',
  other_agent: 'The eval run is about another agent. Run the suite with the agent to be promoted.',
  other_version: 'The eval run is about another version. Run the suite with the version to be promoted.',
  agent_changed: 'The agent has changed since the eval run. Run the suite with the agent as it is now.',
  files_not_followed:
    'The program of the agent may use files that its digest does not cover. List them in its entry, and run the suite again.',
  other_suite: 'The eval run is of another suite than the gate asks for. Run the suite that it names.',
  suite_changed: 'The suite has another content now, or is gone. Run it as it is installed now.',
  suite_not_signed:
    'The gate asks for a suite that a trusted key has signed, and the one of the eval run was not. Install it with its envelope, then run it again.',
  not_original: 'The eval run is a fork or judges old answers anew. Run the suite itself.',
  not_whole: 'The eval run left out tasks or modes of the suite, or added one. Run all of it as declared.',
  target_mismatch:
    'The suite was written for another agent, and the run let that pass. Use a suite for this one.',
  mock_model: 'A model or judge of the eval run gives prepared answers. Run the suite with real ones.',
  other_model:
    'The eval run asked another model than the agent asks in service. Run the suite without choosing one.',
  cached: 'Some answers of the eval run came from the cache. Run the suite without it.',
  other_judge:
    'The eval run has another judge than the gate asks for, or none. Run the suite with that judge.',
  judge_uncalibrated:
    'Too few people have labelled answers that the judge of this run decided, or labels and verdicts are all of one kind. Labels of the principal who promotes do not count. Label answers of this suite on the page, or run judge check with labels for it.',
  judge_labels_stale:
    'The judge gave the verdicts that people labelled too long ago for the gate. Label answers of newer runs, or run judge check again for this suite.',
  judge_kappa_low:
    'The judge agrees with people less than the gate asks for. Write the criteria more clearly or take another judge, then run the suite again; or give more labels where only the lower end of the interval is too low.',
  scorer_not_trusted:
    'A scorer of the eval run does not count for gates. The operator may let it count by evidence: true in its entry; then run the suite again.',
  recorded_answers: 'The answers of the eval run came in a file. Run the suite with the agent itself.',
  too_old: 'The eval run ended too long ago for the gate. Run the suite again.',
  from_future:
    'The eval run ended later than it is now: the clock was wrong, and its age is unknown. Run the suite again.',
  unscored: 'Some tasks of the eval run could not be scored. See its report for why, then run it again.',
  below_score:
    'The score is below the one that the gate asks for. Improve the agent and run the suite again.',
  not_passed: 'The eval run did not meet the bars of its suite. Improve the agent and run the suite again.',
  contract_unmet: 'The agent did not keep the contract of the suite. See the contract report of the run.',
  not_compared:
    'The run cannot be compared with the one of the version that serves now. Run the suite with both versions and the same judge.',
  regression: 'The agent does worse than the version that serves now. See the regression in the report.',
  inconclusive: 'The result is too uncertain for the gate. Use more tasks or more repeats.',
};

/** Why a run is no proof and what to do, for people. Names no one and quotes nothing. */
export const describeReason = (reason: EvidenceReason): string => SENTENCES[reason];
