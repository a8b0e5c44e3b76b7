import { HostError, type Issue, isHostError, validationError } from '@touchstone/protocol';
import type { Suite } from '../../ports/index.js';
import { withLines } from './issue-lines.js';
import { displayPath, openSuiteFile, readText, type SuiteSource } from './suite-source.js';

/**
 * Reads a suite file, and the contract beside it, and holds them against everything a run would refuse them for, the
 * patterns and schemas of its checks too.
 */
export async function checkSuiteFile(path: string, cwd: string): Promise<Suite> {
  const { suite, file } = await openBoth(path, cwd);
  const issues = await checkIssues(suite);
  if (issues.length === 0) return suite;
  throw validationError(await withLines(issues, readText(path, file)), { file });
}

/** Whoever is told about the suite has to be told when it is the contract that is wrong. */
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

async function checkIssues({ head, tasks }: Suite): Promise<readonly Issue[]> {
  if (head.rubricTasks === 0) return [];
  const { checkTrouble } = await import('../../app/index.js');
  return tasks.flatMap((task, ordinal) =>
    checkTrouble(task).map((issue) => ({ ...issue, pointer: `/tasks/${ordinal}${issue.pointer}` })),
  );
}
