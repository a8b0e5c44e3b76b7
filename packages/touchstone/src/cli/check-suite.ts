import { type Issue, validationError } from '@touchstone/contract';
import type { Suite } from '@touchstone/contract/ports';
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

/** The text is a valid suite, and every JSON suite is YAML as well: one reader knows the places of both. */
async function withLines(issues: readonly Issue[], text: string): Promise<readonly Issue[]> {
  const { isNode, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  return issues.map((issue) => {
    const path = issue.pointer.slice(1).split('/').map(indexOrName);
    const node = document.getIn(path, true);
    const start = isNode(node) ? node.range?.[0] : undefined;
    if (start === undefined) return issue;
    const { line, col } = lines.linePos(start);
    return { ...issue, line, column: col };
  });
}

const indexOrName = (segment: string): string | number => (/^\d+$/.test(segment) ? Number(segment) : segment);
