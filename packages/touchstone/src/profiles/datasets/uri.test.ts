import { describe, expect, it } from 'vitest';
import { decodeDataUri } from './formats/format.js';
import { troubleOf } from './testing/reading.js';
import { parseDatasetUri } from './uri.js';

const PIN = 'ab'.repeat(32);

describe('where a dataset is', () => {
  it.each([
    ['evals/rows.jsonl', { scheme: 'relative', path: 'evals/rows.jsonl' }],
    ['./evals//rows.jsonl', { scheme: 'relative', path: 'evals/rows.jsonl' }],
    ['pack:evals/rows.csv', { scheme: 'pack', path: 'evals/rows.csv' }],
    ['file:///data/my%20rows.json', { scheme: 'file', path: '/data/my rows.json' }],
    ['https://example.com/a.json?rev=2', { scheme: 'https', url: 'https://example.com/a.json?rev=2' }],
    ['HTTP://Example.com/data', { scheme: 'http', url: 'http://example.com/data' }],
    ['s3://datasets/weather-gold-v1.json', { scheme: 's3', bucket: 'datasets', key: 'weather-gold-v1.json' }],
    ['s3://data/a b/#1?x=%20.csv', { scheme: 's3', bucket: 'data', key: 'a b/#1?x=%20.csv' }],
    ['gs://data/rows.csv', { scheme: 'gs', bucket: 'data', key: 'rows.csv' }],
    ['data:application/json,[]', { scheme: 'data', text: 'application/json,[]' }],
  ])('%s', (uri, place) => {
    expect(parseDatasetUri(uri)).toEqual({ ...place, uri });
    expect(parseDatasetUri(`${uri}#sha256=${PIN.toUpperCase()}`)).toEqual({ ...place, uri, pin: PIN });
  });

  it('a pin that is not quite one stays part of the name of an object, and is refused elsewhere', async () => {
    const key = `rows.csv#sha256=${PIN}0`;
    expect(parseDatasetUri(`s3://data/${key}`)).toMatchObject({ key });
    for (const uri of [key, `https://example.com/${key}`, `${key}#sha256=${PIN}`]) {
      expect(await troubleOf(() => parseDatasetUri(uri))).toMatchObject({ code: 'invalid_uri' });
    }
  });

  it.each([
    ['', 'invalid_uri'],
    [' rows.jsonl', 'invalid_uri'],
    ['rows\n.jsonl', 'invalid_uri'],
    ['.', 'invalid_uri'],
    ['https:rows.json', 'invalid_uri'],
    ['https://example.com/rows.json#part', 'invalid_uri'],
    ['s3://data', 'invalid_uri'],
    ['s3://data/', 'invalid_uri'],
    ['s3:data/rows.csv', 'invalid_uri'],
    ['s3://ab/rows.csv', 'invalid_uri'],
    ['file://elsewhere/rows.csv', 'invalid_uri'],
    [`rows/${'x'.repeat(5_000)}`, 'invalid_uri'],
    ['/etc/passwd', 'dataset_refused'],
    ['C:\\rows.csv', 'dataset_refused'],
    ['c:/rows.csv', 'dataset_refused'],
    ['../rows.csv', 'dataset_refused'],
    ['a/../../rows.csv', 'dataset_refused'],
    ['//host/rows.csv', 'dataset_refused'],
    ['pack:/etc/passwd', 'dataset_refused'],
    ['pack:../rows.csv', 'dataset_refused'],
    ['s3://data/../other/rows.csv', 'dataset_refused'],
    ['s3://data//rows.csv', 'dataset_refused'],
    ['ftp://example.com/rows.csv', 'scheme_unsupported'],
    ['constructor:x', 'scheme_unsupported'],
    ['azure://rows', 'scheme_unsupported'],
  ])('refuses %j', async (uri, code) => {
    expect(await troubleOf(() => parseDatasetUri(uri))).toMatchObject({ code });
  });

  it.each([
    'https://user:hunter2@example.com/rows.csv',
    'https://hunter2@example.com/rows.csv',
    'https://example.com/rows.csv?X-Amz-Signature=hunter2',
    'https://example.com/rows.csv?a=1&SIG=hunter2',
    'https://example.com/rows.csv?access_token=hunter2',
    's3://AKIA:hunter2@bucket/rows.csv',
    'gs://hunter2@bucket/rows.csv',
  ])('refuses credentials without telling them: %s', async (uri) => {
    const trouble = await troubleOf(() => parseDatasetUri(uri));
    expect(trouble).toMatchObject({ code: 'credentials_in_uri' });
    expect(JSON.stringify(trouble)).not.toMatch(/hunter2|AKIA|example\.com|bucket/);
  });
});

describe('a dataset that is its own URI', () => {
  const decoded = (text: string) => Buffer.from(decodeDataUri(text).bytes).toString('utf8');

  it('is read from base64 and from percent-encoding', () => {
    expect(decoded(`application/json;base64,${Buffer.from('["é"]').toString('base64')}`)).toBe('["é"]');
    expect(decoded('application/json;charset=utf-8,%5B%22%C3%A9%22%5D')).toBe('["é"]');
    expect(decoded('text/csv,input\u00e9%0A1')).toBe('inputé\n1');
    expect(decodeDataUri('application/x-ndjson,{}').mediaType).toBe('application/x-ndjson');
  });

  it.each([
    ['application/json', 'invalid_uri'],
    ['application/json;base64,@@@@', 'invalid_uri'],
    ['application/json;base64,abcde', 'invalid_uri'],
    ['application/json,%5', 'invalid_uri'],
    [',[]', 'format_unsupported'],
    ['text/plain,x', 'format_unsupported'],
    ['text/csv;charset=latin1,input', 'format_unsupported'],
    [`text/csv,${'x'.repeat(1024 * 1024 + 1)}`, 'dataset_too_large'],
  ])('refuses %.40s', async (text, code) => {
    expect(await troubleOf(() => decodeDataUri(text))).toMatchObject({ code });
  });
});
