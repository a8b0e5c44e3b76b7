import { readHeaders, readTenants, readTimeout, readUrl } from '../spec/members.js';
import { ObjectReader, present } from '../spec/object-reader.js';
import type { ProviderKind } from './model.js';

/** A provider of models or agents, as the configuration describes it. */
export type ProviderSpec = {
  readonly kind: ProviderKind;
  /** Where it is asked. Only providers with an address of their own can do without. */
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  /** Who may use it. By default all tenants if the host has only one, and none otherwise. */
  readonly tenants?: readonly string[];
  readonly headers?: { readonly [name: string]: string };
  /** Ask for answers piece by piece. The reply is the same; some servers are only reachable this way. */
  readonly stream?: boolean;
  readonly timeoutMs?: number;
  /** The script, for kind `scripted`. */
  readonly path?: string;
};

const KINDS: readonly ProviderKind[] = [
  'openai',
  'anthropic',
  'google',
  'openai-compatible',
  'openwop',
  'scripted',
];
const NAME = /^[a-z0-9][a-z0-9_-]*$/;
const OF_THE_NETWORK = ['baseUrl', 'apiKeyEnv', 'headers', 'stream'];

/** Reads the `providers` of a configuration; every problem is listed under its pointer. */
export const parseProviders = (value: unknown, pointer = '/providers'): ReadonlyMap<string, ProviderSpec> =>
  ObjectReader.read(value, pointer, (providers) => new Map(providers.entries(readProvider)));

function readProvider(reader: ObjectReader, name: string): ProviderSpec {
  if (!NAME.test(name))
    reader.complain('Expected a provider name of lower-case letters, digits, "_" and "-".');
  reader.require('kind');
  const kind = reader.choice('kind', KINDS);
  requireFor(reader, kind);
  return present<ProviderSpec>({
    kind,
    baseUrl: readUrl(reader, 'baseUrl'),
    apiKeyEnv: reader.text('apiKeyEnv', { max: 256 }),
    tenants: readTenants(reader),
    headers: readHeaders(reader),
    stream: reader.flag('stream'),
    timeoutMs: readTimeout(reader),
    path: reader.text('path'),
  });
}

function requireFor(reader: ObjectReader, kind: ProviderKind | undefined): void {
  if (kind === undefined) return;
  if (kind === 'openai-compatible' || kind === 'openwop') reader.require('baseUrl');
  if (kind !== 'scripted') {
    if (reader.has('path')) reader.refuse('path', 'Only a provider of kind scripted reads a file.');
    return;
  }
  reader.require('path');
  for (const name of OF_THE_NETWORK)
    if (reader.has(name))
      reader.refuse(name, 'A scripted provider is a file; it is not asked over a network.');
}

/** Reads `modelClasses` or `models`: names on the left, `provider/model` on the right. */
export function parseModelNames(
  value: unknown,
  pointer: string,
  known?: readonly string[],
): { readonly [name: string]: string } {
  const names = ObjectReader.read(value, pointer, (reader) =>
    reader.names().map((name) => {
      if (known && !known.includes(name)) reader.refuse(name, `Expected one of ${known.join(', ')}.`);
      return [name, reader.text(name, MODEL_NAME) ?? ''] as const;
    }),
  );
  return Object.fromEntries(names);
}

const MODEL_NAME = {
  max: 512,
  pattern: /^[a-z0-9][a-z0-9_-]*\/\S+$/,
  expected: 'a model such as local/small-1',
};
