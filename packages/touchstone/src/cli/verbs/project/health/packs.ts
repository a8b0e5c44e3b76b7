import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { plural } from '@touchstone/sdk/view';
import { type Config, packOptions, trustOf } from '../../../../app/index.js';
import { findPacks, type Trust, verifyPack } from '../../../../packs/index.js';
import { displayPath } from '../../../files/local-files.js';
import { openPackAt } from '../../../files/pack-files.js';
import type { Io } from '../../../io.js';
import { broken, type Finding, ok, tried, warning, wordsOf } from './finding.js';

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

/** Whom the configuration trusts, and whether each of its packs opens and is trusted. */
export async function checkPacks(config: Config): Promise<Finding[]> {
  const hasTrust = Object.keys(config.trust).length > 0;
  if (!hasTrust && config.packs.length === 0) return [];
  try {
    const trust = trustOf(config, 'cli');
    const told = ok('trust', `policy ${trust.policy}, ${plural(trust.keys.size, 'key')}`);
    return [...(hasTrust ? [told] : []), ...(await checkEach(config, trust))];
  } catch (error) {
    return [broken('trust', wordsOf(error), 'Correct "trust" in the configuration')];
  }
}

async function checkEach(config: Config, trust: Trust): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const folder of config.packs) {
    try {
      const paths = findPacks(resolve(config.baseDir, folder));
      if (paths.length === 0)
        findings.push(warning('packs', `${folder} holds no pack`, 'Correct "packs" in the configuration'));
      for (const path of paths) findings.push(await checkPack(path, config, trust));
    } catch (error) {
      findings.push(broken('packs', wordsOf(error), 'Correct "packs" in the configuration'));
    }
  }
  return findings;
}

async function checkPack(path: string, config: Config, trust: Trust): Promise<Finding> {
  const shown = displayPath(path, config.baseDir);
  return tried('pack', shown, `See what is wrong with: touchstone pack verify ${shown}`, async () => {
    const pack = await openPackAt(path, packOptions(config));
    const { signedBy } = verifyPack(pack, trust);
    const signer = signedBy === undefined ? '' : `, signed by ${signedBy}`;
    return `${pack.name}@${pack.version}, ${plural(pack.agents.length, 'agent')}${signer}`;
  });
}
