import type { Id, Json, Owner } from '@touchstone/protocol';

export type IdempotencyKey = { readonly operation: string; readonly key: string };
export type KeptResponse = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Json;
};
/**
 * What a request with a key creates is named after this. It is on disk before anything is created, so that a repetition after
 * a crash finds what the first attempt has created.
 */
export type CreationId = Id<'creation'>;
export type ClaimRequest = {
  readonly requestDigest: string;
  /** For the first attempt; a later one gets that of the first. */
  readonly creationId: CreationId;
  readonly now: number;
  readonly leaseMs: number;
  readonly keepMs: number;
};
export type Claim =
  | { readonly kind: 'claimed'; readonly creationId: CreationId }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'mismatch' }
  | { readonly kind: 'replay'; readonly response: KeptResponse };
export type Idempotency = {
  /**
   * Atomic: exactly one of two concurrent callers gets `claimed`. A claim that has expired, or whose process is gone, can be
   * claimed again by the same request.
   */
  claim(owner: Owner, key: IdempotencyKey, request: ClaimRequest): Promise<Claim>;
  keep(owner: Owner, key: IdempotencyKey, response: KeptResponse, now: number): Promise<void>;
  /** Gives the claim back without an answer, so that a retry executes again. */
  drop(owner: Owner, key: IdempotencyKey): Promise<void>;
  /** Removes what has expired by then, of all owners. An expired key is free with or without it. */
  sweep(now: number): Promise<void>;
};
