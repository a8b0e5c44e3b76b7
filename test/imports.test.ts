import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGES, root, sourcesBelow, specifiersOf, targetOf, textOf } from './source-files.js';

// Goal: the allowed-imports table is true of every source file, type-only imports included, no folder is a drawer, and no
// files import each other in a circle. Method: read the specifiers of each file as text.
type Row = { readonly modules: readonly string[]; readonly packages: readonly string[] };
const { '//': _comment, ...table } = JSON.parse(textOf('test/import-table.json')) as {
  readonly [folder: string]: Row;
};

const MODULES = 'packages/touchstone/src/';
const moduleOf = (file: string): string | undefined =>
  file.startsWith(MODULES) ? file.slice(MODULES.length).split('/')[0] : undefined;

const isListed = (packages: readonly string[], specifier: string): boolean =>
  packages.some((name) => specifier === name || specifier.startsWith(name.endsWith(':') ? name : `${name}/`));

function refusal(folder: string, file: string, specifier: string): string | undefined {
  const { modules, packages } = table[folder] as Row;
  const refused = `${file} imports ${specifier}`;
  if (specifier.startsWith('@touchstone/')) return modules.includes(specifier) ? undefined : refused;
  if (!specifier.startsWith('.')) return isListed(packages, specifier) ? undefined : refused;
  const target = targetOf(file, specifier);
  if (target.startsWith(`${folder}/`)) return undefined;
  const module = moduleOf(target);
  const isIndex = target === `${MODULES}${module}/index.ts`;
  return module !== undefined && modules.includes(module) && isIndex ? undefined : refused;
}

describe('the import table', () => {
  it.each(Object.keys(table))('holds in %s', (folder) => {
    const refused = sourcesBelow(folder).flatMap((file) =>
      specifiersOf(file).flatMap((specifier) => refusal(folder, file, specifier) ?? []),
    );
    expect(refused).toEqual([]);
  });

  it('covers every module', () => {
    const modules = readdirSync(join(root, MODULES), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => MODULES + entry.name);
    expect(Object.keys(table)).toEqual(expect.arrayContaining(modules));
  });

  it('would notice an import that is not in it', () => {
    const scorecard = `${MODULES}scorecard`;
    const file = `${scorecard}/fold/build.ts`;
    expect(refusal(scorecard, file, '@touchstone/protocol/bodies')).toContain('bodies');
    expect(refusal(scorecard, file, '../../engine/index.js')).toContain('engine');
    expect(refusal(`${MODULES}app`, `${MODULES}app/x.ts`, '../engine/run/loop.js')).toContain('loop');
  });
});

describe('folders', () => {
  it('hold at most 25 source files', () => {
    const counts = new Map<string, number>();
    for (const file of PACKAGES.flatMap(sourcesBelow))
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
  });
});

/** Groups of files that reach each other by imports (Tarjan's strongly connected components). */
function cyclesIn(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) as number);
    open.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next))
        lowest.set(file, Math.min(lowest.get(file) as number, lowest.get(next) as number));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || imports.get(file)?.includes(file)) cycles.push(group.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

describe('import cycles', () => {
  it('do not exist, types counted', () => {
    const files = new Set(PACKAGES.flatMap(sourcesBelow));
    const imports = new Map(
      [...files].map((file) => [
        file,
        specifiersOf(file)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => targetOf(file, specifier))
          .filter((target) => files.has(target)),
      ]),
    );
    expect(cyclesIn(imports)).toEqual([]);
  });

  it('would be found', () => {
    const imports = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['b', 'd']],
      ['d', []],
    ]);
    expect(cyclesIn(imports)).toEqual([['b', 'c']]);
  });
});
