import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isGone, processHolder } from './leases.js';

const withPart = (index: number, value: string): string => {
  const parts = processHolder().split('|');
  parts[index] = value;
  return parts.join('|');
};

it('a process that runs is not gone', () => {
  expect(isGone(processHolder())).toBe(false);
});

it('a process of this machine that has ended is gone', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect(isGone(withPart(2, `${pid}`))).toBe(true);
});

it.runIf(process.platform === 'linux')(
  'a later process with the same number is not taken for the holder',
  () => {
    expect(isGone(withPart(3, '1'))).toBe(true);
  },
);

it('without a start to compare, a process with that number counts as the holder', () => {
  expect(isGone(withPart(3, ''))).toBe(false);
});

it('nothing is known about processes of other machines, other number spaces and unknown names', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const gone = withPart(2, `${pid}`).split('|');
  expect(isGone(['elsewhere', ...gone.slice(1)].join('|'))).toBe(false);
  expect(isGone([gone[0], 'pid:[1]', ...gone.slice(2)].join('|'))).toBe(false);
  expect(isGone('a name of its own')).toBe(false);
  expect(isGone('')).toBe(false);
});
