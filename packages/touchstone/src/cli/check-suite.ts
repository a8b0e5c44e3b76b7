import { type Issue, validationError } from '@touchstone/contract';
import type { Suite } from '@touchstone/contract/ports';
import { withLines } from './issue-lines.js';
import { openSuiteFile, readText } from './suite-source.js';

/** Reads a suite file and holds it against everything a run would refuse it for, the patterns and schemas of its checks too. */
export async function checkSuiteFile(path: string, cwd: string): Promise<Suite> {
  const { suite, file } = await openSuiteFile(path, cwd);
  const issues = await checkIssues(suite);
  if (issues.length === 0) return suite;
  throw validationError(await withLines(issues, readText(path, file)), { file });
}

async function checkIssues({ head, tasks }: Suite): Promise<readonly Issue[]> {
  if (head.rubricTasks === 0) return [];
  const { checkTrouble } = await import('../host/in-process.js');
  return tasks.flatMap((task, ordinal) =>
    checkTrouble(task).map((issue) => ({ ...issue, pointer: `/tasks/${ordinal}${issue.pointer}` })),
  );
}
