import type { ToolId } from '@touchstone/protocol';
import type { Body, Fixtures, MemoryEntry, ToolResult } from '@touchstone/protocol/bodies';
import { type Agent, MEMORY_TOOL, type OfferedTool, type Run, type SafetyTier } from '../../ports/index.js';
import type { Parts } from '../parts.js';
import { createFixtureTools } from './fixtures.js';
import { overlayMemory } from './memory.js';

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

/**
 * How much of the world a run may touch. `live` leaves its mark: its notes are kept, and fixtures have been set aside
 * before. `looking` may ask and may not act: a probe that succeeds must do no harm.
 */
export type Reach = 'live' | 'looking' | 'usual';

export function openScene(parts: Parts, run: Run, agent: Agent, reach: Reach): Scene {
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
  const callLive: Props['answer'] = async (toolId, inputs, signal) => {
    if (reach === 'looking' && !HARMLESS.has(await parts.tools.tierOf(toolId))) return NOT_CALLED;
    return parts.tools.call(owner, toolId, inputs, signal);
  };

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
      keepsNotes: reach === 'live',
      answer: callLive,
    }),
  );
  return (ordinal, fixtures) => (fixtures ? staged(ordinal, fixtures) : unstaged());
}

const HARMLESS: ReadonlySet<SafetyTier | undefined> = new Set(['pure', 'read']);
/** Says what an outage says: an agent that learns it is being probed is no longer the agent that would be deployed. */
const NOT_CALLED: ToolResult = {
  status: 'error',
  error: 'The tool is not available at the moment.',
};

function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}
