import type { JsonObject } from '@touchstone/protocol';
import { fillIn, handOver, type Secret, variablesIn } from '../../agents/index.js';
import { postgresPassword } from '../../store/index.js';
import type { Config } from './config.js';

/** Header names that carry no secret. Any other header value of an agent or a tool is taken for one. */
const HARMLESS = new Set(['accept', 'content-type', 'user-agent', 'accept-language']);

/** Variables of a child process that are taken for secrets; others are settings, and may be ordinary words. */
const SECRET_NAME = /key|token|secret|pass|credential|auth/i;

/** Where a vendor's key is when a provider does not say so. */
const VENDOR_KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];

/** Where the headers for a collector are, as `name=value,…`. */
const COLLECTOR_HEADERS = ['', 'TRACES_', 'LOGS_'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`);

/** The secrets this host was given, so that they can be kept out of what is written down and of what agents remember. */
export function knownSecrets(config: Config, env: NodeJS.ProcessEnv): readonly Secret[] {
  const holders = [
    ...config.agents.map((agent, index) => ({ id: `agents.${index}`, members: agent.run })),
    ...config.tools.map((tool, index) => ({ id: `tools.${index}`, members: tool as JsonObject })),
    ...Object.entries(config.providers).map(([name, members]) => ({ id: `providers.${name}`, members })),
    ...Object.entries(config.scorers).map(([name, members]) => ({ id: `scorers.${name}`, members })),
    ...Object.entries(config.mcpServers).map(([name, members]) => ({ id: `mcpServers.${name}`, members })),
  ];
  const held = holders.flatMap(({ id, members }) => [
    ...namedSecrets(members as JsonObject, env),
    ...secretsOf(id, handOver(fillIn(members as JsonObject, env).value, env), env),
  ]);
  const vendors = VENDOR_KEYS.flatMap((name) => envSecret(name, env));
  const collectors = COLLECTOR_HEADERS.flatMap((name) => headerSecrets(pairsIn(env[name]), name));
  return unique([...held, ...vendors, ...collectors, ...storeSecret(config.store)]);
}

function storeSecret(store: string | undefined): Secret[] {
  const password = store === undefined ? undefined : postgresPassword(store);
  return password === undefined ? [] : [{ id: 'store', value: password }];
}

const secretsOf = (id: string, members: JsonObject, env: NodeJS.ProcessEnv): Secret[] => [
  ...headerSecrets(members.headers, `${id}.headers`),
  ...envSecret(members.apiKeyEnv, env),
  ...variableSecrets(members.env, `${id}.env`),
];

/** What a variable of the environment puts into headers and the environment of programs, whatever it is called. */
const namedSecrets = (
  { headers = {}, env: variables = {} }: JsonObject,
  env: NodeJS.ProcessEnv,
): readonly Secret[] => variablesIn([headers, variables], env);

/** One secret may be named in several places; the first name stands for it. */
const unique = (secrets: readonly Secret[]): readonly Secret[] => [
  ...new Map([...secrets].reverse().map((secret) => [secret.value, secret])).values(),
];

function variableSecrets(variables: unknown, id: string): Secret[] {
  if (typeof variables !== 'object' || variables === null) return [];
  return Object.entries(variables)
    .filter(([name, value]) => typeof value === 'string' && SECRET_NAME.test(name))
    .map(([name, value]) => ({ id: `${id}.${name}`, value: value as string }));
}

function headerSecrets(headers: unknown, id: string): Secret[] {
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers)
    .filter(([name, value]) => typeof value === 'string' && !HARMLESS.has(name.toLowerCase()))
    .map(([name, value]) => ({
      id: `${id}.${name}`,
      value: (value as string).replace(/^(Bearer|Basic) /i, ''),
    }));
}

const pairsIn = (list = ''): { readonly [name: string]: string } => {
  const pairs = list.split(',').map((pair) => /^([^=]+)=(.+)$/.exec(pair.trim()));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', decoded(pair[2] ?? '')]] : [])));
};

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function envSecret(name: unknown, env: NodeJS.ProcessEnv): Secret[] {
  const value = typeof name === 'string' ? env[name] : undefined;
  return value === undefined ? [] : [{ id: name as string, value }];
}
