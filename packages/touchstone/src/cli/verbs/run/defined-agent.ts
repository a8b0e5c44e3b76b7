import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunId } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import type { DefinitionAgent } from '../../../profiles/index.js';
import { UsageError } from '../../exit.js';
import { localDataset, openDefinition } from '../../files/definition-file.js';
import { hashOf } from '../../files/file-hash.js';
import { displayPath } from '../../files/read-file.js';
import type { Local } from '../../local.js';
import { originOf } from '../../origin.js';

/** What a run of a definition has to do with files, as they are now. */
export type DefinedRun = {
  /** What has changed since the run began, in words; undefined when nothing has. */
  readonly changed?: string;
  /** The agent as it is defined now; absent when it is gone. */
  readonly agent?: DefinitionAgent;
};

/** Looks at the files of a run of a definition. What was fetched from elsewhere is not looked at: the run has its rows. */
export async function lookAtDefinition(
  { touchstone, principal }: Local,
  run: EvalRunSnapshot,
  file: string,
  cwd: string,
): Promise<DefinedRun> {
  if (!existsSync(resolve(cwd, file))) return {};
  const { contract: digest } = run.touchstone;
  const pinned = digest && (await touchstone.pinnedContract(principal.owner, digest));
  const { path, loaded } = await openDefinition(file, cwd);
  const agent = loaded.agents.find(({ id }) => id === originOf(run).of);
  if (!agent || !pinned || pinned.contract.agent.sha256 !== agent.sha256)
    return { changed: `the definition ${file}`, ...(agent && { agent }) };
  const dataset = await localDataset(agent, path);
  const isOther =
    dataset !== undefined &&
    existsSync(dataset.path) &&
    (await hashOf(dataset.path)) !== pinned.contract.dataset?.sha256;
  return { agent, ...(isOther && { changed: `the dataset ${displayPath(dataset.path, cwd)}` }) };
}

/** An agent that only its definition knows is known again once the definition is read. */
export async function useDefinedAgent(
  local: Local,
  runId: RunId,
  file: string,
  agent: DefinitionAgent | undefined,
): Promise<void> {
  if (agent) await local.touchstone.useDefinition(agent);
  else
    throw new UsageError(
      `Run ${runId} cannot be continued: its agent is defined in ${file}, and is gone from there.`,
      'Put the file back, or start a new run.',
    );
}
