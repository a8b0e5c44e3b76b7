import { defined, type RunId, type TaskListing } from '@touchstone/protocol';
import type { TaskReview } from '@touchstone/protocol/tasks';
import type { Annotation } from '../annotation-types.js';
import type { Client } from '../client.js';
import { HostResponseError } from '../errors.js';
import { isEvalRun } from '../types.js';
import { absentElsewhere, readSteps } from './collect/read-results.js';
import type { FileComparison, FileContent, FileTask, PageFile, RunInFile } from './page-file.js';
import { readPageLog } from './read-page-log.js';
import { readTasks } from './task-rows.js';

/** Of as many runs as the page shows the outcomes of. */
const LAST_RUNS = 8;
const PAGE = 500;
/** A file can still be mailed, and is read at once. */
const MOST_EVENT_BYTES = 8_000_000;
/** The host puts so many runs into one matrix. */
const MOST_COLUMNS = 20;

/** What goes into a file. */
export type PageFileOptions = {
  readonly version: string;
  /** Inputs, answers, reasons and remarks as well. */
  readonly bodies: boolean;
  /** What the caller calls a run, when it has a name; shown with its tags. */
  readonly nameOf?: (runId: RunId) => string | undefined;
  /** How many bytes of events there is room for in all; 8 MB when absent. */
  readonly eventBytes?: number;
  /** The tags that the author of the suite gave a task. */
  readonly tagsOf?: (runId: RunId, taskId: string) => readonly string[];
};

/** Reads what the page in one file shows of some runs. Throws when a run is not an evaluation of a Touchstone host. */
export async function readPageFile(
  client: Client,
  runIds: readonly RunId[],
  options: PageFileOptions,
): Promise<PageFile> {
  const runs: RunInFile[] = [];
  for (const runId of runIds) runs.push(await readRun(client, runId, runIds, options));
  const completed = runs.filter(({ report }) => report).map(({ snapshot }) => snapshot.runId);
  const matrix =
    completed.length > 1 && completed.length <= MOST_COLUMNS
      ? await client.matrix({ runs: completed, limit: 1 }).catch(absentElsewhere)
      : undefined;
  return {
    version: options.version,
    content: contentOf(runs),
    runs,
    ...(matrix && { matrix: { ...matrix, items: [] } }),
  };
}

/** As rows say it of themselves. */
function contentOf(runs: readonly RunInFile[]): PageFile['content'] {
  const tasks = runs.flatMap(({ content }) => content?.tasks ?? []);
  if (runs.every(({ content }) => !content)) return 'left-out';
  return tasks.length > 0 && tasks.every((task) => task.bodiesRemovedAt) ? 'removed' : 'included';
}

async function readRun(
  client: Client,
  runId: RunId,
  all: readonly RunId[],
  { bodies, nameOf, tagsOf = () => [], eventBytes = MOST_EVENT_BYTES }: PageFileOptions,
): Promise<RunInFile> {
  const snapshot = await client.runs.get(runId);
  if (!isEvalRun(snapshot)) throw new Error('the host tells too little of the run for a page');
  const isDone = snapshot.status === 'completed';
  const report = isDone ? await client.runs.report(runId).catch(absentElsewhere) : undefined;
  const hasContract = isDone && snapshot.touchstone.contract !== undefined;
  const contract = hasContract ? await client.runs.contractReport(runId).catch(absentElsewhere) : undefined;
  const tasks = await readFileTasks(client, runId, (taskId) => tagsOf(runId, taskId));
  const name = nameOf?.(runId);
  return {
    snapshot: name === undefined ? snapshot : { ...snapshot, tags: [name, ...(snapshot.tags ?? [])] },
    ...(report && { report }),
    ...(contract && { contract }),
    against: report ? await readComparisons(client, runId, all) : {},
    tasks,
    ...(bodies && { content: await readContent(client, runId, tasks, eventBytes / all.length) }),
  };
}

/** Each against the first one, and the first one against each: more would grow with the square of the runs. */
async function readComparisons(
  client: Client,
  runId: RunId,
  all: readonly RunId[],
): Promise<RunInFile['against']> {
  const others = runId === all[0] ? all.slice(1) : all.slice(0, 1);
  const found: { [runId: string]: FileComparison } = {};
  for (const against of others)
    found[against] = await client.runs.report(runId, { against }).then((report) => ({ report }), refusalIn);
  return found;
}

function refusalIn(error: unknown): FileComparison {
  if (!(error instanceof HostResponseError) || error.status >= 500) throw error;
  return { status: error.status, refusal: { error: error.code, message: error.message } };
}

/** What was measured, with what the host says of each task beside it. */
async function readFileTasks(
  client: Client,
  runId: RunId,
  tagsOf: (taskId: string) => readonly string[],
): Promise<readonly FileTask[]> {
  const listings = new Map<string, TaskListing>();
  for (let offset = 0; ; offset += PAGE) {
    const page = await client.runs.tasks(runId, { offset, limit: PAGE, last: LAST_RUNS });
    for (const item of page.items) listings.set(item.taskId, item);
    if (page.items.length < PAGE) break;
  }
  const done = await readIds(client, runId);
  const steps = await readSteps(client, runId);
  return steps.map(({ ordinal, result }) => {
    const { before, last, ...listing } = listings.get(result.taskId) ?? {};
    const review = reviewOf(listing, done.has(result.taskId));
    const tags = tagsOf(result.taskId);
    return {
      ordinal,
      result,
      ...defined({ before, last, review }),
      ...(tags.length > 0 && { tags }),
    };
  });
}

function reviewOf(
  { remarks, flagged, override }: Partial<TaskListing>,
  isDone: boolean,
): TaskReview | undefined {
  if (remarks === undefined) return undefined;
  return { remarks, isFlagged: flagged === true, isDone, ...(override && { override }) };
}

/** The tasks that somebody has reviewed. */
async function readIds(client: Client, runId: RunId): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let offset = 0; ; offset += PAGE) {
    const { items } = await client.runs.tasks(runId, { reviewed: 'done', offset, limit: PAGE });
    for (const { taskId } of items) ids.add(taskId);
    if (items.length < PAGE) return ids;
  }
}

async function readContent(
  client: Client,
  runId: RunId,
  rows: readonly FileTask[],
  room: number,
): Promise<FileContent> {
  const tasks = await readTasks(client, runId);
  const remarks: { [taskId: string]: readonly Annotation[] } = {};
  for (const { result, review } of rows)
    if (review) remarks[result.taskId] = await client.runs.annotations(runId, { taskId: result.taskId });
  return { tasks, log: await readPageLog(client, runId, tasks, room), remarks };
}
