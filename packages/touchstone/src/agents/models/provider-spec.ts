import type { Issue } from '@touchstone/protocol';
import {
  type AnyObject,
  choice,
  closed,
  flag,
  integer,
  issueAt,
  mapOf,
  ruled,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import { filled, headers, readAs, tenants, timeoutMs, webUrl } from '../spec/members.js';
import type { ProviderKind } from './model.js';

const KINDS = ['openai', 'anthropic', 'google', 'openai-compatible', 'openwop', 'scripted'] as const;

/** What a kind of provider needs, and what is of no use to it. */
function kindIssues(provider: AnyObject): readonly Issue[] {
  const kind = KINDS.find((known) => known === provider.kind);
  if (kind === undefined) return [];
  const isScripted = kind === 'scripted';
  const needed = isScripted
    ? 'path'
    : kind === 'openai-compatible' || kind === 'openwop'
      ? 'baseUrl'
      : undefined;
  const misplaced = isScripted ? ['baseUrl', 'apiKeyEnv', 'headers', 'stream', 'limits'] : ['path'];
  const reason = isScripted
    ? 'a scripted provider is a file; it is not asked over a network'
    : 'only a provider of kind scripted reads a file';
  return [
    ...(needed === undefined
      ? []
      : issueAt(`/${needed}`, provider[needed] === undefined && 'required, but missing')),
    ...issueAt(
      '/limits',
      kind === 'openwop' &&
        provider.limits !== undefined &&
        'a host of agents has limits of its own; only models are counted here',
    ),
    ...misplaced.flatMap((name) => issueAt(`/${name}`, provider[name] !== undefined && reason)),
  ];
}

const perMinute = integer(undefined, { minimum: 1, maximum: 1_000_000_000 });

const providerShape = ruled(
  closed(
    { kind: choice<readonly ProviderKind[]>(KINDS) },
    {
      /** Where it is asked. Only providers with an address of their own can do without. */
      baseUrl: webUrl,
      apiKeyEnv: filled(256),
      /** Who may use it. By default all tenants if the host has only one, and none otherwise. */
      tenants,
      headers,
      /** Ask for answers piece by piece. The reply is the same; some servers are only reachable this way. */
      stream: flag(),
      timeoutMs,
      /** What it allows, by its own word. All processes on a store keep to it together. */
      limits: closed({}, { requestsPerMinute: perMinute, tokensPerMinute: perMinute }),
      /** The script, for kind `scripted`. */
      path: filled(),
    },
  ),
  kindIssues,
);

/** A provider of models or agents, as the configuration describes it. */
export type ProviderSpec = Wire<typeof providerShape>;

const providerName = text(undefined, {
  pattern: '^[a-z0-9][a-z0-9_\\-]*$',
  title: 'a provider name of lower-case letters, digits, "_" and "-"',
});
const providersShape = mapOf(providerShape, providerName);

/** Reads the `providers` of a configuration; every problem is listed under its pointer. */
export const parseProviders = (value: unknown, pointer = '/providers'): ReadonlyMap<string, ProviderSpec> =>
  new Map(Object.entries(readAs(providersShape, value, { pointer, variables: true })));

const modelReference = text(undefined, {
  maxLength: 512,
  pattern: '^[a-z0-9][a-z0-9_\\-]*/\\S+$',
  title: 'a model such as local/small-1',
});

/** Reads `modelClasses` or `models`: names on the left, `provider/model` on the right. */
export const parseModelNames = (
  value: unknown,
  pointer: string,
  known?: readonly string[],
): { readonly [name: string]: string } =>
  readAs(mapOf(modelReference, known && choice(known)), value, { pointer });
