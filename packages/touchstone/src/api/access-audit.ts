import {
  asId,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
} from '@touchstone/protocol';
import type { Audit, Clock } from '../ports/index.js';

/** Writes down whether a principal was let do something, before anything is done about it. */
export type AccessAudit = (
  principal: Principal,
  decided: { readonly scope: string; readonly resource: string; readonly allowed: boolean },
) => Promise<void>;

const MAX_RESOURCE = 512;

export const createAccessAudit =
  (audit: Pick<Audit, 'append'>, clock: Pick<Clock, 'now'>): AccessAudit =>
  async ({ owner, id }, { scope, resource, allowed }) => {
    await audit.append(owner, {
      at: clock.now(),
      principal: asId<PrincipalId>(id),
      action: asId<ScopeName>(scope),
      resource: asId<ResourceName>(resource.slice(0, MAX_RESOURCE)),
      allowed,
    });
  };
