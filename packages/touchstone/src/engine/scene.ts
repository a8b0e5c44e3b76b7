import type { ToolId } from '@touchstone/contract';
import type { Body, Fixtures, MemoryEntry, ToolResult } from '@touchstone/contract/bodies';
import { type Agent, MEMORY_TOOL, type OfferedTool, type Run } from '@touchstone/contract/ports';
import { createFixtureTools } from './fixtures.js';
import { overlayMemory } from './memory.js';
import type { Parts } from './parts.js';

/** What stands around one invocation: the tools it is offered, the memory it reads, and who answers its calls. */
export type Props = {
  readonly tools: readonly OfferedTool[];
  readonly memory: readonly MemoryEntry[];
  readonly memoryBound: boolean;
  /** Whether notes the agent writes outlive the invocation. */
  readonly keepsNotes: boolean;
  /** Tools that have a canned answer; undefined when every call is live. */
  readonly canned?: ReadonlySet<string>;
  answer(toolId: ToolId, inputs: Body, signal: AbortSignal): ToolResult | Promise<ToolResult>;
};

/** The surroundings of a run's agent, looked up once, so that they do not change while the run is under way. */
export type Scene = (ordinal: number, fixtures: Fixtures | undefined) => Props | Promise<Props>;

/** `live` is a run whose effects are meant to last: its notes are kept, and fixtures have been set aside before. */
export function openScene(parts: Parts, run: Run, agent: Agent, live: boolean): Scene {
  const { owner } = run;
  const { agentId, toolAllowlist, memoryShape } = agent.facts;
  const remembers = memoryShape?.longTerm === true;
  const wanted = toolAllowlist.filter((toolId) => toolId !== MEMORY_TOOL.toolId);
  const own = remembers && toolAllowlist.includes(MEMORY_TOOL.toolId) ? [MEMORY_TOOL] : [];
  const surface = (find: Parts['tools']['granted']) =>
    once(async () => (wanted.length === 0 ? own : [...(await find(owner, wanted)), ...own]));
  const granted = surface(parts.tools.granted);
  const described = surface(parts.tools.described);
  const snapshot = once(async () =>
    remembers ? parts.store.memory.snapshot(owner, agentId, run.createdAt, parts.clock.now()) : [],
  );
  const callLive: Props['answer'] = (toolId, inputs, signal) =>
    parts.tools.call(owner, toolId, inputs, signal);

  /** With fixtures every allowed tool can be offered, because none is called live; without, only the granted ones. */
  const staged = async (ordinal: number, fixtures: Fixtures): Promise<Props> => {
    const memory = overlayMemory(parts, fixtures.memorySeed ?? [], ordinal);
    return {
      tools: await described(),
      memory,
      memoryBound: remembers || memory.length > 0,
      keepsNotes: false,
      canned: new Set((fixtures.toolResponses ?? []).map(({ tool }) => tool as string)),
      answer: createFixtureTools(fixtures),
    };
  };
  const unstaged = once(
    async (): Promise<Props> => ({
      tools: await granted(),
      memory: await snapshot(),
      memoryBound: remembers,
      keepsNotes: live,
      answer: callLive,
    }),
  );
  return (ordinal, fixtures) => (fixtures ? staged(ordinal, fixtures) : unstaged());
}

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}
