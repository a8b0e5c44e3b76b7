import { defined, type Json, type JsonObject } from '@touchstone/protocol';
import { closed, flag, name, type Wire } from '@touchstone/protocol/schema';
import { NO_BODIES, readBodies } from '../../comparing/answers.js';
import { lastTwo } from '../../comparing/last-two.js';
import { UsageError } from '../../io.js';
import { compareDocument } from '../../render/compare/compare.js';
import { asEvalRun, stateOf } from '../../run-lookup.js';
import { type Session, withSession } from '../../session.js';
import { documentOfRun, latestRuns } from '../../verbs/runs/runs.js';
import { readTask, taskDocument } from '../../verbs/runs/task-document.js';
import { runNamed } from '../choices.js';
import { cut, failuresOf, MOST_FAILURES, readView, USUAL_FAILURES } from '../run-words.js';
import {
  agentName,
  comparedRuns,
  limit,
  runList,
  runName,
  shownFailures,
  shownTask,
  suiteId,
} from '../schemas.js';
import { type Call, tool } from '../tool.js';

const USUAL_RUNS = 20;
/** Of one task, or of one answer that is compared. */
const MOST_CONTENT = 50_000;

/** What is kept in the folder is read although its agents may be broken. */
const look = <T>({ context }: Call, use: (session: Session) => Promise<T>): Promise<T> =>
  withSession(context, {}, 'look', use);

export const listRuns = tool({
  name: 'list_runs',
  title: 'List runs',
  description: 'Lists the runs of this folder, newest first, with their scores.',
  readOnly: true,
  input: closed({}, { suite: suiteId, agent: agentName, limit: limit(100, USUAL_RUNS) }),
  output: runList,
  call: ({ suite, agent, limit: most = USUAL_RUNS }, call) =>
    look(call, async (session) => {
      const filter = defined({ suiteId: suite?.split('@')[0], agentId: agent?.split('@')[0] });
      const runs = await latestRuns(session, filter, most);
      return {
        runs: runs.map((run) => ({
          ...(documentOfRun(run) as Wire<typeof runList>['runs'][number]),
          ...(stateOf(run) === 'interrupted' && { interrupted: true as const }),
        })),
      };
    }),
});

export const showFailures = tool({
  name: 'show_failures',
  title: 'Show what failed',
  description:
    'Tells which tasks of a run failed and why, and apart from them which could not be scored, which says nothing about the agent.',
  readOnly: true,
  input: closed({ run: runName('The run.') }, { limit: limit(MOST_FAILURES, USUAL_FAILURES) }),
  output: shownFailures,
  call: ({ run, limit: most = USUAL_FAILURES }, call) =>
    look(call, async ({ client }) => {
      const snapshot = asEvalRun(await runNamed(client, run));
      const { runId } = snapshot;
      const view = await readView(client, { runId }, most, call.context.io.now());
      return { runId, status: stateOf(snapshot), ...failuresOf(view, most, call.limits.bodies) };
    }),
});

export const showTask = tool({
  name: 'show_task',
  title: 'Show one task',
  description:
    'Shows one task of a run: its input, the calls of tools, the answer, what was expected, and the verdict on each criterion.',
  readOnly: true,
  input: closed({ run: runName('The run.'), taskId: name('The task in its suite.') }),
  output: shownTask,
  call: ({ run, taskId }, call) =>
    look(call, async ({ client }) => {
      const { runId } = asEvalRun(await runNamed(client, run));
      const document = taskDocument(await readTask(client, runId, taskId), call.limits.bodies);
      return { runId, ...cutMembers(document as JsonObject) } as unknown as Wire<typeof shownTask>;
    }),
});

/** The shape stays; what is long in it is cut. */
const cutMembers = ({ invocations, ...rest }: JsonObject): JsonObject => ({
  ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, cut(value as Json, MOST_CONTENT)])),
  invocations: (invocations as readonly JsonObject[]).map((one) =>
    Object.fromEntries(Object.entries(one).map(([key, value]) => [key, cut(value as Json, MOST_CONTENT)])),
  ),
});

export const compareRuns = tool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Tells what changed from one run to another, task by task, and whether the difference is more than chance. Without arguments the last two runs of a suite and agent are compared.',
  readOnly: true,
  input: closed(
    {},
    {
      before: runName('The earlier run.'),
      after: runName('The later run.'),
      common: flag('Compare the tasks that are the same in both suites, whatever else changed.'),
    },
  ),
  output: comparedRuns,
  call: (given, call) => look(call, (session) => compare(session, given, call)),
});

type Pair = { readonly before?: string; readonly after?: string; readonly common?: boolean };

async function compare(session: Session, given: Pair, { limits }: Call): Promise<Wire<typeof comparedRuns>> {
  const { client } = session;
  const [before, after] = await pairOf(session, given);
  const comparison = await client.runs.compare(defined({ before, after, common: given.common }));
  const bodies = limits.bodies
    ? await readBodies(client, comparison, { answers: MOST_ANSWERS, golden: true })
    : NO_BODIES;
  const changed = comparison.tasks.filter(({ turn }) => turn !== 'same');
  const { answers = [], ...document } = compareDocument(
    { ...comparison, tasks: changed },
    bodies,
    0,
  ) as JsonObject & { answers?: readonly Json[] };
  const { exitCode: _, ...facts } = document;
  return {
    ...facts,
    unchanged: comparison.tasks.length - changed.length,
    ...(answers.length > 0 && { answers: answers.map((pair) => cut(pair, MOST_CONTENT)) }),
  } as unknown as Wire<typeof comparedRuns>;
}

const MOST_ANSWERS = 5;

async function pairOf(session: Session, { before, after, common }: Pair) {
  if (before === undefined && after === undefined) {
    const [first, second] = await lastTwo(session, 'here', common);
    return [
      (await runNamed(session.client, first)).runId,
      (await runNamed(session.client, second)).runId,
    ] as const;
  }
  const later = await runNamed(session.client, after ?? 'last');
  const earlier = await runNamed(session.client, before ?? 'last~1');
  if (later.runId === earlier.runId)
    throw new UsageError(`Both names stand for run ${later.runId}.`, 'Name two runs, e.g. last~1 and last.');
  return [earlier.runId, later.runId] as const;
}
