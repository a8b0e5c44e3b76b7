import { asId, type PrincipalId, type ResourceName, type ScopeName } from '@touchstone/protocol';
import type { Audit, Clock } from '../ports/index.js';
import type { ServerParts } from './register.js';

const MAX_RESOURCE = 512;

/** Writes down what was decided at the door, before anything is done about it. */
export const createAccessAudit =
  (audit: Pick<Audit, 'append'>, clock: Pick<Clock, 'now'>): ServerParts['audit'] =>
  async ({ owner, id }, { scope, resource, allowed }) => {
    await audit.append(owner, {
      at: clock.now(),
      principal: asId<PrincipalId>(id),
      action: asId<ScopeName>(scope),
      resource: asId<ResourceName>(resource.slice(0, MAX_RESOURCE)),
      allowed,
    });
  };
