import {
  asId,
  defined,
  type EvalMode,
  type EvalPlan,
  type Issue,
  isObject,
  type RunId,
  segmentsOf,
  typeName,
  type UnknownObject,
  validationError,
} from '@touchstone/protocol';
import type { AgentFacts, SchemaCheck, SuiteHead } from '../ports/index.js';
import { decideModes, type ModeDecision, type TaskKind } from './modes.js';
import { needsJudge } from './needs.js';
import { type HostLimits, type RunOptions, readRunOptions } from './run-options.js';
import { dependsOnTasks, selectTasks, type TaskQuestion, type TaskSelection } from './select-tasks.js';

/** An answer's length must not be the caller's to choose. */
const MAX_ISSUES = 100;

export type RunnableLimits = HostLimits & {
  /** Implemented here and switched on by the operator. */
  readonly modes: readonly EvalMode[];
  /** Whether there is a judge to ask about rubric criteria; what keeps it from being asked, if that is known. */
  readonly judge: boolean;
  readonly judgeIssue?: string;
};

export type RunnableQuestion = {
  readonly head: SuiteHead;
  readonly agent: AgentFacts;
  /** The caller's `configurable`, unread. */
  readonly configurable?: unknown;
  readonly limits: RunnableLimits;
  readonly tasks: TaskQuestion['tasks'];
  readonly checkSchema: SchemaCheck;
  /** What else keeps a task from being run, by pointers inside the task. */
  readonly checkTask?: TaskQuestion['checkTask'];
};

/** What a run will do, without the pins of suite and agent, which the caller adds. */
export type RunnablePlan = Omit<EvalPlan, 'kind' | 'suite' | 'agent'>;

/**
 * Decides whether a run may be created, and what it will do. Throws `validation_error` with every independent problem;
 * a problem that hides behind another (an input checked against the wrong agent's schema) is not made up.
 */
export async function checkRunnable(question: RunnableQuestion): Promise<RunnablePlan> {
  const configurable = readConfigurable(question.configurable);
  const modes = decideModes(question.head, configurable, question.limits.modes);
  const options = readRunOptions(configurable, question.limits);
  const sizes = sizeIssues(question);
  const targets = options.allowTargetMismatch ? [] : targetIssues(question);
  const early = [...modes.issues, ...targets, ...modelIssues(question), ...sizes, ...options.issues];
  const selection =
    sizes.length > 0 ? undefined : await select(question, modes, options, targets.length === 0);
  const issues = [...early, ...(selection?.issues ?? [])];
  if (issues.length > 0) throw refusal(issues, selection?.truncated ?? false);
  return toPlan(question, configurable, modes, options, selection);
}

function readConfigurable(configurable: unknown): UnknownObject {
  if (configurable === undefined) return {};
  if (isObject(configurable)) return configurable;
  throw refusal(
    [{ pointer: '/configurable', message: `Expected an object, got ${typeName(configurable)}.` }],
    false,
  );
}

function targetIssues({ head, agent }: RunnableQuestion): readonly Issue[] {
  if (head.targetAgentId === undefined || head.targetAgentId === agent.agentId) return [];
  const message = `The suite was written for ${head.targetAgentId}. Set configurable.allowTargetMismatch to true to run it on this one.`;
  return [{ pointer: '/agentId', message }];
}

/** An agent that names no class is refused too: a suite that lists classes asks for evidence, and there is none. */
function modelIssues({ head, agent }: RunnableQuestion): readonly Issue[] {
  const { allowedModels } = head;
  if (allowedModels === undefined || (agent.modelClass && allowedModels.includes(agent.modelClass)))
    return [];
  const came = agent.modelClass ? `is of class ${agent.modelClass}` : 'declares no modelClass';
  const message = `The suite is valid for model classes ${allowedModels.join(', ') || '(none)'}; the agent ${came}.`;
  return [{ pointer: '/agentId', message }];
}

function sizeIssues({ head, limits }: RunnableQuestion): readonly Issue[] {
  if (limits.maxTasks === undefined || head.taskCount <= limits.maxTasks) return [];
  const message = `The suite has ${head.taskCount} tasks; this host runs suites of at most ${limits.maxTasks}. Split it.`;
  return [{ pointer: '/evalSuiteRef', message }];
}

async function select(
  { head, agent, limits, tasks, checkSchema, checkTask }: RunnableQuestion,
  modes: ModeDecision,
  { onlyTasks }: RunOptions,
  isRightAgent: boolean,
): Promise<TaskSelection | undefined> {
  const decided = modes.issues.length === 0;
  const question = defined({
    kinds: decided && !areAllOf(head, modes.kinds) ? modes.kinds : (['golden', 'rubric'] as const),
    onlyTasks,
    rubricRefusal: decided ? rubricRefusal(head, limits) : undefined,
    checkTask: decided && head.rubricTasks > 0 ? checkTask : undefined,
    taskSchema: decided && isRightAgent ? agent.taskSchema : undefined,
  });
  return dependsOnTasks(question) ? selectTasks({ ...question, tasks, checkSchema }) : undefined;
}

/** Whether every task is of one of these kinds, which the head knows: then none has to be looked at for its kind. */
function areAllOf({ taskCount, rubricTasks }: SuiteHead, kinds: readonly TaskKind[]): boolean {
  const counts = { golden: taskCount - rubricTasks, rubric: rubricTasks };
  return kinds.reduce((sum, kind) => sum + counts[kind], 0) === taskCount;
}

/** Rubric tasks cannot run at all, or only those that need no judge can. */
function rubricRefusal(
  { rubricTasks, judgedTasks }: SuiteHead,
  { modes, judge, judgeIssue }: RunnableLimits,
): TaskQuestion['rubricRefusal'] {
  if (rubricTasks > 0 && !modes.includes('rubric'))
    return {
      applies: () => true,
      reason: 'this host does not offer rubric scoring. Ask for other modes in evalModes.',
    };
  if (judgedTasks === 0 || judge) return undefined;
  const reason =
    judgeIssue === undefined
      ? 'no judge is configured that could decide its criteria in prose. Add "judge": {"model": "<provider>/<model>"} to the configuration, write checks in their place, or ask for other modes in evalModes.'
      : `the configured judge cannot be asked. ${judgeIssue}`;
  return { applies: needsJudge, reason };
}

function toPlan(
  question: RunnableQuestion,
  configurable: UnknownObject,
  { modes }: ModeDecision,
  options: RunOptions,
  selection: TaskSelection | undefined,
): RunnablePlan {
  const totalTasks = question.head.taskCount;
  const { repeats, concurrency, runTimeoutMs, ceilingUsd } = options;
  const { baselineRunId } = configurable;
  return defined({
    modes,
    totalTasks,
    ordinals: selection && selection.ordinals.length < totalTasks ? selection.ordinals : undefined,
    repeats,
    concurrency,
    runTimeoutMs,
    ceilingUsd,
    baselineRunId: typeof baselineRunId === 'string' ? asId<RunId>(baselineRunId) : undefined,
    // Recorded only when there was a mismatch: permission alone does not spoil the run as evidence.
    targetMismatchAllowed: targetIssues(question).length > 0 ? (true as const) : undefined,
  });
}

/** An issue with a task is one with the suite that the request names. */
function refusal(issues: readonly Issue[], more: boolean): Error {
  const truncated = more || issues.length > MAX_ISSUES;
  const isOfTask = segmentsOf(issues[0]?.pointer ?? '')[0] === 'tasks';
  return validationError(issues.slice(0, MAX_ISSUES), {
    ...(isOfTask && { field: 'evalSuiteRef' }),
    ...(truncated && { truncated }),
  });
}
