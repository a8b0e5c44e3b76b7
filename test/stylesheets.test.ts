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

/** What the container queries of a stylesheet change: `.grid-runs .cell-tags`. */
function narrowed(sheet: string): readonly string[] {
  const text = readFileSync(join(FOLDER, sheet), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const queries = [...text.matchAll(/@container[^{]*\{((?:[^{}]*\{[^}]*\})*)\s*\}/g)];
  const rules = queries.flatMap(([, body = '']) => [...body.matchAll(/([^{}]+)\{/g)]);
  return rules.flatMap(([, list = '']) => list.split(/,(?![^(]*\))/).map((one) => one.trim()));
}

test('a column that changes as its list narrows is named together with its list', () => {
  const sheets = readdirSync(FOLDER).filter((file) => file.endsWith('.css'));
  const columns = sheets.flatMap(narrowed).filter((selector) => selector.includes('.cell-'));
  expect(columns.length).toBeGreaterThan(20);
  expect(columns.filter((selector) => !/^(:is\()?\.grid-(?!row|head)[\w-]+[ ,]/.test(selector))).toEqual([]);
});
