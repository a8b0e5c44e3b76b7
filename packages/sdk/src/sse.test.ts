import { expect, test } from 'vitest';
import { createSseParser } from './sse.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('fields, comments and blank lines are read as the standard says', () => {
  const parser = createSseParser();
  const text = [
    ': a comment',
    'event: first',
    'id: 7',
    'data: one',
    'data:two',
    'data:  three',
    'unknown: x',
    '',
    'event: dropped because it has no data',
    '',
    'data',
    '',
    'data: the id stays',
    '',
    '',
  ].join('\n');
  expect(parser.push(bytes(text))).toEqual([
    { id: '7', event: 'first', data: 'one\ntwo\n three' },
    { id: '7', event: 'message', data: '' },
    { id: '7', event: 'message', data: 'the id stays' },
  ]);
});

test('a carriage return and its line feed in different chunks are one line end', () => {
  const parser = createSseParser();
  expect(parser.push(bytes('data: a\r'))).toEqual([]);
  expect(parser.push(bytes('\ndata: b\r\n\r'))).toEqual([{ id: undefined, event: 'message', data: 'a\nb' }]);
  expect(parser.push(bytes('\ndata: c\n\n'))).toEqual([{ id: undefined, event: 'message', data: 'c' }]);
});

test('a character split between chunks arrives whole', () => {
  const parser = createSseParser();
  const all = bytes('data: 🪨é\n\n');
  const messages = Array.from(all, (byte) => parser.push(Uint8Array.of(byte))).flat();
  expect(messages).toEqual([{ id: undefined, event: 'message', data: '🪨é' }]);
});

test('an unfinished message is not handed on', () => {
  expect(createSseParser().push(bytes('id: 1\ndata: half\n'))).toEqual([]);
});
