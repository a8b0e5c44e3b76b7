import { HostError } from '@touchstone/protocol';

export const DAMAGED =
  'its content is damaged. Restore a backup, or move the file away to start with an empty store.';

/** A row that cannot have been written like this. The same refusal as for any store that cannot be used. */
export const damagedError = (column: string): HostError =>
  new HostError('unavailable', `The store cannot be used: ${DAMAGED}`, { reason: 'damaged', column });
