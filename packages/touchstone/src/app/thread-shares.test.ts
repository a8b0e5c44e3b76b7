import { setImmediate as oneTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PieceKind } from '../ports/index.js';
import { createManualClock } from './testing/manual-clock.js';
import { createThreadShares } from './thread-shares.js';

const AHEAD_MS = 50;

const nextTurn = async (): Promise<void> => {
  for (let n = 0; n < 3; n += 1) await oneTurn();
};

function open() {
  const clock = createManualClock();
  let waits = 0;
  const shares = createThreadShares({ clock, aheadMs: AHEAD_MS, onWait: () => (waits += 1) });
  /** Begins a piece of work; the answer says whether it has begun. */
  const begin = (tenant: string, ms = 0, signal?: AbortSignal, kind?: PieceKind) => {
    const piece = { begun: false, refused: false };
    const turn = shares.enter(tenant, ms, signal, kind);
    if (!turn) piece.begun = true;
    turn?.then(
      () => (piece.begun = true),
      () => (piece.refused = true),
    );
    return piece;
  };
  return { clock, shares, begin, waits: () => waits };
}

describe('the time of the main thread', () => {
  it('is all there for a tenant that is alone', () => {
    const { shares, begin, waits } = open();
    for (let n = 0; n < 100; n += 1) {
      expect(begin('rival').begun).toBe(true);
      shares.charge('rival', 1_000);
    }
    expect(waits()).toBe(0);
  });

  it('is shared as soon as another tenant uses it: who is ahead waits, and the other does not', async () => {
    const { clock, shares, begin, waits } = open();
    shares.charge('rival', AHEAD_MS + 100);
    expect(begin('acme').begun).toBe(true);
    const waiting = begin('rival');
    await nextTurn();
    expect(waiting.begun).toBe(false);
    expect(waits()).toBe(1);
    expect(begin('acme').begun).toBe(true);
    // One busy tenant has half of the time.
    await clock.advance(199);
    expect(waiting.begun).toBe(false);
    await clock.advance(11);
    expect(waiting.begun).toBe(true);
  });

  it('a tenant may be a little ahead, so that a burst of short work does not wait', () => {
    const { shares, begin } = open();
    begin('acme');
    shares.charge('rival', AHEAD_MS);
    expect(begin('rival').begun).toBe(true);
  });

  it('is left to newcomers by a third when two tenants are busy', async () => {
    const { clock, shares, begin } = open();
    for (const tenant of ['rival', 'other']) shares.charge(tenant, AHEAD_MS + 100);
    const waiting = [begin('rival'), begin('other')];
    await nextTurn();
    await clock.advance(250);
    expect(waiting.map(({ begun }) => begun)).toEqual([false, false]);
    expect(begin('newcomer').begun).toBe(true);
    await clock.advance(51);
    expect(waiting.map(({ begun }) => begun)).toEqual([true, true]);
  });

  it('is left by the busier one of two that are ahead', async () => {
    const { shares, begin } = open();
    shares.charge('rival', 1_000);
    shares.charge('acme', AHEAD_MS + 100);
    const [busier, other] = [begin('rival'), begin('acme')];
    await nextTurn();
    expect([busier.begun, other.begun]).toEqual([false, true]);
  });

  it('is there for the requests of a tenant whose runs have used its share, until it is far ahead', async () => {
    const { shares, begin } = open();
    begin('acme');
    shares.charge('rival', 4 * AHEAD_MS);
    const work = begin('rival');
    expect(begin('rival', 0.5, undefined, 'request').begun).toBe(true);
    shares.charge('rival', 1);
    const late = begin('rival', 0.5, undefined, 'request');
    await nextTurn();
    expect([work.begun, late.begun]).toEqual([false, false]);
  });

  it('does not count what was used long ago', async () => {
    const { clock, shares, begin } = open();
    for (let n = 0; n < 100; n += 1) shares.charge('rival', 1_000);
    begin('acme');
    const waiting = begin('rival');
    for (let half = 0; half < 70; half += 1) {
      shares.charge('acme', 1);
      await clock.advance(500);
    }
    expect(waiting.begun).toBe(true);
  });

  it('is all there again when the others have been quiet for a second', async () => {
    const { clock, shares, begin } = open();
    shares.charge('rival', 10_000);
    begin('acme');
    const waiting = begin('rival');
    await nextTurn();
    await clock.advance(999);
    expect(waiting.begun).toBe(false);
    await clock.advance(20_000);
    expect(waiting.begun).toBe(true);
    expect(begin('rival').begun).toBe(true);
  });
});

describe('a turn of the event loop', () => {
  it('has one long piece of a tenant, however many wait, and is followed by one of everybody else', async () => {
    const { shares } = open();
    const order: string[] = [];
    const attack = Array.from({ length: 20 }, async () => {
      await shares.enter('rival', 30);
      order.push('rival');
    });
    for (let turn = 0; turn < 60; turn += 1) {
      await oneTurn();
      order.push('others');
    }
    await Promise.all(attack);
    const stretches = order.join(' ').split('others');
    expect(Math.max(...stretches.map((stretch) => stretch.split('rival').length - 1))).toBe(1);
  });

  it('has requests of a tenant beside its long pieces', () => {
    const { begin } = open();
    const pieces = [begin('acme', 30), begin('acme', 30), begin('acme', 0.5, undefined, 'request')];
    expect(pieces.map(({ begun }) => begun)).toEqual([true, false, true]);
  });

  it('has several short pieces of a tenant, and leaves the others to the next one', async () => {
    const { begin } = open();
    const pieces = Array.from({ length: 12 }, () => begin('acme', 0.2));
    const begun = () => pieces.filter((piece) => piece.begun).length;
    expect(begun()).toBe(10);
    for (let turn = 0; turn < 3; turn += 1) await oneTurn();
    expect(begun()).toBe(12);
  });
});

it('work that is given up while it waits is refused and lets the next one begin', async () => {
  const { clock, shares, begin } = open();
  begin('acme');
  shares.charge('rival', AHEAD_MS + 10);
  const leaving = new AbortController();
  const [first, second] = [begin('rival', 0, leaving.signal), begin('rival')];
  leaving.abort(new Error('gone'));
  await nextTurn();
  expect(first).toEqual({ begun: false, refused: true });
  await clock.advance(21);
  expect([first.begun, second.begun]).toEqual([false, true]);
});
