import { type AgentId, defined, type InvocationId, type RunId, type Version } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { AgentKind, TaskRecord } from '../ports/index.js';
import { type ContentOf, invocationContent, toolContent } from './content.js';
import { ATTRIBUTES as A, OPERATIONS } from './names.js';
import { type Attributes, plainName, type SpanRef, type SpanSignal } from './signals.js';
import { childId, invocationRef, runRef } from './trace-ids.js';

export type EventOf<T extends NewEvent['type']> = Extract<NewEvent, { type: T }>;

/** What the records of a run have in common. */
export type RunFacts = {
  readonly runId: RunId;
  /** The run that the agent was invoked in: another one when answers are judged again. */
  readonly invokedIn: RunId;
  readonly suite?: { readonly suiteId: string; readonly version: string };
  readonly agent: {
    readonly agentId: AgentId;
    readonly version: Version;
    readonly name?: string;
    readonly kind?: AgentKind;
  };
};

/** What is known of a record besides what is in it. */
export type RecordFacts = {
  readonly taskId?: string;
  /** What answered the calls that went through this host. */
  readonly toolSource: 'fixture' | 'live';
  /** The id under which the agent knows this conversation. */
  readonly conversationId: string;
  readonly content?: ContentOf;
};

const REMOTE: ReadonlySet<AgentKind | undefined> = new Set(['http', 'openai', 'openwop']);

/** Where one record of a run belongs. */
export type RecordRef = SpanRef & { readonly invocationId: InvocationId };

export function recordRef({ invokedIn }: RunFacts, { ordinal, repeat }: TaskRecord): RecordRef {
  const invocationId = `inv-${ordinal}.${repeat}` as InvocationId;
  return { invocationId, ...invocationRef(invokedIn, invocationId) };
}

/** Said of everything that belongs to one repeat of one task. */
export const sharedAttributes = (run: RunFacts, { taskId }: RecordFacts, repeat?: number): Attributes =>
  defined({
    [A.run]: run.runId,
    [A.suite]: run.suite?.suiteId,
    [A.suiteVersion]: run.suite?.version,
    [A.task]: taskId,
    [A.repeat]: repeat,
  }) as Attributes;

/** The trace of one record: the invocation, and what was asked in it and about it. */
export function spansOf(run: RunFacts, record: TaskRecord, facts: RecordFacts): readonly SpanSignal[] {
  const { events } = record;
  const end = events.findIndex(({ type }) => type === 'agent.invocation.completed');
  const trace = { run, record, facts, place: recordRef(run, record), end };
  const children = events.flatMap((event, index): SpanSignal[] => {
    const isCopied = run.invokedIn !== run.runId && index <= end;
    if (isCopied) return [];
    if (event.type === 'provider.usage') return [modelSpan(trace, event, index)];
    return event.type === 'agent.toolReturned' ? [toolSpan(trace, event)] : [];
  });
  return run.invokedIn === run.runId ? [invocationSpan(trace), ...children] : children;
}

type Trace = {
  readonly run: RunFacts;
  readonly record: TaskRecord;
  readonly facts: RecordFacts;
  readonly place: RecordRef;
  /** The index of the event that ends the invocation. */
  readonly end: number;
};

function invocationSpan({ run, record, facts, place, end }: Trace): SpanSignal {
  const { events } = record;
  const started = eventOf(events, 'agent.invocation.started');
  const { resolvedProvider, resolvedModel } = started?.payload ?? {};
  const failure = failureOf(record);
  const from = started?.at ?? events[0]?.at ?? 0;
  return {
    traceId: place.traceId,
    spanId: place.spanId,
    name: `${OPERATIONS.invokeAgent} ${run.agent.agentId}`,
    kind: REMOTE.has(run.agent.kind) ? 'client' : 'internal',
    from,
    until: Math.max(from, events[end]?.at ?? from),
    attributes: {
      ...(defined({
        [A.operation]: OPERATIONS.invokeAgent,
        [A.agentId]: run.agent.agentId,
        [A.agentName]: run.agent.name,
        [A.agentVersion]: run.agent.version,
        [A.provider]: resolvedProvider && plainName(resolvedProvider),
        [A.model]: resolvedModel && plainName(resolvedModel),
        [A.conversation]: facts.conversationId,
        [A.errorType]: failure,
        ...tokensOf(events.slice(0, Math.max(0, end))),
      }) as Attributes),
      ...sharedAttributes(run, facts, record.repeat),
      ...(facts.content && invocationContent(facts.content)),
    },
    links: run.suite ? [runRef(run.runId)] : [],
    failed: failure !== undefined,
  };
}

