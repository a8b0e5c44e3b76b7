import { type EndedTask, outcomeOf } from '@touchstone/protocol/tasks';
import type { Store } from '../../../ports/index.js';
import { outcomeAt } from '../../../scorecard/index.js';
import { completedRuns } from '../outcomes/completed-runs.js';
import type { OutcomesReader } from '../outcomes/run-outcomes.js';
import type { OrdinalsReader } from '../outcomes/task-ordinals.js';
import type { EvalRun } from './task-table.js';

type Parts = {
  readonly store: Pick<Store, 'runs'>;
  readonly outcomes: OutcomesReader;
  readonly ordinals: OrdinalsReader;
};

const LETTERS = { passed: 'p', failed: 'f', unscored: 'u' } as const;

/** One letter for each of the last runs of the same suite and agent, oldest first and this one last. */
export async function lastOutcomes(
  parts: Parts,
  run: EvalRun,
  count: number,
): Promise<(task: EndedTask) => string | undefined> {
  if (count === 0) return () => undefined;
  const earlier = await earlierRuns(parts, run, count - 1);
  const letterOf = await Promise.all(earlier.map((one) => lettersOf(parts, one, run)));
  return (task) => letterOf.map((letter) => letter(task)).join('') + LETTERS[outcomeOf(task.result)];
}

/** A task has the same place in runs of the same suite; in another version it is looked for by its id. */
async function lettersOf(
  { outcomes, ordinals }: Parts,
  earlier: EvalRun,
  { plan }: EvalRun,
): Promise<(task: EndedTask) => string> {
  const { digest } = earlier.plan.suite;
  const found = (await outcomes.of(earlier)).outcomes;
  if (digest === plan.suite.digest) return ({ ordinal }) => outcomeAt(found, ordinal)[1];
  const byId = await ordinals.of(earlier.owner, digest);
  return ({ result }) => outcomeAt(found, byId.get(result.taskId))[1];
}

/** Oldest first. */
async function earlierRuns(
  { store }: Parts,
  { owner, plan, runId, createdAt }: EvalRun,
  count: number,
): Promise<readonly EvalRun[]> {
  if (count === 0) return [];
  const { suite, agent } = plan;
  const query = { suiteId: suite.suiteId, agentId: agent.agentId, createdBefore: createdAt, limit: count };
  return (await completedRuns(store, owner, query)).filter((one) => one.runId !== runId).toReversed();
}
