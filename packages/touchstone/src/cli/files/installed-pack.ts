import { asId, type Version } from '@touchstone/protocol';
import { highestVersion } from '../../suites/index.js';
import { UsageError } from '../exit.js';
import { didYouMean } from '../suggest.js';
import type { PackToRun } from './pack-files.js';

/** The installed pack of a reference `name` or `name@version`; a bare name means its highest version. */
export function findInstalledPack(packs: readonly PackToRun[], reference: string): PackToRun {
  const [name, wanted] = reference.split('@', 2);
  const named = packs.filter((pack) => pack.name === name);
  const version = wanted ?? highestVersion(named.map((pack) => asId<Version>(pack.version)));
  const found = named.find((pack) => pack.version === version);
  if (!found) throw notInstalled(reference, packs);
  return { name: found.name, version: found.version, agents: found.agents };
}

function notInstalled(reference: string, packs: readonly PackToRun[]): UsageError {
  const isBare = !reference.includes('@');
  const known = packs.map(({ name, version }) => (isBare ? name : `${name}@${version}`));
  return new UsageError(
    `No pack ${reference} is installed.`,
    didYouMean(reference, known, 'Installed') ?? 'Install it with: touchstone pack install <archive>',
  );
}
