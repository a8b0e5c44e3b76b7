import module from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag, getHeapCodeStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Io } from '../io.js';
import { codeCacheFolder } from './cache-folder.js';
import { createKeptCode, NOTHING_KEPT } from './kept-code.js';
import { createLoader } from './loader.js';
import { boundOldGeneration } from './old-generation.js';
import { boundYoungGeneration, UNBOUND } from './young-generation.js';

type CompileCache = { readonly enableCompileCache?: (folder: string) => unknown };

const ROOM_BYTES = 16 * 1024 * 1024;
const verb = /^[a-z]+$/.exec(process.argv[2] ?? '')?.[0] ?? 'any';

// These pass over much and keep little: room for what is new that stays small is enough for them, and saves 10 MB. The flag is part
// of the tag that compiled code is kept under, so it is said before anything is loaded.
if (verb === 'show' || verb === 'compare') setFlagsFromString('--semi-space-growth-factor=1');

// A long run keeps what is at work for some milliseconds. More room than for that is filled with what is over, and holds 20 to 60 MB.
const young = verb === 'run' ? boundYoungGeneration(ROOM_BYTES) : UNBOUND;
if (verb === 'run') boundOldGeneration(ROOM_BYTES);

// The first file of the bundle. It loads the others, from compiled code where there is some.
const bundle = fileURLToPath(new URL('.', import.meta.url));
const folder = codeCacheFolder(process.env, process.platform);
// Other packages are kept by Node itself since 22.8, which the types of Node 20 do not know. By default it uses a folder for all users.
if (folder !== undefined) (module as CompileCache).enableCompileCache?.(folder);
const loader = createLoader(
  bundle,
  folder === undefined ? NOTHING_KEPT : keptIn(folder),
  young.withFirstFlags,
);
if (verb === 'run')
  (loader.load('thread.cjs') as typeof import('../early-thread.js')).prepareEarly(process.argv.slice(3));
const cli = loader.load('cli.cjs') as typeof import('../main.js');

export const { processIo } = cli;

export async function main(argv: readonly string[], io: Io): Promise<number> {
  const exitCode = await cli.main(argv, io).finally(young.release);
  // A verb that does not exist ends with 2, and leaves nothing behind.
  if (exitCode !== 2)
    loader.keep(() => getHeapCodeStatistics().bytecode_and_metadata_size, !looksForMore || hasMuchInMemory());
  return exitCode;
}

/** One start in eight: what an earlier one has kept is most often all there is. */
const looksForMore = process.pid % 8 === 0;

/** All of the heap is looked through for code, which takes 2 ms after a small run, and 50 ms after one that has read much. */
const hasMuchInMemory = (): boolean => getHeapStatistics().used_heap_size > SMALL_HEAP_BYTES;

const SMALL_HEAP_BYTES = 32 * 1024 * 1024;

/** V8 keeps the name of a file with its code, so traces would name an equal file of another installation. */
function placeOf(path: string): string {
  const hash = Buffer.from(path).reduce((sum, byte) => Math.imul(sum ^ byte, 0x01000193) >>> 0, 0x811c9dc5);
  return hash.toString(36);
}

/** For this build and this V8. A function is compiled when it is first called, so each verb leaves something else behind. */
function keptIn(folder: string) {
  const build = `${basename(bundle)}-${cachedDataVersionTag().toString(16)}-${placeOf(bundle)}`;
  return createKeptCode(folder, join(build, verb), () => Date.now());
}
