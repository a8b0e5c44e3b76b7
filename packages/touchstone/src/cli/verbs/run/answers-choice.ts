import { basename, extname } from 'node:path';
import { type Digest, type Issue, validationError } from '@touchstone/protocol';
import type { Suite } from '../../../ports/index.js';
import type { Local } from '../../local.js';
import { didYouMean } from '../../suggest.js';
import { type ChosenAgent, pinned, slugOf } from './agent-choice.js';

/** Takes the answers of a file in place of an agent. Refuses a file that answers what the suite does not ask. */
export async function useAnswers(
  { touchstone, principal: { owner } }: Local,
  file: string,
  { digest }: { readonly digest?: Digest },
  suite: Suite | undefined,
): Promise<ChosenAgent> {
  const { readAnswers } = await import('../../../app/index.js');
  const asked = suite ?? (digest && (await touchstone.pinnedSuite(owner, digest)));
  const known = new Set<string>(asked?.tasks.map(({ taskId }) => taskId));
  const unknown = [...readAnswers(file).values()].filter(({ taskId }) => !known.has(taskId));
  if (unknown.length > 0)
    throw validationError(
      unknown.map((row) => unknownTask(row, [...known])),
      { file },
    );
  const agentId = `local.answers.${slugOf({ kind: 'module', path: basename(file, extname(file)) })}`;
  return pinned(
    await touchstone.useAgent({ agentId, version: '0.0.0', run: { kind: 'recorded', path: file } }, '.'),
  );
}

function unknownTask(
  { taskId, line }: { readonly taskId: string; readonly line: number },
  known: string[],
): Issue {
  const hint = didYouMean(taskId, known, 'Its tasks');
  return { pointer: '/taskId', message: `the suite has no task "${taskId}"${hint ? `. ${hint}` : ''}`, line };
}
