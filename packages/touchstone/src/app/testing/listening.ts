import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { KEYS } from './test-host.js';

/** A frame of an event stream as a reader sees it; `event` is `:` for a comment. */
export type Frame = { readonly id?: number; readonly event: string; readonly data: string };

export type Reader = {
  readonly status: number;
  readonly headers: Headers;
  /** The next frame, or undefined when the stream has ended. */
  next(): Promise<Frame | undefined>;
  rest(): Promise<Frame[]>;
  leave(): Promise<void>;
};

export const listen = (app: FastifyInstance): Promise<string> => app.listen({ host: '127.0.0.1', port: 0 });

export async function openStream(
  url: string,
  headers: { readonly [name: string]: string } = {},
): Promise<Reader> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${KEYS.acme}`, ...headers },
    signal: leaving.signal,
  });
  const frames = framesOf(response);
  const next = async (): Promise<Frame | undefined> => (await frames.next()).value ?? undefined;
  return {
    status: response.status,
    headers: response.headers,
    next,
    async rest() {
      const all: Frame[] = [];
      for (let frame = await next(); frame; frame = await next()) all.push(frame);
      return all;
    },
    async leave() {
      leaving.abort();
      await frames.next().catch(() => undefined);
    },
  };
}

async function* framesOf(response: Response): AsyncGenerator<Frame, undefined> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks.map(parseFrame);
  }
  return undefined;
}

function parseFrame(block: string): Frame {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const id = field('id');
  if (block.startsWith(':')) return { event: ':', data: block };
  return {
    ...(id !== undefined && { id: Number(id) }),
    event: field('event') ?? 'message',
    data: field('data') ?? '',
  };
}

/** Sends raw bytes and reads everything until the other side closes. */
export function sendRaw(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) }, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
