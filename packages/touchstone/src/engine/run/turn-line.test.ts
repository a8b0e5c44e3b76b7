import { describe, expect, it } from 'vitest';
import { createTurnLine, mayWait } from './turn-line.js';

function openLine() {
  const withdrawal = new AbortController();
  const state = { running: 0 };
  const time = { at: 0 };
  const left: string[] = [];
  const line = createTurnLine({ state, withdrawn: withdrawal.signal, elapsed: () => time.at });
  const takeSlot = (name: string) => {
    const slot = line.take();
    slot.enter(() => void left.push(name));
    return slot;
  };
  return { line, state, time, left, takeSlot, withdraw: () => withdrawal.abort() };
}

describe('the units of a line', () => {
  it('may be at work as far as they have slots: one that waits for a slot of the process has none', () => {
    const { line, takeSlot } = openLine();
    const first = takeSlot('first');
    const second = line.take();
    expect([first.most, second.most]).toEqual([1, 1]);
    second.enter(() => undefined);
    expect(first.most).toBe(2);
    line.end(second, true);
    expect(first.most).toBe(1);
  });

  it('take over the slot of one that ends, and the last one gives it back', () => {
    const { line, state, left, takeSlot } = openLine();
    const first = takeSlot('first');
    const second = line.wait();
    line.end(first, true);
    expect([left, line.waiting, state.running, second.most, second.isWaiting]).toEqual([[], 0, 1, 1, false]);
    line.end(second, true);
    expect([left, state.running]).toEqual([['first'], 0]);
  });

  it('are as many as have a slot, one that took over included', () => {
    const { line, takeSlot } = openLine();
    const first = takeSlot('first');
    line.take();
    expect(line.held).toBe(1);
    line.wait();
    line.end(first, true);
    expect(line.held).toBe(1);
  });

  it('take over nothing from one that was not let in', () => {
    const { line, state } = openLine();
    const refused = line.take();
    refused.enter(undefined);
    const second = line.wait();
    line.end(refused, false);
    expect([state.running, line.waiting, second.isWaiting, second.most]).toEqual([0, 1, true, 0]);
  });

  it('are withdrawn while they wait, and not when they have a slot', () => {
    const { line, takeSlot, withdraw } = openLine();
    const [first, second] = [takeSlot('first'), line.wait()];
    withdraw();
    expect([first.isWithdrawn, second.isWithdrawn]).toEqual([false, true]);
    line.end(second, false);
    expect(line.waiting).toBe(0);
  });

  it('say how long they take, those apart that were not executed', () => {
    const { line, time, takeSlot } = openLine();
    const [first, second] = [takeSlot('first'), takeSlot('second')];
    time.at = 100;
    line.end(first, true);
    time.at = 5_000;
    line.end(second, false);
    expect(line.averageMs).toBe(100);
  });
});

describe('how many more units may wait with the agent', () => {
  it.each([
    ['as many as are at work', 3, 20, 0, 3, 3],
    ['those that wait already counted', 3, 20, 2, 3, 1],
    ['as many as have a slot, while others wait for one', 3, 20, 0, 1, 1],
    ['none while nobody has a slot', 3, 20, 0, 0, 0],
    ['none before one has ended', 3, undefined, 0, 3, 0],
    ['none that take long', 3, 250, 0, 3, 0],
    ['none beside a unit that is alone with its agent', 1, 20, 0, 1, 0],
  ])('%s', (_name, slots, averageMs, waiting, held, expected) => {
    const { line } = openLine();
    expect(mayWait({ ...line, averageMs, waiting, held }, slots)).toBe(expected);
  });
});
