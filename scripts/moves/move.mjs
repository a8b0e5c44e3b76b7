// Moves the source files to where map.mjs says, and rewrites every path to them: imports, re-exports, `new URL(…,
// import.meta.url)`. An import across modules goes through the other module's index.ts, which gets the names it lacks.
// Can be run again: files that stand where they should are left alone, so a branch made before the move is brought along
// by merging up to the commit before it and running this.
//
//   node scripts/moves/move.mjs
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ELSEWHERE, FOLDERS } from './map.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
const SOURCE = 'packages/touchstone/src/';
const tracked = git('ls-files').split('\n').filter(Boolean);

const stemOf = (name) =>
  name.replace(/\.test\.ts\.snap$|\.test\.ts$|\.d\.ts$|\.ts$|\.js$|\.json$|\.mjs$/, '');

/** Where a file stands after the move. */
function placeOf(file) {
  for (const [from, to] of ELSEWHERE) if (file.startsWith(`${from}/`)) return to + file.slice(from.length);
  if (!file.startsWith('packages/')) return file;
  const path = file.slice('packages/'.length);
  const snapshot = path.includes('/__snapshots__/');
  const folder = snapshot ? dirname(dirname(path)) : dirname(path);
  const name = basename(path);
  for (const [from, to, names] of FOLDERS) {
    for (const entry of names.split(' ')) {
      const [old, fresh = old] = entry.split('>');
      if (old === '*' || from !== folder || stemOf(name) !== old) continue;
      return `packages/${to}/${snapshot ? '__snapshots__/' : ''}${fresh}${name.slice(old.length)}`;
    }
  }
  const whole = FOLDERS.filter(
    ([from, , names]) => /(^| )\*$/.test(names) && `${path}/`.startsWith(`${from}/`),
  );
  whole.sort((a, b) => b[0].length - a[0].length);
  return whole.length === 0 ? file : `packages/${whole[0][1]}${path.slice(whole[0][0].length)}`;
}

const places = new Map(tracked.map((file) => [file, placeOf(file)]));
const texts = new Map(
  tracked
    .filter((file) => /\.(ts|tsx|js|mjs|cjs)$/.test(file) && existsSync(join(root, file)))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);

/** The tracked file that a relative specifier means. */
function targetOf(file, specifier) {
  const path = posix.join(dirname(file), specifier);
  return [path, path.replace(/\.js$/, '.ts'), `${path}/index.ts`].find((name) => places.has(name));
}
const specifierTo = (file, target) => {
  const path = relative(dirname(file), target).replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
};

const IMPORT = /^(import|export) (type )?(\{[^}]*\}|\* as \w+|\*|\w+) from '([^']+)';/gm;
const namesIn = (clause, typed) =>
  clause
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const bare = part.replace(/^type /, '');
      const [name, alias = name] = bare.split(' as ');
      return { name, alias, type: typed || bare !== part };
    });

/** What the index of a module re-exports: exported name → where it is declared. */
function exportsOf(index) {
  const found = new Map();
  for (const [, kind, typed, clause, specifier] of (texts.get(index) ?? '').matchAll(IMPORT)) {
    if (kind !== 'export' || !clause.startsWith('{')) continue;
    const target = specifier.startsWith('.') ? targetOf(index, specifier) : undefined;
    for (const { name, alias, type } of namesIn(clause, typed)) found.set(alias, { name, type, target });
  }
  return found;
}

const moduleOf = (place) => (place.startsWith(SOURCE) ? place.slice(SOURCE.length).split('/')[0] : undefined);
const isPart = (place) =>
  place.startsWith(SOURCE) &&
  place.slice(SOURCE.length).includes('/') &&
  !/\.test\.ts$|\/(testing|fixtures)\//.test(place);
const indexOf = (module) => `${SOURCE}${module}/index.ts`;
const OLD_INDEXES = ['suites', 'scorecard']
  .map((room) => `${SOURCE}${room}/index.ts`)
  .filter((file) => texts.has(file));
const oldExports = new Map(OLD_INDEXES.map((file) => [file, exportsOf(file)]));
const PORTS = [`${SOURCE}ports/index.ts`, 'packages/contract/src/ports/index.ts'].find((file) =>
  places.has(file),
);
/** New index → names it has to export → declaring file, as it was before. */
const wanted = new Map();

