import { readArguments, readHeaders, readTimeout, readUrl } from './members.js';
import { type ObjectReader, present } from './object-reader.js';

/**
 * Who wrote a spec. The operator owns the machine; a tenant only gets as far as a guarded URL; from a pack comes a
 * prompt and nothing that could be run or reached.
 */
export type SpecSource = 'operator' | 'tenant' | 'pack' | 'definition';

type TimeoutSetting = { readonly timeoutMs?: number };
export type ModuleRun = TimeoutSetting & {
  readonly kind: 'module';
  readonly path: string;
  readonly export?: string;
};
export type CommandRun = TimeoutSetting & {
  readonly kind: 'command';
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
};
export type HttpRun = TimeoutSetting & {
  readonly kind: 'http';
  readonly url: string;
  readonly headers?: { readonly [name: string]: string };
};
export type ScriptedRun = TimeoutSetting & { readonly kind: 'scripted'; readonly path: string };
/** A chat endpoint that is itself the agent. */
export type OpenaiRun = TimeoutSetting & {
  readonly kind: 'openai';
  readonly model: string;
  /** Where it is asked; absent when `provider` says so. */
  readonly baseUrl?: string;
  /** A configured provider, whose address and credential are used. The only credential a tenant can name. */
  readonly provider?: string;
  readonly apiKeyEnv?: string;
  readonly system?: string;
};
/** An agent on another OpenWOP host. */
export type OpenwopRun = TimeoutSetting & {
  readonly kind: 'openwop';
  readonly agentId: string;
  readonly baseUrl?: string;
  readonly provider?: string;
  readonly apiKeyEnv?: string;
};
/** A prompt that came in a pack, whose model is chosen by its class; or in a definition, which may name the model. */
export type ManifestRun = TimeoutSetting & {
  readonly kind: 'manifest';
  readonly systemPrompt: string;
  readonly model?: string;
  readonly temperature?: number;
};
export type RunSpec = ModuleRun | CommandRun | HttpRun | ScriptedRun | OpenaiRun | OpenwopRun | ManifestRun;

export const DEFAULT_TIMEOUT_MS = 60_000;

const KINDS: { readonly [from in SpecSource]: readonly RunSpec['kind'][] } = {
  operator: ['module', 'command', 'http', 'openai', 'openwop', 'scripted'],
  tenant: ['http', 'openai', 'openwop'],
  pack: ['manifest'],
  definition: ['manifest'],
};
const OPERATOR_ONLY = ['path', 'export', 'command', 'args', 'cwd', 'env', 'apiKeyEnv'];

export function readRun(reader: ObjectReader, from: SpecSource): RunSpec | undefined {
  reader.require('kind');
  const kind = reader.choice('kind', KINDS[from]);
  const timeoutMs = readTimeout(reader);
  if (from !== 'operator') refuseOperatorMembers(reader);
  if (kind === undefined) return undefined;
  const run = readKind[kind](reader, from);
  reader.finish();
  return timeoutMs === undefined ? run : { ...run, timeoutMs };
}

/** These run code or read files and secrets of the machine, which are not a tenant's to name. */
function refuseOperatorMembers(reader: ObjectReader): void {
  for (const name of OPERATOR_ONLY) {
    if (reader.has(name)) reader.refuse(name, "Only the operator's configuration may set this member.");
  }
}

const readKind: { readonly [K in RunSpec['kind']]: (reader: ObjectReader, from: SpecSource) => RunSpec } = {
  module(reader) {
    reader.require('path');
    return present<ModuleRun>({
      kind: 'module',
      path: reader.text('path'),
      export: reader.text('export', { max: 256 }),
    });
  },
  command(reader) {
    reader.require('command');
    return present<CommandRun>({
      kind: 'command',
      command: reader.text('command'),
      args: readArguments(reader),
      cwd: reader.text('cwd'),
      env: reader.textMap('env'),
    });
  },
  http(reader) {
    reader.require('url');
    return present<HttpRun>({ kind: 'http', url: readUrl(reader, 'url'), headers: readHeaders(reader) });
  },
  scripted(reader) {
    reader.require('path');
    return present<ScriptedRun>({ kind: 'scripted', path: reader.text('path') });
  },
  openai(reader) {
    reader.require('model');
    return present<OpenaiRun>({
      kind: 'openai',
      model: reader.text('model', MODEL_NAME),
      system: reader.text('system', { max: MAX_PROMPT }),
      ...readPlace(reader),
    });
  },
  openwop(reader) {
    reader.require('agentId');
    return present<OpenwopRun>({
      kind: 'openwop',
      agentId: reader.text('agentId', { max: 256 }),
      ...readPlace(reader),
    });
  },
  manifest(reader, from) {
    reader.require('systemPrompt');
    const systemPrompt = reader.text('systemPrompt', { max: MAX_PROMPT });
    const named = from === 'definition' && {
      model: reader.text('model', { max: 256 }),
      temperature: reader.number('temperature', { min: 0, max: 2 }),
    };
    return present<ManifestRun>({ kind: 'manifest', systemPrompt, ...named });
  },
};

const MAX_PROMPT = 256 * 1024;
/** It leaves the agent's room in content-free events, so it has to be a name. */
const MODEL_NAME = {
  max: 128,
  pattern: /^[A-Za-z0-9][A-Za-z0-9 ._:/@+-]*$/,
  expected: 'a model name of letters, digits and ._:/@+-',
};

type Place = Pick<OpenaiRun, 'baseUrl' | 'provider' | 'apiKeyEnv'>;

/** Where an endpoint is and what opens it: an address of its own, or a configured provider with its credential. */
function readPlace(reader: ObjectReader): { [K in keyof Place]: Place[K] | undefined } {
  const place = {
    baseUrl: readUrl(reader, 'baseUrl'),
    provider: reader.text('provider', { max: 64 }),
    apiKeyEnv: reader.text('apiKeyEnv', { max: 256 }),
  };
  if (reader.has('baseUrl') === reader.has('provider'))
    reader.refuse('baseUrl', 'Expected either baseUrl, or provider with the name of a configured provider.');
  if (reader.has('provider') && reader.has('apiKeyEnv'))
    reader.refuse('apiKeyEnv', "A provider's credential is its own. Leave this member out.");
  return place;
}
