import { HostError, type Issue, isHostError, type JsonObject, validationError } from '@touchstone/protocol';
import { type Client, HostResponseError } from '@touchstone/sdk';
import type { Suite } from '../../ports/index.js';
import { dumpDefinition } from '../../profiles/index.js';
import { suiteDocument } from '../../suites/index.js';
import type { Context } from '../io.js';
import { readConfig } from '../local.js';
import { compileContract, contractFiles } from './compile-contract.js';
import { compileOptionsOf, readDatasetLock } from './contract-options.js';
import { localDataset, openDefinition } from './definition-file.js';
import { displayPath, readText } from './local-files.js';
import { type PlacedWarning, placeError, placeWarnings, withLines } from './locate-issues.js';
import { ownWarnings, rowsAtHand } from './profile-source.js';
import { openSuiteFile, type SuiteSource } from './suite-source.js';

/** An agent of a definition: what its contract compiles to, or why it was not compiled. */
export type CheckedAgent = { readonly agentId: string } & (
  | { readonly suite: string; readonly tasks: number }
  | { readonly unchecked: 'no profile' | 'dataset elsewhere' }
);
export type CheckedDefinition = {
  readonly agents: readonly CheckedAgent[];
  readonly warnings: readonly PlacedWarning[];
};

/**
 * Reads a definition, and compiles those of its contracts whose dataset is at hand. Nothing is fetched or written. With
 * a client, they are compiled on that host, and not installed.
 */
export async function checkDefinitionFile(
  context: Context,
  path: string,
  client?: Client,
): Promise<CheckedDefinition> {
  const definition = await openDefinition(path, context.io.cwd);
  const lock = await readDatasetLock(definition.path, context.io.cwd);
  const agents: CheckedAgent[] = [];
  const warnings = [...ownWarnings(definition)];
  for (const agent of definition.loaded.agents) {
    const { id: agentId, evaluation } = agent;
    const uri = evaluation?.golden_dataset_uri;
    const isElsewhere = Boolean(uri) && (await localDataset(agent, path).catch(() => true)) === undefined;
    if (!evaluation || isElsewhere) {
      agents.push({ agentId, unchecked: evaluation ? 'dataset elsewhere' : 'no profile' });
      continue;
    }
    const compiled = client
      ? await compileThere(context, client, { definition, agent, lock })
      : await compileHere(context, { definition, agent, lock });
    agents.push({ agentId, suite: compiled.suite, tasks: compiled.tasks });
    warnings.push(...compiled.warnings);
  }
  return { agents, warnings };
}

type Profile = Pick<Parameters<typeof rowsAtHand>[1], 'definition' | 'agent' | 'lock'>;
type CompiledSuite = {
  readonly suite: string;
  readonly tasks: number;
  readonly warnings: readonly PlacedWarning[];
};

const NOWHERE = { suite: () => undefined, contract: () => undefined };

async function compileHere(context: Context, { definition, agent, lock }: Profile): Promise<CompiledSuite> {
  const request = { agent, options: compileOptionsOf({}, agent), ...(lock && { lock }) };
  const config = await readConfig(context);
  const { head, tasks, warnings } = await compileContract(context, config, definition, request, NOWHERE);
  return { suite: `${head.suiteId}@${head.suiteVersion}`, tasks, warnings };
}

async function compileThere(context: Context, client: Client, profile: Profile): Promise<CompiledSuite> {
  const { definition, agent } = profile;
  const rows = await rowsAtHand(context, profile);
  const files = await contractFiles(context, definition, agent);
  try {
    const { suite, warnings } = await client.profiles.compile({
      definition: dumpDefinition(definition.loaded.value),
      ...(rows && { rows }),
      agent: agent.id,
    });
    const { suiteId, version, tasks } = suite as {
      suiteId: string;
      version: string;
      tasks: readonly unknown[];
    };
    return {
      suite: `${suiteId}@${version}`,
      tasks: tasks.length,
      warnings: await placeWarnings(warnings, files),
    };
  } catch (error) {
    throw await placeError(error, files);
  }
}

/**
 * Reads a suite file, and the contract beside it, and holds them against everything a run would refuse them for, the
 * patterns and schemas of its checks too; with a client, by the rules of that host as well.
 */
export async function checkSuiteFile(path: string, cwd: string, client?: Client): Promise<Suite> {
  const { suite, file } = await openBoth(path, cwd);
  const issues = client ? await issuesThere(client, suite) : await issuesHere(suite);
  if (issues.length === 0) return suite;
  throw validationError(await withLines(issues, readText(path, file)), { file });
}

async function issuesHere(suite: Suite): Promise<readonly Issue[]> {
  if (suite.head.rubricTasks === 0) return [];
  return (await import('../../app/index.js')).suiteIssues(suite);
}

async function issuesThere(client: Client, suite: Suite): Promise<readonly Issue[]> {
  try {
    await client.suites.check(suiteDocument(suite) as JsonObject);
    return [];
  } catch (error) {
    const issues = error instanceof HostResponseError ? error.details?.issues : undefined;
    if (!Array.isArray(issues)) throw error;
    return issues as readonly Issue[];
  }
}

/** An issue of the contract names its file: the caller asked about the suite. */
async function openBoth(path: string, cwd: string): Promise<Extract<SuiteSource, { kind: 'file' }>> {
  try {
    return await openSuiteFile(path, cwd);
  } catch (error) {
    if (!isHostError(error)) throw error;
    const { file, issues } = error.details ?? {};
    if (typeof file !== 'string' || file === displayPath(path, cwd) || !Array.isArray(issues)) throw error;
    const placed = (issues as readonly Issue[]).map((issue) => ({ file, ...issue }));
    throw new HostError(error.code, error.message, { ...error.details, issues: placed }, error);
  }
}
