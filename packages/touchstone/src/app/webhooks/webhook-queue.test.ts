import { asId, type RunId } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createQueue } from './webhook-queue.js';
import type { Message } from './webhook-sender.js';

const MIB = 1024 * 1024;
const MIB_OF_TEXT = 'x'.repeat(MIB);
const message = (sequence: number, mebibytes: number): Message => ({
  runId: asId<RunId>('run-1'),
  sequence,
  type: 'run.started',
  body: MIB_OF_TEXT.repeat(mebibytes),
});

it('keeps the newest that fit, in order, and at least the newest one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 30 }), (sizes) => {
      const queue = createQueue();
      sizes.forEach((size, sequence) => {
        queue.put(message(sequence, size));
      });
      const kept: number[] = [];
      for (let taken = queue.take(); taken; taken = queue.take()) kept.push(taken.sequence);
      const total = (from: number) => sizes.slice(from).reduce((sum, size) => sum + size, 0);
      expect(kept).toEqual(sizes.map((_, index) => index).slice(sizes.length - kept.length));
      expect(queue.takeDropped()).toBe(sizes.length - kept.length);
      expect(queue.takeDropped()).toBe(0);
      if (kept.length > 1) expect(total(sizes.length - kept.length)).toBeLessThanOrEqual(16);
      expect(kept.length).toBeGreaterThanOrEqual(Math.min(1, sizes.length));
    }),
    { numRuns: 50 },
  );
});

it('an emptied queue has room for as much as a new one', () => {
  const queue = createQueue();
  for (let round = 0; round < 3; round += 1) {
    for (let sequence = 0; sequence < 16; sequence += 1) queue.put(message(sequence, 1));
    expect(queue.clear()).toBe(16);
  }
  expect([queue.size, queue.takeDropped()]).toEqual([0, 0]);
});
