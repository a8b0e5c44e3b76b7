import type { CriterionId, JudgeIdentity, Owner } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';
import type { LabelFilter } from '../../ports/index.js';
import type { TaskSources } from '../views/task-view.js';
import type { TaskTables } from '../views/tasks/task-table.js';
import { taskReader } from './answers.js';
import { type Decision, type JudgeVerdict, readDecisions, verdictOn } from './decisions.js';

export type ReviewSources = { readonly sources: TaskSources; readonly tables: TaskTables };

/** What a person decided about a criterion, beside what the judge of the run decided. */
type JudgedDecision = {
  readonly decision: Decision;
  readonly criterion: CriterionId;
  readonly verdict: JudgeVerdict;
  readonly identity: JudgeIdentity;
  /** What was asked. Content. */
  readonly input: Body;
};

/** Checks are left out: they would agree with any judge. */
export async function* judgedDecisions(
  { sources, tables }: ReviewSources,
  owner: Owner,
  filter: LabelFilter,
  isWanted: (decision: Decision) => boolean = () => true,
): AsyncGenerator<JudgedDecision> {
  const { store } = sources;
  const readTask = taskReader(sources);
  for (const decision of await readDecisions({ store, tables }, owner, filter)) {
    const { run, task, label } = decision;
    if (!isWanted(decision)) continue;
    const read = await readTask(run, task.ordinal);
    const criterion = read?.criteria.find(({ id }) => id === label.criterion);
    const verdict = criterion?.judged ? await verdictOn(store.log, decision) : undefined;
    const identity = run.plan.judge;
    if (!read || !criterion || !verdict || identity?.digest !== verdict.judge) continue;
    yield { decision, criterion: criterion.id, verdict, identity, input: read.input };
  }
}
