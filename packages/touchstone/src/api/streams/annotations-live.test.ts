import { type AnnotationId, asId, type PrincipalId, type RunId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { createHeldBytes } from '../../app/held-bytes.js';
import { ACME } from '../../app/testing/test-host.js';
import type { Annotation } from '../../ports/index.js';
import { openLiveAnnotations } from './annotations-live.js';

const RUN = asId<RunId>('run-1');
const LIMIT = 1024 * 1024;
const annotation = (n: number): Annotation => ({
  annotationId: asId<AnnotationId>(`ann-${n}`),
  runId: RUN,
  signal: { kind: 'flag' },
  by: asId<PrincipalId>('reviewer'),
  at: n,
});

function openWorld() {
  const listeners = new Set<(annotation: Annotation) => void>();
  const watch = (_owner: unknown, _runId: unknown, listener: (annotation: Annotation) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const held = createHeldBytes({ perTenant: 32 * LIMIT, total: 32 * LIMIT });
  const feed = { annotations: { watch }, held };
  const open = (runId = RUN, owner = ACME) => openLiveAnnotations(feed, { owner, runId }, ['updates']);
  const tellAll = (annotation: Annotation) => {
    for (const listener of listeners) listener(annotation);
  };
  return { open, tellAll, listeners };
}
function open() {
  const { open: openOne, tellAll, listeners } = openWorld();
  return { annotations: openOne(), tell: (n: number) => tellAll(annotation(n)), listeners };
}
const takeAll = (annotations: ReturnType<typeof openLiveAnnotations>): readonly Buffer[] => {
  const frames: Buffer[] = [];
  for (let frame = annotations.take(); frame; frame = annotations.take()) frames.push(frame);
  return frames;
};
const settled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
const idsIn = (frames: readonly Buffer[]) =>
  [
    ...Buffer.concat(frames)
      .toString()
      .matchAll(/"annotationId":"ann-(\d+)"/g),
  ].map(([, n]) => Number(n));

it('an annotation cuts a wait short, also one that came before it', async () => {
  const { annotations, tell } = open();
  const never = () => new Promise<void>(() => undefined);
  const waiting = annotations.orElse(never);
  expect(await settled(waiting)).toBe(false);
  tell(1);
  expect(await settled(waiting)).toBe(true);
  expect(await settled(annotations.orElse(never))).toBe(true);
  expect(idsIn(takeAll(annotations))).toEqual([1]);
  expect(annotations.take()).toBeUndefined();
  expect(await settled(annotations.orElse(never))).toBe(false);
});

it('a wait that was cut short is taken up again, and a new one begins only after it', async () => {
  const { annotations, tell } = open();
  const ends: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => ends.push(resolve));
  for (let n = 0; n < 3; n += 1) {
    const waiting = annotations.orElse(wait);
    tell(n);
    await waiting;
    annotations.take();
  }
  expect(ends).toHaveLength(1);
  const waiting = annotations.orElse(wait);
  ends[0]?.();
  expect(await settled(waiting)).toBe(true);
  expect(await settled(annotations.orElse(wait))).toBe(false);
  expect(ends).toHaveLength(2);
});

it('a reader that lags holds a bounded number of annotations, the earliest ones', () => {
  const { annotations, tell } = open();
  for (let n = 0; n < 1_500; n += 1) tell(n);
  expect(idsIn(takeAll(annotations))).toEqual(Array.from({ length: 200 }, (_, n) => n));
  tell(2_000);
  expect(idsIn(takeAll(annotations))).toEqual([2_000]);
});

describe('many readers that do not read', () => {
  const distinctBytes = (frames: readonly Buffer[]) =>
    [...new Set(frames)].reduce((sum, { length }) => sum + length, 0);
  /** An annotation of 24 kB that counts how often it is written down. */
  function longRemark(n: number, written: number[]): Annotation {
    const signal = {
      kind: 'label' as const,
      toJSON() {
        written.push(n);
        return { kind: 'label', label: 'x'.repeat(24_000) };
      },
    };
    return { ...annotation(n), signal };
  }

  it('hold the same bytes, written once', () => {
    const { open, tellAll } = openWorld();
    const written: number[] = [];
    const streams = Array.from({ length: 200 }, () => open());
    for (let n = 0; n < 10; n += 1) tellAll(longRemark(n, written));
    expect(written).toEqual(Array.from({ length: 10 }, (_, n) => n));
    const [first, ...others] = streams.map(takeAll);
    expect(first).toHaveLength(10);
    for (const frames of others) expect(frames.every((frame, index) => frame === first?.[index])).toBe(true);
  });

  it('hold a bounded number of bytes together, wherever each of them lags', () => {
    const { open, tellAll } = openWorld();
    const streams = Array.from({ length: 200 }, () => open());
    for (let n = 0; n < 500; n += 1) {
      tellAll(longRemark(n, []));
      const reader = streams[n % streams.length];
      if (n % 3 === 0) reader?.take();
    }
    const kept = streams.map(takeAll);
    expect(kept.every((frames) => frames.length > 0)).toBe(true);
    expect(distinctBytes(kept.flat())).toBeLessThanOrEqual(LIMIT);
    expect(distinctBytes(kept.flat())).toBeGreaterThan(LIMIT - 50_000);
  });

  it('of many runs hold a bounded number of bytes too, and make room when they leave', () => {
    const { open, tellAll } = openWorld();
    const streams = Array.from({ length: 100 }, (_, n) => open(asId<RunId>(`run-${n}`)));
    for (let n = 0; n < 50; n += 1) tellAll(longRemark(n, []));
    const late = open(asId<RunId>('run-late'));
    tellAll(longRemark(50, []));
    expect(late.take()).toBeUndefined();
    const others = open(asId<RunId>('run-of-rival'), { tenant: 'rival', workspace: 'main' });
    tellAll(longRemark(50, []));
    expect(takeAll(others)).toHaveLength(1);
    others.close();
    for (const stream of streams) stream.close();
    for (let n = 51; n < 61; n += 1) tellAll(longRemark(n, []));
    expect(takeAll(late)).toHaveLength(10);
  });
});

it('a closed stream listens no longer', () => {
  const { annotations, listeners } = open();
  expect(listeners.size).toBe(1);
  annotations.close();
  expect(listeners.size).toBe(0);
});
