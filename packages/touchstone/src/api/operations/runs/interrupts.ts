import { createHash } from 'node:crypto';
import {
  HostError,
  isHostError,
  isObject,
  type NewInterruptToken,
  type Principal,
  timestampOf,
} from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { Wire } from '@touchstone/protocol/schema';
import { vendor } from '@touchstone/protocol/wire';
import { DEFAULT_TOKEN_SEC, hasScope, type TokenClaim } from '../../../app/index.js';
import type { Interrupt, Run } from '../../../ports/index.js';
import { bodyOf, type Call, type Endpoint, endpoint, type KeySpace, ok, type Reply } from '../../endpoint.js';
import { findRun, type Services } from '../../services.js';

type Resume = Wire<typeof vendor.resumeBody>;
const REFUSALS = [
  'interrupt_not_found',
  'interrupt_already_resolved',
  'interrupt_cancelled',
  'interrupt_gone',
] as const;

/** Questions that runs ask people, answered with a key or with a link that was made for it. */
export const interruptEndpoints = (host: Services): readonly Endpoint[] => [
  endpoint({
    operationId: 'resolveInterrupt',
    route: 'POST /v1/runs/{runId}/interrupts/{nodeId}',
    auth: 'approvals:respond',
    summary: 'Answer a question that a run waits on',
    body: bodyOf(vendor.resumeBody),
    responses: ok('The answer counts.', vendor.resolvedInterrupt),
    refusals: ['INVALID_RESUME_VALUE', 'forbidden', 'not_found', ...REFUSALS, 'unavailable'],
    async handle(call) {
      const { runId } = await findRun(host, call);
      return resolve(host, call.principal, { runId, nodeId: call.params.nodeId ?? '' }, call.body);
    },
  }),
  endpoint({
    operationId: 'createInterruptToken',
    route: 'POST /v1/host/touchstone/runs/{runId}/interrupts/{nodeId}/tokens',
    auth: 'approvals:respond',
    summary: 'Make a link by which a question can be answered, or looked at, without a key',
    body: bodyOf(vendor.tokenBody, false),
    responses: {
      201: {
        description: 'The link. An answer through it counts as an answer of its creator.',
        schema: vendor.interruptToken,
      },
    },
    refusals: ['forbidden', 'not_found', ...REFUSALS],
    handle: (call) => issue(host, call),
  }),
  endpoint({
    operationId: 'inspectInterrupt',
    route: 'GET /v1/interrupts/{token}',
    auth: 'none',
    summary: 'The question a link leads to',
    responses: ok('The question.', vendor.interruptQuestion),
    refusals: ['forbidden', 'interrupt_not_found', 'interrupt_already_resolved', 'interrupt_expired'],
    async handle(call) {
      const claim = await host.tokens.read(call.params.token ?? '');
      await makerOf(host, claim);
      return { status: 200, body: questionOf(await openQuestion(host, claim), claim) };
    },
  }),
  endpoint({
    operationId: 'resolveInterruptByToken',
    route: 'POST /v1/interrupts/{token}',
    auth: 'none',
    summary: 'Answer the question a link leads to',
    body: bodyOf(vendor.resumeBody),
    responses: ok('The answer counts.', vendor.resolvedInterrupt),
    refusals: [
      'INVALID_RESUME_VALUE',
      'forbidden',
      'interrupt_not_found',
      'interrupt_already_resolved',
      'interrupt_expired',
      'interrupt_gone',
      'unavailable',
    ],
    actsFor: (call) => keySpaceOf(host, call),
    handle: (call) => resolveByToken(host, call),
  }),
];

async function resolve(
  { touchstone }: Services,
  by: Principal,
  asked: Pick<Interrupt, 'runId' | 'nodeId'> & { readonly interruptId?: string },
  { resumeValue }: Resume,
): Promise<Reply> {
  const run = await touchstone.engine.interrupts.resolve(by.owner, { ...asked, by, value: resumeValue });
  return { status: 200, body: { runId: run.runId, nodeId: asked.nodeId, status: run.status } };
}

/**
 * A link has keys of its own, among those of the tenant that it belongs to. They stay the link's when it has expired: a
 * repetition still gets the answer that was kept.
 */
async function keySpaceOf({ tokens }: Services, { params: { token = '' } }: Call): Promise<KeySpace> {
  const { owner, principal } = await tokens.verify(token);
  return { owner, principal, link: ` ${createHash('sha256').update(token).digest('hex')}` };
}

