import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HostError, isHostError, validationError } from '@touchstone/contract';
import type { EvaluationProfile } from '@touchstone/contract/bodies';
import {
  looksLikeDefinition,
  type OpenedPack,
  type PackAgent,
  type ProfiledAgent,
  readDefinition,
  readProfile,
} from '../suites/index.js';
import { profiledAgent } from './compile-definition.js';
import type { CompiledProfile, ProfileDesk } from './profiles.js';

/**
 * The manifest of a pack's agent is closed, so a test contract lies beside it, in `evaluation/<agentId>.json` or `.yaml`: a
 * profile, or a definition that holds one. The dataset is a file of the pack.
 */
const FOLDER = 'evaluation';
const ENDINGS = ['.json', '.yaml', '.yml'] as const;

export type PackProfile = { readonly agentId: string; readonly compiled: CompiledProfile };

export async function compilePackProfiles(
  profiles: Pick<ProfileDesk, 'compile'>,
  pack: OpenedPack,
): Promise<readonly PackProfile[]> {
  const found = pack.agents.flatMap((agent) => profileFile(pack, agent));
  checkNoneIsLost(pack, found);
  if (found.length === 0) return [];
  const baseDir = await unpack(pack);
  try {
    const compiled: PackProfile[] = [];
    for (const { agent, file, text } of found) {
      const { agentId } = agent.manifest;
      const request = {
        agent: asProfiled(pack, agent, readEvaluation(text, file)),
        from: { baseDir, trust: 'tenant' as const },
        options: { targetAgentId: agentId, ...suiteName(pack.name) },
      };
      compiled.push({
        agentId,
        compiled: await profiles.compile(request).catch((error) => blame(file, error)),
      });
    }
    return compiled;
  } finally {
    await rm(baseDir, { recursive: true, force: true });
  }
}

type Found = { readonly agent: PackAgent; readonly file: string; readonly text: string };

function profileFile({ files }: OpenedPack, agent: PackAgent): Found[] {
  for (const ending of ENDINGS) {
    const file = `${FOLDER}/${agent.manifest.agentId}${ending}`;
    const bytes = files.get(file);
    if (bytes) return [{ agent, file, text: bytes.toString('utf8') }];
  }
  return [];
}

/** A contract that no agent has would look like one that is kept. */
function checkNoneIsLost({ files }: OpenedPack, found: readonly Found[]): void {
  const used = new Set(found.map(({ file }) => file));
  const isProfile = (path: string): boolean =>
    dirname(path) === FOLDER && ENDINGS.some((ending) => path.endsWith(ending));
  const lost = [...files.keys()].find((path) => isProfile(path) && !used.has(path));
  if (lost === undefined) return;
  const message = `${lost} belongs to no agent of the pack, or to one that has another profile. Name it evaluation/<agentId>.json or .yaml, one for an agent.`;
  throw validationError([{ pointer: '', message }], { file: lost });
}

function readEvaluation(text: string, file: string): EvaluationProfile | undefined {
  if (!isDefinition(text, file)) return readProfile(text, { file });
  return profiledAgent(readDefinition(text, { file }).agents).evaluation;
}

function isDefinition(text: string, file: string): boolean {
  if (!file.endsWith('.json')) return /^(apiVersion|metadata|capabilities)\s*:/m.test(text);
  try {
    return looksLikeDefinition(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
}

/** The agent is the pack's: its schemas, its version, its name. Only the contract comes from the file. */
function asProfiled(
  pack: OpenedPack,
  { manifest, taskSchema, returnSchema, systemPrompt }: PackAgent,
  evaluation: EvaluationProfile | undefined,
): ProfiledAgent {
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
    ...(evaluation && { evaluation }),
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

async function unpack({ files }: OpenedPack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-pack-'));
  for (const [path, bytes] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes, { mode: 0o600 });
  }
  return folder;
}

function blame(file: string, error: unknown): never {
  if (!isHostError(error)) throw error;
  throw new HostError(error.code, `${file}: ${error.message}`, { ...error.details, file });
}
