import { isHostError } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import { checkBounds } from './run-bounds.js';

function refused(...given: Parameters<typeof checkBounds>): readonly string[] {
  try {
    checkBounds(...given);
    return [];
  } catch (error) {
    if (!isHostError(error)) throw error;
    const { issues = [] } = error.details ?? {};
    return (issues as readonly { readonly pointer: string }[]).map(({ pointer }) => pointer);
  }
}

it('a limit that the run would break is refused by name, and one that it keeps is taken', () => {
  expect(refused({ recursionLimit: 3 }, { nodes: 4 })).toEqual(['/configurable/recursionLimit']);
  expect(refused({ recursionLimit: 4 }, { nodes: 4 })).toEqual([]);
  expect(refused({ maxLoopIterations: 1 }, { nodes: 4, turns: 2 })).toEqual([
    '/configurable/maxLoopIterations',
  ]);
  expect(refused({ maxLoopIterations: 2 }, { nodes: 4, turns: 2 })).toEqual([]);
});

it('a run without an orchestrator keeps to any number of its turns', () => {
  expect(refused({ maxLoopIterations: 1 }, { nodes: 4 })).toEqual([]);
});

it('what is not offered is refused by name, and unknown members are left alone', () => {
  expect(refused({ promptOverrides: {} }, { nodes: 1 })).toEqual(['/configurable/promptOverrides']);
  expect(refused({ 'acme.anything': 1 }, { nodes: 1 })).toEqual([]);
});
