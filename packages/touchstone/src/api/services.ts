import { asId, HostError, isHostError, type RunId } from '@touchstone/protocol';
import type {
  Annotations,
  Config,
  Directory,
  EvalCapability,
  InterruptTokens,
  Metrics,
  Touchstone,
  Webhooks,
} from '../app/index.js';
import type { Clock, Log, Run } from '../ports/index.js';
import type { Call } from './endpoint.js';
import type { Feed } from './streams/event-stream.js';

/** What the routes work with. */
export type HostParts = {
  readonly touchstone: Touchstone;
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  /** The discovery document. */
  readonly capabilities: object;
  /** Absent when evaluation is switched off. */
  readonly evalSuite?: EvalCapability;
  readonly feed: Feed;
  readonly annotations: Annotations;
  readonly webhooks: Webhooks;
  readonly tokens: InterruptTokens;
  readonly directory: Directory;
  metrics(): Promise<Metrics>;
  /** Counts a run that this host has started. */
  follow(run: Run): void;
};

export const runIdOf = (call: Call): RunId => asId<RunId>(call.params.runId ?? '');

/** The caller's run. One of another owner is absent, in the same words. */
export async function findRun({ touchstone }: HostParts, call: Call): Promise<Run> {
  const run = await touchstone.store.runs.get(call.principal.owner, runIdOf(call));
  if (!run) throw new HostError('not_found', 'There is no such run.');
  return run;
}

/** A name in a path that could not be anyone's name is nobody's name. */
export function noSuch(error: unknown): undefined {
  if (!isHostError(error) || error.code !== 'validation_error') throw error;
}
