import type { AccessDenial } from '@touchstone/protocol';

/** A provider that refused access, as opposed to an answer that is wrong. */
export type AccessRefusal = {
  readonly kind: 'denied';
  readonly reason: string;
  readonly denial: AccessDenial;
  /** Only access while nothing was answered yet; afterwards it is the agent's own failure (a 404 of an `http` agent). */
  readonly onlyAtFirst?: true;
};
