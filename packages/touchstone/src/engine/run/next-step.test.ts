import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graverStop, isOverspent, nextStep, type Stop, type View } from './next-step.js';

const calm: View = {
  leaving: false,
  draining: false,
  crashed: false,
  halted: false,
  stop: undefined,
  aborted: false,
  withdrawn: true,
  unsure: false,
  overspent: false,
  unfinished: true,
  running: 0,
  uncommitted: 0,
  free: 2,
  ahead: 0,
};
const cancel: Stop = { kind: 'cancel', by: 'x' };
const timeout: Stop = { kind: 'timeout', limitMs: 1, observedMs: 2 };
const budget: Stop = { kind: 'budget', limitUsd: 1 };
const lost: Stop = { kind: 'lost', times: 3 };
const storage: Stop = { kind: 'storage' };
const drain: Stop = { kind: 'pause', drainPolicy: 'drain-current-node' };
const changed: Stop = { kind: 'changed' };
const immediate: Stop = { kind: 'pause', drainPolicy: 'immediate' };

describe('nextStep', () => {
  it.each<[string, Partial<View>, string]>([
    ['starts while there is room', {}, 'start'],
    ['waits at full concurrency', { running: 2, free: 0 }, 'wait'],
    ['hands some over ahead at full concurrency', { running: 2, free: 0, ahead: 1 }, 'queue'],
    [
      'but none while another process may have the run',
      { running: 2, free: 0, ahead: 1, unsure: true },
      'wait',
    ],
    ['nor when the run stops', { running: 2, free: 0, ahead: 1, stop: drain }, 'wait'],
    ['begins nothing while another process may have the run', { unsure: true }, 'wait'],
    ['but finishes what runs', { unsure: true, running: 1 }, 'wait'],
    ['and completes a run of which nothing is left', { unsure: true, unfinished: false }, 'complete'],
    ['and stops, which the store refuses when the run is lost', { unsure: true, stop: cancel }, 'stop'],
    ['waits for the disk when too much is unwritten', { uncommitted: 512 }, 'wait'],
    ['waits for the last ones', { unfinished: false, running: 1 }, 'wait'],
    ['waits for the last commit', { unfinished: false, uncommitted: 1 }, 'wait'],
    ['completes when all is on disk', { unfinished: false }, 'complete'],
    ['a cancel aborts what runs', { stop: cancel, running: 1 }, 'abort'],
    ['but only once', { stop: cancel, running: 1, aborted: true }, 'wait'],
    ['and ends when all is at rest', { stop: cancel }, 'stop'],
    ['a cancel counts even when nothing is left to start', { stop: cancel, unfinished: false }, 'stop'],
    ['a run that loses every driver starts nothing', { stop: lost }, 'stop'],
    [
      'not even its last words, which may be what they are lost by',
      { stop: lost, unfinished: false },
      'stop',
    ],
    ['a timeout aborts', { stop: timeout, running: 1 }, 'abort'],
    ['full storage aborts', { stop: storage, running: 1 }, 'abort'],
    ['full storage ends a run with work left', { stop: storage }, 'stop'],
    ['storage filled by the last task came too late', { stop: storage, unfinished: false }, 'complete'],
    ['an immediate pause aborts', { stop: immediate, running: 1 }, 'abort'],
    ['a draining pause lets tasks finish', { stop: drain, running: 1 }, 'wait'],
    ['the cost ceiling lets tasks finish', { stop: budget, running: 1 }, 'wait'],
    ['a changed agent aborts', { stop: changed, running: 1 }, 'abort'],
    ['and counts even when nothing is left to start', { stop: changed, unfinished: false }, 'stop'],
    ['but not those that wait for a slot', { stop: drain, running: 1, withdrawn: false }, 'withdraw'],
    ['also not before an abort', { stop: cancel, running: 1, withdrawn: false }, 'withdraw'],
    ['a stop starts nothing', { stop: drain }, 'stop'],
    ['a pause counts even when nothing is left to start', { stop: drain, unfinished: false }, 'stop'],
    ['a ceiling reached by the last task came too late', { stop: budget, unfinished: false }, 'complete'],
    ['but not one that it passed', { stop: budget, unfinished: false, overspent: true }, 'stop'],
    ['leaving aborts', { leaving: true, running: 1 }, 'abort'],
    ['and writes nothing', { leaving: true }, 'leave'],
    ['what runs finishes while it is drained', { draining: true, running: 1 }, 'wait'],
    [
      'what waits for a slot does not begin then',
      { draining: true, running: 1, withdrawn: false },
      'withdraw',
    ],
    ['what was executed is written first', { draining: true, uncommitted: 1 }, 'wait'],
    ['and then the rest is left', { draining: true }, 'leave'],
    ['a drained run with nothing left to do is completed', { draining: true, unfinished: false }, 'complete'],
    ['a drained run that was cancelled is stopped', { draining: true, stop: cancel }, 'stop'],
    ['a crash aborts the others', { crashed: true, running: 1 }, 'abort'],
    ['and then fails the run', { crashed: true, unfinished: false }, 'crash'],
    ['after a failed node nothing starts', { halted: true }, 'complete'],
  ])('%s', (_name, change, step) => {
    expect(nextStep({ ...calm, ...change })).toBe(step);
  });

  it('never starts anything while stopping, and never ends with work running or unwritten', () => {
    const views = fc.record({
      leaving: fc.boolean(),
      draining: fc.boolean(),
      crashed: fc.boolean(),
      halted: fc.boolean(),
      stop: fc.constantFrom(undefined, cancel, timeout, budget, storage, changed, drain, immediate),
      aborted: fc.boolean(),
      withdrawn: fc.boolean(),
      unsure: fc.boolean(),
      overspent: fc.boolean(),
      unfinished: fc.boolean(),
      running: fc.nat(3),
      uncommitted: fc.nat(300),
      free: fc.nat(3),
      ahead: fc.nat(3),
    });
    fc.assert(
      fc.property(views, (view) => {
        const step = nextStep(view);
        if (view.leaving || view.draining || view.crashed || view.halted || view.stop)
          expect(['start', 'queue']).not.toContain(step);
        if (!['start', 'queue', 'wait', 'withdraw', 'abort'].includes(step))
          expect(view.running + view.uncommitted).toBe(0);
        if (view.unsure) expect(['start', 'queue']).not.toContain(step);
        if (step === 'queue') expect(view.free).toBe(0);
        if (step === 'wait' && !view.unsure) expect(view.running + view.uncommitted).toBeGreaterThan(0);
      }),
    );
  });
});

describe('isOverspent', () => {
  it.each([
    [0.9, false],
    [1, false],
    [0.1 + 0.2 + 0.7 + 1e-16, false],
    [1.000001, true],
    [30, true],
  ])('%d of a ceiling of 1: %s', (spentUsd, expected) => {
    expect(isOverspent(budget, spentUsd)).toBe(expected);
  });

  it('is no other stop, and no run without a ceiling', () => {
    expect(isOverspent(cancel, 30)).toBe(false);
    expect(isOverspent(undefined, 30)).toBe(false);
  });
});

describe('graverStop', () => {
  it('the first of several counts, but a cancel goes before all', () => {
    expect(graverStop(drain, budget)).toBe(drain);
    expect(graverStop(drain, timeout)).toBe(drain);
    expect(graverStop(budget, drain)).toBe(budget);
    expect(graverStop(timeout, cancel)).toBe(cancel);
    expect(graverStop(cancel, drain)).toBe(cancel);
    expect(graverStop(undefined, drain)).toBe(drain);
  });
});
