import { defined } from '@touchstone/protocol';
import type { NewEvent } from '@touchstone/protocol/bodies';
import type { EventOf, RunFacts } from './invocation-spans.js';
import { ATTRIBUTES as A, OPERATIONS } from './names.js';
import type { Attributes, SpanSignal } from './signals.js';
import { runRef } from './trace-ids.js';

type LastWord = EventOf<'run.completed' | 'run.failed' | 'run.cancelled'>;

const isLastWord = (event: NewEvent): event is LastWord =>
  event.type === 'run.completed' || event.type === 'run.failed' || event.type === 'run.cancelled';

/** The span of a run, from the events that end it; undefined while it has not ended. */
export function runSpan(run: RunFacts, events: readonly NewEvent[]): SpanSignal | undefined {
  const last = events.find(isLastWord);
  if (!last || !run.suite) return undefined;
  const completed = events.find(
    (event): event is EventOf<'eval.completed'> => event.type === 'eval.completed',
  );
  const error = last.type === 'run.failed' ? last.payload.error.code : undefined;
  const { suiteId, version } = run.suite;
  return {
    ...runRef(run.runId),
    name: `${OPERATIONS.evaluate} ${suiteId}`,
    kind: 'internal',
    from: last.at - (last.payload.durationMs ?? 0),
    until: last.at,
    attributes: defined({
      [A.operation]: OPERATIONS.evaluate,
      [A.run]: run.runId,
      [A.runStatus]: last.type.slice('run.'.length),
      [A.suite]: suiteId,
      [A.suiteVersion]: version,
      [A.agentId]: run.agent.agentId,
      [A.agentName]: run.agent.name,
      [A.agentVersion]: run.agent.version,
      [A.score]: completed?.payload.aggregateScore,
      [A.passed]: completed?.payload.passed,
      [A.errorType]: error,
    }) as Attributes,
    links: [],
    failed: error !== undefined,
  };
}
