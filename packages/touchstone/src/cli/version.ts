import { readFileSync } from 'node:fs';

/** The same path from the sources, from the build and from the joined files: two folders up, then `assets`. */
export const STARTER = new URL('../../assets/adversarial/starter.suite.yaml', import.meta.url);

/** The version people installed, read from the package itself so that there is one place to change it. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
