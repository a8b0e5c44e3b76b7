import { readFileSync } from 'node:fs';

/** A file of the package. The same path from the sources, from the build and from the joined files: two folders up, then `assets`. */
export const readAsset = (name: string): string =>
  readFileSync(new URL(`../../assets/${name}`, import.meta.url), 'utf8');

/** The script or the style of the page in one file, as `npm run build` makes them. */
export const readPagePart = (name: string): string =>
  readFileSync(new URL(`../../page/file/${name}`, import.meta.url), 'utf8');

/** The version people installed, read from the package itself so that there is one place to change it. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
