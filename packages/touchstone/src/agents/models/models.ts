import { validateHeaderValue } from 'node:http';
import { resolve } from 'node:path';
import { defined, HostError, type ModelPin, type Owner, type VariableName } from '@touchstone/protocol';
import {
  type Bucket,
  type BucketOf,
  createFetch,
  DEFAULT_RETRIES,
  type Guard,
  type PaceOf,
  type RequestBounds,
  type RetryLimits,
} from '../../net/index.js';
import type { Clock, Random } from '../../ports/index.js';
import { timeCall } from './call-time.js';
import {
  type Choice,
  type ChooseParts,
  chooseModel,
  grantedProvider,
  type ModelQuery,
  unsetProvider,
} from './choose.js';
import { callCompletions } from './completions/call-completions.js';
import type { Model, ModelIdentity, ModelReply, Question } from './model.js';
import { createNetworkModel, type NetworkModelParts, nameOf } from './network-model.js';
import {
  createLanguageModel,
  type PackagedKind,
  PROVIDER_PACKAGES,
  type ProviderPackages,
  type ProviderSettings,
} from './provider-packages.js';
import type { ProviderSpec } from './provider-spec.js';
import { createScriptedModel } from './scripted-model.js';
import { callThrough } from './sdk-call.js';

export type ModelsParts = ChooseParts & {
  readonly env: { readonly [name: string]: string | undefined };
  /** Where relative paths of the configuration begin. */
  readonly baseDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly paceOf: PaceOf;
  /** Where declared limits are counted; without it, they are not. */
  readonly bucketOf?: BucketOf;
  readonly retries?: RetryLimits;
  readonly maxAnswerBytes?: number;
  /** How providers of the configuration are reached. */
  readonly guard?: Guard;
  /** The packages that providers are asked through; the installed ones unless a test says otherwise. */
  readonly packages?: ProviderPackages;
};

/** An endpoint that an agent names itself, rather than one of the configuration. */
export type CustomEndpoint = {
  readonly baseUrl: string;
  readonly apiKeyEnv?: string;
  /** Required when the address came from a tenant. */
  readonly guard?: Guard;
};

export type Models = {
  /** Which model answers for a class, or for a name that was asked for. Never throws; says why there is none. */
  choose(owner: Owner, query: ModelQuery): Choice;
  /** Makes a model ready to be asked. Its opener closes it. */
  open(owner: Owner, pin: ModelPin, custom?: CustomEndpoint): Promise<Model>;
  /** Address and credential of a provider granted to this owner; throws when its variable is not set. */
  endpoint(owner: Owner, name: string): ProviderEndpoint | undefined;
  /** The same for an address that an agent names itself. */
  custom(endpoint: CustomEndpoint): ProviderEndpoint;
  /** Closes every model that is still open. */
  close(): void;
};
export type ProviderEndpoint = {
  readonly baseUrl: string;
  readonly credential?: string;
  /** The variable that the credential was read from. */
  readonly keyEnv?: VariableName;
  readonly headers?: { readonly [name: string]: string };
  /** As the provider has declared it. */
  readonly requestsPerMinute?: number;
};

const DEFAULT_ANSWER_BYTES = 4 * 1024 * 1024;

const HOME_OF: { readonly [kind: string]: { readonly baseUrl: string; readonly apiKeyEnv: string } } = {
  openai: { baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', apiKeyEnv: 'ANTHROPIC_API_KEY' },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    apiKeyEnv: 'GOOGLE_GENERATIVE_AI_API_KEY',
  },
};

export function createModels(parts: ModelsParts): Models {
  const opened = new Set<Model>();

  function track(model: Model): Model {
    const tracked: Model = {
      ...model,
      ask: (question, bounds) => askTimed(model, parts.clock, question, bounds),
      close() {
        opened.delete(tracked);
        model.close();
      },
    };
    opened.add(tracked);
    return tracked;
  }

  return {
    choose: (owner, query) => chooseModel(parts, owner, query),
    async open(owner, pin, custom) {
      const spec: ProviderSpec | undefined = custom
        ? customSpec(custom)
        : grantedProvider(parts, owner, pin.provider);
      if (!spec)
        throw refusal(`Model ${pin.provider}/${pin.model}: there is no provider "${pin.provider}" here.`);
      const sharedBy = custom ? `tenant ${owner.tenant}` : pin.provider;
      return track(await openModel(parts, spec, pin, sharedBy, custom?.guard ?? parts.guard));
    },
    endpoint(owner, name) {
      const unset = unsetProvider(parts, owner, name);
      if (unset !== undefined) throw refusal(unset);
      const spec = grantedProvider(parts, owner, name);
      return spec && spec.kind !== 'scripted' ? endpointOf(spec, name, parts.env) : undefined;
    },
    custom: (endpoint) => endpointOf(customSpec(endpoint), 'of the agent', parts.env),
    close() {
      for (const model of [...opened]) model.close();
    },
  };
}

