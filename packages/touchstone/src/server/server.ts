import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HostError } from '@touchstone/protocol';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorResponse } from '../api/index.js';
import type { Config } from '../app/index.js';
import type { Clock } from '../ports/index.js';
import { countRequests } from './close-app.js';
import { parseJsonBody } from './json-body.js';
import { tenantOf } from './open-request.js';
import type { RequestTurns } from './request-turns.js';
import { answerOverBody } from './unread-body.js';

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_PARAMETER_CHARS = 512;
const RECEIVE_TIMEOUT_MS = 120_000;
const LONG_BODY = 10;
const JSON_TYPE = 'application/json; charset=utf-8';

/** A server without routes: what it accepts, how long it waits, and what it says when it cannot make sense of a request. */
export function createServer(limits: Config['limits'], turns: RequestTurns): FastifyInstance {
  const app = Fastify({
    bodyLimit: limits.maxRequestBodyBytes,
    exposeHeadRoutes: false,
    requestTimeout: RECEIVE_TIMEOUT_MS,
    // Our own hook answers while closing, in our own envelope.
    return503OnClosing: false,
    http: { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false },
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARS },
    genReqId: () => randomUUID(),
    frameworkErrors: (error, _, reply) => void answerError(reply, unroutable(error.code)),
    clientErrorHandler: refuseConnection,
  });
  takeJsonAndBytes(app, turns, limits.maxBodyValues);
  answerOddities(app.server);
  app.decorate('quiet', countRequests(app.server));
  return app;
}

/** A path that the router itself gives up on. */
const unroutable = (code: string): HostError =>
  code === 'FST_ERR_BAD_URL'
    ? new HostError('bad_path', 'The path is not well formed: a percent sign must begin an escape.')
    : new HostError('not_found', 'There is nothing at this path: no name is that long.');

/** A request that never became one: its head was too long, or not HTTP. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const message =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? `The request head is longer than ${MAX_HEADER_BYTES} bytes.`
      : 'The request could not be read as HTTP/1.1.';
  socket.end(rawRefusal(new HostError('validation_error', message), '400 Bad Request'));
}

/** An answer written by hand, for a connection that no longer has anybody to write it. */
function rawRefusal(error: HostError, status: string): string {
  const body = JSON.stringify(errorResponse(error).body);
  const head = `HTTP/1.1 ${status}\r\ncontent-type: ${JSON_TYPE}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return `${head}\r\n\r\n${body}`;
}

/** What Node would answer by itself, without a word: an expectation it cannot meet, and a request for a tunnel. */
function answerOddities(server: Server): void {
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const { body } = errorResponse(
      new HostError(
        'validation_error',
        'The expectation in the Expect header cannot be met. Leave the header out.',
      ),
    );
    const headers = { 'content-type': JSON_TYPE, 'x-content-type-options': 'nosniff' };
    response.writeHead(400, headers).end(JSON.stringify(body));
  });
  server.on('connect', (_request, socket: Socket) => {
    socket.end(
      rawRefusal(
        new HostError('method_not_allowed', 'This host opens no tunnels.'),
        '405 Method Not Allowed',
      ),
    );
  });
}

/** An endpoint that takes bytes gets them as they came, whatever they are called, and refuses them in its own words. */
function takeJsonAndBytes(app: FastifyInstance, turns: RequestTurns, maxValues: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (takesBytes(request)) return bytes;
      const encoding = request.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        throw new HostError('unsupported_media_type', 'Send the body without Content-Encoding.');
      }
      const { body } = request.routeOptions.config.endpoint ?? {};
      const most = body?.isLong ? LONG_BODY * maxValues : maxValues;
      return turns.parse(tenantOf(request), bytes, request.raw.socket, () => parseJsonBody(bytes, most));
    },
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    // Where there is no endpoint, that is what the caller is told.
    if (takesBytes(request) || !request.routeOptions.config.endpoint) return bytes;
    throw new HostError('unsupported_media_type', 'This request takes application/json.');
  });
}

const takesBytes = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.endpoint?.body?.mediaType !== undefined;

/** What Fastify has stopped reading is refused, and the caller is given the time to read that. */
export function answerTooLarge(reply: FastifyReply, error: HostError, clock: Clock): FastifyReply {
  const { status, headers, body } = errorResponse(error);
  const text = JSON.stringify(body);
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(text) })
    .send(answerOverBody(text, reply.request.raw, clock));
}

export function answerError(reply: FastifyReply, error: HostError, correlationId?: string): FastifyReply {
  const { status, headers, body } = errorResponse(error, correlationId);
  return reply.code(status).headers(headers).send(body);
}
