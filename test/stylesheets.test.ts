import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// All stylesheets end in one file. Where two of them use one name for different things, the later one changes a page that nobody looked at.

const FOLDER = join(import.meta.dirname, '../packages/web/src/styles');

/** Elements and classes that a stylesheet has rules for wherever they stand: `.menu`, `table.plain`, `kbd`. */
function namesIn(sheet: string): readonly string[] {
  const text = readFileSync(join(FOLDER, sheet), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const selectors = [...text.matchAll(/([^{}]+)\{/g)].flatMap(([, list = '']) => list.split(','));
  return [...new Set(selectors.map((one) => one.trim()))].filter((one) => /^[a-z]*(\.[\w-]+)?$/.test(one));
}

test('a name has its rules in one stylesheet', () => {
  const sheets = new Map<string, string[]>();
  for (const sheet of readdirSync(FOLDER).filter((file) => file.endsWith('.css')))
    for (const name of namesIn(sheet)) sheets.set(name, [...(sheets.get(name) ?? []), sheet]);
  expect(sheets.size).toBeGreaterThan(100);
  expect([...sheets].filter(([, found]) => found.length > 1)).toEqual([]);
});
