import { expect, it } from 'vitest';
import { handOver, unsetHint } from './hand-over.js';

it('a program is given the variables that are named, and its own go first', () => {
  const variables = {
    A: '1',
    LC_ALL: 'C',
    LC_TIME: 'en',
    LCX: 'no',
    SECRET: 'no',
    B: 'theirs',
    NONE: undefined,
  };
  const entry = { command: 'x', passEnv: ['A', 'LC_*', 'B', 'NONE'], env: { B: 'own' } };
  expect(handOver(entry, variables).env).toEqual({ A: '1', LC_ALL: 'C', LC_TIME: 'en', B: 'own' });
  expect(handOver({ command: 'x' }, variables)).toEqual({ command: 'x' });
});

it('a program that ends with the name of a variable it was not given gets a hint', () => {
  const traceback = "Traceback\n  File OTHER_NAME\nKeyError: 'SHOP_API_KEY'\n";
  expect(unsetHint(traceback, {})).toContain('has no SHOP_API_KEY');
  expect(unsetHint(traceback, { SHOP_API_KEY: 'x' })).toBe('');
  expect(unsetHint('ValueError: no such order', {})).toBe('');
});
