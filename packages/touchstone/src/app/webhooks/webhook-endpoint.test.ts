import { asId, type RunId } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSharedBytes, type SharedBytes } from '../held-bytes.js';
import {
  createQueue,
  type EndpointHealth,
  healthAfter,
  isResting,
  type WebhookMessage,
} from './webhook-endpoint.js';

const HOUR = 3_600_000;

it('nothing is sent for an hour after four failures in a row, and after each failed trial', () => {
  // Goal: no sequence of outcomes and pauses gets past the rule. Method: a model that only counts failures in a row and
  // remembers when the last attempt was made.
  const step = fc.record({ delivered: fc.boolean(), pauseMs: fc.integer({ min: 0, max: 2 * HOUR }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let health: EndpointHealth = { failures: 0 };
      let now = 1_000;
      let inARow = 0;
      let lastTry = now;
      for (const { delivered, pauseMs } of steps) {
        now += pauseMs;
        const mustRest = inARow >= 4 && now - lastTry < HOUR;
        expect(isResting(health, now)).toBe(mustRest);
        if (mustRest) continue;
        health = healthAfter(health, delivered, now);
        inARow = delivered ? 0 : inARow + 1;
        lastTry = now;
        expect(health.failures).toBe(inARow);
      }
    }),
  );
});

const MIB = 1024 * 1024;
const MIB_OF_TEXT = 'x'.repeat(MIB);
const message = (sequence: number, mebibytes: number): WebhookMessage => ({
  runId: asId<RunId>('run-1'),
  sequence,
  type: 'run.started',
  body: MIB_OF_TEXT.repeat(mebibytes),
});

/** What the endpoints of one tenant may hold together. */
function roomFor(mebibytes: number): SharedBytes<WebhookMessage> {
  let left = mebibytes * MIB;
  return createSharedBytes<WebhookMessage>(
    ({ body }) => {
      if (body.length > left) return false;
      left -= body.length;
      return true;
    },
    ({ body }) => {
      left += body.length;
    },
  );
}

it('keeps the newest that fit, in order, and at least the newest one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 30 }), (sizes) => {
      const queue = createQueue(roomFor(1_000));
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
  const queue = createQueue(roomFor(1_000));
  for (let round = 0; round < 3; round += 1) {
    for (let sequence = 0; sequence < 16; sequence += 1) queue.put(message(sequence, 1));
    expect(queue.clear()).toBe(16);
  }
  expect([queue.take(), queue.takeDropped()]).toEqual([undefined, 0]);
});

it('queues of a tenant share their room: a message that waits in several counts once, and the oldest make way', () => {
  const shared = roomFor(4);
  const [one, other] = [createQueue(shared), createQueue(shared)];
  const drain = (queue: typeof one): readonly number[] => {
    const taken: number[] = [];
    for (let next = queue.take(); next; next = queue.take()) {
      taken.push(next.sequence);
      shared.release(next);
    }
    return taken;
  };
  for (let sequence = 0; sequence < 4; sequence += 1) {
    const both = message(sequence, 1);
    one.put(both);
    other.put(both);
  }
  expect([one.takeDropped(), other.takeDropped()]).toEqual([0, 0]);
  expect(drain(one)).toEqual([0, 1, 2, 3]);
  // All four still wait in the other queue.
  one.put(message(4, 1));
  expect([drain(one), one.takeDropped()]).toEqual([[], 1]);
  other.put(message(5, 2));
  expect([drain(other), other.takeDropped()]).toEqual([[2, 3, 5], 2]);
  one.put(message(6, 4));
  expect(drain(one)).toEqual([6]);
});
