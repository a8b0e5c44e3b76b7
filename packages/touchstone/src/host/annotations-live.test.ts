import { type AnnotationId, asId, type PrincipalId, type RunId } from '@touchstone/contract';
import type { Annotation } from '@touchstone/contract/ports';
import { expect, it } from 'vitest';
import { openRemarks } from './annotations-live.js';
import { ACME } from './testing/test-host.js';

const RUN = asId<RunId>('run-1');
const remark = (n: number): Annotation => ({
  annotationId: asId<AnnotationId>(`ann-${n}`),
  runId: RUN,
  signal: { kind: 'flag' },
  by: asId<PrincipalId>('reviewer'),
  at: n,
});

function open() {
  const listeners = new Set<(annotation: Annotation) => void>();
  const watch = (_owner: unknown, _runId: unknown, listener: (annotation: Annotation) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const remarks = openRemarks({ watch }, { owner: ACME, runId: RUN }, ['updates']);
  const tell = (n: number) => {
    for (const listener of listeners) listener(remark(n));
  };
  return { remarks, tell, listeners };
}
const settled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
const idsIn = (text: string) => [...text.matchAll(/"annotationId":"ann-(\d+)"/g)].map(([, n]) => Number(n));

it('a remark cuts a wait short, also one that came before it', async () => {
  const { remarks, tell } = open();
  const never = () => new Promise<void>(() => undefined);
  const waiting = remarks.orElse(never);
  expect(await settled(waiting)).toBe(false);
  tell(1);
  expect(await settled(waiting)).toBe(true);
  expect(await settled(remarks.orElse(never))).toBe(true);
  expect(idsIn(remarks.take())).toEqual([1]);
  expect(remarks.take()).toBe('');
  expect(await settled(remarks.orElse(never))).toBe(false);
});

it('a wait that was cut short is taken up again, and a new one begins only after it', async () => {
  const { remarks, tell } = open();
  const ends: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => ends.push(resolve));
  for (let n = 0; n < 3; n += 1) {
    const waiting = remarks.orElse(wait);
    tell(n);
    await waiting;
    remarks.take();
  }
  expect(ends).toHaveLength(1);
  const waiting = remarks.orElse(wait);
  ends[0]?.();
  expect(await settled(waiting)).toBe(true);
  expect(await settled(remarks.orElse(wait))).toBe(false);
  expect(ends).toHaveLength(2);
});

it('a reader that lags holds a bounded number of remarks, the earliest ones', () => {
  const { remarks, tell } = open();
  for (let n = 0; n < 1_500; n += 1) tell(n);
  expect(idsIn(remarks.take())).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  tell(2_000);
  expect(idsIn(remarks.take())).toEqual([2_000]);
});

it('a closed stream listens no longer', () => {
  const { remarks, listeners } = open();
  expect(listeners.size).toBe(1);
  remarks.close();
  expect(listeners.size).toBe(0);
});
