import { fitsWildcards, isTerminal, type RunId } from '@touchstone/protocol';
import { type Client, readResults } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import type { SuiteSource } from '../../files/suite-source.js';
import { type ExitCode, UsageError } from '../../io.js';
import { isPart } from '../../origin.js';
import type { RunOptions } from './run-options.js';

/** A suite of which nothing is to be run: none of its tasks was chosen, or none had failed. */
export class NothingToRun extends Error {
  constructor(
    message: string,
    /** 0 when that is good news. */
    readonly exitCode: ExitCode,
  ) {
    super(message);
  }
}

type ChoiceOptions = Pick<RunOptions, 'only' | 'tag' | 'failed' | 'first' | 'oneOfSeveral'>;
type RunSubject = { readonly suiteRef: string; readonly suiteId: string; readonly agentId: string };

export const hasWildcard = (pattern: string): boolean => /[*?]/.test(pattern);

/** Whether tasks have to be looked at to know which are meant. */
const needsTasks = ({ only = [], tag, failed, first, oneOfSeveral }: ChoiceOptions): boolean =>
  only.some((one) => oneOfSeveral || hasWildcard(one)) ||
  tag !== undefined ||
  failed !== undefined ||
  first !== undefined;

/** The ids of the tasks to run; undefined for all. Throws `NothingToRun` when none is left. */
export async function chooseTasks(
  client: Client,
  source: SuiteSource,
  subject: RunSubject,
  options: ChoiceOptions,
): Promise<readonly string[] | undefined> {
  const { only, tag, failed, first } = options;
  if (!needsTasks(options)) return only;
  const all = await taskIdsOf(client, source, subject);
  const named = only ? all.filter((taskId) => only.some((pattern) => fitsWildcards(pattern, taskId))) : all;
  const tagged = tag
    ? named.filter((taskId) => tagsOf(source, taskId).some((one) => tag.includes(one)))
    : named;
  if (tagged.length === 0) throw new NothingToRun(nothingChosen(source, options), 2);
  const chosen = failed === undefined ? tagged : await failedAmong(client, tagged, subject, failed);
  return first === undefined ? chosen : chosen.slice(0, first);
}

/** Of the whole suite, in its order. */
export async function taskIdsOf(
  client: Client,
  source: SuiteSource,
  { suiteRef }: RunSubject,
): Promise<readonly string[]> {
  if (source.kind === 'file') return source.suite.tasks.map(({ taskId }) => taskId);
  if (source.kind === 'profile') return source.compiled.suite.tasks.map(({ taskId }) => taskId);
  const { tasks } = (await client.suites.get(suiteRef)) as unknown as {
    readonly tasks: readonly { taskId: string }[];
  };
  return tasks.map(({ taskId }) => taskId);
}

const tagsOf = (source: SuiteSource, taskId: string): readonly string[] =>
  source.kind === 'file' ? (source.notes.get(taskId)?.tags ?? []) : [];

function nothingChosen(source: SuiteSource, { only, tag }: ChoiceOptions): string {
  const hasTags = source.kind === 'file' && [...source.notes.values()].some(({ tags }) => tags);
  if (tag && !hasTags)
    return 'no task has tags. Tags stand in a suite file, or in the .meta.json beside a compiled one.';
  const flags = [only && `--only ${only.join(',')}`, tag && `--tag ${tag.join(',')}`].filter(Boolean);
  return `no task fits ${flags.join(' ')}.`;
}

/** Tasks that failed or have no score in an earlier run of this suite and agent. */
async function failedAmong(
  client: Client,
  tasks: readonly string[],
  subject: RunSubject,
  failed: string | true,
): Promise<readonly string[]> {
  const runId = failed === true || failed === 'last' ? await newestRun(client, subject) : (failed as RunId);
  const results = await readResults(client, runId);
  const missed = new Set<string>(results.filter(({ passed }) => !passed).map(({ taskId }) => taskId));
  const chosen = tasks.filter((taskId) => missed.has(taskId));
  if (chosen.length === 0) throw new NothingToRun(`nothing failed in run ${runId}.`, 0);
  return chosen;
}

async function newestRun(client: Client, { suiteId, agentId }: RunSubject): Promise<RunId> {
  const { items } = await client.runs.list({ suiteId, agentId, limit: 20 });
  const ended = items.find((run) => isTerminal(run.status) && run.status !== 'cancelled' && !isPart(run));
  if (ended) return ended.runId as RunId;
  throw new UsageError(
    `There is no earlier run of ${suiteId} with ${agentId} to take the failed tasks of.`,
    `Leave --failed out, or name a run: --failed <runId>. Here ${plural(items.length, 'run')} of it ended in no result.`,
  );
}
