import type { Sharing } from '../parts.js';

/** Whether the others can count this process as lost, so that what it takes would be taken away. */
export const isUnseen = (sharing: Sharing | undefined): boolean =>
  sharing !== undefined && sharing.presence() === undefined;

/** Whether they could have, since it was last known to hold something: then they may have it. */
export const wasUnseen = (sharing: Sharing | undefined, presence: number | undefined): boolean =>
  sharing !== undefined && (presence === undefined || sharing.presence() !== presence);
