import { extname, resolve } from 'node:path';
import { type EvalMode, isObject, type Json, SCORING_MODES } from '@touchstone/protocol';
import {
  type Fixtures,
  fromBody,
  type MemoryEntry,
  type MemorySeed,
  type Task,
  type ToolCallBody,
  toBody,
} from '@touchstone/protocol/bodies';
import { type Client, readResults } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import { stringify } from 'yaml';
import { MEMORY_TOOL, type Suite } from '../../../ports/index.js';
import { parseSuite, suiteDocument } from '../../../suites/index.js';
import { placeFile } from '../../files/local-files.js';
import { type Context, UsageError, writeLine } from '../../io.js';
import type { Local } from '../../local.js';
import { isSystemError } from '../../system-errors.js';
import type { RunView } from './result.js';

/** What one task of a run was answered by its tools, what it remembered, and what came of it. */
type Observed = {
  readonly output?: Json;
  readonly toolCalls: readonly ToolCallBody[];
  readonly memory?: readonly MemoryEntry[];
};

type Recording = {
  readonly suite: Suite;
  /** Tools that answered some calls and failed others, by task: a fixture can only say the former. */
  readonly mixed: readonly { readonly taskId: string; readonly tool: string }[];
  readonly tasks: number;
  readonly responses: number;
  /** Conversations whose turns are fixed now. */
  readonly conversations: number;
};

/**
 * The suite of a live run with what was observed as its fixtures. A task that was run always gets a fixtures block,
 * empty if need be, so that playing it again never goes live. What a simulated user said becomes the turns of its task. Tasks
 * that were not run stay as they are.
 */
export function recordSuite(suite: Suite, observed: ReadonlyMap<string, Observed>, isLive = true): Recording {
  const tasks = suite.tasks.map((task) => {
    const seen = observed.get(task.taskId);
    return withTurns(isLive ? withFixtures(task, seen) : task, seen);
  });
  const { head } = suite;
  return {
    suite: {
      head: { ...head, version: nextPatch(head.version) as typeof head.version, modes: replayModes(suite) },
      tasks,
    },
    mixed: [...observed].flatMap(([taskId, { toolCalls }]) =>
      mixedTools(toolCalls).map((tool) => ({ taskId, tool })),
    ),
    tasks: observed.size,
    responses: isLive
      ? [...observed.values()].reduce((sum, { toolCalls }) => sum + answered(toolCalls).length, 0)
      : 0,
    conversations: tasks.filter(({ input }, index) => input !== suite.tasks[index]?.input).length,
  };
}

/** A conversation that a model played the user of, with what that user said. */
function withTurns(task: Task, seen: Observed | undefined): Task {
  const input = fromBody(task.input);
  const said = isObject(input) && 'user' in input ? userWords(seen?.output) : undefined;
  return said ? { ...task, input: toBody({ turns: [...said] }) } : task;
}

function userWords(output: Json | undefined): readonly string[] | undefined {
  const transcript = isObject(output) ? output.transcript : undefined;
  if (!Array.isArray(transcript)) return undefined;
  return (transcript as readonly { readonly role: string; readonly content: string }[])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
}

function withFixtures(task: Task, seen: Observed | undefined): Task {
  if (!seen) return task;
  const memorySeed = (seen.memory ?? []).map(seedOf);
  const fixtures: Fixtures = {
    toolResponses: answered(seen.toolCalls).map(({ toolId, outcome }) => ({
      tool: toolId,
      ...(outcome !== undefined && { response: outcome }),
    })),
    ...(memorySeed.length > 0 && { memorySeed }),
  };
  return { ...task, fixtures };
}

/** The host answers its own tool itself, also beside fixtures; tools that an agent called itself are never answered here. */
const answered = (calls: readonly ToolCallBody[]): readonly ToolCallBody[] =>
  calls.filter(
    ({ toolId, status, observed }) => status === 'ok' && !observed && toolId !== MEMORY_TOOL.toolId,
  );

/** Without its end: an entry that had expired by the time of a replay would be missing from it. */
const seedOf = ({ expiresAt: _, ...entry }: MemoryEntry): MemorySeed => entry;

function mixedTools(calls: readonly ToolCallBody[]): readonly string[] {
  const ok = new Set(answered(calls).map(({ toolId }) => toolId));
  const failed = calls.filter(({ toolId, status }) => status === 'error' && ok.has(toolId));
  return [...new Set(failed.map(({ toolId }) => toolId))];
}

/** Suite versions are three numbers and nothing else. */
function nextPatch(version: string): string {
  const [major, minor, patch] = version.split('.');
  return [major, minor, Number(patch) + 1].join('.');
}

function replayModes({ head, tasks }: Suite): readonly EvalMode[] {
  const left = head.modes.filter((mode) => mode !== 'live-shadow');
  if (left.length > 0) return left;
  return SCORING_MODES.filter((mode) => tasks.some(({ expected }) => expected.kind === mode));
}

/** Writes what a finished live run saw as a suite that can be run without anything live. */
export async function recordRun(
  { io }: Context,
  client: Client,
  { touchstone, principal }: Local,
  result: RunView,
  name: string,
): Promise<RunView> {
  if (result.status !== 'completed') {
    writeLine(io.stderr, 'Nothing was recorded, because the run did not complete.');
    return result;
  }
  const suite = await touchstone.pinnedSuite(principal.owner, result.suite.digest);
  if (!suite)
    throw new UsageError(`The suite of the run is no longer kept here, so it cannot be written again.`);
  const recording = recordSuite(suite, await observe(client, result), result.nondeterministic === true);
  place(resolve(io.cwd, name), name, suiteText(recording.suite, name));
  for (const line of linesOf(recording, name)) writeLine(io.stderr, line);
  return { ...result, recorded: name };
}

async function observe(client: Client, { runId }: RunView): Promise<ReadonlyMap<string, Observed>> {
  const seen = new Map<string, Observed>();
  for (const { taskId } of await readResults(client, runId)) {
    // Of several repeats the first is written down: a fixture has room for one.
    const first = (await client.task(runId, taskId)).invocations[0];
    if (first) seen.set(taskId, first as unknown as Observed);
  }
  return seen;
}

/** As a file of that name holds it. Reading it again gives the same suite. */
export function suiteText(suite: Suite, name: string): string {
  const document = suiteDocument(suite) as Json;
  parseSuite(document);
  if (extname(name).toLowerCase() === '.json') return `${JSON.stringify(document, null, 2)}\n`;
  return stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
}

function place(file: string, name: string, text: string): void {
  try {
    placeFile(file, text);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
    throw new UsageError(
      `${name} appeared while the run was at work, and is left as it is; nothing was recorded.`,
      'Run it again with another --record file.',
    );
  }
}

function linesOf(
  { tasks, responses, conversations, mixed, suite: { head } }: Recording,
  name: string,
): readonly string[] {
  const turns = conversations > 0 ? ` and the turns of ${plural(conversations, 'conversation')}` : '';
  return [
    `Recorded ${plural(responses, 'tool response')} of ${plural(tasks, 'task')}${turns} in ${name}, as ${head.suiteId}@${head.version}.`,
    ...mixed.map(
      ({ taskId, tool }) =>
        `warning: task ${taskId}: some calls of ${tool} failed, which a fixture cannot say. A replay sees only those that worked.`,
    ),
  ];
}
