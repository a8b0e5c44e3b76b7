import { createHmac, timingSafeEqual } from 'node:crypto';
import { asId, HostError, type InterruptToken, type Owner, type RunId } from '@touchstone/protocol';
import type { Clock, Interrupt, Store } from '../../ports/index.js';

/**
 * What a token stands for. Its holder acts as the principal who created it, with those roles of the key that created it
 * which the principal still has.
 */
export type TokenClaim = {
  readonly runId: RunId;
  readonly nodeId: string;
  readonly interruptId: string;
  readonly expiresAt: number;
  readonly intent: InterruptToken['intent'];
  readonly owner: Owner;
  readonly principal: string;
  /** Of the key that created it. */
  readonly roles: readonly string[];
};

export const DEFAULT_TOKEN_SEC = 30 * 60;

export type InterruptTokens = {
  /** Never good for longer than the question is open. */
  make(
    interrupt: Interrupt,
    claim: Pick<TokenClaim, 'owner' | 'principal' | 'roles' | 'intent'>,
    sec: number,
  ): Promise<{
    readonly token: string;
    readonly expiresAt: number;
  }>;
  read(token: string): Promise<TokenClaim>;
  /** The same for a link that may have expired: whose it was does not change. */
  verify(token: string): Promise<TokenClaim>;
};

export function createInterruptTokens(
  store: Pick<Store, 'secret'>,
  clock: Pick<Clock, 'now'>,
): InterruptTokens {
  const mac = async (payload: string): Promise<Buffer> =>
    createHmac('sha256', await store.secret('interrupt-tokens'))
      .update(payload)
      .digest();
  const verify = async (token: string): Promise<TokenClaim> => {
    const [encoded = '', signature = '', ...rest] = token.split('.');
    const payload = Buffer.from(encoded, 'base64url').toString('utf8');
    const [given, wanted] = [Buffer.from(signature, 'base64url'), await mac(payload)];
    const isOurs = given.length === wanted.length && timingSafeEqual(given, wanted);
    if (!isOurs || rest.length > 0 || signature !== wanted.toString('base64url')) throw unknown();
    if (encoded !== Buffer.from(payload).toString('base64url')) throw unknown();
    const claim = JSON.parse(payload) as TokenClaim;
    // Older hosts did not say whose roles: such a link has none.
    return { ...claim, roles: claim.roles ?? [], runId: asId<RunId>(claim.runId) };
  };
  return {
    async make({ runId, nodeId, interruptId, deadline }, { owner, principal, roles, intent }, sec) {
      const expiresAt = Math.min(clock.now() + sec * 1_000, deadline ?? Number.POSITIVE_INFINITY);
      const claim: TokenClaim = { runId, nodeId, interruptId, expiresAt, intent, owner, principal, roles };
      const payload = JSON.stringify(claim);
      const signature = (await mac(payload)).toString('base64url');
      return { token: `${Buffer.from(payload).toString('base64url')}.${signature}`, expiresAt };
    },
    verify,
    async read(token) {
      const claim = await verify(token);
      if (claim.expiresAt > clock.now()) return claim;
      throw new HostError('interrupt_expired', 'This link has expired. Ask for a new one.');
    },
  };
}

/** A token that was never made here says nothing about what exists. */
const unknown = (): HostError => new HostError('interrupt_not_found', 'This link leads nowhere.');
