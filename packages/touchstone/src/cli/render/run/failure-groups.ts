import { plural } from '@touchstone/sdk/view';
import type { Failure } from '../../verbs/run/result.js';
import { type Look, truncateMiddle, wrap } from '../text.js';
import { failureLine, renderFailure, renderNoAnswer } from './failure.js';

/** Failures that are alike. */
export type FailureGroup = readonly [Failure, ...Failure[]];

/** In the order of their first ones. What gave no answer for the same reason is one failure of several tasks. */
export function groupFailures(failures: readonly Failure[]): readonly FailureGroup[] {
  const groups = new Map<string, [Failure, ...Failure[]]>();
  for (const failure of failures) {
    const key = reasonKey(failure) ?? `task ${failure.taskId}`;
    const group = groups.get(key);
    if (group) group.push(failure);
    else groups.set(key, [failure]);
  }
  return [...groups.values()];
}

function reasonKey({ bodies, unscored, score, findings, criteria }: Failure): string | undefined {
  if (!bodies || bodies.got || bodies.reason === undefined || findings?.length || criteria) return undefined;
  return JSON.stringify([unscored, score, bodies.outcome, bodies.reason]);
}

export function renderGroup(group: FailureGroup, look: Look): string[] {
  const [first, ...others] = group;
  if (others.length === 0 || !first.bodies) return renderFailure(first, look);
  const [names = '', ...more] = nameLines(group, look);
  return [
    failureLine(first, names, plural(group.length, 'task'), look),
    ...more.map((line) => `    ${look.ink.bold(line)}`),
    ...renderNoAnswer(first.bodies, look),
  ];
}

/** Columns of the score and of how many tasks there are. */
const BESIDE = 21;
const NAME_LINES = 3;

/** The names of the tasks, on a few lines; how many are left out is said. */
function nameLines(group: FailureGroup, { width }: Look): readonly string[] {
  const room = Math.max(20, width - 4 - BESIDE);
  const names = group.map(({ taskId }) => truncateMiddle(taskId, room - 1));
  for (let count = names.length; count > 1; count -= 1) {
    const rest = names.length - count;
    const words = `${names.slice(0, count).join(', ')}${rest > 0 ? ` … and ${rest} more` : ''}`;
    const lines = wrap(words, room);
    if (lines.length <= NAME_LINES) return lines;
  }
  return wrap(`${names[0]} … and ${names.length - 1} more`, room);
}
