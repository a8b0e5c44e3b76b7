import {
  asId,
  defined,
  isHostError,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
} from '@touchstone/protocol';
import type { Touchstone } from '../app/index.js';
import type { Clock } from '../ports/index.js';

/** Writes down whether a principal was let do something, before anything is done about it. */
export type AccessAudit = (principal: Principal, decided: AccessDecision) => Promise<void>;

type AccessDecision = {
  readonly scope: string;
  readonly resource: string;
  readonly allowed: boolean;
  /** The code of what was in the way. */
  readonly reason?: string;
};

/**
 * Does something that is in the audit log as allowed. A refusal of what is asked is put there as well, because an
 * installation that was refused must not look like one that was made.
 */
export async function noteRefusal<T>(
  audit: AccessAudit | undefined,
  principal: Principal,
  decided: Pick<AccessDecision, 'scope' | 'resource'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isHostError(error) && error.status < 500)
      await audit?.(principal, { ...decided, allowed: false, reason: error.code });
    throw error;
  }
}

const MAX_RESOURCE = 512;

export const createAccessAudit =
  ({ store, refusals }: Pick<Touchstone, 'store' | 'refusals'>, clock: Pick<Clock, 'now'>): AccessAudit =>
  async (principal, { scope, resource, allowed, reason }) => {
    // What takes back a record of something allowed is never left out.
    if (!allowed && reason === undefined && !refusals.take(principal, scope)) return;
    const { owner, id } = principal;
    await store.audit.append(owner, {
      at: clock.now(),
      principal: asId<PrincipalId>(id),
      action: asId<ScopeName>(scope),
      resource: asId<ResourceName>(resource.slice(0, MAX_RESOURCE)),
      allowed,
      ...defined({ reason }),
    });
  };
