import { expect, it } from 'vitest';
import { createHearing } from './hearing.js';

function hearingAt() {
  let now = 0;
  const hearing = createHearing(() => now);
  const move = (ms: number): void => {
    now += ms;
  };
  return { hearing, move };
}

it('a process that has told nothing yet is not silent', () => {
  const { hearing, move } = hearingAt();
  move(60_000);
  expect(hearing.isSilent()).toBe(false);
});

it('a process is silent a second before the others count it as lost, until it is heard again', async () => {
  const { hearing, move } = hearingAt();
  await hearing.tell(async () => undefined);
  move(9_000);
  expect([hearing.isSilent(), hearing.silences]).toEqual([false, 0]);
  move(1);
  expect([hearing.isSilent(), hearing.silences]).toEqual([true, 0]);
  await hearing.tell(async () => undefined);
  expect([hearing.isSilent(), hearing.silences]).toEqual([false, 1]);
});

it('what it told before and arrives after something later changes nothing', async () => {
  const { hearing, move } = hearingAt();
  await hearing.tell(async () => undefined);
  let arrive = (): void => undefined;
  const earlier = hearing.tell(() => new Promise((resolve) => (arrive = resolve)));
  move(8_000);
  await hearing.tell(async () => undefined);
  arrive();
  await earlier;
  move(8_000);
  expect([hearing.isSilent(), hearing.silences]).toEqual([false, 0]);
});

it('what it tells counts from when it was told, and only when it has arrived', async () => {
  const { hearing, move } = hearingAt();
  await hearing.tell(async () => undefined);
  let arrive = (): void => undefined;
  const telling = hearing.tell(() => new Promise((resolve) => (arrive = resolve)));
  move(12_000);
  expect(hearing.isSilent()).toBe(true);
  arrive();
  await telling;
  expect(hearing.isSilent()).toBe(true);
  await expect(hearing.tell(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect([hearing.isSilent(), hearing.silences]).toEqual([true, 0]);
  await hearing.tell(async () => undefined);
  expect([hearing.isSilent(), hearing.silences]).toEqual([false, 1]);
});
