import type { LanguageModelV3 } from '@ai-sdk/provider';
import { HostError } from '@touchstone/protocol';
import type { ProviderKind } from './model.js';

export type ProviderSettings = {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers?: Record<string, string>;
  readonly fetch: typeof globalThis.fetch;
};
type CreateLanguageModel = (
  model: string,
  settings: ProviderSettings,
) => { readonly specificationVersion: string };

/** Kinds that are asked through a package. The package is loaded when a model is opened, because most runs need none. */
export type PackagedKind = Exclude<ProviderKind, 'openwop' | 'scripted'>;
export type ProviderPackage = { readonly name: string; readonly load: () => Promise<CreateLanguageModel> };
export type ProviderPackages = { readonly [K in PackagedKind]: ProviderPackage };

export const PROVIDER_PACKAGES: ProviderPackages = {
  openai: {
    name: '@ai-sdk/openai',
    async load() {
      const { createOpenAI } = await import('@ai-sdk/openai');
      // The chat endpoint rather than the newer one: it keeps no state between calls, so equal questions stay equal.
      return (model, settings) => createOpenAI(settings).chat(model);
    },
  },
  anthropic: {
    name: '@ai-sdk/anthropic',
    async load() {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return (model, settings) => createAnthropic(settings)(model);
    },
  },
  google: {
    name: '@ai-sdk/google',
    async load() {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return (model, settings) => createGoogleGenerativeAI(settings)(model);
    },
  },
  'openai-compatible': {
    name: '@ai-sdk/openai-compatible',
    async load() {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const fixed = { name: 'compatible', includeUsage: true, supportsStructuredOutputs: true };
      return (model, settings) => createOpenAICompatible({ ...fixed, ...settings })(model);
    },
  },
};

const SPOKEN = 'v3';

/** The first major version of each package that speaks what we speak, for the sentence that says what to install. */
const SPEAKING: { readonly [K in PackagedKind]: number } = {
  openai: 3,
  anthropic: 3,
  google: 3,
  'openai-compatible': 2,
};

export async function createLanguageModel(
  packages: ProviderPackages,
  kind: PackagedKind,
  model: string,
  settings: ProviderSettings,
): Promise<LanguageModelV3> {
  const { name, load } = packages[kind];
  const create = await load().catch((error: unknown) => {
    throw isMissing(error) ? notInstalled(kind, name) : error;
  });
  const language = create(model, settings);
  if (language.specificationVersion === SPOKEN) return language as LanguageModelV3;
  const wanted = `npm install ${name}@${SPEAKING[kind]}`;
  throw new HostError(
    'validation_error',
    `The installed ${name} speaks version ${language.specificationVersion} of the model interface, but ${SPOKEN} is needed. Run: ${wanted}`,
  );
}

const isMissing = (error: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(String((error as { code?: unknown }).code));

const notInstalled = (kind: string, name: string): HostError =>
  new HostError(
    'validation_error',
    `Models of ${kind} need the package ${name}, which is not installed. Run: npm install ${name}`,
  );
