import { asId, type Digest, type ToolId } from '@touchstone/protocol';
import {
  type Body,
  type Fixtures,
  type MemoryEntry,
  type ToolResult,
  toBody,
} from '@touchstone/protocol/bodies';
import {
  type Agent,
  type LiveResult,
  type MaybePromise,
  MEMORY_TOOL,
  type OfferedTool,
  type Run,
  type SafetyTier,
} from '../../ports/index.js';
import type { Parts } from '../parts.js';
import { overlayMemory } from './memory.js';

/** The environment of one invocation: the tools it is offered, the memory it reads, and what answers its calls. */
export type Environment = {
  readonly tools: readonly OfferedTool[];
  readonly memory: readonly MemoryEntry[];
  readonly memoryBound: boolean;
  /** Whether what the agent writes to its memory outlives the invocation. */
  readonly keepsMemory: boolean;
  /** Tools that have a fixture; undefined when every call is live. */
  readonly fixtureTools?: ReadonlySet<string>;
  answer(toolId: ToolId, inputs: Body, signal: AbortSignal): MaybePromise<LiveResult>;
};

/** The environments of a run's invocations. Tools and memory are looked up once, so they do not change during a run. */
export type Environments = (ordinal: number, fixtures: Fixtures | undefined) => MaybePromise<Environment>;

/**
 * What a run's tools may do. Fixtures of a task always go first; the rest depends on the run:
 * - `live`: tools are called, and what the agent remembers is kept. The caller leaves fixtures out.
 * - `read-only`: tools with side effects are refused, so that a successful attack does no harm.
 * - `fixtures`: a task without fixtures calls live tools; its memory is dropped.
 */
export type ToolAccess = 'live' | 'read-only' | 'fixtures';

export function openEnvironments(parts: Parts, run: Run, agent: Agent, access: ToolAccess): Environments {
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
    remembers
      ? parts.store.memory.snapshot(owner, agentId, run.createdAt, run.startedAt ?? parts.clock.now())
      : [],
  );
  const callLive: Environment['answer'] = async (toolId, inputs, signal) => {
    if (access === 'read-only' && !HARMLESS.has(await parts.tools.tierOf(toolId))) return NOT_CALLED;
    return parts.tools.call(owner, toolId, inputs, signal);
  };

  /** With fixtures every allowed tool can be offered, because none is called live; without, only the granted ones. */
  const withFixtures = async (ordinal: number, fixtures: Fixtures): Promise<Environment> => {
    const memory = overlayMemory(parts, suiteOf(run), ordinal, fixtures.memorySeed ?? []);
    return {
      tools: await described(),
      memory,
      memoryBound: remembers || memory.length > 0,
      keepsMemory: false,
      fixtureTools: new Set((fixtures.toolResponses ?? []).map(({ tool }) => tool as string)),
      answer: createFixtureTools(fixtures),
    };
  };
  const withoutFixtures = once(
    async (): Promise<Environment> => ({
      tools: await granted(),
      memory: await snapshot(),
      memoryBound: remembers,
      keepsMemory: access === 'live',
      answer: callLive,
    }),
  );
  return (ordinal, fixtures) => (fixtures ? withFixtures(ordinal, fixtures) : withoutFixtures());
}

/**
 * Stands in for live tools during one invocation. Responses for a tool are consumed in order and the last one repeats;
 * a tool without a response gets an error, never a live call. Made anew for every repeat, so each starts alike.
 */
function createFixtureTools(fixtures: Fixtures): (toolId: ToolId) => LiveResult {
  const used = new Map<ToolId, number>();
  return (toolId) => {
    const responses = (fixtures.toolResponses ?? []).filter((response) => response.tool === toolId);
    const position = used.get(toolId) ?? 0;
    const response = responses[Math.min(position, responses.length - 1)];
    if (!response)
      return { ...NOT_CALLED, recordedError: `This task has fixtures, and none for tool ${toolId}.` };
    used.set(toolId, position + 1);
    return { status: 'ok', outcome: response.response ?? toBody(null) };
  };
}

/** Only tasks of suites have fixtures. */
const suiteOf = ({ plan }: Run): Digest => (plan.kind === 'eval' ? plan.suite.digest : asId<Digest>(''));

const HARMLESS: ReadonlySet<SafetyTier | undefined> = new Set(['pure', 'read']);
/** Reads like an outage: an agent that knows it is being evaluated may behave better than the deployed one. */
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
