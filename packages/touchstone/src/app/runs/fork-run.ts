import {
  type EvalPlan,
  type Fork,
  type ForkRun,
  HostError,
  type Issue,
  isTerminal,
  type JsonObject,
  jsonEqual,
  judgesDiffer,
  type Principal,
  type RunId,
  type RunPlan,
  validationError,
} from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import { ENGINE_VERSION } from '../../engine/index.js';
import type { Ids, NewRun, Run, RunOrigin, RunRequest } from '../../ports/index.js';
import { checkBodies } from '../retention/removed-bodies.js';
import type { CreateRunBody } from './plan-run.js';
import { evaluationOff, type PlanParts, planRun } from './plan-run.js';

/** Options of the source that a branch changes, member by member. */
type Overlay = Pick<CreateRunBody, 'configurable' | 'tags' | 'metadata'>;
type ForkParts = PlanParts & { readonly ids: Ids };

/** Stores a run that begins with the history of another one. Refusals create nothing; the source is never touched. */
export async function createFork(
  parts: ForkParts,
  principal: Principal,
  runId: RunId,
  body: ForkRun,
  origin: RunOrigin,
): Promise<Run> {
  checkBody(body);
  const source = await parts.store.runs.get(principal.owner, runId);
  if (!source) throw new HostError('not_found', 'There is no such run.');
  checkForkable(source);
  checkBodies(source, body.mode === 'replay' ? 'replayed' : 'branched');
  const fork: Fork = { source: runId, mode: body.mode, fromSeq: body.fromSeq ?? 0 };
  await checkPoint(parts, source, fork);
  const { plan, request } = await (fork.mode === 'replay'
    ? { plan: source.plan, request: source.request }
    : planBranch(parts, source, fork, body.runOptionsOverlay ?? {}));
  const run: NewRun = {
    runId: parts.ids.runId(),
    owner: source.owner,
    principal: principal.id,
    origin,
    workflowId: source.workflowId,
    plan: { ...plan, fork } as RunPlan,
    // A scope is for one active run, and the fork is another one.
    request: withoutScope(request),
    createdAt: parts.clock.now(),
    engineVersion: ENGINE_VERSION,
  };
  // Only a run of a scope can stand in the way of another, and a fork has none.
  return (await parts.store.runs.create(run)) as Run;
}

/** Its events say what was done to what serves. A copy of them would say it again, and be wrong. */
function checkForkable({ plan }: Run): void {
  if (plan.kind !== 'deployment') return;
  const message =
    'The run moved a deployment; it can be neither replayed nor branched. Ask for the move again.';
  throw validationError([{ pointer: '/runId', message }]);
}

function withoutScope({ scopeId: _, ...request }: RunRequest): RunRequest {
  return request;
}

function checkBody({ mode, fromSeq, runOptionsOverlay }: ForkRun): void {
  const issues: Issue[] = [];
  if (mode === 'branch' && fromSeq === undefined)
    issues.push({
      pointer: '/fromSeq',
      message: 'Required with mode "branch": where the new run leaves the old one.',
    });
  if (mode === 'replay' && runOptionsOverlay && Object.keys(runOptionsOverlay).length > 0)
    issues.push({
      pointer: '/runOptionsOverlay',
      message: 'A replay repeats what was recorded, so nothing about it can be changed. Use mode "branch".',
    });
  if (issues.length > 0) throw validationError(issues);
}

/** A fork leaves its source between two blocks: a task is one fact and is not torn. */
async function checkPoint({ store }: ForkParts, source: Run, { mode, fromSeq }: Fork): Promise<void> {
  const { runId, owner, status, eventCount } = source;
  if (mode === 'replay' && !isTerminal(status))
    throw new HostError('run_state_conflict', `The run is ${status}; it can be replayed when it has ended.`, {
      runStatus: status,
    });
  if (eventCount === 0 && fromSeq > 0)
    throw pointInvalid('The run has no events yet. Branch from 0, or wait.', { lastSequence: -1 });
  if (fromSeq >= eventCount && fromSeq > 0)
    throw pointInvalid(`The log of the run ends at sequence ${eventCount - 1}.`, {
      lastSequence: eventCount - 1,
    });
  if (mode === 'replay' || fromSeq === 0) return;
  const [stored] = await store.log.entries(owner, runId, fromSeq, 1);
  if (stored && stored.firstSequence !== fromSeq) throw insideBlock(stored.firstSequence);
  const [before] = await store.log.read(owner, runId, fromSeq - 2, 1);
  if (before?.type === 'run.paused') throw insideBlock(before.sequence);
}

const insideBlock = (blockStart: number): HostError =>
  pointInvalid(`Sequence numbers of one block belong together. Branch where it begins, at ${blockStart}.`, {
    blockStart,
  });

const pointInvalid = (message: string, details: object): HostError =>
  new HostError('fork_point_invalid', message, { field: 'fromSeq', ...details });

