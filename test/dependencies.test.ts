import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { satisfies } from 'semver';
import { describe, expect, it } from 'vitest';

type Package = {
  readonly version: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
};

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: { readonly [place: string]: Package };
};
const nameOf = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 13);

/** What is installed with the published packages. */
const installed = Object.entries(lock.packages).filter(
  ([place, { dev, devOptional, link }]) => place.includes('node_modules/') && !dev && !devOptional && !link,
);

// Decision 39: no dependency may need an install script or a compiler, and each supports the oldest Node that we do.
describe('dependencies', () => {
  it('have no install script, apart from the one that only looks for its prebuilt file', () => {
    const scripted = installed.flatMap(([place, { hasInstallScript }]) =>
      hasInstallScript ? [nameOf(place)] : [],
    );
    expect(scripted).toEqual(['@photostructure/sqlite']);
  });

  it('load SQLite from the file that comes with the package, which no script and no compiler has made', () => {
    const program = `
      const { DatabaseSync } = await import('@photostructure/sqlite');
      new DatabaseSync(':memory:').close();
      process.report.excludeNetwork = true;
      const addons = process.report.getReport().sharedObjects.filter((file) => file.endsWith('.node'));
      console.log(JSON.stringify(addons));`;
    const out = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: new URL('..', import.meta.url),
      encoding: 'utf8',
    });
    const [addon, ...more] = JSON.parse(out) as readonly string[];
    expect(addon?.replaceAll('\\', '/')).toContain('/@photostructure/sqlite/prebuilds/');
    expect(more).toEqual([]);
  });

  it.each(['20.19.0', '22.12.0'])('support Node %s', (node) => {
    const unsupported = installed.flatMap(([place, { version, engines }]) =>
      engines?.node === undefined || satisfies(node, engines.node)
        ? []
        : [`${nameOf(place)}@${version} needs Node ${engines.node}`],
    );
    expect(unsupported).toEqual([]);
  });

  it('are found without download addresses of one registry', () => {
    expect(JSON.stringify(lock)).not.toContain('"resolved":"http');
  });
});
