import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createManualClock } from '../engine/testing/manual-clock.js';
import { answerOverBody, dropped } from './unread-body.js';

const KIB = Buffer.alloc(1_024);
function* endless(): Generator<Buffer> {
  for (;;) yield KIB;
}

it('the answer comes before the body has, and ends with it', async () => {
  const body = new PassThrough();
  const answer = answerOverBody('no', body, createManualClock());
  const [first] = await new Promise<[Buffer]>((resolve) => answer.once('data', (chunk) => resolve([chunk])));
  expect(String(first)).toBe('no');
  expect(answer.readableEnded).toBe(false);
  body.end(KIB);
  expect(await text(answer)).toBe('');
});

it('a body that has ended is not waited for', async () => {
  const body = Readable.from([KIB]);
  await text(body);
  expect(await text(answerOverBody('no', body, createManualClock()))).toBe('no');
});

it('only so much of a body is dropped', async () => {
  const body = Readable.from(endless());
  await dropped(body, createManualClock(), 10 * KIB.length);
  expect(body.isPaused()).toBe(true);
});

it('and only for so long', async () => {
  const clock = createManualClock();
  const waited = dropped(new PassThrough(), clock);
  await clock.advance(10_000);
  await waited;
  expect(clock.sleeping).toBe(0);
});

it('a caller that leaves is not waited for', async () => {
  const body = new PassThrough();
  const waited = dropped(body, createManualClock());
  body.destroy();
  await waited;
  expect(body.destroyed).toBe(true);
});
