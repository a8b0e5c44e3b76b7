import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Issue, isHostError, MODEL_CLASSES, validationError } from '@touchstone/protocol';
import {
  parseAgentSpec,
  parseMcpServers,
  parseModelNames,
  parseProviders,
  parseScorers,
  parseToolSpecs,
} from '../../agents/index.js';
import { parseTrust, type Trust } from '../../packs/index.js';
import { completeDatasetConfig } from '../../profiles/index.js';
import { registryUrl } from '../registries/registry.js';
import type { Config, ConfigInput } from './config-types.js';

/** Everything that the modules which read parts of a configuration would refuse. */
export function partIssues(input: ConfigInput, baseDir: string): readonly Issue[] {
  const { providers = {}, modelClasses = {}, models = {}, agents = [], tools = [], mcpServers = {} } = input;
  return [
    ...issuesIn(() => parseProviders(providers)),
    ...issuesIn(() => parseModelNames(modelClasses, '/modelClasses', MODEL_CLASSES)),
    ...issuesIn(() => parseModelNames(models, '/models')),
    ...agents.flatMap((spec, index) => issuesIn(() => parseAgentSpec(spec, 'operator'), `/agents/${index}`)),
    ...issuesIn(() => parseToolSpecs(tools)),
    ...issuesIn(() => parseMcpServers(mcpServers)),
    ...issuesIn(() => parseScorers(input.scorers ?? {})),
    ...issuesIn(() => completeDatasetConfig(input.datasets ?? {}, (path) => path)),
    ...(input.registries ?? []).flatMap((url, index) =>
      issuesIn(() => registryUrl(url), '').map((issue) => ({ ...issue, pointer: `/registries/${index}` })),
    ),
    // Whichever policy holds by default makes no difference to what is wrong.
    ...issuesIn(() => readTrust({ trust: input.trust ?? {}, baseDir }, 'cli')),
  ];
}

/** Problems of an entry are told where its author can find them: under its place in the configuration. */
function issuesIn(read: () => unknown, place = ''): readonly Issue[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!isHostError(error) || !Array.isArray(error.details?.issues)) throw error;
    const issues = error.details.issues as readonly Issue[];
    return issues.map((issue) => ({ ...issue, pointer: `${place}${issue.pointer}` }));
  }
}

/** Refuses a configuration with parts that cannot be used, all of them at once. */
export function checkParts({ troubles, file }: Config): void {
  if (troubles.length > 0) throw validationError(troubles, file === undefined ? {} : { file });
}

type Part = keyof Config;
const MODEL_PARTS: readonly Part[] = ['providers', 'modelClasses', 'models', 'judge', 'embedder', 'safety'];
/** What is of no use once a part cannot be read. */
const LOST: { readonly [member: string]: readonly Part[] } = {
  providers: MODEL_PARTS,
  modelClasses: MODEL_PARTS,
  models: MODEL_PARTS,
  tools: ['tools'],
  mcpServers: ['mcpServers'],
  scorers: ['scorers'],
  trust: ['trust', 'packs'],
  datasets: ['datasets'],
  registries: ['registries'],
};

const NOTHING = {
  providers: {},
  modelClasses: {},
  models: {},
  tools: [],
  mcpServers: {},
  scorers: {},
  trust: {},
  datasets: {},
  registries: [],
  packs: [],
};

/** What is left of a configuration without the parts that cannot be read, for a command that looks at the rest. */
export function soundParts(config: Config): Config {
  const { troubles } = config;
  const lost = new Set(troubles.flatMap(({ pointer }) => LOST[pointer.split('/')[1] ?? ''] ?? []));
  const kept = Object.entries(config).filter(([member]) => !lost.has(member as Part));
  const agents = config.agents.filter(
    (_, index) => !troubles.some(({ pointer }) => `${pointer}/`.startsWith(`/agents/${index}/`)),
  );
  return {
    ...NOTHING,
    ...(Object.fromEntries(kept) as Omit<Config, keyof typeof NOTHING>),
    agents,
    troubles: [],
  };
}

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
