import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Answer, type Chunk, MAX_STALL_MS, type Output, PIECE_BYTES } from '../api/index.js';
import type { LimitCounts } from '../app/index.js';
import type { Clock } from '../ports/index.js';
import { patiently, type RequestTurns } from './request-turns.js';

export type SendParts = {
  readonly output: Output;
  readonly counts: LimitCounts;
  readonly clock: Clock;
  readonly turns: RequestTurns;
};

type LargeAnswer = Extract<Answer, { large: unknown }>;
type WholeAnswer = Exclude<Answer, LargeAnswer | { stream: unknown }>;

/** Sends an answer. Its bytes count for the tenant until its caller has taken them. */
export async function sendAnswer(
  reply: FastifyReply,
  answer: WholeAnswer | LargeAnswer,
  tenant: string,
  parts: SendParts,
): Promise<FastifyReply> {
  if ('large' in answer) {
    const { whole, chunk } = await makeLarge(reply.raw, answer, tenant, parts);
    return send(reply, whole, chunk);
  }
  return parts.turns.spend(tenant, () => {
    const bytes = bytesOf(answer);
    return send(reply, answer, bytes && parts.output.add(tenant, bytes));
  });
}

function send(reply: FastifyReply, answer: WholeAnswer, chunk: Chunk | undefined): FastifyReply {
  reply.code(answer.status).headers(answer.headers ?? {});
  if (!chunk) return reply.send();
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8');
  onceSent(reply.raw, chunk.release);
  cutOffWhenStalled(reply.raw);
  if (chunk.bytes.length <= PIECE_BYTES) return reply.send(chunk.bytes);
  // A stream has no length of its own.
  reply.header('content-length', chunk.bytes.length);
  return reply.send(Readable.from(chunk.pieces()));
}

function bytesOf(answer: WholeAnswer): Buffer | undefined {
  if ('text' in answer) return Buffer.from(answer.text);
  return answer.body === undefined ? undefined : Buffer.from(JSON.stringify(answer.body));
}

/** How long a caller waits for its turn and for room before it is refused. */
const PATIENCE_MS = 10_000;
const SLOW_PATIENCE_MS = 60_000;
const RETRY_AFTER_S = 10;

/** Makes an answer when it is the tenant's turn and there is room for it. */
async function makeLarge(
  raw: ServerResponse,
  answer: LargeAnswer,
  tenant: string,
  { output, counts, clock, turns }: SendParts,
): Promise<{ readonly whole: WholeAnswer; readonly chunk: Chunk | undefined }> {
  let whole: WholeAnswer | undefined;
  const make = (signal: AbortSignal) =>
    output.of(tenant, answer.slow)(async () => {
      const made = await answer.large();
      whole = made;
      return turns.spend(tenant, () => bytesOf(made));
    }, signal);
  const refusal = () => counts.refusal('unreadBytes', TOO_MUCH_UNREAD, RETRY_AFTER_S);
  const patienceMs = answer.slow ? SLOW_PATIENCE_MS : PATIENCE_MS;
  const chunk = await patiently(raw, clock, make, refusal, patienceMs);
  return { whole: whole as WholeAnswer, chunk };
}

export const TOO_MUCH_UNREAD =
  'Long answers are made one after the other for each tenant, and those of this one that its callers have not read yet fill the memory that it may use. Read them or close their connections, and try again.';

export const refuseWhenFull = (tenant: string, { output, counts }: SendParts): void => {
  if (output.held.isFull(tenant)) throw counts.refusal('unreadBytes', TOO_MUCH_UNREAD, RETRY_AFTER_S);
};

/** Calls back when everything has been handed to the operating system, or the connection is gone. */
function onceSent(raw: ServerResponse, callback: () => void): void {
  const settle = (): void => {
    raw.off('finish', settle);
    raw.off('close', settle);
    callback();
  };
  raw.once('finish', settle);
  raw.once('close', settle);
}

/** A connection whose caller takes nothing for so long is cut, and what was to be sent to it is let go. */
export function cutOffWhenStalled(raw: ServerResponse, stallMs = MAX_STALL_MS): void {
  // A request that was injected has no connection.
  if (raw.socket instanceof Socket) raw.setTimeout(stallMs);
}
