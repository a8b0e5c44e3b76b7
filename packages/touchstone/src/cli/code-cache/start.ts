import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { codeCacheFolder } from './cache-folder.js';
import { createKeptCode, NOTHING_KEPT } from './kept-code.js';
import { createLoader } from './loader.js';

// The first file of the bundle. It loads the others, from compiled code where there is some.
const bundle = fileURLToPath(new URL('.', import.meta.url));
const folder = codeCacheFolder(process.env, process.platform);
/** Code is compiled when it is first called, so what one verb leaves behind is half of what another needs. */
const verb = /^[a-z]+$/.exec(process.argv[2] ?? '')?.[0] ?? 'any';
const build = join(`${basename(bundle)}-${cachedDataVersionTag().toString(16)}`, verb);
const loader = createLoader(
  bundle,
  folder === undefined ? NOTHING_KEPT : createKeptCode(folder, build, () => Date.now()),
);

export const { main, processIo } = loader.load('cli.cjs') as typeof import('../main.js');
export const keepCompiledCode = loader.keep;
