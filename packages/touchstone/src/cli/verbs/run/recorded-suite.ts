import { type EvalMode, SCORING_MODES } from '@touchstone/protocol';
import type { Fixtures, MemoryEntry, MemorySeed, Task, ToolCallBody } from '@touchstone/protocol/bodies';
import { MEMORY_TOOL, type Suite } from '../../../ports/index.js';

/** What one task of a live run was answered by its tools, and what it remembered. */
export type Observed = {
  readonly toolCalls: readonly ToolCallBody[];
  readonly memory?: readonly MemoryEntry[];
};

export type Recording = {
  readonly suite: Suite;
  /** Tools that answered some calls and failed others, by task: a fixture can only say the former. */
  readonly mixed: readonly { readonly taskId: string; readonly tool: string }[];
  readonly tasks: number;
  readonly responses: number;
};

/**
 * The suite of a live run with what was observed as its fixtures. A task that was run always gets a fixtures block,
 * empty if need be, so that playing it again never goes live. Tasks that were not run stay as they are.
 */
export function recordSuite(suite: Suite, observed: ReadonlyMap<string, Observed>): Recording {
  const tasks = suite.tasks.map((task) => withFixtures(task, observed.get(task.taskId)));
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
    responses: [...observed.values()].reduce((sum, { toolCalls }) => sum + answered(toolCalls).length, 0),
  };
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

/** The host answers its own tool itself, also beside fixtures. */
const answered = (calls: readonly ToolCallBody[]): readonly ToolCallBody[] =>
  calls.filter(({ toolId, status }) => status === 'ok' && toolId !== MEMORY_TOOL.toolId);

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
