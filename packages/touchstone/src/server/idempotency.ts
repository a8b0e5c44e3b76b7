import { createHash } from 'node:crypto';
import {
  asId,
  canonicalJson,
  type ErrorCode,
  HostError,
  isHostError,
  type Json,
  type Owner,
} from '@touchstone/protocol';
import type { Reply } from '../api/index.js';
import { errorResponse } from '../api/index.js';
import type {
  Clock,
  CreationId,
  Idempotency,
  IdempotencyKey,
  Ids,
  KeptResponse,
  Log,
} from '../ports/index.js';

/** How long an unfinished request holds its key, unless its process is known to be gone. */
const LEASE_MS = 60_000;
/** The protocol asks for a day; the second one is for clocks and weekends. */
const KEEP_MS = 48 * 3_600_000;
const MAX_KEY_LENGTH = 255;

type IdempotentCall = {
  readonly owner: Owner;
  readonly principal: string;
  /** Method and route template: the operation, whatever the concrete path. */
  readonly operation: string;
  readonly path: string;
  readonly key: string | readonly string[];
  readonly body: unknown;
};

type Execute = (creationId: CreationId) => Promise<Reply>;
export type Once = (call: IdempotentCall, execute: Execute) => Promise<Reply>;

/**
 * Executes a request at most once per caller's key. The answer of the first is kept and given to every repetition; a
 * repetition that differs, or comes while the first is still working, is refused.
 *
 * What is done and the answer are two commits. A process that is killed between them leaves a claim without an answer;
 * the repetition is executed then, with the same `creationId`, and finds what was created.
 */
export function createOnce(parts: {
  readonly kept: Idempotency;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly ids: Pick<Ids, 'runId'>;
}): Once {
  const { kept, clock, log, ids } = parts;

  const first = async (owner: Owner, key: IdempotencyKey, execute: () => Promise<Reply>): Promise<Reply> => {
    let reply: Reply;
    try {
      reply = await execute();
    } catch (error) {
      await settle(
        owner,
        key,
        isHostError(error) && isFinal(error) ? toKept(errorResponse(error)) : undefined,
      );
      throw error;
    }
    await settle(owner, key, toKept(reply));
    return reply;
  };

  // The deed is done by now. If its record cannot be written, the caller still deserves the answer: an error here would
  // only make it try again, and do the deed twice.
  const settle = async (
    owner: Owner,
    key: IdempotencyKey,
    response: KeptResponse | undefined,
  ): Promise<void> => {
    try {
      await (response ? kept.keep(owner, key, response, clock.now()) : kept.drop(owner, key));
    } catch (error) {
      log.error('idempotency.notKept', {}, error);
    }
  };

  return async (call, execute) => {
    const key = { operation: call.operation, key: checkKey(call.key) };
    const claim = await kept.claim(call.owner, key, {
      requestDigest: digestOf(call),
      creationId: asId<CreationId>(ids.runId().replace(/^run-/, '')),
      now: clock.now(),
      leaseMs: LEASE_MS,
      keepMs: KEEP_MS,
    });
    switch (claim.kind) {
      case 'claimed':
        return first(call.owner, key, () => execute(claim.creationId));
      case 'replay':
        return replayed(claim.response);
      case 'in-flight':
        throw new HostError(
          'idempotency_in_flight',
          'A request with this Idempotency-Key is still being executed.',
          { retryAfter: 1 },
        );
      case 'mismatch':
        throw new HostError(
          'idempotency_key_mismatch',
          'This Idempotency-Key was used with a different request. Use a new key.',
        );
    }
  };
}

function checkKey(key: string | readonly string[]): string {
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  const message = `Expected Idempotency-Key to have 1 to ${MAX_KEY_LENGTH} characters.`;
  throw new HostError('validation_error', message, { field: 'Idempotency-Key' });
}

/** An answer is kept for the principal who got it: another principal with the same key and body makes another request. */
const digestOf = ({ operation, path, principal, body }: IdempotentCall): string =>
  createHash('sha256')
    .update(`${operation}\n${path}\n${JSON.stringify(principal)}\n`)
    .update(Buffer.isBuffer(body) ? body : body === undefined ? '' : canonicalJson(body as Json))
    .digest('hex');

/** What is said of a state that may be another one the next time: not there yet, not ended yet, taken for now. */
const FOR_NOW: readonly ErrorCode[] = [
  'not_found',
  'conflict',
  'run_state_conflict',
  'quota_exceeded',
  'run_already_active',
  'fork_point_invalid',
];

/**
 * Whether asking again would only get the same answer. Credentials and mistakes in a body can be put right under the
 * same key; an error that says when to try again, and every failure of the host, is not an answer at all.
 */
function isFinal(error: HostError): boolean {
  if (error.status >= 500 || error.details?.retryAfter !== undefined) return false;
  return ![400, 401, 403, 408, 425, 429].includes(error.status) && !FOR_NOW.includes(error.code);
}

const toKept = (reply: Reply): KeptResponse => ({
  status: reply.status,
  headers: reply.headers ?? {},
  body: (reply.body ?? null) as Json,
});

const replayed = ({ status, headers, body }: KeptResponse): Reply => ({
  status,
  headers: { ...headers, 'openwop-Idempotent-Replay': 'true' },
  ...(body !== null && { body }),
});
