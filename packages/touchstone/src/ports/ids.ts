import type { RunId } from '@touchstone/protocol';

/** Where new names come from. */
export type Ids = {
  runId(): RunId;
  /** An unguessable token, e.g. for an API key or a lease holder. */
  token(): string;
};
