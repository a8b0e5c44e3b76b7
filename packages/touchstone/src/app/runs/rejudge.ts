import {
  type Digest,
  type EmbedderPin,
  type EvalPlan,
  type HostError,
  type Issue,
  isHostError,
  JUDGE_REFERENCE,
  type JudgeIdentity,
  type Owner,
  type Principal,
  type RunId,
  validationError,
} from '@touchstone/protocol';
import {
  fromBody,
  isJudged,
  type PinnedContract,
  parseCriterion,
  type Task,
} from '@touchstone/protocol/bodies';
import { ENGINE_VERSION } from '../../engine/index.js';
import type { Clock, Ids, NewRun, Run, RunOrigin, Store, SuiteHead } from '../../ports/index.js';
import type { Contracts } from '../catalogue/contracts.js';
import type { SuiteCatalogue } from '../catalogue/suite-catalogue.js';
import type { JudgeChoice, JudgeDecision, Judges } from '../judges/judges.js';
import { checkBodies } from '../retention/removed-bodies.js';
import { ownRun } from '../views/run-measurement.js';
import { type EvalSettings, evaluationOff } from './plan-run.js';
import { readTaskEvaluators } from './task-criteria.js';

/** Another judge than the configured one, or another number of votes. */
export type JudgeRequest = { readonly model?: string; readonly votes?: number };

type RejudgeParts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly suiteHead: SuiteCatalogue['head'];
  readonly suiteTasks: SuiteCatalogue['tasks'];
  readonly chooseJudge: Judges['choose'];
  readonly judges: Pick<Judges, 'choosePortable' | 'configured'>;
  /** Why this owner may not ask this model; undefined when it may. */
  readonly modelIssue: (owner: Owner, model: string) => string | undefined;
  readonly evalSettings: EvalSettings | undefined;
  readonly maxRunDurationMs?: number | undefined;
  readonly safetyPolicy: Digest | undefined;
  readonly contracts: Pick<Contracts, 'pinned' | 'plan'>;
};

/** Stores a run that judges the recorded answers of another one again. Refusals create nothing. */
export async function createRejudge(
  parts: RejudgeParts,
  principal: Principal,
  runId: RunId,
  wish: JudgeRequest,
  origin: RunOrigin,
): Promise<Run> {
  if (!parts.evalSettings) throw evaluationOff();
  const { owner } = principal;
  const source = await sourcePlan(parts, owner, runId);
  const { needs } = await checkJudged(parts, owner, source);
  const judge =
    (await contractJudge(parts, owner, source, wish)) ??
    (await portableJudge(parts, owner, wish, needs)) ??
    permittedJudge(parts, owner, { ...wish, withData: needs?.judgeData }, origin);
  const plan = within(parts.maxRunDurationMs, judgedAnew(source));
  const policy = plan.modes.includes('adversarial') ? parts.safetyPolicy : undefined;
  const run: NewRun = {
    runId: parts.ids.runId(),
    owner,
    principal: principal.id,
    origin,
    workflowId: plan.suite.suiteId,
    plan: { ...plan, judge, rejudgeOf: runId, ...(policy && { safetyPolicy: policy }) },
    request: {},
    createdAt: parts.clock.now(),
    engineVersion: ENGINE_VERSION,
  };
  // Only a run of a scope can stand in the way of another, and this one has none.
  return (await parts.store.runs.create(run)) as Run;
}

/** The limit may be younger than the run that is judged again. */
const within = (limitMs: number | undefined, plan: EvalPlan): EvalPlan =>
  limitMs === undefined ? plan : { ...plan, runTimeoutMs: Math.min(plan.runTimeoutMs ?? limitMs, limitMs) };

/**
 * Cached verdicts would be those of the first run, and a caller who judges again wants new ones. Findings are looked
 * for anew, under the policy of today. The baseline was for the scores of the first judge.
 */
function judgedAnew(source: EvalPlan): EvalPlan {
  const { cache: _, safetyPolicy: __, fork: ___, ...plan } = source;
  const { baselineRunId: _baseline, baselineImported: _file, tolerance: _drop, ...alone } = plan;
  const { judgeMismatchAllowed: _judges, commonTasks: _common, ...anew } = alone;
  const modes = anew.modes.filter((mode) => mode !== 'regression');
  return { ...anew, modes: modes.length > 0 ? modes : anew.modes };
}

async function sourcePlan({ store }: RejudgeParts, owner: Owner, runId: RunId): Promise<EvalPlan> {
  const run = await ownRun(store, owner, runId);
  if (run.plan.kind !== 'eval') throw refusal('/runId', 'The run is not an evaluation.');
  if (run.status !== 'completed')
    throw refusal('/runId', `Expected a completed run; this one is ${run.status}.`);
  checkBodies(run, 'judged again');
  return run.plan;
}

/** The portable judge that is wished for; without a wish that of the suite, or of the configuration. */
async function portableJudge(
  { judges }: RejudgeParts,
  owner: Owner,
  { model, votes }: JudgeRequest,
  needs: SuiteHead['needs'],
): Promise<JudgeIdentity | undefined> {
  const reference = model === undefined ? (needs?.judge ?? judges.configured) : model;
  if (reference === undefined || !isJudgeName(reference)) return undefined;
  if (votes !== undefined) throw refusal('/votes', 'A portable judge brings its votes along.');
  return decided(await judges.choosePortable(owner, reference, needs?.judgeData));
}

