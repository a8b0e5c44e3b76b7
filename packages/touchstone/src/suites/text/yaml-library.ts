import { createRequire } from 'node:module';

type Yaml = typeof import('yaml');

const require = createRequire(import.meta.url);
let library: Yaml | undefined;

/**
 * The YAML library, loaded when the first YAML text is read. Loading it takes about as long as starting Node, which
 * everyone who writes suites in JSON would otherwise pay for at each start. Reading is synchronous, so `import()` is not
 * an option here.
 */
export function yaml(): Yaml {
  library ??= require('yaml') as Yaml;
  return library;
}
