import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { validationError } from '@touchstone/protocol';
import { parseTrust, type Trust } from '../../packs/index.js';
import type { Config } from './config-types.js';

type TrustSource = Pick<Config, 'trust' | 'baseDir'>;

/** Whom the operator trusts. A server wants signatures unless the configuration says otherwise. */
export function trustOf(config: Config, origin: 'host' | 'cli'): Trust {
  const troubles = config.troubles.filter(({ pointer }) => `${pointer}/`.startsWith('/trust/'));
  if (troubles.length > 0)
    throw validationError(troubles, config.file === undefined ? {} : { file: config.file });
  return readTrust(config, origin);
}

export const readTrust = ({ trust, baseDir }: TrustSource, origin: 'host' | 'cli'): Trust =>
  parseTrust(trust, origin === 'host' ? 'verified' : 'open', (path) =>
    readFileSync(resolve(baseDir, path), 'utf8'),
  );
