import { isHostError } from '@touchstone/protocol';
import { systemClock } from '../../../../app/system.js';
import { createGuard } from '../../../../net/index.js';
import type { Clock } from '../../../../ports/index.js';
import { parseDatasetUri } from '../../uri.js';
import { completeDatasetConfig, type DatasetConfigInput } from '../config.js';
import type { DatasetFile } from '../jail.js';
import { createDatasetSource, type OpenOptions } from '../source.js';

type Setup = {
  readonly config?: DatasetConfigInput;
  readonly egress?: { readonly allowHosts?: readonly string[]; readonly allowPrivate?: boolean };
  readonly env?: { readonly [name: string]: string };
  readonly clock?: Clock;
  /** Addresses by name, instead of asking the network. */
  readonly names?: { readonly [host: string]: string };
};

const OPERATOR: OpenOptions = { trust: 'operator' };

/** Opens datasets by the text of their URIs. */
export function createFetching({
  config = {},
  egress = {},
  env = {},
  clock = systemClock,
  names = {},
}: Setup = {}) {
  const rules = { allowHosts: [], allowPrivate: false, ...egress };
  const guard = createGuard({
    ...rules,
    resolve: async (host) => [{ address: names[host] ?? '127.0.0.1', family: 4 }],
  });
  const complete = completeDatasetConfig(config, (path) => path);
  const source = createDatasetSource({ config: complete, egress: rules, env, clock, guard });
  const open = async (uri: string, options: Partial<OpenOptions> = {}): Promise<DatasetFile> =>
    source.open(parseDatasetUri(uri), { ...OPERATOR, ...options });
  return {
    open,
    read: async (uri: string, options?: Partial<OpenOptions>) => textOf(await open(uri, options)),
  };
}

export async function textOf({ bytes }: DatasetFile): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The codes of an error and its words. */
export async function refusalOf(
  work: Promise<unknown>,
): Promise<{ kind: string; code: unknown; message: string }> {
  try {
    await work;
  } catch (error) {
    if (!isHostError(error)) throw error;
    return {
      kind: error.code,
      code: error.details?.code,
      message: JSON.stringify([error.message, error.details]),
    };
  }
  throw new Error('Nothing was refused.');
}
