import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

// Goal: the allowed-imports table is true of every source file, type-only imports included. Method: read the specifiers
// of each file as text and look them up; test files may import what they like from outside, but not another room's inside.
const root = fileURLToPath(new URL('..', import.meta.url));
const { '//': _comment, ...table } = JSON.parse(
  readFileSync(join(root, 'test/import-table.json'), 'utf8'),
) as {
  [folder: string]: { rooms: string[]; modules: string[] };
};

const filesBelow = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return ['testing', 'fixtures'].includes(name) ? [] : filesBelow(path);
    return /\.(ts|tsx|js)$/.test(name) && !/\.test\.ts$/.test(name) ? [path] : [];
  });

const specifiersOf = (file: string): string[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /(?:(?<!-)\bfrom\s*|\bimport\s*\(?\s*|(?<!\.)\brequire\s*\(\s*)'([^']+)'/g,
    ),
  ].map((match) => match[1] as string);

/** The room a file of the main package belongs to, e.g. `engine`. */
const roomOf = (file: string): string =>
  relative(join(root, 'packages/touchstone/src'), file).split('/')[0] as string;

function refusal(folder: string, file: string, specifier: string): string | undefined {
  const { rooms, modules } = table[folder] as { rooms: string[]; modules: string[] };
  const where = `${relative(root, file)} imports ${specifier}`;
  if (specifier.startsWith('@touchstone/')) return rooms.includes(specifier) ? undefined : where;
  if (!specifier.startsWith('.')) {
    return modules.some(
      (name) => specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`),
    )
      ? undefined
      : where;
  }
  const target = resolve(dirname(file), specifier);
  if (target.startsWith(join(root, folder))) return undefined;
  const door = relative(join(root, 'packages/touchstone/src'), target);
  const isDoor = door === `${roomOf(target)}/index.js` || door === 'host/in-process.js';
  return rooms.includes(roomOf(target)) && isDoor ? undefined : where;
}

describe('the import table', () => {
  it.each(Object.keys(table))('holds in %s', (folder) => {
    const refused = filesBelow(join(root, folder)).flatMap((file) =>
      specifiersOf(file).flatMap((specifier) => refusal(folder, file, specifier) ?? []),
    );
    expect(refused).toEqual([]);
  });

  it('covers every room', () => {
    const rooms = readdirSync(join(root, 'packages/touchstone/src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `packages/touchstone/src/${entry.name}`);
    expect(Object.keys(table)).toEqual(expect.arrayContaining(rooms));
  });

  it('would notice a door that is not in it', () => {
    const scorecard = 'packages/touchstone/src/scorecard';
    const file = join(root, scorecard, 'build.ts');
    expect(refusal(scorecard, file, '@touchstone/contract/bodies')).toContain('bodies');
    expect(refusal(scorecard, file, '../engine/index.js')).toContain('engine');
    expect(
      refusal(
        'packages/touchstone/src/host',
        join(root, 'packages/touchstone/src/host/x.ts'),
        '../engine/loop.js',
      ),
    ).toContain('loop');
  });
});
