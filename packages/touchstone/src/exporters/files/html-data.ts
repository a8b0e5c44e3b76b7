import {
  againstFirst,
  barsOf,
  checkWords,
  costTexts,
  criteriaWords,
  duration,
  type Failure,
  intervalOf,
  judgeName,
  type Matrix,
  modelName,
  notesOf,
  plural,
  refOf,
  regressionWords,
  score,
  type TaskRow,
  verdictOf,
  whole,
  whyNot,
} from '@touchstone/sdk/view';
import type { FileOptions, FileRun } from './file-run.js';

/** What the page shows, as its script reads it. Sentences are made here, so that every report says the same. */
export function pageData(runs: readonly FileRun[], { version, matrices = [] }: FileOptions): object {
  const contents = new Set(runs.flatMap(({ rows }) => rows.map(({ content }) => content)));
  const content = contents.has('included') ? 'included' : contents.has('removed') ? 'removed' : 'left-out';
  return { version, content, suites: groupsOf(runs, matrices).map(suiteData) };
}

type Group = { readonly runs: readonly FileRun[]; readonly matrix?: Matrix };

/** Runs of a matrix belong together; any other run stands alone. */
function groupsOf(runs: readonly FileRun[], matrices: readonly Matrix[]): readonly Group[] {
  const isIn = ({ variants }: Matrix, { run }: FileRun): boolean =>
    variants.some(({ runId }) => runId === run.runId);
  const grouped = matrices.map((matrix) => ({ matrix, runs: runs.filter((run) => isIn(matrix, run)) }));
  const alone = runs.filter((run) => !matrices.some((matrix) => isIn(matrix, run)));
  return [...grouped.filter((group) => group.runs.length > 0), ...alone.map((run) => ({ runs: [run] }))];
}

function suiteData({ runs, matrix }: Group): object {
  const [first] = runs;
  return {
    suite: first ? refOf(first.run.suite) : '',
    runs: runs.map(({ run }) => runData(run, matrix)),
    ...(matrix && { tests: testsOf(matrix) }),
    tasks: tasksOf(runs),
  };
}

function runData(run: FileRun['run'], matrix: Matrix | undefined): object {
  const { counts, latency } = run;
  const variant = matrix?.variants.find(({ runId }) => runId === run.runId);
  const regression = run.report?.regression;
  const scored = counts.unscored === 0 ? run.summary : null;
  return {
    runId: run.runId,
    name: variant?.name ?? refOf(run.agent),
    agent: refOf(run.agent),
    verdict: verdictOf(run),
    ...(scored && { score: scored.aggregateScore, shown: score(scored.aggregateScore) }),
    interval: scored ? run.report?.aggregate.interval : undefined,
    intervalWords: intervalOf(run),
    bars: barsOf(run).map(({ name, value, wanted, limit, met, idle }) => ({
      name,
      value,
      wanted: `${wanted} ${limit}`,
      met: idle ? undefined : met,
    })),
    counts: { passed: counts.passed, failed: counts.failed, unscored: counts.unscored },
    facts: [
      `${whole(counts.passed)} of ${plural(counts.selected, 'task')} passed`,
      ...(counts.unscored > 0 ? [`${whole(counts.unscored)} not scored`] : []),
      ...(latency ? [`p50 ${duration(latency.p50Ms)}, p95 ${duration(latency.p95Ms)}`] : []),
      ...costTexts(run),
      ...(run.repeats > 1 ? [`${whole(run.repeats)} repeats`] : []),
      ...(run.model ? [`model ${modelName(run.model)}`] : []),
      ...(run.judge ? [`judge ${judgeName(run.judge)}`] : []),
    ],
    p50: latency && duration(latency.p50Ms),
    cost: costTexts(run)[0],
    notes: [
      ...(run.error ? [`${run.error.code}: ${run.error.message}`] : []),
      ...(regression ? [regressionWords(regression)] : []),
      ...notesOf(run),
    ],
  };
}

/** Of every variant but the first. */
const testsOf = ({ variants: [first, ...others] }: Matrix): readonly object[] =>
  others.map((variant) => ({ name: variant.name, against: first?.name, ...againstFirst(variant) }));

/** In the order of the suite; for each run the repeats of the task. */
function tasksOf(runs: readonly FileRun[]): readonly object[] {
  const byRun = runs.map(({ rows }) => byTask(rows));
  const failures = runs.map(({ run }) => new Map(run.failures.map((one) => [one.taskId, one])));
  const before = new Map(
    (runs[0]?.run.report?.regression?.changes ?? []).map((one) => [one.taskId as string, score(one.before)]),
  );
  const taskIds = [...new Set(byRun.flatMap((rows) => [...rows.keys()]))];
  return taskIds.map((taskId) => {
    const rows = byRun.map((tasks) => tasks.get(taskId) ?? []);
    return {
      id: taskId,
      tags: rows.flat()[0]?.tags ?? [],
      before: before.get(taskId),
      runs: rows.map((repeats, at) => cellData(repeats, failures[at]?.get(taskId))),
    };
  });
}

function byTask(rows: readonly TaskRow[]): ReadonlyMap<string, readonly TaskRow[]> {
  const tasks = new Map<string, TaskRow[]>();
  for (const row of rows) {
    const repeats = tasks.get(row.taskId);
    if (repeats) repeats.push(row);
    else tasks.set(row.taskId, [row]);
  }
  return tasks;
}

function cellData(repeats: readonly TaskRow[], failure: Failure | undefined): object | null {
  if (repeats.length === 0) return null;
  const mean = repeats.reduce((sum, row) => sum + row.score, 0) / repeats.length;
  const isUnscored = repeats.some(({ unscored }) => unscored);
  const value = failure?.score ?? mean;
  return {
    score: isUnscored ? null : value,
    shown: isUnscored ? 'unscored' : score(value),
    passed: failure === undefined,
    why: failure && wordsOf(failure),
    repeats: repeats.map(repeatData),
  };
}

const wordsOf = (failure: Failure): string =>
  [
    failure.schemaValid === false ? 'return schema not met' : whyNot(failure),
    checkWords(failure),
    criteriaWords(failure),
  ]
    .filter((words) => words !== undefined)
    .join(', ');

/** Of a row only what its task and run do not say already. */
function repeatData({ runId: _, suite: __, agent: ___, taskId: ____, tags: _____, ...row }: TaskRow): object {
  const { latencyMs, score: value, unscored } = row;
  return {
    ...row,
    shown: unscored ? 'unscored' : score(value),
    ...(latencyMs !== undefined && { time: duration(latencyMs) }),
  };
}
