import type { Json, RunId } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { StoredEntry, TaskRecord } from '../../ports/index.js';
import {
  type ContentOf,
  contentIn,
  criterionResults,
  type RecordFacts,
  runSpan,
  type Signals,
  spansOf,
  taskResult,
} from '../../telemetry/index.js';
import type { FollowedRun } from './run-facts.js';

export type SignalParts = {
  /** The id under which an agent knows an invocation. */
  readonly conversationId: (runId: RunId, ordinal: number, repeat: number) => string;
  /** Takes secrets out of content; absent where no content is sent. */
  readonly mask?: (run: FollowedRun, content: ContentOf) => Promise<ContentOf>;
};

/** What is told of entries of a log that have been committed. */
export async function signalsOf(
  parts: SignalParts,
  followed: FollowedRun,
  entries: readonly StoredEntry[],
): Promise<Signals> {
  const all: Signals[] = [];
  for (const stored of entries) {
    const { entry } = stored;
    if (entry.kind === 'step') all.push(await stepSignals(parts, followed, stored));
    else {
      const span = runSpan(followed.facts, entry.events);
      if (span) all.push({ spans: [span], results: [] });
    }
  }
  return { spans: all.flatMap(({ spans }) => spans), results: all.flatMap(({ results }) => results) };
}

async function stepSignals(
  parts: SignalParts,
  followed: FollowedRun,
  { entry, records, partial }: StoredEntry,
): Promise<Signals> {
  const { facts: run } = followed;
  const result = entry.kind === 'step' ? entry.result : undefined;
  const described: { readonly record: TaskRecord; readonly facts: RecordFacts }[] = [];
  for (const record of records)
    described.push({ record, facts: await recordFacts(parts, followed, record, result?.taskId) });
  const last = described.at(-1);
  const whole = last && result && !partial && entry.kind === 'step';
  return {
    spans: described.flatMap(({ record, facts }) => spansOf(run, record, facts)),
    results: [
      ...described.flatMap(({ record, facts }) => criterionResults(run, record, facts)),
      ...(whole ? [taskResult(run, result, last.record, entry.at, last.facts)] : []),
    ],
  };
}

async function recordFacts(
  { conversationId, mask }: SignalParts,
  followed: FollowedRun,
  record: TaskRecord,
  taskId: string | undefined,
): Promise<RecordFacts> {
  const { ordinal, repeat, events, bodies } = record;
  // Most tasks call no tool, and then nothing of them is read.
  const calls = events.some(({ type }) => type === 'agent.toolReturned');
  const task = calls || mask ? await followed.taskAt(ordinal) : undefined;
  const input = task ? task.input : followed.run.request.inputs;
  const content =
    mask && (await mask(followed, contentIn(events, bodies, input && (fromBody(input) as Json))));
  return {
    toolSource: followed.usesFixtures && task?.fixtures ? 'fixture' : 'live',
    conversationId: conversationId(followed.facts.invokedIn, ordinal, repeat),
    ...(taskId !== undefined && { taskId }),
    ...(content && { content }),
  };
}
