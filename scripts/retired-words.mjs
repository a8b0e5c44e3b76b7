// Counts the retired words in names: node scripts/retired-words.mjs writes the counts to test/retired-words.json, which
// test/words.test.ts does not let grow; --print shows the names instead. A retired word has a better one in the glossary.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const COUNTS = join(root, 'test/retired-words.json');

const ROLE_PLAY =
  'bell chapter desk door fate house lane purse remark scene script shelf story suspect told wish world'.split(
    ' ',
  );
const IN_TYPES = [
  ...ROLE_PLAY,
  ...'asked come decided found given held known listed opened place props said'.split(' '),
];
const IN_FUNCTIONS = ROLE_PLAY;
const IN_FILES = [...ROLE_PLAY, 'asked', 'place'];

/** The engine's `Script` is retired; a script elsewhere is what a scripted agent or model follows. */
const isRetired = (word, file) => word !== 'script' || file.includes('/engine/');

/** A type is a noun: `Asked` says nothing in a list of imports. What ends like a participle and is none, or names an event. */
const NO_PARTICIPLES = 'Embed Feed Need Seed Speed Token Screen Children Deferred'.split(' ');
const IRREGULAR =
  /^(?:Bound|Built|Come|Done|Found|Gone|Held|Kept|Left|Lost|Made|Said|Sent|Told|Thrown|Known|Shown|Drawn)$/;
const isParticiple = (name) =>
  /^[A-Z][a-z]+(?:ed|en)$|^[A-Z][a-z]+$/.test(name) &&
  (/(?:ed|en)$/.test(name) || IRREGULAR.test(name)) &&
  !NO_PARTICIPLES.includes(name);

const filesBelow = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['dist', 'node_modules'].includes(entry.name) ? [] : filesBelow(path);
    return /\.(?:ts|js|mjs)$/.test(entry.name) ? [path] : [];
  });
const wordsOf = (name) =>
  name
    .split(/(?<=[a-z0-9])(?=[A-Z])|[-_.]/)
    .map((word) => word.toLowerCase())
    .flatMap((word) => (word.endsWith('s') && word !== 'props' ? [word, word.slice(0, -1)] : [word]));

const files = [...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`), 'test'].flatMap(
  filesIfAny,
);
function filesIfAny(folder) {
  try {
    return filesBelow(folder);
  } catch {
    return [];
  }
}
const TYPE = /^\s*(?:export )?(?:declare )?(?:abstract )?(?:type|interface|class) ([A-Z]\w*)/gm;
const FUNCTION = /^export (?:async )?(?:function\*? |const )([A-Za-z_]\w*)/gm;
const namesIn = (pattern) =>
  files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, name]) => ({ file, name })),
  );

function tally(words, names) {
  const found = words.map((word) => [
    word,
    names.filter(({ file, name }) => wordsOf(name).includes(word) && isRetired(word, file)),
  ]);
  return Object.fromEntries(found);
}
const types = namesIn(TYPE);
const found = {
  types: tally(IN_TYPES, types),
  functions: tally(IN_FUNCTIONS, namesIn(FUNCTION)),
  files: tally(
    IN_FILES,
    files.map((file) => ({ file, name: basename(file) })),
  ),
  participles: { types: types.filter(({ name }) => isParticiple(name)) },
};
const mapped = (use) =>
  Object.fromEntries(
    Object.entries(found).map(([kind, words]) => [
      kind,
      Object.fromEntries(Object.entries(words).map(([word, names]) => [word, use(names)])),
    ]),
  );

if (process.argv.includes('--print'))
  console.log(
    JSON.stringify(
      mapped((names) => names.map(({ file, name }) => `${name} in ${file}`)),
      null,
      2,
    ),
  );
else
  writeFileSync(
    COUNTS,
    `${JSON.stringify(
      mapped((names) => names.length),
      null,
      2,
    )}\n`,
  );
