import { createRequire } from 'node:module';

type Tar = typeof import('tar');

const require = createRequire(import.meta.url);
let library: Tar | undefined;

/** The tar library, loaded with the first pack: most runs have none, and loading it is not free. */
export function tar(): Tar {
  library ??= require('tar') as Tar;
  return library;
}
