import { HostError, type Issue, isHostError, type JsonObject, validationError } from '@touchstone/protocol';
import { type Client, HostResponseError } from '@touchstone/sdk';
import type { Suite } from '../../ports/index.js';
import { suiteDocument } from '../../suites/index.js';
import { withLines } from './issue-lines.js';
import { displayPath, readText } from './read-file.js';
import { openSuiteFile, type SuiteSource } from './suite-source.js';

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
