import { expect, test } from 'vitest';
import { createOut } from '../out.js';
import { createProgressLine, progressText } from './progress.js';

const progress = {
  total: 500,
  done: 132,
  running: 8,
  passed: 128,
  failed: 4,
  costUsd: 0.0132,
  etaMs: 12_000,
};

/** A screen whose clock ticks when told, and that remembers what was written. */
function openScreen(isTTY: boolean) {
  const written: string[] = [];
  let tick = (): void => undefined;
  let everyMs = 0;
  const screen = {
    ...createOut({ isTTY, columns: 80, write: (text) => void written.push(text) }),
    every(ms: number, call: () => void) {
      everyMs = ms;
      tick = call;
      return () => {
        tick = () => undefined;
      };
    },
  };
  return { screen, written, tick: () => tick(), everyMs: () => everyMs };
}

test('says how far the run is', () => {
  expect(progressText(progress)).toBe('132/500 · 128 passed · 4 failed · $0.0132 · 12 s left');
  const { costUsd: _, etaMs: __, ...bare } = progress;
  expect(progressText(bare)).toBe('132/500 · 128 passed · 4 failed');
  expect(progressText({ ...bare, failed: 3, unscored: 1 })).toBe(
    '132/500 · 128 passed · 3 failed · 1 unscored',
  );
});

test('however many updates come, a terminal is written to at most ten times a second', () => {
  const { screen, written, tick, everyMs } = openScreen(true);
  const line = createProgressLine(screen);
  for (let done = 0; done < 1000; done += 1) line.update({ ...progress, done });
  expect(written).toEqual([]);
  tick();
  expect(everyMs()).toBeGreaterThanOrEqual(100);
  expect(written).toHaveLength(1);
  expect(written[0]?.startsWith('\r⠙ 999/500 ')).toBe(true);
  expect(written[0]?.endsWith('\u001b[K')).toBe(true);
});

test('the line is gone afterwards, and a line that was never drawn leaves nothing', () => {
  const { screen, written, tick } = openScreen(true);
  const line = createProgressLine(screen);
  line.update(progress);
  tick();
  line.clear();
  tick();
  expect(written.at(-1)).toBe('\r\u001b[K');
  const other = openScreen(true);
  createProgressLine(other.screen).clear();
  expect(other.written).toEqual([]);
});

test('a narrow terminal gets a line that does not wrap', () => {
  const { screen, written, tick } = openScreen(true);
  const line = createProgressLine({ ...screen, columns: 20 });
  line.update(progress);
  tick();
  expect(written[0]).toBe('\r⠙ 132/500 · 128 pa…\u001b[K');
});

test('on a pipe there are plain lines, and none when nothing has happened', () => {
  const { screen, written, tick, everyMs } = openScreen(false);
  const line = createProgressLine(screen);
  tick();
  line.update(progress);
  tick();
  tick();
  line.clear();
  expect(everyMs()).toBe(10_000);
  expect(written).toEqual(['132/500 · 128 passed · 4 failed · $0.0132 · 12 s left\n']);
});
