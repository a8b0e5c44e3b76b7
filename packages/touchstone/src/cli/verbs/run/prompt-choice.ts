import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { type JsonObject, parseJson } from '@touchstone/protocol';
import { UsageError } from '../../io.js';
import type { Local } from '../../local.js';
import { type ChosenAgent, pinned } from './agent-choice.js';

/** The agent with another prompt: the same entry and version, and another digest. */
export async function withPrompt(
  local: Local | undefined,
  agent: ChosenAgent,
  file: string | undefined,
  cwd: string,
): Promise<ChosenAgent> {
  if (file === undefined || !local) return agent;
  const path = resolve(cwd, file);
  if (!existsSync(path)) throw new UsageError(`There is no prompt at ${file}.`);
  const { config, touchstone } = local;
  const entry = config.agents.find(
    ({ agentId, version }) => agentId === agent.agentId && version === agent.facts?.version,
  );
  if (entry?.run.kind !== 'openai') throw hasNoPrompt(agent);
  const { prompt: _, ...run } = entry.run as JsonObject;
  // Where the folder lies does not belong to the agent, so the path begins where the entry's own would.
  const promptFile = relative(config.baseDir, path).split(sep).join('/');
  return pinned(await touchstone.useAgent({ ...entry, run: { ...run, promptFile } }, config.baseDir));
}

const hasNoPrompt = ({ agentId, facts }: ChosenAgent): UsageError =>
  new UsageError(
    `Agent ${agentId}${facts ? ` is of kind ${facts.kind} and` : ''} has no prompt that could be replaced.`,
    'Leave --prompt out. It is for agents of kind openai that the configuration describes.',
  );

/** `temperature=0`, `stop=END`. What a name means and which values it takes is for the host to say. */
export function readParameters(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(pairs.map(readPair));
}

function readPair(pair: string): readonly [string, JsonObject[string]] {
  const at = pair.indexOf('=');
  const [name, text] = [pair.slice(0, at), pair.slice(at + 1)];
  const value = parseJson(text);
  // A text needs no quotation marks, not even one that looks like a number where texts are wanted.
  return [name, value === undefined || (name === 'stop' && !Array.isArray(value)) ? text : value];
}
