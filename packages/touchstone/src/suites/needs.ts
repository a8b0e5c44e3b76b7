import { defined } from '@touchstone/protocol';
import {
  fromBody,
  isJudged,
  type ParsedCriterion,
  parseCriterion,
  type Task,
} from '@touchstone/protocol/bodies';
import type { SuiteNeeds } from '../ports/index.js';

const parsed = new WeakMap<Task, readonly ParsedCriterion[]>();

/** Read once for each task: a criterion may hold a schema of many kilobytes. */
function criteriaOf(task: Task): readonly ParsedCriterion[] {
  if (task.expected.kind !== 'rubric') return [];
  const known = parsed.get(task);
  if (known) return known;
  const read = task.expected.rubric.map(({ criterion }) => parseCriterion(String(fromBody(criterion))));
  parsed.set(task, read);
  return read;
}

type Check = Extract<ParsedCriterion, { kind: 'check' }>;
const checksOf = (task: Task): readonly Check[] =>
  criteriaOf(task).filter((parsed): parsed is Check => parsed.kind === 'check');

/** Whether a task has a criterion that only a judge can decide. */
export const needsJudge = (task: Task): boolean => criteriaOf(task).some(isJudged);

const TIMED: ReadonlySet<string> = new Set(['latency', 'cost', 'tokens']);

const isTimed = ({ name, args }: Check): boolean =>
  TIMED.has(name) ||
  ((name === 'any' || name === 'all') &&
    (args.of as readonly object[]).some((part) => Object.keys(part).some((inner) => TIMED.has(inner))));

/** What two parts of a suite need together. A suite names one judge, so both name the same one, if any. */
export function mergeNeeds(
  one: SuiteNeeds | undefined,
  other: SuiteNeeds | undefined,
): SuiteNeeds | undefined {
  if (!one || !other) return one ?? other;
  const scorers = new Set([...(one.scorers ?? []), ...(other.scorers ?? [])]);
  return {
    ...one,
    ...other,
    ...(scorers.size > 0 && { scorers: [...scorers].sort() }),
  };
}

/** What the checks of a suite need beside the answers; undefined when they need nothing. */
export function needsOf(tasks: readonly Task[]): SuiteNeeds | undefined {
  const checks = tasks.flatMap(checksOf);
  const has = (name: string): true | undefined => checks.some((check) => check.name === name) || undefined;
  const scorers = checks.flatMap(({ name, args }) => (name === 'scorer' ? [String(args.name)] : []));
  const hasData = ({ name, args }: Check): boolean =>
    name === 'judge' && (args.sees !== undefined || args.reference !== undefined);
  const judges = new Set(checks.flatMap(({ name, args }) => (name === 'judge' ? [args.judge] : [])));
  const [judge] = [...judges].filter((one) => typeof one === 'string');
  const needs = defined({
    judge,
    judgeData: checks.some(hasData) || undefined,
    embedder: has('similar'),
    timed: checks.some(isTimed) || undefined,
    scorers: scorers.length > 0 ? [...new Set(scorers)].sort() : undefined,
  });
  return Object.keys(needs).length === 0 ? undefined : needs;
}