async function resolveByToken(host: Services, call: Call<unknown, Resume>): Promise<Reply> {
  const claim = await host.tokens.read(call.params.token ?? '');
  if (claim.intent !== 'resolve')
    throw new HostError('forbidden', 'This link is for looking only. Ask for one that may answer.');
  const { runId, nodeId, interruptId } = claim;
  return resolve(host, await makerOf(host, claim), { runId, nodeId, interruptId }, call.body).catch(finished);
}

/**
 * The creator of the link may have lost the right to answer since; the link then counts for nothing. Roles of the
 * creator's other keys do not count.
 */
async function makerOf({ directory }: Services, { owner, principal, roles }: TokenClaim): Promise<Principal> {
  const by = await directory(owner, principal, roles);
  if (by && hasScope(by, 'approvals:respond')) return by;
  throw new HostError('forbidden', 'The creator of this link may no longer answer.');
}

/** To someone with a link it is all one how a question came to be closed. */
function finished(error: unknown): never {
  if (!isHostError(error) || error.code !== 'interrupt_cancelled') throw error;
  throw new HostError('interrupt_already_resolved', 'This question is no longer open.');
}

async function issue(host: Services, call: Call<unknown, NewInterruptToken>): Promise<Reply> {
  const { intent = 'resolve', expiresInSec = DEFAULT_TOKEN_SEC } = call.body;
  const { owner } = call.principal;
  const { runId } = await findRun(host, call);
  const interrupt = await openQuestion(host, { owner, runId, nodeId: call.params.nodeId ?? '' });
  if (needsKey(interrupt))
    throw new HostError('forbidden', 'This question is answered with a key; no link is made for it.');
  const claim = { ...makerFacts(call.principal), intent };
  const { token, expiresAt } = await host.tokens.make(interrupt, claim, expiresInSec);
  const url = `${call.origin}/v1/interrupts/${token}`;
  return { status: 201, body: { token, url, intent, expiresAt: timestampOf(expiresAt) } };
}

const makerFacts = ({ owner, id: principal, roles }: Principal) => ({ owner, principal, roles });

const needsKey = ({ data }: Interrupt): boolean => {
  const question = fromBody(data);
  return isObject(question) && question.authRequired === true;
};

/**
 * Where an awaited event is to be sent, for readers of the run who may answer it. No longer good than the run waits, so it
 * is the same in every answer.
 */
export async function callbackOf(host: Services, call: Call, run: Run): Promise<object> {
  const { owner } = call.principal;
  if (run.status !== 'waiting-external' || !hasScope(call.principal, 'approvals:respond')) return {};
  const nodeId = run.waitingNode ?? '';
  const interrupt = await host.touchstone.engine.interrupts.find(owner, run.runId, nodeId);
  if (!interrupt || interrupt.resolved) return {};
  const claim = { ...makerFacts(call.principal), intent: 'resolve' } as const;
  const { token } = await host.tokens.make(interrupt, claim, DEFAULT_TOKEN_SEC);
  const callbackUrl = `${call.origin}/v1/interrupts/${token}`;
  return { interrupt: { nodeId, kind: interrupt.kind, interruptToken: token, callbackUrl } };
}

async function openQuestion(
  { touchstone }: Services,
  {
    owner,
    runId,
    nodeId,
    interruptId,
  }: Pick<TokenClaim, 'owner' | 'runId' | 'nodeId'> & { interruptId?: string },
): Promise<Interrupt> {
  const found = await touchstone.engine.interrupts.find(owner, runId, nodeId);
  if (!found) throw new HostError('interrupt_not_found', 'No such question is open.');
  const run = await touchstone.store.runs.get(owner, runId);
  const isOpen = !found.resolved && (interruptId === undefined || interruptId === found.interruptId);
  if (isOpen && run?.status.startsWith('waiting-')) return found;
  throw new HostError('interrupt_already_resolved', 'This question is no longer open.');
}

const questionOf = (interrupt: Interrupt, { expiresAt, intent }: TokenClaim) => {
  const { runId, nodeId, interruptId, kind, key, data, resumeSchema, requestedAt, deadline } = interrupt;
  return {
    runId,
    nodeId,
    interruptId,
    kind,
    key,
    data,
    ...(resumeSchema !== undefined && { resumeSchema }),
    requestedAt: timestampOf(requestedAt),
    ...(deadline !== undefined && { deadline: timestampOf(deadline) }),
    intent,
    expiresAt: timestampOf(expiresAt),
  };
};