/** A reply, with the time that it took. Waiting for a place at the provider comes first, and is no part of it. */
async function askTimed(
  model: Model,
  clock: Clock,
  question: Question,
  bounds: RequestBounds,
): Promise<ModelReply> {
  const timed = timeCall(clock, bounds);
  const reply = await model.ask(question, bounds);
  return reply.kind === 'reply' ? { ...reply, usage: { ...reply.usage, time: timed() } } : reply;
}

const customSpec = ({ baseUrl, apiKeyEnv }: CustomEndpoint): ProviderSpec =>
  defined({ kind: 'openai-compatible', baseUrl, apiKeyEnv } as const);

async function openModel(
  parts: ModelsParts,
  spec: ProviderSpec,
  pin: ModelPin,
  sharedBy: string,
  guard: Guard | undefined,
): Promise<Model> {
  const { kind, timeoutMs, stream = false, limits = {} } = spec;
  const named = { kind, provider: pin.provider, model: pin.model };
  if (kind === 'scripted')
    return defined({ ...createScriptedModel(resolve(parts.baseDir, spec.path ?? ''), named), timeoutMs });
  if (kind === 'openwop')
    throw refusal(`Provider "${pin.provider}" is a host of agents (kind openwop); it has no models.`);
  const { baseUrl, credential, headers, keyEnv } = endpointOf(spec, pin.provider, parts.env);
  const identity = { ...named, baseUrl };
  const settings = defined({ baseURL: baseUrl, apiKey: credential, headers });
  const called = await openCall(parts, identity, kind, settings, stream, guard);
  const { clock, random, retries = DEFAULT_RETRIES, bucketOf } = parts;
  const sharedName = `${sharedBy} ${new URL(baseUrl).origin}`;
  const model = createNetworkModel(
    defined({
      ...called,
      identity,
      who: nameOf(identity),
      // Vendors count by credential, so two providers at the same address have two paces. An address of an agent has none.
      pace: parts.paceOf(sharedName, limits.requestsPerMinute),
      clock,
      random,
      retries,
      timeoutMs,
      access: defined({ provider: pin.provider, keyEnv, notFound: 'denied' } as const),
    }),
  );
  const { tokensPerMinute } = limits;
  if (tokensPerMinute === undefined || !bucketOf) return model;
  return withinTokens(model, bucketOf(`tokens ${sharedName}`, tokensPerMinute));
}

/** OpenAI's chat protocol is spoken here; streams of it, and what the vendors have of their own, are left to the packages. */
async function openCall(
  parts: ModelsParts,
  identity: ModelIdentity,
  kind: PackagedKind,
  settings: Omit<ProviderSettings, 'fetch'>,
  stream: boolean,
  guard: Guard | undefined,
): Promise<Pick<NetworkModelParts, 'call' | 'close'>> {
  const { maxAnswerBytes = DEFAULT_ANSWER_BYTES, packages = PROVIDER_PACKAGES } = parts;
  if (kind === 'openai-compatible' && !stream)
    return callCompletions(settings, identity, maxAnswerBytes, guard);
  const { fetch, close } = createFetch(maxAnswerBytes, guard);
  const language = await createLanguageModel(packages, kind, identity.model, { ...settings, fetch });
  return { call: callThrough(language, identity, stream), close };
}

/** How many tokens an answer takes is known when it is there, so the next question waits for what the last ones took. */
const withinTokens = (model: Model, bucket: Bucket): Model => ({
  ...model,
  async ask(question, bounds) {
    await bounds.waiting(() => bucket.wait(bounds.signal));
    const reply = await model.ask(question, bounds);
    if (reply.kind === 'reply') bucket.spend(reply.usage.inputTokens + reply.usage.outputTokens);
    return reply;
  },
});

function endpointOf(spec: ProviderSpec, name: string, env: ModelsParts['env']): ProviderEndpoint {
  const home = HOME_OF[spec.kind];
  const baseUrl = spec.baseUrl ?? home?.baseUrl;
  if (baseUrl === undefined) throw refusal(`Provider "${name}" has no baseUrl.`);
  const variable = spec.apiKeyEnv ?? home?.apiKeyEnv;
  const credential = variable === undefined ? undefined : credentialFrom(env, variable, name);
  return defined({
    baseUrl,
    credential,
    keyEnv: variable as VariableName | undefined,
    headers: spec.headers,
    requestsPerMinute: spec.limits?.requestsPerMinute,
  });
}

function credentialFrom(env: ModelsParts['env'], variable: string, name: string): string {
  const value = env[variable];
  if (value === undefined || value === '')
    throw refusal(
      `Provider "${name}" needs its credential in the environment variable ${variable}, which is not set.`,
    );
  try {
    validateHeaderValue('authorization', value);
    return value;
  } catch {
    throw refusal(`The environment variable ${variable} holds characters that no credential can have.`);
  }
}

const refusal = (message: string): HostError => new HostError('validation_error', message);
