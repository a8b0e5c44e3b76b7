import {
  asId,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
} from '@touchstone/protocol';
import type { Touchstone } from '../app/index.js';
import type { Clock } from '../ports/index.js';

/** Writes down whether a principal was let do something, before anything is done about it. */
export type AccessAudit = (
  principal: Principal,
  decided: { readonly scope: string; readonly resource: string; readonly allowed: boolean },
) => Promise<void>;

const MAX_RESOURCE = 512;

export const createAccessAudit =
  ({ store, refusals }: Pick<Touchstone, 'store' | 'refusals'>, clock: Pick<Clock, 'now'>): AccessAudit =>
  async (principal, { scope, resource, allowed }) => {
    if (!allowed && !refusals.take(principal, scope)) return;
    const { owner, id } = principal;
    await store.audit.append(owner, {
      at: clock.now(),
      principal: asId<PrincipalId>(id),
      action: asId<ScopeName>(scope),
      resource: asId<ResourceName>(resource.slice(0, MAX_RESOURCE)),
      allowed,
    });
  };
