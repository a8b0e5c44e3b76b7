import type { Json, Owner } from '@touchstone/protocol';

export type IdempotencyKey = { readonly operation: string; readonly key: string };
export type KeptResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Json;
};
export type Claim =
  | { readonly kind: 'claimed' }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'replay'; readonly response: KeptResponse };
export type Idempotency = {
  /** Atomic: exactly one of two concurrent callers gets `claimed`. An expired claim can be claimed again. */
  claim(
    owner: Owner,
    key: IdempotencyKey,
    requestDigest: string,
    now: number,
    leaseMs: number,
    keepMs: number,
  ): Promise<Claim>;
  keep(owner: Owner, key: IdempotencyKey, response: KeptResponse, now: number): Promise<void>;
  /** Gives the claim back without an answer, so that a retry executes again. */
  drop(owner: Owner, key: IdempotencyKey): Promise<void>;
};
