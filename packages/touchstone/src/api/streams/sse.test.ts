import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../app/testing/manual-clock.js';
import { createOutput } from './output.js';
import { openSse } from './sse.js';

/** The far side of a stream: takes what is written until told to be full. */
class Wire extends EventEmitter {
  full = false;
  readonly written: string[] = [];
  writeHead() {}
  flushHeaders() {}
  write(chunk: string | Buffer): boolean {
    this.written.push(String(chunk));
    return !this.full;
  }
  end() {
    this.emit('close');
  }
  destroy() {
    this.emit('close');
  }
}

function open() {
  const [wire, clock] = [new Wire(), createManualClock()];
  const makeChunk = createOutput({ perTenant: 1_000_000, total: 1_000_000 }).of('acme');
  return { wire, clock, connection: openSse(wire as unknown as ServerResponse, {}, clock, makeChunk) };
}
const settled = (promise: Promise<unknown>): Promise<string> =>
  Promise.race([
    promise.then(
      () => 'done',
      () => 'refused',
    ),
    new Promise<string>((resolve) => setImmediate(() => resolve('waiting'))),
  ]);

describe('writing', () => {
  it('waits for a reader that is full, and goes on when it has drained', async () => {
    const { wire, connection } = open();
    wire.full = true;
    const writing = connection.write('page');
    expect(await settled(writing)).toBe('waiting');
    wire.emit('drain');
    expect(await settled(writing)).toBe('done');
  });

  it('a reader of a long page is patiently waited for while it takes something every minute', async () => {
    const { wire, clock, connection } = open();
    wire.full = true;
    const writing = connection.write('x'.repeat(300_000));
    await settled(writing);
    for (let piece = 0; piece < 5; piece += 1) {
      expect(await settled(writing)).toBe('waiting');
      await clock.advance(50_000);
      wire.emit('drain');
    }
    expect(await settled(writing)).toBe('done');
    expect(wire.written.map(({ length }) => length)).toEqual([65_536, 65_536, 65_536, 65_536, 37_856]);
  });

  it('a page is made when there is room to hold it, and let go when it has been taken', async () => {
    const { wire, connection } = open();
    wire.full = true;
    let made = 0;
    const page = async () => {
      made += 1;
      return 'x'.repeat(700_000);
    };
    const [first, second] = [connection.writeNext(page), connection.writeNext(page)];
    const third = connection.writeNext(page);
    const turns = async () => {
      for (let turn = 0; turn < 3; turn += 1) await settled(third);
    };
    await turns();
    expect([await settled(first), made]).toEqual(['waiting', 2]);
    for (let piece = 0; piece < 11; piece += 1) {
      wire.emit('drain');
      await turns();
    }
    expect([await settled(first), await settled(second), made]).toEqual(['done', 'waiting', 3]);
    wire.emit('close');
    await Promise.allSettled([second, third]);
  });

  it('drops a reader that takes nothing for a minute', async () => {
    const { wire, clock, connection } = open();
    wire.full = true;
    const writing = connection.write('page');
    expect(await settled(writing)).toBe('waiting');
    await clock.advance(59_999);
    expect(await settled(writing)).toBe('waiting');
    await clock.advance(1);
    expect(await settled(writing)).toBe('refused');
    expect(connection.signal.aborted).toBe(true);
  });

  it('stops when the reader leaves or the host closes, and leaves no timer or listener behind', async () => {
    for (const part of ['leave', 'close'] as const) {
      const { wire, clock, connection } = open();
      wire.full = true;
      const writing = connection.write('page');
      expect(await settled(writing)).toBe('waiting');
      if (part === 'leave') wire.emit('close');
      else connection.close();
      expect(await settled(writing)).toBe('refused');
      expect(await settled(connection.write('more'))).toBe('refused');
      expect([clock.sleeping, wire.listenerCount('drain')]).toEqual([0, 0]);
    }
  });

  it('leaves no timer or listener behind after many full moments', async () => {
    const { wire, clock, connection } = open();
    wire.full = true;
    for (let n = 0; n < 50; n += 1) {
      const writing = connection.write('page');
      expect(await settled(writing)).toBe('waiting');
      wire.emit('drain');
      await writing;
    }
    expect([clock.sleeping, wire.listenerCount('drain')]).toEqual([0, 0]);
  });
});

it('a comment keeps a quiet stream alive, every fifteen seconds and not more often', async () => {
  const { wire, clock, connection } = open();
  await clock.advance(14_999);
  await connection.keepAlive();
  expect(wire.written).toEqual([]);
  await clock.advance(1);
  await connection.keepAlive();
  await connection.keepAlive();
  expect(wire.written).toEqual([':keepalive\n\n']);
  await clock.advance(10_000);
  await connection.write('news');
  await clock.advance(10_000);
  await connection.keepAlive();
  expect(wire.written).toEqual([':keepalive\n\n', 'news']);
});
