import { asId, type Owner, type RunId } from '@touchstone/protocol';
import type { CreationId, Ids, Run, Runs } from '../../ports/index.js';

const runIdOf = (creationId: CreationId): RunId => asId<RunId>(`run-${creationId}`);

/** Names for what a request creates: its run is named after the request, if that can be repeated. */
export const idsOf = (ids: Ids, creationId: CreationId | undefined): Ids =>
  creationId === undefined ? ids : { ...ids, runId: () => runIdOf(creationId) };

/**
 * The run that an earlier attempt of the same request has created. It is looked for before anything else is: planned anew,
 * the request might be refused by now, or mean something else.
 */
export const createdBefore = async (
  runs: Pick<Runs, 'get'>,
  owner: Owner,
  creationId: CreationId | undefined,
): Promise<Run | undefined> => (creationId === undefined ? undefined : runs.get(owner, runIdOf(creationId)));
