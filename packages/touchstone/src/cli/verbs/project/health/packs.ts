import { resolve } from 'node:path';
import { plural } from '@touchstone/sdk/view';
import type { Config } from '../../../../app/index.js';
import type { Trust } from '../../../../packs/index.js';
import { openPackBytes, readPackBytes } from '../../../files/pack-files.js';
import { displayPath } from '../../../files/read-file.js';
import { broken, type Finding, ok, warning, wordsOf } from './finding.js';

/** Whom the configuration trusts, and whether each of its packs opens and is trusted. */
export async function checkPacks(config: Config): Promise<Finding[]> {
  const hasTrust = Object.keys(config.trust).length > 0;
  if (!hasTrust && config.packs.length === 0) return [];
  const { trustOf } = await import('../../../../app/index.js');
  try {
    const trust = trustOf(config, 'cli');
    const told = ok('trust', `policy ${trust.policy}, ${plural(trust.keys.size, 'key')}`);
    return [...(hasTrust ? [told] : []), ...(await checkEach(config, trust))];
  } catch (error) {
    return [broken('trust', wordsOf(error), 'Correct "trust" in the configuration')];
  }
}

async function checkEach(config: Config, trust: Trust): Promise<readonly Finding[]> {
  const { findPacks } = await import('../../../../packs/index.js');
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
  const [{ verifyPack }, { packOptions }] = await Promise.all([
    import('../../../../packs/index.js'),
    import('../../../../app/index.js'),
  ]);
  const shown = displayPath(path, config.baseDir);
  try {
    const pack = await openPackBytes(await readPackBytes(path), packOptions(config));
    const { signedBy } = verifyPack(pack, trust);
    const signer = signedBy === undefined ? '' : `, signed by ${signedBy}`;
    return ok('pack', `${pack.name}@${pack.version}, ${plural(pack.agents.length, 'agent')}${signer}`);
  } catch (error) {
    const hint = `See what is wrong with: touchstone pack verify ${shown}`;
    return broken('pack', `${shown}: ${wordsOf(error)}`, hint);
  }
}
