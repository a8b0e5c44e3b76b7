import { describe, expect, it } from 'vitest';
import { manualClock } from '../agents/fixtures/manual-clock.js';
import { createSender } from './sender.js';
import type { Signals, SpanSignal } from './signals.js';

const span: SpanSignal = {
  traceId: '1',
  spanId: '2',
  name: 'invoke_agent x',
  kind: 'internal',
  from: 0,
  until: 1,
  attributes: {},
  links: [],
  failed: false,
};
const signals = (count: number): Signals => ({
  spans: Array.from({ length: count }, () => span),
  results: [],
});

/** A collector whose answers are given one by one. */
function setUp() {
  const clock = manualClock();
  const batches: { readonly size: number; readonly answer: (reason?: string) => void }[] = [];
  const lost: [events: number, reason: string][] = [];
  let abandoned = 0;
  const spans = (all: readonly SpanSignal[]): Promise<string | undefined> =>
    new Promise((answer) => batches.push({ size: all.length, answer }));
  const load = async () => ({
    spans,
    results: async () => undefined,
    abandon() {
      abandoned += 1;
    },
  });
  const sender = createSender({ clock, load, onLost: (...loss) => lost.push(loss) });
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return { clock, sender, batches, lost, turns, abandoned: () => abandoned };
}

it('a collector is asked to take 512 spans at a time', async () => {
  const { sender, batches, turns } = setUp();
  await sender.send(signals(1_100), 1_100);
  await turns();
  expect(batches.map(({ size }) => size)).toEqual([512, 512, 76]);
});

it('whoever hands over waits while four are under way', async () => {
  const { sender, batches, turns } = setUp();
  for (let index = 0; index < 3; index += 1) await sender.send(signals(1), 1);
  let hasRoom = false;
  const fourth = sender.send(signals(1), 1).then(() => {
    hasRoom = true;
  });
  await turns();
  expect([batches.length, hasRoom]).toEqual([4, false]);
  batches[1]?.answer();
  await fourth;
});

it('what is not taken is counted with its reason, and the next is sent all the same', async () => {
  const { sender, batches, lost, turns } = setUp();
  await sender.send(signals(1), 7);
  await turns();
  batches[0]?.answer('HTTP 500');
  await turns();
  await sender.send(signals(1), 7);
  await turns();
  expect([lost, batches.length]).toEqual([[[7, 'HTTP 500']], 2]);
});

it('a library that does not load costs the events, and no error', async () => {
  const lost: unknown[] = [];
  const load = () => Promise.reject(new Error('no such file'));
  const sender = createSender({ clock: manualClock(), load, onLost: (...loss) => lost.push(loss) });
  await sender.send(signals(1), 3);
  await sender.finish(Promise.resolve());
  expect(lost).toEqual([[3, 'the library could not be loaded']]);
});

describe('at the end', () => {
  it('whoever waits for room behind a collector that hangs is let go, and what comes then is not taken', async () => {
    const { clock, sender, batches, lost, turns } = setUp();
    for (let index = 0; index < 3; index += 1) await sender.send(signals(1), 1);
    const reading = sender.send(signals(1), 1).then(() => sender.send(signals(1), 1));
    const finished = sender.finish(reading);
    await clock.asleep(5_000);
    clock.advance(5_000);
    await finished;
    await reading;
    await turns();
    expect([lost.length, batches.length]).toEqual([4, 4]);
  });

  it('a collector that hangs is given up after five seconds, once', async () => {
    const { clock, sender, batches, lost, turns, abandoned } = setUp();
    await sender.send(signals(1), 4);
    await turns();
    const finished = sender.finish(Promise.resolve());
    await clock.asleep(5_000);
    clock.advance(5_000);
    await finished;
    batches[0]?.answer('too late');
    await turns();
    expect([lost, abandoned()]).toEqual([[[4, 'not taken in time']], 1]);
  });

  it('a quick one is waited for as long as it takes what is left', async () => {
    const { clock, sender, batches, lost, turns } = setUp();
    await sender.send(signals(1), 1);
    let read: () => void = () => undefined;
    const reading = new Promise<void>((resolve) => {
      read = resolve;
    });
    const finished = sender.finish(reading);
    for (let index = 0; index < 4; index += 1) {
      await turns();
      clock.advance(4_900);
      await sender.send(signals(1), 1);
      await turns();
      for (const { answer } of batches) answer();
    }
    read();
    await finished;
    expect([lost, batches.length]).toEqual([[], 5]);
  });
});
