// Goal: real files load. What each type takes besides itself was observed at the source of the format.
import { describe, expect, test } from 'vitest';
import { agentDefinition, evaluationProfile, successCriterion } from './builders.js';
import { issuesOf, minimalDefinition } from './testing/definitions.js';

const latency = (value: unknown) =>
  evaluationProfile({ expected_latency_ms: value as number }).expected_latency_ms;
const threshold = (value: unknown) => successCriterion({ name: 'a', threshold: value as number }).threshold;
const strict = (value: unknown) => successCriterion({ name: 'a', strict: value as boolean }).strict;
const name = (value: unknown) => successCriterion({ name: value as string }).name;

describe('an integer', () => {
  test.each([
    [2000, 2000],
    ['2000', 2000],
    [' 2000 ', 2000],
    ['+7', 7],
    [2000.0, 2000],
    ['2000.0', 2000],
    [true, 1],
    [false, 0],
    [-5, -5],
    ['-5', -5],
    [-0, 0],
  ])('takes %j', (given, read) => {
    expect(latency(given)).toBe(read);
  });

  test.each([
    2000.5,
    '2000.5',
    'abc',
    '',
    '0x10',
    '1e3',
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    [],
    {},
  ])('refuses %j', (given) => {
    expect(issuesOf(() => latency(given))).toMatchObject([
      { pointer: '/expected_latency_ms', message: expect.stringContaining('valid integer') },
    ]);
  });
});

describe('a number', () => {
  test.each([
    [0.9, 0.9],
    ['0.9', 0.9],
    ['.5', 0.5],
    ['1e-3', 0.001],
    ['-1.5', -1.5],
    [1, 1],
    [true, 1],
    [false, 0],
    ['-0', 0],
  ])('takes %j', (given, read) => {
    expect(threshold(given)).toBe(read);
  });

  test.each(['nan', 'NaN', 'inf', '-Infinity', '1e999', 'abc', '', '0x1', Number.NaN, -Infinity, [1], {}])(
    'refuses %j',
    (given) => {
      expect(issuesOf(() => threshold(given))).toMatchObject([
        { pointer: '/threshold', message: expect.stringContaining('valid number') },
      ]);
    },
  );
});

describe('a flag', () => {
  test.each([true, 1, 1.0, '1', 'true', 'TRUE', 't', 'T', 'yes', 'Yes', 'y', 'on', 'ON'])(
    'takes %j as true',
    (given) => {
      expect(strict(given)).toBe(true);
    },
  );
  test.each([false, 0, 0.0, -0, '0', 'false', 'False', 'f', 'no', 'NO', 'n', 'N', 'off', 'Off'])(
    'takes %j as false',
    (given) => {
      expect(strict(given)).toBe(false);
    },
  );
  test.each([2, -1, 0.5, 'maybe', '', 'ja', ' yes', null, [], {}])('refuses %j', (given) => {
    expect(issuesOf(() => strict(given))).toMatchObject([{ pointer: '/strict' }]);
  });
});

describe('a string', () => {
  test.each(['', 'a', '7'])('takes %j', (given) => {
    expect(name(given)).toBe(given);
  });
  test.each([7, true, null, [], {}, '\ud800'])('refuses %j', (given) => {
    expect(issuesOf(() => name(given))).toMatchObject([{ pointer: '/name' }]);
  });
});

describe('metadata of form A', () => {
  const metadata = (change: object) =>
    agentDefinition(minimalDefinition({ metadata: { ...minimalDefinition().metadata, ...change } })).metadata;

  test.each([
    [{ id: '0B7D0F6C2F0E4B839D551D2C3B4A5F60' }, { id: '0b7d0f6c-2f0e-4b83-9d55-1d2c3b4a5f60' }],
    [{ id: 'urn:uuid:0b7d0f6c-2f0e-4b83-9d55-1d2c3b4a5f60' }, { id: '0b7d0f6c-2f0e-4b83-9d55-1d2c3b4a5f60' }],
    [{ version: 'v1.2.3' }, { version: '1.2.3' }],
    [{ version: 'V1.2.3-rc.1+b7' }, { version: '1.2.3-rc.1+b7' }],
    [{ created_at: '2024-02-29' }, { created_at: '2024-02-29' }],
    [{ created_at: '2026-03-04 09:30+02:00' }, { created_at: '2026-03-04 09:30+02:00' }],
    [{ created_at: 1_700_000_000 }, { created_at: '2023-11-14T22:13:20.000Z' }],
    [{ created_at: 1_700_000_000_000 }, { created_at: '2023-11-14T22:13:20.000Z' }],
    [{ requires_auth: undefined }, { requires_auth: false }],
  ])('takes %j', (change, read) => {
    expect(metadata(change)).toMatchObject(read);
  });

  test.each([
    [{ id: 'desk' }, '/metadata/id'],
    [{ version: '1.2' }, '/metadata/version'],
    [{ version: 'vv1.2.3' }, '/metadata/version'],
    [{ version: `1.2.${'9'.repeat(300)}` }, '/metadata/version'],
    [{ name: '' }, '/metadata/name'],
    [{ author: '' }, '/metadata/author'],
    [{ created_at: '2026-02-30T00:00:00Z' }, '/metadata/created_at'],
    [{ created_at: '2026-01-01T24:00:00Z' }, '/metadata/created_at'],
    [{ created_at: Number.NaN }, '/metadata/created_at'],
    [{ created_at: true }, '/metadata/created_at'],
  ])('refuses %j', (change, pointer) => {
    expect(issuesOf(() => metadata(change)).map((issue) => issue.pointer)).toEqual([pointer]);
  });
});
