import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isHostError } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findSuiteFiles, suiteFileFormat } from './suite-files.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'suite-files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
}
const found = (folder = '') => findSuiteFiles(join(root, folder)).map((path) => relative(root, path));

describe('finding suite files', () => {
  test('a file in the place of a folder is that file, whatever its name', () => {
    write('suites/refunds.json', 'suites/other.json');
    expect(found('suites/refunds.json')).toEqual(['suites/refunds.json']);
  });

  test('by their name, or by lying in a folder called evals, in a fixed order', () => {
    write(
      'z.eval.yaml',
      'a/b.evals.yml',
      'a/c.suite.json',
      'a/package.json',
      'a/notes.eval.md',
      'evaluation.json',
    );
    write('evals/one.json', 'evals/deep/er/two.yml', 'evals/readme.md', 'a/evals/three.YAML');
    expect(found()).toEqual([
      'a/b.evals.yml',
      'a/c.suite.json',
      'a/evals/three.YAML',
      'evals/deep/er/two.yml',
      'evals/one.json',
      'z.eval.yaml',
    ]);
    expect(found('evals')).toEqual(['evals/deep/er/two.yml', 'evals/one.json']);
  });

  test('not in node_modules, not in folders with a dot, and not through a link to a folder', () => {
    write('node_modules/p/x.eval.json', '.cache/x.eval.json', 'a/x.eval.json');
    symlinkSync(root, join(root, 'a/loop'));
    symlinkSync(join(root, 'a/x.eval.json'), join(root, 'linked.eval.json'));
    symlinkSync(join(root, 'gone'), join(root, 'broken.eval.json'));
    expect(found()).toEqual(['a/x.eval.json', 'linked.eval.json']);
  });

  test('a folder that cannot be read is bad input', () => {
    let error: unknown;
    try {
      found('nowhere');
    } catch (thrown) {
      error = thrown;
    }
    expect(isHostError(error) && error.code).toBe('validation_error');
  });
});

test.each([
  ['a.json', 'json'],
  ['A.JSON', 'json'],
  ['a.yaml', 'yaml'],
  ['b/a.yml', 'yaml'],
  ['a.jsonl', undefined],
  ['json', undefined],
])('the format of %s is %s', (path, format) => {
  expect(suiteFileFormat(path)).toBe(format);
});
