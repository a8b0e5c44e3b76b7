import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import type { KeptCode } from './kept-code.js';

/** Loads the files of the bundle, which are CommonJS: V8 takes compiled code for these on every Node we support. */
export type Loader = {
  /** What the file exports. */
  load(name: string): unknown;
  /**
   * Keeps what was compiled in this process for the next one, unless what is kept has nearly all of it.
   * @param measure All code that V8 holds now: a function is compiled when it is first called.
   * @param isDear That is only asked for when a file is missing.
   */
  keep(measure: () => number, isDear?: boolean): void;
};

/** `__import` is what the bundle calls where the sources say `import()`: code that comes from a cache cannot. */
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', '__import'].join(', ');

/** How much code V8 held when it was kept. */
const BYTES = 'bytes';
/** The first start may have done little, such as asking another host. Small differences are not worth the writing. */
const MUCH_MORE = 1.1;

type Wrapper = (...values: readonly unknown[]) => void;

/** @param around A file is compiled inside of it. */
export function createLoader(
  folder: string,
  kept: KeptCode,
  around: <T>(work: () => T) => T = (work) => work(),
): Loader {
  const outside = createRequire(join(folder, '/'));
  const loaded = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, Script>();
  let isMissing = false;
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
    const wrapped = `(function (${PARAMETERS}) { 'use strict'; ${source}\n})`;
    const script = around(() => new Script(wrapped, { filename, ...(cachedData && { cachedData }) }));
    scripts.set(name, script);
    isMissing ||= !cachedData || script.cachedDataRejected === true;
    return script;
  };

  return {
    load,
    keep(measure, isDear = false) {
      if (!isMissing && isDear) return;
      const keptBytes = Number(kept.read(BYTES) ?? 0);
      const compiledBytes = measure();
      if (!isMissing && compiledBytes <= keptBytes * MUCH_MORE) return;
      const code = [...scripts].map(([name, script]) => [name, script.createCachedData()] as const);
      kept.write([...code, [BYTES, Buffer.from(String(compiledBytes))]]);
    },
  };
}
