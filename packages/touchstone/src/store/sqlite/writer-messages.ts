import { HostError, isHostError } from '@touchstone/protocol';
import { type Db, GuardFailed } from '../db.js';

/** What the thread does in place of its caller. */
export type WriterMethod = 'transaction' | 'reclaim' | 'rewrite' | 'copyTo' | 'check' | 'close';
export type Call = { readonly id: number; readonly method: WriterMethod; readonly argument: unknown };
export type CallResult<M extends WriterMethod> = Awaited<ReturnType<Db[M]>>;

export type Answer = { readonly id: number } & ({ readonly result: unknown } | { readonly error: SentError });

/** Answers to calls, and what has been counted for tenants meanwhile. */
export type Reply = {
  readonly answers: readonly Answer[];
  readonly charges: readonly (readonly [tenant: string, ms: number])[];
};

/** Errors lose their class on the way between threads. */
export type SentError =
  | { readonly guard: number }
  | {
      readonly host: Pick<HostError, 'code' | 'message' | 'details'>;
      readonly cause: Error | undefined;
    }
  | { readonly other: Error };

export function toSent(error: unknown): SentError {
  if (error instanceof GuardFailed) return { guard: error.index };
  const other = error instanceof Error ? error : new Error(String(error));
  if (!isHostError(error)) return { other };
  const { code, message, details, cause } = error;
  return { host: { code, message, details }, cause: cause instanceof Error ? cause : undefined };
}

export function fromSent(sent: SentError): Error {
  if ('guard' in sent) return new GuardFailed(sent.guard);
  if ('other' in sent) return sent.other;
  const { code, message, details } = sent.host;
  return new HostError(code, message, details, sent.cause);
}
