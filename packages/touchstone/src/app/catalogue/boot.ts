import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined, HOST_OWNER, HostError, type Issue, isHostError } from '@touchstone/protocol';
import type { PinnedContract } from '@touchstone/protocol/bodies';
import { parseAgentSpec } from '../../agents/index.js';
import { findPacks, readPackFolder } from '../../packs/index.js';
import type { AgentFacts, RetainedNames, StoredJudge, Suite } from '../../ports/index.js';
import { rowsBeside } from '../../profiles/index.js';
import { contractBeside, envelopeBeside, findSuiteFiles, readSuiteFile } from '../../suites/index.js';
import { ASSETS } from '../assets.js';
import type { Config } from '../config/config.js';
import type { AgentCatalogue } from './agent-catalogue.js';
import { openContract } from './contracts.js';
import type { InstalledPack, PackCatalogue } from './pack-catalogue.js';
import type { Profiles } from './profiles.js';

/** The agent that the test seams evaluate; present only where they are. */
export const SAMPLE_AGENT_ID = 'local.touchstone.sample';

// Agents that exist only where the test seams do. Their files lie in `assets`. A version is what its bytes are, here as
// everywhere: a change of a file needs higher versions below, or a store that has promoted the old ones refuses the new.

/** Moved only by the seam that shows how people are asked, so that no other seam depends on its state. */
export const GATED_AGENT_ID = 'local.touchstone.sample-gated';
/** Does what it is told, also what it should not. */
export const STRICT_AGENT_ID = 'local.touchstone.sample-strict';

const echo = (agentId: string, version: string) => ({
  agentId,
  version,
  persona: 'Echoes what it is asked',
  run: { kind: 'module', path: 'sample-agent.mjs' },
});

/** Several versions, so that one can take over from another. */
const SAMPLE_AGENTS: readonly object[] = [
  ...['1.0.0', '1.1.0', '1.2.0'].map((version) => echo(SAMPLE_AGENT_ID, version)),
  echo(GATED_AGENT_ID, '1.0.0'),
  {
    agentId: STRICT_AGENT_ID,
    version: '1.0.0',
    persona: 'Does as it is told',
    confidence: { defaultThreshold: 0.5 },
    handoff: {
      taskSchema: { type: 'object', properties: { text: { type: 'string' } } },
      returnSchema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
    },
    run: { kind: 'module', path: 'sample-strict-agent.mjs' },
  },
];

// What a configuration brings along. It belongs to the host: every tenant may use it and no tenant may replace it.

export async function loadAgents(
  config: Config,
  registry: AgentCatalogue,
  testSeams: boolean,
): Promise<readonly AgentFacts[]> {
  const added: AgentFacts[] = [];
  for (const [index, spec] of config.agents.entries())
    added.push(
      await addAgent(registry, spec, config.baseDir).catch((error) => blameAgent(config, index, error)),
    );
  for (const spec of testSeams ? SAMPLE_AGENTS : [])
    added.push(await addAgent(registry, spec, fileURLToPath(ASSETS)));
  return added;
}

const addAgent = async (registry: AgentCatalogue, spec: unknown, baseDir: string) =>
  registry.add(parseAgentSpec(spec, 'operator'), baseDir);

/** Names the agent and the file: the operator may have many of both. */
function blameAgent({ agents, file }: Config, index: number, error: unknown): never {
  if (!isHostError(error)) throw error;
  const agentId = String(agents[index]?.agentId);
  const issues = (error.details?.issues ?? []) as readonly Issue[];
  const placed = issues.map((issue) => ({
    ...issue,
    pointer: `/agents/${index}${issue.pointer}`,
    message: `${agentId}: ${issue.message}`,
  }));
  const details = defined({ ...error.details, file, ...(issues.length > 0 && { issues: placed }) });
  throw new HostError(error.code, `Agent ${agentId}: ${error.message}`, details, error);
}

type SuiteInstaller = Pick<Profiles, 'replace' | 'replacePlain'>;

/** Suites in the configured folders and files, each with its contract. One edited since the last start replaces what was there. */
export async function loadSuites(config: Config, profiles: SuiteInstaller): Promise<readonly Suite[]> {
  const loaded: Suite[] = [];
  for (const folder of config.suites) {
    for (const file of await findSuiteFiles(resolve(config.baseDir, folder))) {
      const readRows = rowsBeside(file);
      const { suite } = readSuiteFile(await readFile(file, 'utf8'), { file, readRows });
      const pinned = await contractOf(file, suite);
      const envelope = await textOf(envelopeBeside(file));
      const install = pinned
        ? profiles.replace(HOST_OWNER, { suite, pinned, ...defined({ envelope }) })
        : profiles.replacePlain(HOST_OWNER, suite, envelope);
      await install.catch((error) => blame(file, error));
      loaded.push(suite);
    }
  }
  return loaded;
}

async function contractOf(suiteFile: string, suite: Suite): Promise<PinnedContract | undefined> {
  const file = contractBeside(suiteFile);
  const text = await textOf(file);
  return text === undefined ? undefined : openContract(text, file, suite);
}

/** Undefined when there is no such file. */
const textOf = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });

/** Packs in the configured folders: archives, and folders with a pack.json. Each is held against the trust policy. */
export async function loadPacks(config: Config, packs: PackCatalogue): Promise<readonly InstalledPack[]> {
  const loaded: InstalledPack[] = [];
  for (const folder of config.packs) {
    for (const path of findPacks(resolve(config.baseDir, folder))) {
      loaded.push(
        await packs.replace(HOST_OWNER, await readPackFiles(path)).catch((error) => blame(path, error)),
      );
    }
  }
  return loaded;
}

/** What the host owns after its folders were read; whatever it owned before and they no longer hold is gone. */
export const ownedBy = (
  packs: readonly InstalledPack[],
  suites: readonly Suite[],
  judges: readonly StoredJudge[] = [],
): RetainedNames => ({
  judges: [...judges, ...packs.flatMap((pack) => pack.judges)].map(
    ({ judgeId, version }) => `${judgeId}@${version}`,
  ),
  packs: packs.map(({ head }) => `${head.name}@${head.version}`),
  agents: packs.flatMap(({ agents }) => agents.map(({ agentId, version }) => `${agentId}@${version}`)),
  suites: [...suites, ...packs.flatMap((pack) => pack.suites)].map(
    ({ head }) => `${head.suiteId}@${head.version}`,
  ),
});

/** The bytes of an archive, or the files of a folder. */
export const readPackFiles = async (path: string): Promise<Buffer | ReadonlyMap<string, Buffer>> =>
  (await stat(path)).isDirectory() ? readPackFolder(path) : readFile(path);

function blame(path: string, error: unknown): never {
  if (!isHostError(error)) throw error;
  // A file of the pack that is named already lies below the path.
  const { file } = error.details ?? {};
  const place = typeof file === 'string' ? join(path, file) : path;
  throw new HostError(error.code, `${path}: ${error.message}`, { ...error.details, file: place });
}
