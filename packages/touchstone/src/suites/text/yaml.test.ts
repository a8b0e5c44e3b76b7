import { describe, expect, test } from 'vitest';
import { readFileText } from './read-text.js';

const read = (text: string) => readFileText(text, { format: 'yaml' });

// The library builds nested values by recursion, and V8 may end the process near the end of the stack. Several depths
// in one process, because the second deep text was the one that did.
describe('deep nesting is refused before the library recurses', () => {
  test.each([
    ['brackets', '[', ']'],
    ['brackets that stay open', '[', ''],
    ['braces', '{a: ', '}'],
    ['items on one line', '- ', ''],
  ])('%s', (_, open, close) => {
    for (const depth of [300, 1000, 2000, 10_000, 30_000]) {
      const { problem, locate } = read(`${open.repeat(depth)}${close.repeat(depth)}`);
      expect(problem).toBe('syntax');
      expect(locate()).toMatchObject([{ message: 'Nested deeper than 256 levels. Flatten the value.' }]);
    }
  });

  test('256 levels are read', () => {
    expect(read(`${'['.repeat(256)}${']'.repeat(256)}`).problem).toBeUndefined();
    expect(read(`${'- '.repeat(256)}x`).problem).toBeUndefined();
  });
});

test('a second document is refused where it begins', () => {
  expect(read('a: 1\n---\nb: 2\n').locate()).toMatchObject([
    { line: 2, message: 'Expected one document in the file. Put the second one into a file of its own.' },
  ]);
});