/** The statements that replace one import: by name to where each is declared now, across modules through the index. */
function rewrite(file, place, [whole, kind, typed = '', clause, specifier]) {
  if (specifier === '@touchstone/protocol/ports') specifier = `\0${PORTS}`;
  const target = specifier.startsWith('\0')
    ? PORTS
    : specifier.startsWith('.')
      ? targetOf(file, specifier)
      : undefined;
  if (target === undefined) return whole;
  const home = moduleOf(place);
  const door = (origin) => {
    const there = places.get(origin);
    const module = moduleOf(there);
    const crosses = isPart(place) && home !== module && isPart(there);
    return { there, index: crosses && there !== indexOf(module) ? indexOf(module) : undefined };
  };
  if (!clause.startsWith('{'))
    return `${kind} ${typed}${clause} from '${specifierTo(place, places.get(target))}';`;
  const groups = new Map();
  for (const entry of namesIn(clause, typed !== '')) {
    const inner = oldExports.get(target)?.get(entry.name);
    const origin = inner?.target ?? target;
    const name = inner?.name ?? entry.name;
    const { there, index } = door(origin);
    // An index that lists what is another module's now lists it no more.
    if (
      kind === 'export' &&
      basename(place) === 'index.ts' &&
      oldExports.has(file) &&
      moduleOf(there) !== home
    )
      continue;
    if (index) {
      const names = wanted.get(index) ?? wanted.set(index, new Map()).get(index);
      names.set(name, { origin, type: names.get(name)?.type === false ? false : entry.type });
    }
    const to = specifierTo(place, index ?? there);
    groups.set(to, [...(groups.get(to) ?? []), { ...entry, name }]);
  }
  return [...groups]
    .map(([to, entries]) => {
      const allTypes = entries.every(({ type }) => type);
      const parts = entries.map(
        ({ name, alias, type }) =>
          `${type && !allTypes ? 'type ' : ''}${name}${alias === name ? '' : ` as ${alias}`}`,
      );
      return `${kind} ${allTypes ? 'type ' : ''}{ ${parts.join(', ')} } from '${to}';`;
    })
    .join('\n');
}

function rewritePaths(file, place, text) {
  const move = (specifier) => {
    const target = targetOf(file, specifier);
    return target === undefined
      ? undefined
      : specifierTo(place, places.get(target)).replace(/\.js$/, extname(specifier));
  };
  const extname = (specifier) => /\.[cm]?[jt]sx?$/.exec(specifier)?.[0] ?? '';
  return text
    .replaceAll(/\bimport\(\s*'(\.[^']+)'\s*\)/g, (whole, specifier) => {
      const target = targetOf(file, specifier);
      if (target === undefined) return whole;
      const there = places.get(target);
      const crosses = isPart(place) && isPart(there) && moduleOf(place) !== moduleOf(there);
      return `import('${specifierTo(place, crosses ? indexOf(moduleOf(there)) : there)}')`;
    })
    .replaceAll(
      /import\('@touchstone\/contract\/ports'\)/g,
      () => `import('${specifierTo(place, places.get(PORTS))}')`,
    )
    .replaceAll(/^import '(\.[^']+)';/gm, (whole, specifier) =>
      move(specifier) ? `import '${move(specifier)}';` : whole,
    )
    .replaceAll(/new URL\(\s*(['`])(\.[^'`$]*)\1,\s*import\.meta\.url/g, (whole, _quote, specifier) => {
      const path = posix.join(dirname(file), specifier).replace(/\/$/, '');
      const exact = places.get(path);
      const folder = exact
        ? undefined
        : /^packages\/[^/]+$|^packages\/[^/]+\/(assets|bin|dist)|^(test|bench|docs|scripts|examples|packages)?$/.test(
              path,
            ) ||
            path === '.' ||
            path === '..'
          ? path
          : undefined;
      const there = exact ?? folder;
      if (there === undefined) return whole;
      const fresh = relative(dirname(place), there) + (specifier.endsWith('/') ? '/' : '');
      return whole.replace(specifier, fresh.startsWith('.') ? fresh : `./${fresh}`);
    });
}

const written = new Map();
for (const [file, text] of texts) {
  const place = places.get(file);
  const imports = text.replaceAll(IMPORT, (...match) => rewrite(file, place, match));
  written.set(
    place,
    rewritePaths(file, place, imports).replaceAll('@touchstone/protocol', '@touchstone/protocol'),
  );
}

for (const [index, names] of wanted) {
  const file = [...places].find(([, place]) => place === index)?.[0];
  const has = new Set(file ? exportsIn(written.get(index)) : []);
  const lines = [...names]
    .filter(([name]) => !has.has(name))
    .map(
      ([name, { origin, type }]) =>
        `export ${type ? 'type ' : ''}{ ${name} } from '${specifierTo(index, places.get(origin))}';`,
    );
  written.set(index, `${written.get(index) ?? ''}${lines.join('\n')}${lines.length ? '\n' : ''}`);
}
function exportsIn(text) {
  return [...text.matchAll(IMPORT)].flatMap(([, kind, typed, clause]) =>
    kind === 'export' && clause.startsWith('{') ? namesIn(clause, typed).map(({ alias }) => alias) : [],
  );
}

for (const [file, place] of places) {
  if (file === place || !existsSync(join(root, file))) continue;
  mkdirSync(dirname(join(root, place)), { recursive: true });
  git('mv', file, place);
}
for (const [place, text] of written) {
  mkdirSync(dirname(join(root, place)), { recursive: true });
  if (!existsSync(join(root, place)) || readFileSync(join(root, place), 'utf8') !== text)
    writeFileSync(join(root, place), text);
}
console.log(`${[...places].filter(([a, b]) => a !== b).length} files moved, ${written.size} read`);
