import { asId, type Id } from '@touchstone/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openSse } from '../api/index.js';
import { ANONYMOUS, type KeyLoss } from '../app/index.js';
import type { Clock, Log } from '../ports/index.js';
import type { OpenStreams } from './close-app.js';
import { cutOffWhenStalled, type SendParts } from './send-answer.js';

export type OpenParts = SendParts & {
  readonly openStreams: OpenStreams;
  readonly log: Log;
};

export const tenantOf = (request: FastifyRequest): string =>
  (request.caller?.principal ?? ANONYMOUS).owner.tenant;

/** A revoked key reads on for at most the sum of both. */
const LOOK_AGAIN_MS = 3_000;
const TRUST_MS = 1_000;

/** What stays open is looked at again: its key may expire or be revoked meanwhile. Ends when the signal aborts. */
async function watchKey(
  { caller }: FastifyRequest,
  { clock }: { readonly clock: Clock },
  signal: AbortSignal,
  onLoss: (loss: KeyLoss) => void,
): Promise<void> {
  while (caller && !signal.aborted) {
    await clock.sleep(LOOK_AGAIN_MS, signal);
    // A store that cannot be read now says nothing about the key. It is asked again.
    const loss = await caller.loss(TRUST_MS).catch(() => undefined);
    if (loss !== undefined) return onLoss(loss);
  }
}

/** A request whose handler may wait for something. */
export type WaitingRequest = {
  /** A signal that aborts when the caller is gone, its key no longer works, or the host is closing. */
  untilGone(): AbortSignal;
  /** Why the key no longer works, when it was lost while the handler waited. */
  readonly loss: KeyLoss | undefined;
};

export function createWaitingRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: OpenParts & {
    /** A request that waits for something is not being executed. */
    readonly leave: () => void;
  },
): WaitingRequest {
  let loss: KeyLoss | undefined;
  return {
    untilGone() {
      const gone = new AbortController();
      const ended = parts.openStreams.add(tenantOf(request), () => gone.abort());
      parts.leave();
      const leave = () => {
        ended();
        gone.abort();
      };
      // A caller that left before anyone asked leaves no second time.
      if (reply.raw.destroyed) leave();
      else reply.raw.once('close', leave);
      watchKey(request, parts, gone.signal, (reason) => {
        loss = reason;
        gone.abort();
      }).catch(() => undefined);
      return gone.signal;
    },
    get loss() {
      return loss;
    },
  };
}

/** Throws, with nothing sent, when the tenant has too many streams open. */
export async function runStream(
  stream: (connection: ReturnType<typeof openSse>) => Promise<void>,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: OpenParts,
): Promise<void> {
  // A stream that comes while the host closes is ended before it has been opened.
  const closing = new AbortController();
  const done = parts.openStreams.add(tenantOf(request), () => closing.abort());
  reply.hijack();
  const headers = reply.getHeaders() as { [name: string]: string };
  const connection = openSse(reply.raw, headers, parts.clock, parts.output.of(tenantOf(request)));
  closing.signal.addEventListener('abort', connection.close);
  if (closing.signal.aborted) connection.close();
  watchKey(request, parts, connection.signal, connection.close).catch(() => undefined);
  try {
    await stream(connection);
  } catch (error) {
    // A reader that has left is no trouble. For anything else the status line is gone already: end here, so that the
    // reader comes back with its last id, and leave a line for the operator.
    if (!connection.signal.aborted)
      parts.log.error('stream.failed', { correlationId: asId<Id<'request'>>(request.id) }, error);
  } finally {
    connection.close();
    connection.end();
    cutOffWhenStalled(reply.raw);
    done();
  }
}