/** A branch is planned anew, with the options of its source and what the overlay changes of them. */
async function planBranch(
  parts: ForkParts,
  source: Run,
  fork: Fork,
  overlay: Overlay,
): Promise<{ readonly plan: RunPlan; readonly request: RunRequest }> {
  checkOriginal(source);
  if (source.plan.kind === 'eval' && !parts.evalSettings) throw evaluationOff();
  const request = { ...source.request, ...mergedOptions(source.request, overlay) };
  const { plan } = await replan(parts, source, request).catch(blameOverlay);
  checkSamePins(source.plan, plan);
  if (fork.fromSeq > 0) {
    checkSameShape(source.plan, plan);
    checkSameJudges(source.plan, plan);
  }
  return { plan: onSameChannel(source.plan, plan), request };
}

/** Which version it led to was drawn once; the branch asks no channel again. */
const onSameChannel = (before: RunPlan, after: RunPlan): RunPlan =>
  'agent' in before && 'agent' in after && before.agent.channel !== undefined
    ? { ...after, agent: { ...after.agent, channel: before.agent.channel } }
    : after;

const replan = async (parts: ForkParts, source: Run, request: RunRequest) => {
  const contract = (source.plan.kind === 'eval' && source.plan.contract) || 'none';
  return planRun({ ...parts, contract }, source.owner, bodyOf(source, request));
};

function checkOriginal({ plan }: Run): void {
  if (plan.kind !== 'eval' || plan.rejudgeOf === undefined) return;
  const message =
    'The run judged the answers of another one again and invoked no agent. Judge them once more instead.';
  throw validationError([{ pointer: '/mode', message }]);
}

function mergedOptions(
  request: RunRequest,
  overlay: Overlay,
): Pick<RunRequest, 'configurable' | 'tags' | 'metadata'> {
  const configurable = { ...request.configurable, ...(overlay.configurable as JsonObject | undefined) };
  const metadata = { ...request.metadata, ...(overlay.metadata as JsonObject | undefined) };
  const tags = overlay.tags ?? request.tags;
  return {
    ...(Object.keys(configurable).length > 0 && { configurable }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags && { tags }),
  };
}

function bodyOf({ plan }: Run, request: RunRequest): CreateRunBody {
  if (plan.kind === 'deployment') throw new Error('Runs of deployments are never planned anew.');
  const configurable = request.configurable ?? {};
  const inputs = request.inputs === undefined ? {} : { inputs: fromBody(request.inputs) as JsonObject };
  if (plan.kind === 'workflow') return { workflowId: plan.workflowId, configurable, ...inputs };
  const agentId = `${plan.agent.agentId}@${plan.agent.version}`;
  if (plan.kind === 'agent') return { agentId, configurable, ...inputs };
  return { mode: 'eval', evalSuiteRef: `${plan.suite.suiteId}@${plan.suite.version}`, agentId, configurable };
}

/** What the planner says of `configurable` is, for the caller, about the overlay; anything else, about what has changed. */
function blameOverlay(error: unknown): never {
  const issues =
    error instanceof HostError ? (error.details?.issues as readonly Issue[] | undefined) : undefined;
  if (!issues) throw error;
  const others = issues.filter(({ pointer }) => !pointer.startsWith('/configurable'));
  if (others[0])
    throw new HostError('conflict', `The run can no longer be planned as it was. ${others[0].message}`);
  throw validationError(issues.map((issue) => ({ ...issue, pointer: `/runOptionsOverlay${issue.pointer}` })));
}

/** The suite and the agent of a branch are those of its source, to the byte. */
function checkSamePins(before: RunPlan, after: RunPlan): void {
  if (!('agent' in before && 'agent' in after)) return;
  if (before.agent.digest !== after.agent.digest) throw changed('agent', before.agent.agentId);
  if (before.kind === 'eval' && after.kind === 'eval' && before.suite.digest !== after.suite.digest)
    throw changed('suite', before.suite.suiteId);
}

const changed = (what: string, name: string): HostError =>
  new HostError(
    'conflict',
    `The ${what} ${name} has changed since the run. Start a new run instead of a branch.`,
  );

/** Scores of two judges in one run would look like those of one. */
function checkSameJudges(before: RunPlan, after: RunPlan): void {
  if (before.kind !== 'eval' || after.kind !== 'eval' || !judgesDiffer(before, after)) return;
  throw new HostError(
    'conflict',
    'The judge of this host, or its safety policy, has changed since the run, and one run has one judge. Branch from 0, or start a new run.',
  );
}

const SHAPE = [
  ['evalModes', (plan: EvalPlan) => [...plan.modes]],
  ['repeats', (plan: EvalPlan) => plan.repeats],
  ['baselineRunId', (plan: EvalPlan) => plan.baselineRunId ?? null],
  ['onlyTasks', (plan: EvalPlan) => (plan.ordinals ? [...plan.ordinals] : null)],
] as const;

/** `eval.started` has been said: how many tasks there are, and in which modes. */
function checkSameShape(before: RunPlan, after: RunPlan): void {
  if (before.kind !== 'eval' || after.kind !== 'eval') return;
  const issues = SHAPE.filter(([, read]) => !jsonEqual(read(before), read(after))).map(([member]) => ({
    pointer: `/runOptionsOverlay/configurable/${member}`,
    message:
      'The history that the branch begins with was recorded with another value. Branch from 0 to change it.',
  }));
  if (issues.length > 0) throw validationError(issues);
}
