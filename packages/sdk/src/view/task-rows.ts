import {
  defined,
  type Finding,
  type Json,
  type JsonObject,
  type RunId,
  type TaskResult,
  type TaskView,
  type UnscoredReason,
} from '@touchstone/protocol';
import type { Client } from '../client.js';
import type { StepTask } from '../types.js';
import { sentenceOf } from './collect/failure-bodies.js';
import { absentElsewhere } from './collect/read-results.js';
import { type RunView, refOf } from './run-view.js';

type Invocation = TaskView['invocations'][number];
type CriterionFacts = NonNullable<TaskResult['criteria']>[number];

/**
 * What became of the content of a row.
 * - `included`: input, answer and reasons are there
 * - `left-out`: the caller did not ask for it
 * - `removed`: the host no longer has it
 */
export type RowContent = 'included' | 'left-out' | 'removed';

/** A criterion of one repeat. */
export type RowCriterion = CriterionFacts & {
  /** Its sentence; content, so absent unless the caller asked for it. */
  readonly text?: string;
};

/** One repeat of one task of a run, as files of results hold it. */
export type TaskRow = {
  /** The run that it is of. */
  readonly runId: RunId;
  /** `suiteId@version`. */
  readonly suite: string;
  /** `agentId@version`. */
  readonly agent: string;
  /** The task in its suite. */
  readonly taskId: string;
  /** Which repeat, from 0. */
  readonly repeat: number;
  /** Of this repeat, from 0 to 1; 0 when there is none. */
  readonly score: number;
  /** Whether this repeat reached the task's threshold. */
  readonly passed: boolean;
  /** Why there is no score; absent when there is one. */
  readonly unscored?: UnscoredReason;
  /** How the invocation ended. */
  readonly outcome: string;
  /** From the first request to the final answer, in milliseconds; absent when it is not known. */
  readonly latencyMs?: number;
  /** Known cost, judging included, in US dollars. */
  readonly costUsd?: number;
  /** Tokens of the agent's own model calls. */
  readonly tokens?: { readonly input: number; readonly output: number };
  /** In the order of the rubric; empty for golden tasks. */
  readonly criteria: readonly RowCriterion[];
  /** What safety checks found. */
  readonly findings: readonly Finding[];
  /** Tags of the task, where the suite file is at hand. */
  readonly tags: readonly string[];
  /** Whether the members below are there. */
  readonly content: RowContent;
  /** What the agent was given. */
  readonly input?: Json;
  /** What the agent answered. */
  readonly output?: Json;
  /** What the suite asks for. */
  readonly expected?: Json;
  /** Calls of tools in order. */
  readonly toolCalls?: readonly JsonObject[];
  /** The words of judges and checks, and why an invocation failed. */
  readonly reasons?: readonly { readonly criterion?: string; readonly reason: string }[];
};

/** What of a run goes into rows. */
export type RowOptions = {
  /** Inputs, answers and reasons as well. */
  readonly bodies: boolean;
  /** The tags of a task; none when absent. */
  readonly tagsOf?: (taskId: string) => readonly string[];
};

/** Every repeat of every task of a run, in the order of the suite. A host of another kind tells of tasks only. */
export async function readRows(
  client: Client,
  view: RunView,
  options: RowOptions,
): Promise<readonly TaskRow[]> {
  const tasks = await readTasks(client, view.runId).catch(absentElsewhere);
  if (tasks) return tasks.flatMap((task) => taskRows(view, task, options));
  return ((view.summary?.tasks ?? []) as readonly TaskResult[]).map((result) => ({
    ...pinsOf(view),
    ...measured(result, 0),
    tags: options.tagsOf?.(result.taskId) ?? [],
    content: 'left-out',
  }));
}

/** All tasks of a run with all repeats, in the order of the suite. */
export async function readTasks(client: Client, runId: RunId): Promise<readonly TaskView[]> {
  const steps: StepTask[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.runs.taskViews(runId, cursor === undefined ? {} : { cursor });
    // Repeats with long answers do not all fit one page.
    for (const { ordinal, task } of page.items)
      steps.push({
        ordinal,
        task: task.nextRepeat === undefined ? task : await client.task(runId, task.taskId),
      });
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return steps.sort((a, b) => a.ordinal - b.ordinal).map(({ task }) => task);
}

const pinsOf = ({ runId, suite, agent }: RunView) => ({ runId, suite: refOf(suite), agent: refOf(agent) });

function taskRows(view: RunView, task: TaskView, { bodies, tagsOf }: RowOptions): readonly TaskRow[] {
  const tags = tagsOf?.(task.taskId) ?? [];
  return task.invocations.map((invocation, repeat) => {
    const facts = measured(invocation.result ?? task, repeat);
    return {
      ...pinsOf(view),
      ...facts,
      outcome: invocation.outcome,
      tags,
      ...defined({ tokens: invocation.tokens }),
      ...(bodies ? contentOf(task, invocation, facts.criteria) : { content: 'left-out' as const }),
    };
  });
}

function measured(result: TaskResult, repeat: number) {
  const { taskId, score, passed, unscored, outcome, latencyMs, costUsd, criteria, findings } = result;
  return {
    taskId,
    repeat,
    score,
    passed,
    ...defined({ unscored, latencyMs, costUsd }),
    outcome: outcome ?? 'completed',
    criteria: criteria ?? [],
    findings: findings ?? [],
  };
}

function contentOf(task: TaskView, invocation: Invocation, criteria: readonly CriterionFacts[]) {
  const { input, output, toolCalls, reason } = invocation;
  const decided = (invocation.criteria ?? []) as readonly { readonly reason?: string }[];
  const rubric = (task.expected.rubric ?? []) as readonly { readonly criterion: string }[];
  const reasons = decided.flatMap((one, at) =>
    one.reason === undefined ? [] : [defined({ criterion: criteria[at]?.id, reason: one.reason })],
  );
  const content: RowContent = task.bodiesRemovedAt === undefined ? 'included' : 'removed';
  return {
    content,
    input,
    ...defined({ output }),
    expected: task.expected as Json,
    toolCalls: toolCalls.map(({ toolId, inputs, status, outcome }) =>
      defined({ toolId, inputs, status, outcome }),
    ) as readonly JsonObject[],
    reasons: [...(reason === undefined ? [] : [{ reason }]), ...reasons],
    criteria: criteria.map((facts, at) => ({
      ...facts,
      ...defined({ text: rubric[at] && sentenceOf(rubric[at].criterion) }),
    })),
  };
}
