import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// What agents and models said is on the page. The policy of the page lets no text become markup, style or code; its sources do not try.

const SOURCES = join(import.meta.dirname, '../packages/web/src');
const FORBIDDEN =
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|\beval\(|new Function|style="|setAttribute\('style'|cssText/i;

test('no source of the page makes markup, style or code of a text', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => FORBIDDEN.test(readFileSync(join(SOURCES, file), 'utf8')))).toEqual([]);
});
