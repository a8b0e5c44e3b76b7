import { expect, test, vi } from 'vitest';
import { createDeferred } from '../../net/index.js';
import { createSlots } from './slots.js';

test('work beyond the places of a tenant waits, and the wait is counted; another tenant begins at once', async () => {
  const onWait = vi.fn();
  const slots = createSlots(1, onWait);
  const { signal } = new AbortController();
  const first = createDeferred<void>();
  const begun: string[] = [];
  const work = (name: string) => async () => {
    begun.push(name);
    await first.promise;
  };
  const all = [
    slots.use('acme', signal, work('acme 1')),
    slots.use('acme', signal, work('acme 2')),
    slots.use('rival', signal, work('rival 1')),
  ];
  await vi.waitFor(() => expect(begun).toHaveLength(2));
  expect(begun).toEqual(['acme 1', 'rival 1']);
  expect(onWait).toHaveBeenCalledTimes(1);
  first.resolve();
  await Promise.all(all);
  expect(begun).toEqual(['acme 1', 'rival 1', 'acme 2']);
});
