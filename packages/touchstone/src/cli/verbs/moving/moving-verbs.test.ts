import { expect, test } from 'vitest';
import { IMPORT_FORMATS } from '../../../importers/index.js';
import { FORMAT_NAMES } from './moving-verbs.js';

test('the help and the completion name the formats that there are', () => {
  expect([...FORMAT_NAMES].sort()).toEqual(Object.keys(IMPORT_FORMATS).sort());
});
