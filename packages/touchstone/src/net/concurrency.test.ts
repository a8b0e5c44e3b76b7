import { describe, expect, it } from 'vitest';
import { manualClock } from '../agents/fixtures/manual-clock.js';
import { createDeferred, createSemaphore, TIMED_OUT, withinTime } from './concurrency.js';

describe('a semaphore', () => {
  it('lets so many work at once, first come, first served, and passes on the place of one that failed', async () => {
    const { run } = createSemaphore(2);
    const works = [1, 2, 3, 4].map(() => createDeferred<number>());
    const started: number[] = [];
    const results = works.map(({ promise }, index) =>
      run(() => {
        started.push(index);
        return promise;
      }).catch((error) => error),
    );
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
    works[1]?.reject('broken');
    expect(await results[1]).toBe('broken');
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual([0, 1, 2]);
    for (const [index, work] of works.entries()) work.resolve(index);
    expect(await Promise.all(results)).toEqual([0, 'broken', 2, 3]);
  });

  it('forgets a caller that leaves, even at the moment of its turn', async () => {
    const { run } = createSemaphore(1);
    const first = createDeferred<string>();
    const leaving = [new AbortController(), new AbortController()];
    const working = run(() => first.promise);
    const left = leaving.map(({ signal }) => run(async () => 'never', signal).catch((error) => error));
    const last = run(async () => 'last');
    leaving[0]?.abort('left early');
    first.resolve('first');
    await working.then(() => leaving[1]?.abort('left late'));
    expect(await left[0]).toBe('left early');
    expect(['left late', 'never']).toContain(await left[1]);
    expect(await last).toBe('last');
  });
});

describe('work within a time', () => {
  it('ends as timed out, and what it has begun is aborted', async () => {
    const clock = manualClock();
    let over: AbortSignal | undefined;
    const result = withinTime(clock, 100, (signal) => {
      over = signal;
      return new Promise(() => undefined);
    });
    clock.advance(await clock.asleep(100));
    expect(await result).toBe(TIMED_OUT);
    expect(over?.aborted).toBe(true);
  });

  it('ends with the reason of the signal, or with its own result', async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const aborted = withinTime(clock, 100, () => new Promise(() => undefined), controller.signal);
    controller.abort('enough');
    await expect(aborted).rejects.toBe('enough');
    await expect(withinTime(clock, 100, async () => 'unused', controller.signal)).rejects.toBe('enough');
    expect(await withinTime(clock, 100, async () => 'done')).toBe('done');
  });
});
