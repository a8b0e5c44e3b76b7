import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsBeside } from './rows-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rows-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const read = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return rowsBeside(join(folder, 'x.suite.yaml'))(name);
};

describe('rows beside a suite', () => {
  it.each([
    ['a.csv', 'q,a\n"x, y",1\n'],
    ['a.json', '[{"q":"x, y","a":"1"}]'],
    ['a.jsonl', '\n{"q":"x, y","a":"1"}\n\n'],
  ])('are read from %s', (name, text) => {
    expect(read(name, text)).toEqual([{ q: 'x, y', a: '1' }]);
  });

  it.each([
    ['b.txt', 'x', 'b.txt'],
    ['b.json', '{"secret-word":1}', 'an object'],
    ['b.jsonl', '{}\n["secret-word"]\n', 'b.jsonl:2'],
    ['b.csv', 'a,b\n"secret-word', 'b.csv'],
  ])('of %s are refused by their place, never by their content', (name, text, words) => {
    expect(() => read(name, text)).toThrow(words);
    expect(() => read(name, text)).not.toThrow('secret-word');
  });

  it('that are not there are said to be missing', () => {
    expect(() => rowsBeside(join(folder, 'x.suite.yaml'))('none.csv')).toThrow(
      'none.csv cannot be read (ENOENT)',
    );
  });
});
