import { asId, type PrincipalId, type ResourceName, type ScopeName } from '@touchstone/protocol';
import type { Shape } from '@touchstone/protocol/wire';
import { hasScope } from '../../app/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, type Reply } from '../endpoint.js';
import type { Services } from '../services.js';

type Question = { readonly principal: string; readonly action: string; readonly resource: string };
const name: Shape = { type: 'string', minLength: 1, maxLength: 512 };
const questionBody: Shape = {
  type: 'object',
  properties: { principal: name, action: name, resource: name },
  required: ['principal', 'action', 'resource'],
};

export const authorizationSeam = (host: Services): Endpoint =>
  endpoint({
    operationId: 'seamAuthorizationDecide',
    method: 'POST',
    path: '/v1/host/sample/authorization/decide',
    auth: 'key',
    summary: 'Test seam: whether a principal of the caller’s workspace may do something',
    body: bodyOf<Question>(questionBody),
    responses: { 200: { description: 'The decision.', schema: { type: 'object' } } },
    handle: (call) => decide(host, call),
  });

/** A principal without a key has no roles, and without a role nothing is allowed. */
async function decide(
  { directory, touchstone, clock }: Services,
  call: Call<unknown, Question>,
): Promise<Reply> {
  const { owner, id: caller } = call.principal;
  const { principal, action, resource } = call.body;
  const found = await directory(owner, principal);
  const allowed = found !== undefined && hasScope(found, action);
  const reason = found ? `no role of the principal has the scope ${action}` : 'the principal has no role';
  const decided = { principal, action, resource, allowed, ...(!allowed && { reason }) };
  // The principal itself has not asked, and the log shall not say that it has.
  const { seq } = await touchstone.store.audit.append(owner, {
    at: clock.now(),
    principal: asId<PrincipalId>(principal),
    action: asId<ScopeName>(action),
    resource: asId<ResourceName>(resource),
    allowed,
    reason: `asked by ${caller} through a test seam${allowed ? '' : `: ${reason}`}`,
  });
  return { status: 200, body: { ...decided, auditSeq: seq } };
}
