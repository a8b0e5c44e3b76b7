import { HostError, type Owner, timestampOf } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import { type LabelFilter, PAGE_BYTES } from '../../ports/index.js';
import { isLabelCriterion } from '../judges/labels.js';
import type { TaskSources } from '../views/task-view.js';
import type { TaskTables } from '../views/tasks/task-table.js';
import { answersOf, taskReader } from './answers.js';
import { type Decision, readDecisions } from './decisions.js';

export type LabelQuery = Pick<LabelFilter, 'suiteId' | 'runId'> & {
  /** Only labels given before the judge was seen, or only the others. */
  readonly blind?: boolean | undefined;
};

type Parts = { readonly sources: TaskSources; readonly tables: TaskTables };

const MOST_BYTES = 16 * PAGE_BYTES;

/**
 * Labels as `touchstone judge check` reads them, one on a line: only those of criteria that a judge decides from question and
 * answer. Content. Criteria of an answer are in the order of its rubric, as the judge of the run was asked.
 */
export async function writeLabels(
  { sources, tables }: Parts,
  owner: Owner,
  query: LabelQuery,
): Promise<string> {
  const { blind, ...filter } = query;
  const decisions = await readDecisions({ store: sources.store, tables }, owner, filter);
  const lineOf = lineWriter(sources);
  const lines: { readonly place: readonly (string | number)[]; readonly text: string }[] = [];
  let bytes = 0;
  for (const decision of decisions) {
    if (blind !== undefined && blind === decision.label.seen) continue;
    const line = await lineOf(decision);
    if (!line) continue;
    lines.push(line);
    bytes += Buffer.byteLength(line.text);
    if (bytes > MOST_BYTES) throw tooMany();
  }
  return lines
    .sort((a, b) => comparePlaces(a.place, b.place))
    .map(({ text }) => text)
    .join('');
}

const tooMany = (): HostError =>
  new HostError('validation_error', 'These labels are more than one answer holds. Name one run in "runId".', {
    field: 'runId',
  });

/** Undefined for what has no line: other criteria, and answers that have been removed. */
function lineWriter(sources: TaskSources) {
  const readTask = taskReader(sources);
  return async ({ run, task, answer, by, at, label }: Decision) => {
    if (run.bodiesRemovedAt !== undefined) return undefined;
    const found = await readTask(run, task.ordinal);
    const place = found?.criteria.findIndex(({ id }) => id === label.criterion) ?? -1;
    const criterion = found?.criteria[place];
    if (!found || !criterion?.judged || !isLabelCriterion(criterion.sentence)) return undefined;
    const given = (await answersOf(sources.store.log, run, task)).find(({ eventId }) => eventId === answer);
    if (!given) return undefined;
    const line = {
      id: `${run.runId}/${task.result.taskId}/${by}`,
      input: fromBody(found.input),
      output: fromBody(given.output),
      criterion: criterion.sentence,
      met: label.verdict === 'met',
      by,
      at: timestampOf(at),
      ...(label.seen && { seen: true }),
    };
    return {
      place: [run.createdAt, run.runId, task.ordinal, given.record.repeat, place, by],
      text: `${JSON.stringify(line)}\n`,
    };
  };
}

function comparePlaces(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  if (at < 0) return 0;
  return (a[at] as string | number) < (b[at] as string | number) ? -1 : 1;
}
