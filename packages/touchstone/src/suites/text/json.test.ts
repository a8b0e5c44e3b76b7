import { child } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scanJson } from './json.js';

const nothing = new Set<string>();
const brokenAt = (text: string) => scanJson(text, nothing).broken;

describe('scanning JSON', () => {
  test('refuses exactly what the platform refuses', () => {
    const scrap = fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.',
      'e',
      'tru',
      '\u0001',
      '\n',
      '\u00a0',
      '\\u12',
    );
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat({ max: 2 }),
      insert: fc.oneof(fc.constant(''), scrap),
    });
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.array(edit, { maxLength: 2 }), (source, edits) => {
        const text = edits.reduce((before, { at, cut, insert }) => {
          const offset = at % (before.length + 1);
          return before.slice(0, offset) + insert + before.slice(offset + cut);
        }, source);
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        expect(brokenAt(text) === undefined, text).toBe(parses);
      }),
      { numRuns: 3000 },
    );
  });

  test('finds every wanted pointer: the key of a member, the value of an item', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const expected = new Map<string, string>();
        collect(value, '', expected);
        const { offsets } = scanJson(text, new Set(expected.keys()));
        for (const [pointer, start] of expected)
          expect(text.slice(offsets.get(pointer)).startsWith(start)).toBe(true);
      }),
    );
  });

  test.each<[string, string, number, RegExp]>([
    ['an empty file', '', 0, /ends too early. Expected a value/],
    ['a missing comma', '{"a": 1 "b": 2}', 8, /comma or a closing brace/],
    ['a missing colon', '{"a" 1}', 5, /colon/],
    ['a trailing comma in an array', '[1, ]', 4, /value/],
    ['a trailing comma in an object', '{"a": 1, }', 9, /member name in double quotes/],
    ['a string that is not closed', '["a', 3, /ends too early. Expected a closing quote/],
    ['a raw line break in a string', '["a\nb"]', 3, /escaped/],
    ['an unknown escape', '["a\\q"]', 3, /escapes JSON knows/],
    ['a leading zero', '[01]', 2, /comma or a closing bracket/],
    ['text after the value', '{} x', 3, /end of the file/],
  ])('says what was expected at %s', (_, text, offset, message) => {
    expect(brokenAt(text)).toMatchObject({ offset, message: expect.stringMatching(message) });
  });

  test('names the value that holds the fault', () => {
    expect(brokenAt('{"tasks": [{"taskId": "a"}, {"a/b": nope}]}')?.pointer).toBe('/tasks/1/a~1b');
  });

  test('nesting past the limit is a fault, not an overflow', () => {
    expect(brokenAt('['.repeat(100_000))?.message).toContain('deeper');
  });

  test('every repeated key is found, also when one of them is escaped', () => {
    const { repeated } = scanJson('{"a": {"b": 1, "\\u0062": 2}, "c": 1, "a": 3}', nothing);
    expect(repeated.map(({ pointer, offset }) => [pointer, offset])).toEqual([
      ['/a/b', 15],
      ['/a', 37],
    ]);
  });
});

function collect(value: unknown, pointer: string, expected: Map<string, string>, key?: string): void {
  expected.set(pointer, key === undefined ? (JSON.stringify(value)[0] as string) : JSON.stringify(key));
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    collect(member, child(pointer, name), expected, Array.isArray(value) ? undefined : name);
  }
}
