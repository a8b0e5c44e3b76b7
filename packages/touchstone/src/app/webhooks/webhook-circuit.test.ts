import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Health, healthAfter, isOpen } from './webhook-circuit.js';

const HOUR = 3_600_000;

it('nothing is sent for an hour after four failures in a row, and after each failed trial', () => {
  // Goal: no sequence of outcomes and pauses gets past the rule. Method: a model that only counts failures in a row and
  // remembers when the last attempt was made.
  const step = fc.record({ delivered: fc.boolean(), pauseMs: fc.integer({ min: 0, max: 2 * HOUR }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let health: Health = { failures: 0 };
      let now = 1_000;
      let inARow = 0;
      let lastTry = now;
      for (const { delivered, pauseMs } of steps) {
        now += pauseMs;
        const mustRest = inARow >= 4 && now - lastTry < HOUR;
        expect(isOpen(health, now)).toBe(mustRest);
        if (mustRest) continue;
        health = healthAfter(health, delivered, now);
        inARow = delivered ? 0 : inARow + 1;
        lastTry = now;
        expect(health.failures).toBe(inARow);
      }
    }),
  );
});
