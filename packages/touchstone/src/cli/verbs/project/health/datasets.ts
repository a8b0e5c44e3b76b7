import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../../../app/index.js';
import type { Io } from '../../../io.js';
import { broken, type Finding, ok } from './finding.js';

/** Whether the places that datasets may be read from are there. Nothing is fetched. */
export function checkDatasets({ datasets, baseDir }: Config, env: Io['env']): readonly Finding[] {
  const { roots = [], prefixes = {}, s3 } = datasets;
  return [
    ...roots.map((root) => checkFolder(`file: below ${root}`, resolve(baseDir, root), 'datasets.roots')),
    ...Object.entries(prefixes).map(([prefix, target]) =>
      /^https?:/i.test(target)
        ? ok('datasets', `${prefix} is read from ${target}`)
        : checkFolder(`${prefix} is read from ${target}`, resolve(baseDir, target), 'datasets.prefixes'),
    ),
    ...(s3 ? [checkS3(s3, env)] : []),
  ];
}

function checkFolder(words: string, path: string, member: string): Finding {
  if (existsSync(path) && statSync(path).isDirectory()) return ok('datasets', words);
  return broken('datasets', `${words}: there is no such folder`, `Correct "${member}" in the configuration`);
}

function checkS3(
  { accessKeyEnv, secretKeyEnv, sessionTokenEnv, endpoint }: NonNullable<Config['datasets']['s3']>,
  env: Io['env'],
): Finding {
  const names = [accessKeyEnv, secretKeyEnv, ...(sessionTokenEnv === undefined ? [] : [sessionTokenEnv])];
  const missing = names.filter((name) => !env[name]);
  const where = endpoint === undefined ? 's3' : `s3 at ${new URL(endpoint).host}`;
  if (missing.length === 0) return ok('datasets', `${where}, its credentials are set`);
  return broken(
    'datasets',
    `${where}: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set`,
    'Set the variables, or correct "datasets.s3" in the configuration',
  );
}
