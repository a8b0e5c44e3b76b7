import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  defined,
  type HostError,
  type Issue,
  isHostError,
  type Owner,
  validationError,
} from '@touchstone/protocol';
import {
  locateInPack,
  locationOf,
  type PackProfile,
  type PackReading,
  profileRefusal,
  readPackProfiles,
} from '../../packs/index.js';
import type { DefinitionAgent } from '../../profiles/index.js';
import type { CompiledProfile, Profiles } from './profiles.js';

/** The contract that an agent of a pack carries. */
export type PackContract = {
  readonly agentId: string;
  /** The file of the pack that holds its profile. */
  readonly file: string;
  readonly compiled: CompiledProfile;
  /** Those of compiling it, each with its place. */
  readonly warnings: readonly string[];
};

/** Compiles the profiles of a pack, all or none: one that does not compile refuses the pack. */
export async function compilePackProfiles(
  profiles: Pick<Profiles, 'compile'>,
  pack: PackReading,
  owner?: Owner,
): Promise<readonly PackContract[]> {
  const found = readPackProfiles(pack);
  if (found.length === 0) return [];
  const baseDir = await unpack(pack);
  try {
    const contracts: PackContract[] = [];
    for (const profile of found) {
      const contract = await compileOne(profiles, pack, profile, { baseDir, ...defined({ owner }) });
      checkName(pack, contracts, contract);
      contracts.push(contract);
    }
    return contracts;
  } finally {
    await rm(baseDir, { recursive: true, force: true });
  }
}

async function compileOne(
  profiles: Pick<Profiles, 'compile'>,
  pack: PackReading,
  profile: PackProfile,
  { baseDir, owner }: { readonly baseDir: string; readonly owner?: Owner },
): Promise<PackContract> {
  const { file, agent } = profile;
  const { agentId } = agent.manifest;
  try {
    const compiled = await profiles.compile({
      agent: asProfiled(pack, profile),
      from: { baseDir, trust: 'tenant' },
      ...defined({ owner }),
      options: { targetAgentId: agentId, ...suiteName(pack.name) },
    });
    const warnings = locateInPack(compiled.warnings, profile).map(
      (warning) => `${locationOf(warning)}: ${warning.message}`,
    );
    return { agentId, file, compiled, warnings };
  } catch (error) {
    throw isHostError(error) ? blame(profile, error) : error;
  }
}

function blame(profile: PackProfile, error: HostError): HostError {
  const issues = (error.details?.issues ?? []) as readonly Issue[];
  return profileRefusal(profile.agent.manifest.agentId, error, profile.file, locateInPack(issues, profile));
}

/** Two suites of one name and version could not both be installed. */
function checkName(pack: PackReading, before: readonly PackContract[], contract: PackContract): void {
  const { agentId, file, compiled } = contract;
  const { suiteId, version } = compiled.suite.head;
  const suites = [...pack.suites, ...before.map((other) => other.compiled.suite)];
  if (!suites.some(({ head }) => head.suiteId === suiteId && head.version === version)) return;
  const message = `The suite of this profile is ${suiteId}@${version}, and so is another one of the pack. Give a suite that the manifest names another suiteId, or one of two agents another name.`;
  const issues = [{ pointer: '', message }];
  throw profileRefusal(agentId, validationError(issues), file, issues);
}

/** The agent is the pack's: its schemas, its version, its name. Only the contract comes from the file. */
function asProfiled(pack: PackReading, { agent, evaluation }: PackProfile): DefinitionAgent {
  const { manifest, taskSchema, returnSchema, systemPrompt } = agent;
  return {
    form: 'A',
    id: manifest.agentId,
    name: shortName(manifest.agentId),
    version: pack.version,
    // What is packed is published: data from elsewhere has to be pinned.
    status: 'published',
    systemPrompt,
    capabilities: [
      {
        name: 'task',
        ...(taskSchema && { inputs: taskSchema }),
        ...(returnSchema && { outputs: returnSchema }),
      },
    ],
    tools: manifest.toolAllowlist ?? [],
    evaluation,
    sha256: pack.digest.replace(/^sha256:/, ''),
  };
}

/** What is left of `vendor.acme.triage.default` when scope, publisher and the word for the only agent are gone: `triage`. */
const shortName = (agentId: string): string =>
  agentId
    .split('.')
    .slice(2)
    .join('-')
    .replace(/-default$/, '') || agentId;

/** `vendor.acme.support` names its suites `vendor.acme.evals.…`. */
function suiteName(packName: string): { readonly scope: string; readonly org: string } {
  const [scope = 'local', ...rest] = packName.split('.');
  const org = (rest[0] ?? 'local').toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return { scope, org };
}

async function unpack({ files }: PackReading): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-pack-'));
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes, { mode: 0o600 });
  }
  return folder;
}
