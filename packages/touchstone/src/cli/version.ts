import { readFileSync } from 'node:fs';

/** The version people installed, read from the package itself so that there is one place to change it. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}
