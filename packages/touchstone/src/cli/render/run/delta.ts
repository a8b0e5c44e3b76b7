import { score } from '@touchstone/sdk/view';
import type { RunView } from '../../verbs/run/result.js';
import type { Ink } from '../text.js';

const IDS_SHOWN = 6;

/** What moved since the previous run of the same suite: the score, and the tasks that changed sides. */
export function renderDelta(before: RunView | undefined, after: RunView, ink: Ink): string[] {
  if (!before?.summary || !after.summary) return [];
  const passed = new Map(before.summary.tasks.map(({ taskId, passed }) => [taskId, passed]));
  const flipped = after.summary.tasks.filter(
    (task) => passed.has(task.taskId) && passed.get(task.taskId) !== task.passed,
  );
  const better = flipped.filter((task) => task.passed).map(({ taskId }) => taskId);
  const worse = flipped.filter((task) => !task.passed).map(({ taskId }) => taskId);
  return [
    scoreLine(before.summary.aggregateScore, after.summary.aggregateScore, ink),
    ...(better.length > 0 ? [ink.green(`↑ now passing: ${listed(better)}`)] : []),
    ...(worse.length > 0 ? [ink.red(`↓ now failing: ${listed(worse)}`)] : []),
  ];
}

function scoreLine(before: number, after: number, ink: Ink): string {
  if (after === before) return ink.dim(`= score ${score(after)}, as in the last run`);
  const line = `${after > before ? '↑' : '↓'} score ${score(before)} → ${score(after)} since the last run`;
  return after > before ? ink.green(line) : ink.red(line);
}

function listed(ids: readonly string[]): string {
  const more = ids.length > IDS_SHOWN ? ` and ${ids.length - IDS_SHOWN} more` : '';
  return ids.slice(0, IDS_SHOWN).join(', ') + more;
}
