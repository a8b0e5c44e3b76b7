import { type EvalPlan, isTerminal, type RunId, type TaskId } from '@touchstone/protocol';
import type { EndedTask } from '@touchstone/protocol/tasks';
import type { Run, SealedUnit, StepResult, Store } from '../../../ports/index.js';
import { foldTask } from '../../../scorecard/index.js';
import { findSuite, type TaskSources } from '../task-view.js';

export type EvalRun = Run & { readonly plan: EvalPlan };
export const isEval = (run: Run): run is EvalRun => run.plan.kind === 'eval';

/** All tasks of a run that have ended, in the order of the suite, without content. */
export type TaskTable = {
  readonly runId: RunId;
  readonly revision: number;
  readonly tasks: readonly EndedTask[];
  byId(): ReadonlyMap<TaskId, EndedTask>;
};

export type TaskTables = { of(run: EvalRun): Promise<TaskTable> };

const PAGE = 1_000;
/** What the tables of the runs that were read last may take. A result with criteria takes more than a plain one. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const bytesOf = ({ result: { criteria = [], findings = [] } }: EndedTask): number =>
  320 + 120 * (criteria.length + findings.length);

type RunSteps = { readonly steps: StepResult[]; bytes: number; table?: TaskTable };

/**
 * Sorting and filtering by anything needs all results of a run, and a reader that scrolls asks for page after page. So the
 * results of the runs that were read last are kept. A log only grows at its end: of a run that goes on, only what is new
 * is read.
 */
export function createTaskTables(sources: TaskSources, maxBytes = MAX_KEPT_BYTES): TaskTables {
  const kept = new Map<string, RunSteps>();

  return {
    async of(run) {
      const key = JSON.stringify([run.owner.tenant, run.owner.workspace, run.runId]);
      const one = kept.get(key) ?? { steps: [], bytes: 0 };
      const pending = isTerminal(run.status) ? [] : await sources.store.log.pending(run.owner, run.runId);
      const revision = run.eventCount + pending.length;
      if (one.table?.revision !== revision) {
        await readOn(sources.store.log, run, one);
        one.table = tableOf(run.runId, revision, [
          ...one.steps,
          ...(await sealedTasks(sources, run, pending)),
        ]);
      }
      kept.delete(key);
      kept.set(key, one);
      forgetOldest(kept, maxBytes);
      return one.table;
    },
  };
}

async function readOn(log: Store['log'], { owner, runId }: Run, one: RunSteps): Promise<void> {
  for (let isLast = false; !isLast; ) {
    const page = await log.results(owner, runId, one.steps.length, PAGE);
    one.steps.push(...page);
    for (const step of page) one.bytes += bytesOf(step);
    isLast = page.length < PAGE;
  }
}

/** The newest stays, however large it is. */
function forgetOldest(kept: Map<string, RunSteps>, maxBytes: number): void {
  let bytes = 0;
  for (const one of kept.values()) bytes += one.bytes;
  for (const [key, one] of kept) {
    if (bytes <= maxBytes || kept.size === 1) return;
    kept.delete(key);
    bytes -= one.bytes;
  }
}

export function tableOf(runId: RunId, revision: number, ended: readonly EndedTask[]): TaskTable {
  const isInOrder = ended.every(({ ordinal }, at) => at === 0 || (ended[at - 1]?.ordinal ?? 0) < ordinal);
  const tasks = isInOrder ? ended : inSuiteOrder(ended);
  let ids: ReadonlyMap<TaskId, EndedTask> | undefined;
  return {
    runId,
    revision,
    tasks,
    byId() {
      ids ??= new Map(tasks.map((task) => [task.result.taskId, task]));
      return ids;
    },
  };
}

/** A step may have been appended after it was read as sealed: the log's own word counts. */
function inSuiteOrder(ended: readonly EndedTask[]): readonly EndedTask[] {
  const byOrdinal = new Map(ended.toReversed().map((task) => [task.ordinal, task]));
  return [...byOrdinal.values()].sort((a, b) => a.ordinal - b.ordinal);
}

/** Tasks whose repeats are all sealed, while the log waits for those before them in the suite. */
async function sealedTasks(
  sources: TaskSources,
  run: EvalRun,
  pending: readonly SealedUnit[],
): Promise<readonly EndedTask[]> {
  const units = new Map<number, SealedUnit[]>();
  for (const unit of pending) units.set(unit.ordinal, [...(units.get(unit.ordinal) ?? []), unit]);
  const whole = [...units].filter(([, repeats]) => repeats.length === run.plan.repeats);
  const suite = whole.length > 0 ? await findSuite(sources, run.owner, run.plan) : undefined;
  if (!suite) return [];
  const ended: EndedTask[] = [];
  for (const [ordinal, repeats] of whole) {
    const [task] = await sources.store.suites.tasks(suite.holder, run.plan.suite.digest, ordinal, 1);
    const scores = repeats.flatMap(({ score }) => score ?? []);
    if (task && scores.length === repeats.length)
      ended.push({ ordinal, result: foldTask(task.taskId, scores, suite.thresholdOf(task)) });
  }
  return ended;
}
