import type { Secret } from '../agents/index.js';
import type { Config } from './config.js';

/** Header names that carry no secret. Any other header value of an agent or a tool is taken for one. */
const HARMLESS = new Set(['accept', 'content-type', 'user-agent', 'accept-language']);

/** The secrets this host was given, so that they can be kept out of what agents read as memory. */
export function knownSecrets(config: Config, env: NodeJS.ProcessEnv): readonly Secret[] {
  const ofAgents = config.agents.flatMap((agent, index) => [
    ...headerSecrets(agent.run.headers, `agents.${index}.headers`),
    ...envSecret(agent.run.apiKeyEnv, env),
  ]);
  return [
    ...ofAgents,
    ...config.tools.flatMap((tool, index) => headerSecrets(tool.headers, `tools.${index}.headers`)),
  ];
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

function envSecret(name: unknown, env: NodeJS.ProcessEnv): Secret[] {
  const value = typeof name === 'string' ? env[name] : undefined;
  return value === undefined ? [] : [{ id: name as string, value }];
}
