import {
  defined,
  HostError,
  type Issue,
  isHostError,
  type JsonObject,
  validationError,
} from '@touchstone/protocol';
import { type Client, HostResponseError } from '@touchstone/sdk';
import { suiteIssues } from '../../app/index.js';
import type { Suite } from '../../ports/index.js';
import { type DefinitionAgent, dumpDefinition } from '../../profiles/index.js';
import { suiteDocument } from '../../suites/index.js';
import type { Context } from '../io.js';
import { readConfig } from '../local.js';
import { compileContract, compileOptionsOf, contractFiles, NOWHERE } from './compile-contract.js';
import { readDatasetLock } from './dataset-file.js';
import { localDataset, openDefinition } from './definition-file.js';
import { displayPath, readText } from './local-files.js';
import { locateAll, type PlacedWarning, withLines, withPlaces } from './locate-issues.js';
import { ownWarnings, rowsAtHand } from './profile-source.js';
import { openSuiteFile, type SuiteFile } from './suite-source.js';

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
  const definition = openDefinition(path, context.io.cwd);
  const lock = readDatasetLock(definition.path, context.io.cwd);
  const agents: CheckedAgent[] = [];
  const warnings = [...ownWarnings(definition)];
  for (const agent of definition.loaded.agents) {
    const { id: agentId, evaluation } = agent;
    if (!evaluation || isElsewhere(agent, path)) {
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

/** What is wrong with the name of a dataset is said when it is compiled. */
function isElsewhere(agent: DefinitionAgent, path: string): boolean {
  try {
    return Boolean(agent.evaluation?.golden_dataset_uri) && localDataset(agent, path) === undefined;
  } catch {
    return false;
  }
}

type Profile = Parameters<typeof rowsAtHand>[1];
type CompiledSuite = {
  readonly suite: string;
  readonly tasks: number;
  readonly warnings: readonly PlacedWarning[];
};

async function compileHere(context: Context, { definition, agent, lock }: Profile): Promise<CompiledSuite> {
  const request = { agent, options: compileOptionsOf({}, agent), lock };
  const config = await readConfig(context);
  const { head, tasks, warnings } = await compileContract(context, config, definition, request, NOWHERE);
  return { suite: `${head.suiteId}@${head.suiteVersion}`, tasks, warnings };
}

async function compileThere(context: Context, client: Client, profile: Profile): Promise<CompiledSuite> {
  const { definition, agent } = profile;
  const rows = await rowsAtHand(context, profile);
  const files = contractFiles(definition, agent, context.io.cwd);
  return withPlaces(files, async () => {
    const request = { definition: dumpDefinition(definition.loaded.value), agent: agent.id };
    const { suite, warnings } = await client.profiles.compile({ ...request, ...defined({ rows }) });
    const { suiteId, version, tasks } = suite as Pick<Suite['head'], 'suiteId' | 'version'> & {
      readonly tasks: readonly unknown[];
    };
    return {
      suite: `${suiteId}@${version}`,
      tasks: tasks.length,
      warnings: await locateAll(warnings, files),
    };
  });
}

/**
 * Reads a suite file, and the contract beside it, and holds them against everything a run would refuse them for, the
 * patterns and schemas of its checks too; with a client, by the rules of that host as well.
 */
export async function checkSuiteFile(path: string, cwd: string, client?: Client): Promise<Suite> {
  const { suite, file, sourceOf } = openBoth(path, cwd);
  const isJudged = suite.head.rubricTasks > 0;
  const issues = client ? await issuesThere(client, suite) : isJudged ? await suiteIssues(suite) : [];
  if (issues.length === 0) return suite;
  const inSource = issues.map((issue) => ({
    ...issue,
    pointer: sourceOf(issue.pointer),
  }));
  throw validationError(await withLines(inSource, readText(path, file)), { file });
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
function openBoth(path: string, cwd: string): SuiteFile {
  try {
    return openSuiteFile(path, cwd);
  } catch (error) {
    if (!isHostError(error)) throw error;
    const { file, issues } = error.details ?? {};
    if (typeof file !== 'string' || file === displayPath(path, cwd) || !Array.isArray(issues)) throw error;
    const placed = (issues as readonly Issue[]).map((issue) => ({ file, ...issue }));
    throw new HostError(error.code, error.message, { ...error.details, issues: placed }, error);
  }
}
