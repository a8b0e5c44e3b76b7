import type { EvalSummary, RunId } from '@touchstone/protocol';
import { RunFailed } from './errors.js';
import type { StreamOptions } from './stream.js';
import type { RunEvent, RunSnapshot } from './types.js';

/** What it takes to wait: the events, and two reads when they have ended. */
type Reads = {
  stream(runId: RunId, options: StreamOptions): AsyncIterable<RunEvent>;
  getRun(runId: RunId, reading: { readonly signal?: AbortSignal }): Promise<RunSnapshot>;
  evalSummary(runId: RunId, reading: { readonly signal?: AbortSignal }): Promise<EvalSummary>;
};
/** How to wait for a run. */
export type WaitOptions = {
  /** Stops waiting and throws the signal's reason; the run goes on. */
  readonly signal?: AbortSignal;
  /** Called with each event of the run, in order. */
  readonly onEvent?: (event: RunEvent) => void;
};

/** Follows the run to its end, then reads the verdict from the host: the stream says when, the reads say what. */
export async function waitForScorecard(
  reads: Reads,
  runId: RunId,
  waiting: WaitOptions,
): Promise<EvalSummary> {
  for await (const event of reads.stream(runId, { signal: waiting.signal })) waiting.onEvent?.(event);
  const reading = waiting.signal ? { signal: waiting.signal } : {};
  const run = await reads.getRun(runId, reading);
  if (run.status === 'failed' || run.status === 'cancelled')
    throw new RunFailed(runId, run.status, run.error);
  return reads.evalSummary(runId, reading);
}
