import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonBody } from './json-body.js';

const parse = (text: string, maxValues?: number) => parseJsonBody(Buffer.from(text), maxValues);
const refused = (message: RegExp) =>
  expect.objectContaining({ code: 'validation_error', message: expect.stringMatching(message) });

describe('a request body', () => {
  it('of any JSON is read as it was written', () => {
    const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => !/__proto__/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        expect(parse(text, text.length + 1)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('may have so many members and items, and no more', () => {
    const list = (count: number) => JSON.stringify(new Array(count).fill(1));
    expect(parse(list(9), 10)).toHaveLength(9);
    expect(() => parse(list(10), 10)).toThrow(refused(/more than 10 members and items/));
    const members = JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}`, at])));
    expect(() => parse(members, 10)).toThrow(refused(/more than 10/));
  });

  it('is read no further than the first value too many', () => {
    const text = `[${'1,'.repeat(20)}${'['.repeat(129)}`;
    expect(() => parse(text, 10)).toThrow(refused(/more than 10/));
    expect(() => parse(text, 1_000)).toThrow(refused(/nested/));
  });

  it('is counted without the brackets and commas inside its texts, however they are escaped', () => {
    const text = JSON.stringify({ a: '[,{"\\', b: '\\\\", [[[', c: '\\' });
    expect(parse(text, 5)).toEqual(JSON.parse(text));
    expect(parse(JSON.stringify(`${'['.repeat(1_000)}\\`), 2)).toHaveLength(1_001);
  });

  it('is counted alike whatever is escaped at the end of a long text', () => {
    const text = fc
      .array(fc.constantFrom('\\', '"', ',', '[', 'é', 'x'.repeat(30)), { maxLength: 40 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (first, second) => {
        const body = JSON.stringify([first, second]);
        expect(parse(body, 3)).toEqual([first, second]);
        expect(() => parse(body, 2)).toThrow(refused(/more than 2/));
      }),
    );
  });

  it('of too many values is refused before its bytes become a text', () => {
    const bytes = Buffer.concat([Buffer.from(`[${'1,'.repeat(20)}"`), Buffer.from([0xff])]);
    expect(() => parseJsonBody(bytes, 10)).toThrow(refused(/more than 10/));
    expect(() => parseJsonBody(bytes, 1_000)).toThrow(refused(/not UTF-8/));
  });

  it.each([
    ['"open', /not valid JSON/],
    ['"ends with \\"', /not valid JSON/],
    [`${'['.repeat(129)}${']'.repeat(129)}`, /nested/],
    ['{"a":"\\ud800"}', /surrogate/],
    ['{"__proto__":1}', /__proto__/],
    ['{"\\u005f_proto__":1}', /__proto__/],
  ])('that cannot be kept is refused: %s', (text, message) => {
    expect(() => parse(text)).toThrow(refused(message));
  });

  it('is UTF-8, with or without a byte order mark', () => {
    expect(parse('\ufeff{"a":1}')).toEqual({ a: 1 });
    expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow(refused(/not UTF-8/));
    expect(parseJsonBody(new Uint8Array())).toBeUndefined();
  });
});