/** Names of models have a slash, or none of the parts of a judge's name. */
export const isJudgeName = (name: string): boolean => JUDGE_REFERENCE.test(name);

/** A judge that would be asked nothing is not a second opinion. */
async function checkJudged(parts: RejudgeParts, owner: Owner, plan: EvalPlan): Promise<SuiteHead> {
  const head = await parts.suiteHead(owner, plan.suite.digest);
  const { suiteId, version } = plan.suite;
  if (!head)
    throw refusal('/runId', `The suite of the run, ${suiteId}@${version}, is no longer installed as it was.`);
  if (await needsJudge(parts, owner, plan, head)) return head;
  throw refusal(
    '/runId',
    `No task of the run needs a judge: all that ran of ${suiteId}@${version} is decided without one.`,
  );
}

const PAGE = 256;

/** Under a contract, and without another wish, the judge is the one that a new run under it would have. */
async function contractJudge(
  { contracts, chooseJudge }: RejudgeParts,
  owner: Owner,
  { contract, ordinals }: EvalPlan,
  { model, votes }: JudgeRequest,
): Promise<JudgeIdentity | undefined> {
  if (contract === undefined || model !== undefined) return undefined;
  const pinned = await contracts.pinned(owner, contract);
  const { judge } = await contracts.plan(owner, pinned, ordinals).catch(inWordsOfRejudging);
  if (!judge || votes === undefined) return judge;
  return decideJudge(chooseJudge, { model: `${judge.provider}/${judge.model}`, votes });
}

/** The caller has named a run and no suite, and may name a judge. */
function inWordsOfRejudging(error: unknown): never {
  const code = isHostError(error) ? error.details?.code : undefined;
  if (!isHostError(error) || typeof code !== 'string') throw error;
  const [issue] = (error.details?.issues ?? []) as readonly Issue[];
  const said = issue?.message ?? error.message;
  throw code === 'judge_unavailable'
    ? validationError([{ pointer: '/judge', message: `${said} Or name a judge for this time.` }], { code })
    : validationError([{ pointer: '/runId', message: said }], { code });
}

/** Of a suite without a contract its head knows whether any task needs one; a contract names who decides its criteria. */
async function needsJudge(
  { suiteTasks, contracts }: RejudgeParts,
  owner: Owner,
  { ordinals, contract, embedder }: EvalPlan,
  { digest, judgedTasks, taskCount }: SuiteHead,
): Promise<boolean> {
  if (contract === undefined && (judgedTasks === 0 || ordinals === undefined)) return judgedTasks > 0;
  const pinned = contract && (await contracts.pinned(owner, contract));
  const isJudged = pinned ? judgedUnder(pinned, embedder) : hasProse;
  const ran = ordinals && new Set(ordinals);
  for (let from = 0; from < taskCount; from += PAGE) {
    const page = await suiteTasks(owner, digest, from, PAGE);
    if (page.some((task, at) => (ran?.has(from + at) ?? true) && isJudged(task))) return true;
  }
  return false;
}

/** Also what was left out of the run, because it was advisory and its judge was not available. */
function judgedUnder({ contract }: PinnedContract, embedder: EmbedderPin | undefined) {
  const criteriaOf = readTaskEvaluators(contract);
  return ({ taskId }: Task): boolean =>
    criteriaOf(taskId).some(
      ({ evaluator, criterion }) =>
        evaluator === 'judge' || (evaluator === 'similarity' && !embedder && !criterion.approximate),
    );
}

const hasProse = ({ expected }: Task): boolean =>
  expected.kind === 'rubric' &&
  expected.rubric.some(({ criterion }) => isJudged(parseCriterion(String(fromBody(criterion)))));

/**
 * The configured judge is the host's own and judges for everyone. A model that a caller names over HTTP must be one the
 * caller may ask; the operator at the machine may use any.
 */
function permittedJudge(
  { chooseJudge, modelIssue }: RejudgeParts,
  owner: Owner,
  wish: JudgeChoice,
  origin: RunOrigin,
): JudgeIdentity {
  const denied = origin === 'cli' || wish.model === undefined ? undefined : modelIssue(owner, wish.model);
  if (denied !== undefined) throw refusal('/judge', denied);
  return decideJudge(chooseJudge, wish);
}

/** The judge that is wished for, or the configured one; refuses when there is none or it cannot be asked. */
export function decideJudge(choose: Judges['choose'], wish: JudgeChoice): JudgeIdentity {
  const judge = choose(wish);
  if (judge === undefined)
    throw refusal('/judge', 'No judge is configured. Name one, or set judge.model in the configuration.');
  return decided(judge);
}

export function decided(judge: JudgeDecision): JudgeIdentity {
  if ('issue' in judge) throw refusal('/judge', judge.issue);
  return judge;
}

const refusal = (pointer: Issue['pointer'], message: string): HostError =>
  validationError([{ pointer, message }]);
