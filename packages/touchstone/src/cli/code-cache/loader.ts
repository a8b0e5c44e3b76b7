import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type { KeptCode } from './kept-code.js';

/** Loads the files of the bundle, which are CommonJS: V8 takes compiled code for these on every Node we support. */
export type Loader = {
  /** What the file exports. */
  load(name: string): unknown;
  /** Keeps what was compiled in this process for the next one. */
  keep(): void;
};

/** `__import` is what the bundle calls where the sources say `import()`: code that comes from a cache cannot. */
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', '__import'].join(', ');

type Wrapper = (...values: readonly unknown[]) => void;

export function createLoader(folder: string, kept: KeptCode): Loader {
  const outside = createRequire(join(folder, '/'));
  const loaded = new Map<string, { exports: unknown }>();
  const compiledHere = new Map<string, Script>();
  const isOurs = (id: string): boolean => id.startsWith('./');

  const load = (name: string): unknown => {
    const known = loaded.get(name);
    if (known) return known.exports;
    const filename = join(folder, name);
    const script = compile(name, filename);
    const module = { exports: {} };
    loaded.set(name, module);
    const require = (id: string): unknown => (isOurs(id) ? load(id.slice(2)) : outside(id));
    const importOutside = (id: string): unknown => import(id);
    const run = script.runInThisContext() as Wrapper;
    run(module.exports, require, module, filename, folder, importOutside);
    return module.exports;
  };

  const compile = (name: string, filename: string): Script => {
    const source = readFileSync(filename, 'latin1');
    const cachedData = kept.read(name);
    const script = new Script(`(function (${PARAMETERS}) { 'use strict'; ${source}\n})`, {
      filename,
      ...(cachedData && { cachedData }),
    });
    if (!cachedData || script.cachedDataRejected) compiledHere.set(name, script);
    return script;
  };

  return {
    load,
    keep() {
      if (compiledHere.size > 0)
        kept.write([...compiledHere].map(([name, script]) => [name, script.createCachedData()]));
    },
  };
}