/** Why there is no answer, by its name. A refusal is an answer, and a wrong one has a score. */
function failureOf({ score, events }: TaskRecord): string | undefined {
  const reason = score?.score.kind === 'unscored' ? score.score.reason : undefined;
  if (reason && /^(agent|user)_|^no_answer$/.test(reason)) return reason;
  const { outcome } = eventOf(events, 'agent.invocation.completed')?.payload ?? {};
  return outcome === 'failed' ? 'agent_failed' : undefined;
}

/** Undefined where the agent has reported no call: 0 would be a claim. */
function tokensOf(events: readonly NewEvent[]): { readonly [name: string]: number } {
  const calls = events.flatMap((event) => (event.type === 'provider.usage' ? [event.payload] : []));
  if (calls.length === 0) return {};
  return {
    [A.inputTokens]: calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    [A.outputTokens]: calls.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}

/** A record of before calls were measured says by its place whose call it was. */
function modelSpan(
  { run, record, facts, place, end }: Trace,
  { at, call, payload }: EventOf<'provider.usage'>,
  index: number,
): SpanSignal {
  const { by = index < end ? 'agent' : 'judge', startedAt = at, durationMs } = call ?? {};
  const operation = by === 'embedder' ? OPERATIONS.embeddings : OPERATIONS.chat;
  const model = plainName(payload.model);
  return {
    traceId: place.traceId,
    spanId: childId(run.runId, `${place.invocationId} event ${index}`),
    parentId: place.spanId,
    name: `${operation} ${model}`,
    kind: 'client',
    from: startedAt,
    until: startedAt + (durationMs ?? 0),
    attributes: {
      ...(defined({
        [A.operation]: operation,
        [A.provider]: plainName(payload.provider),
        [A.model]: model,
        [A.inputTokens]: payload.inputTokens,
        [A.outputTokens]: payload.outputTokens,
        [A.cacheReadTokens]: payload.cacheReadTokens,
        [A.cacheWriteTokens]: payload.cacheWriteTokens,
        [A.cost]: payload.costEstimateUsd,
        [A.cached]: payload.cacheHit,
        [A.role]: by,
        [A.untimed]: durationMs === undefined ? true : undefined,
      }) as Attributes),
      ...sharedAttributes(run, facts, record.repeat),
    },
    links: [],
    failed: false,
  };
}

/** A call that an agent made elsewhere is told when it is over, so nobody knows how long it took. */
function toolSpan(
  { run, record, facts, place }: Trace,
  { at, payload }: EventOf<'agent.toolReturned'>,
): SpanSignal {
  const { callId, status, durationMs, observed } = payload;
  const tool = plainName(payload.toolName);
  const called = record.events.find(
    (event): event is EventOf<'agent.toolCalled'> =>
      event.type === 'agent.toolCalled' && event.payload.callId === callId,
  );
  const from = called?.at ?? at;
  return {
    traceId: place.traceId,
    spanId: childId(run.runId, callId),
    parentId: place.spanId,
    name: `${OPERATIONS.executeTool} ${tool}`,
    kind: 'internal',
    from,
    until: from + (durationMs ?? 0),
    attributes: {
      ...(defined({
        [A.operation]: OPERATIONS.executeTool,
        [A.tool]: tool,
        [A.toolCall]: callId,
        [A.toolSource]: observed ? 'observed' : facts.toolSource,
        [A.errorType]: status === 'error' ? 'tool_error' : undefined,
        [A.untimed]: durationMs === undefined ? true : undefined,
      }) as Attributes),
      ...sharedAttributes(run, facts, record.repeat),
      ...(facts.content && toolContent(facts.content, callId)),
    },
    links: [],
    failed: status === 'error',
  };
}

function eventOf<T extends NewEvent['type']>(events: readonly NewEvent[], type: T): EventOf<T> | undefined {
  return events.find((event): event is EventOf<T> => event.type === type);
}
