import { child, defined, type Issue, isObject, typeName, type UnknownObject } from '@touchstone/protocol';

/** What the host allows; an absent limit is no limit. */
export type HostLimits = {
  readonly maxTasks?: number;
  readonly ceilingUsd?: number;
  readonly maxRunDurationMs?: number;
};

export type RunLimits = {
  readonly runTimeoutMs?: number;
  readonly ceilingUsd?: number;
  readonly issues: readonly Issue[];
};

export type RunOptions = RunLimits & {
  readonly repeats: number;
  readonly concurrency: number;
  readonly allowTargetMismatch: boolean;
  readonly onlyTasks?: readonly string[];
};

const DEFAULT_CONCURRENCY = 8;
const MAX_CONCURRENCY = 256;
const MAX_REPEATS = 100;
const BUDGET_MEMBERS =
  'maxTokens maxCostUsd maxToolCalls maxRetries modelAllow modelDeny thresholdPercent onExhaustion'.split(
    ' ',
  );

type Report = (key: string, message: string) => undefined;

/** How long a run of any kind may take and how much it may cost: the lower of the caller's and the host's bounds. What
 * else a caller may set for every kind of run is checked here too. */
export function readRunLimits(configurable: UnknownObject, limits: HostLimits): RunLimits {
  const { issues, report } = createReport();
  const asked = readInteger(configurable, 'runTimeoutMs', Number.MAX_SAFE_INTEGER, report);
  const runTimeoutMs = lowest(asked, limits.maxRunDurationMs);
  const ceilingUsd = lowest(readBudget(configurable.budget, report), limits.ceilingUsd);
  checkVerbosity(configurable.reasoningVerbosity, report);
  return {
    ...defined({ runTimeoutMs, ceilingUsd }),
    issues,
  };
}

/** Reads the caller's knobs for an eval run. Members of other extensions are ignored. */
export function readRunOptions(configurable: UnknownObject, limits: HostLimits): RunOptions {
  const bounds = readRunLimits(configurable, limits);
  const { issues, report } = createReport();
  const onlyTasks = readOnlyTasks(configurable.onlyTasks, report);
  return {
    ...bounds,
    repeats: readInteger(configurable, 'repeats', MAX_REPEATS, report) ?? 1,
    concurrency: readInteger(configurable, 'concurrency', MAX_CONCURRENCY, report) ?? DEFAULT_CONCURRENCY,
    allowTargetMismatch: readFlag(configurable, 'allowTargetMismatch', report),
    ...(onlyTasks !== undefined && { onlyTasks }),
    issues: [...bounds.issues, ...issues],
  };
}

function createReport(): { readonly issues: Issue[]; readonly report: Report } {
  const issues: Issue[] = [];
  return { issues, report: (key, message) => void issues.push({ pointer: `/configurable/${key}`, message }) };
}

function readInteger(
  configurable: UnknownObject,
  key: string,
  max: number,
  report: Report,
): number | undefined {
  const value = configurable[key];
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max)
    return value as number;
  const range = max === Number.MAX_SAFE_INTEGER ? 'of at least 1' : `from 1 to ${max}`;
  return report(
    key,
    `Expected an integer ${range}, got ${typeof value === 'number' ? 'another number' : typeName(value)}.`,
  );
}

function readFlag(configurable: UnknownObject, key: string, report: Report): boolean {
  const value = configurable[key];
  if (value !== undefined && typeof value !== 'boolean')
    report(key, `Expected true or false, got ${typeName(value)}.`);
  return value === true;
}

/** Whoever asks for a summary must not get everything, or nothing, in its place. */
function checkVerbosity(value: unknown, report: Report): void {
  if (value === undefined || value === 'full' || value === 'off') return;
  const got = value === 'summary' ? 'a summary, which no part of this host writes' : typeName(value);
  report('reasoningVerbosity', `Expected "full" or "off", got ${got}.`);
}

/** The caller's cost ceiling. A limit that is taken and not kept is worse than none, so all others are refused. */
function readBudget(budget: unknown, report: Report): number | undefined {
  if (budget === undefined) return undefined;
  if (!isObject(budget)) return report('budget', `Expected an object, got ${typeName(budget)}.`);
  for (const member of Object.keys(budget)) {
    const message = budgetIssue(member, budget[member]);
    if (message !== undefined) report(child('budget', member), message);
  }
  return typeof budget.maxCostUsd === 'number' ? budget.maxCostUsd : undefined;
}

function budgetIssue(member: string, value: unknown): string | undefined {
  if (member === 'maxCostUsd') {
    const isAmount = typeof value === 'number' && Number.isFinite(value) && value >= 0;
    return isAmount ? undefined : 'Expected an amount in USD of at least 0.';
  }
  if (member === 'onExhaustion' && value === 'fail') return undefined;
  const known = BUDGET_MEMBERS.includes(member) ? 'is not enforced here' : 'is no budget dimension';
  return `This ${known}. Enforced are maxCostUsd and onExhaustion "fail"; remove the rest.`;
}

function readOnlyTasks(value: unknown, report: Report): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    const came = Array.isArray(value) ? 'an empty one' : typeName(value);
    return report('onlyTasks', `Expected an array with at least one task id, got ${came}.`);
  }
  for (const [index, id] of value.entries())
    if (typeof id !== 'string') report(`onlyTasks/${index}`, `Expected a task id, got ${typeName(id)}.`);
  return value.every((id) => typeof id === 'string') ? value : undefined;
}

const lowest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
