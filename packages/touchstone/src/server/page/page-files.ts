import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the page with its compressed forms, which were made when it was built. */
export type PageFile = {
  readonly type: string;
  readonly etag: string;
  readonly forms: { readonly identity: Buffer; readonly gzip?: Buffer; readonly br?: Buffer };
};
export type PageFiles = {
  /** What every address of the page shows at first. */
  readonly shell: PageFile;
  /** By the path they are asked for. */
  readonly assets: ReadonlyMap<string, PageFile>;
};

/** The same path from the sources, from the build and from the joined files. */
const FOLDER = fileURLToPath(new URL('../../page/', import.meta.url));
const SOURCES_FOLDER = fileURLToPath(new URL('../../../page/', import.meta.url));

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** All of it at once: it is small, and what is read at the start cannot change under a running host. */
export function readPageFiles(): PageFiles | undefined {
  const folder = [FOLDER, SOURCES_FOLDER].find((place) => existsSync(`${place}index.html`));
  if (folder === undefined) return undefined;
  const names = readdirSync(`${folder}assets`).filter((name) => extname(name) in TYPES);
  return {
    shell: readFile(`${folder}index.html`),
    assets: new Map(names.map((name) => [`/assets/${name}`, readFile(`${folder}assets/${name}`)])),
  };
}

function readFile(path: string): PageFile {
  const identity = readFileSync(path);
  const form = (name: 'gzip' | 'br', extension: string) =>
    existsSync(path + extension) ? { [name]: readFileSync(path + extension) } : {};
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    forms: { identity, ...form('gzip', '.gz'), ...form('br', '.br') },
  };
}
