import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { textOf } from './source-files.js';

// Goal: words that the glossary has retired do not come back into names. Method: names are counted per word, and a count
// may only shrink. `node scripts/retired-words.mjs` writes the new counts, `--print` says where the names are.
type Tally<Value> = { readonly [kind: string]: { readonly [word: string]: Value } };

const script = fileURLToPath(new URL('../scripts/retired-words.mjs', import.meta.url));
const names = JSON.parse(
  execFileSync(process.execPath, [script, '--print'], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
) as Tally<readonly string[]>;
const allowed = JSON.parse(textOf('test/retired-words.json')) as Tally<number>;

it.each(Object.keys(names))('no retired word is used more often in the names of %s', (kind) => {
  const grown = Object.entries(names[kind] ?? {}).filter(
    ([word, found]) => found.length > (allowed[kind]?.[word] ?? 0),
  );
  expect(grown).toEqual([]);
});
