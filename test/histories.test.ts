import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asId, type EvalSummary, type Owner, type RunId, type TaskResult } from '@touchstone/protocol';
import type { Payloads, RunEvent } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import { createFork } from '../packages/touchstone/src/app/runs/fork-run.js';
import { systemClock } from '../packages/touchstone/src/app/system.js';
import { createEngine, DEFAULT_LIMITS } from '../packages/touchstone/src/engine/index.js';
import { createSlots } from '../packages/touchstone/src/net/index.js';
import {
  type NewRun,
  type Run,
  type RunChange,
  type Store,
  type StoredEntry,
  type Suite,
  UNSHARED,
} from '../packages/touchstone/src/ports/index.js';
import { buildSummary, createSummary } from '../packages/touchstone/src/scorecard/fold/build.js';
import { foldTask, taskThreshold } from '../packages/touchstone/src/scorecard/fold/fold-task.js';
import { createMemoryStore } from '../packages/touchstone/src/store/index.js';

// Goal: what an earlier version has recorded, every later one replays to the byte, and scores the same. Method: histories
// made by scripts/record-histories.mjs are put into a fresh store as they were committed, and replayed by today's engine
// with today's scorecard. Whoever would ask an agent, a tool or a judge for anything fails the test.
type Row = { readonly run: NewRun; readonly end: RunChange };
type History = Row & {
  readonly suite?: Suite;
  readonly baseline?: Row;
  readonly entries: readonly StoredEntry[];
  /** Its events, as they were read when it was recorded. */
  readonly lines: readonly string[];
};

const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const readHistory = (file: string): History =>
  JSON.parse(readFileSync(`${folder}${file}`, 'utf8')) as History;

const nobody = (): never => {
  throw new Error('A replay asks nobody.');
};
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const engineOn = (store: Store) =>
  createEngine({
    store,
    clock: systemClock,
    log: silent,
    tools: { granted: nobody, described: nobody, tierOf: nobody, call: nobody },
    schemaCheckFor: nobody,
    priceOf: nobody,
    redact: undefined,
    openAgent: nobody,
    openScoring: nobody,
    suiteHead: (owner, digest) => store.suites.byDigest(owner, digest),
    suiteTasks: (owner, digest, from, limit) => store.suites.tasks(owner, digest, from, limit),
    taskThreshold,
    openThresholds: async () => () => undefined,
    foldTask,
    createSummary,
    openContract: async () => ({ add: () => undefined, result: () => ({}) }),
    openOutcomes: async () => ({
      add: () => undefined,
      result: () => ({ outcomes: '', figures: { interval: [0, 1] } }),
    }),
    castVote: nobody,
    mask: nobody,
    maskDeep: nobody,
    carryOut: nobody,
    limits: DEFAULT_LIMITS,
    shares: UNSHARED,
    works: true,
    slots: { runs: createSlots({ perTenant: 1 }), tasks: createSlots({ perTenant: 1 }) },
  });

async function commitRow(
  store: Store,
  { run, end }: Row,
  entries: readonly StoredEntry[] = [],
): Promise<void> {
  await store.runs.create(run);
  const lease = await store.leases.take(run.owner, run.runId, 60_000);
  if (!lease) throw new Error('The lease is taken.');
  await store.log.commit(lease, {
    seals: entries.flatMap(({ records }) => records),
    entries: entries.map(({ entry }) => entry),
    firstSequence: 0,
    run: end,
  });
  await store.leases.release(lease);
}

async function load(store: Store, history: History): Promise<void> {
  if (history.suite) await store.suites.put(history.run.owner, history.suite, history.run.createdAt);
  if (history.baseline) await commitRow(store, history.baseline);
  await commitRow(store, history, history.entries);
}

async function replay(store: Store, { run: { owner, runId, principal } }: History): Promise<Run> {
  const parts = {
    store,
    clock: systemClock,
    ids: { runId: () => asId<RunId>('run-again'), token: nobody },
    scorers: { pin: nobody, hasFunction: nobody },
    checkerFor: nobody,
    priceOf: nobody,
    findSuite: nobody,
    suiteSignature: nobody,
    unsetVariable: () => undefined,
    findAgent: nobody,
    chooseModel: nobody,
    chooseUser: nobody,
    judges: { choosePortable: nobody },
    chooseJudge: nobody,
    chooseSafetyJudge: nobody,
    safetyPolicy: undefined,
    contracts: { embedder: nobody, of: nobody, pinned: nobody, plan: nobody },
    evalSettings: undefined,
    tolerance: 0,
  };
  const by = { id: principal, owner, roles: [], scopes: new Set<string>() };
  const fork = await createFork(parts, by, runId, { mode: 'replay' }, 'host');
  await engineOn(store).drive(owner, fork.runId);
  return (await store.runs.get(owner, fork.runId)) as Run;
}

const eventsIn = (store: Store, owner: Owner, runId: RunId): Promise<readonly RunEvent[]> =>
  store.log.read(owner, runId, -1, 100_000);

type Replayed = { readonly end: object; readonly lines: readonly string[]; readonly notes: number };

/** What a history becomes today, under the name it was recorded with. */
async function replayed(history: History): Promise<Replayed> {
  const store = await createMemoryStore(systemClock);
  try {
    await load(store, history);
    const { runId, owner, status, error, headline } = await replay(store, history);
    const events = await eventsIn(store, owner, runId);
    return {
      end: { status, ...(error && { error }), ...(headline && { headline }) },
      lines: events.map((event) => JSON.stringify(event).replaceAll(runId, history.run.runId)),
      notes: events.filter(({ type }) => type === 'replay.diverged').length,
    };
  } finally {
    await store.close();
  }
}

/** The scorecard of a completed evaluation, from the scores of its repeats up. */
function foldedSummary(
  { run: { plan }, suite, entries, baseline }: History,
  recorded: EvalSummary,
): EvalSummary {
  if (plan.kind !== 'eval' || !suite) throw new Error('This is no evaluation.');
  const { head, tasks } = suite;
  const results = entries
    .flatMap(({ entry, records }): [number, TaskResult][] => {
      const task = entry.kind === 'step' && tasks[entry.ordinal];
      if (!task) return [];
      const scores = records.flatMap(({ score }) => (score ? [score] : []));
      return [
        [entry.ordinal, foldTask(task.taskId, scores, taskThreshold(task.expected.kind, head.thresholds))],
      ];
    })
    .sort(([a], [b]) => a - b)
    .map(([, result]) => result);
  const { regression, evaluatedModelClass } = recorded;
  return buildSummary(
    {
      suiteId: head.suiteId,
      suiteVersion: head.version,
      ...(evaluatedModelClass && { modelClass: evaluatedModelClass }),
      ...(head.thresholds && { thresholds: head.thresholds }),
      ...(regression &&
        baseline?.end.headline && {
          regression: { ...regression, baselineScore: baseline.end.headline.aggregateScore },
        }),
    },
    results,
  );
}
const summaryIn = ({ lines }: History): EvalSummary | undefined => {
  const { type, payload } = JSON.parse(lines.at(-1) as string) as RunEvent;
  const outputs = type === 'run.completed' ? (payload as Payloads['run.completed']).outputs : undefined;
  return outputs && 'tasks' in outputs ? (outputs as EvalSummary) : undefined;
};

it('there are histories of every kind of run', () => {
  expect(files.length).toBeGreaterThanOrEqual(14);
  for (const file of files) expect(file).toMatch(/^\d+\.\d+\.\d+-[a-z]+\.json$/);
});

it.each(files)('%s replays to the byte', async (file) => {
  const history = readHistory(file);
  const { status, error, headline } = history.end;
  expect(await replayed(history)).toEqual({
    end: { status, ...(error && { error }), ...(headline && { headline }) },
    lines: history.lines,
    notes: 0,
  });
});

it.each(files.filter((file) => summaryIn(readHistory(file))))(
  '%s adds up to the scorecard that was recorded',
  (file) => {
    const history = readHistory(file);
    const summary = summaryIn(history) as EvalSummary;
    expect(JSON.parse(JSON.stringify(foldedSummary(history, summary)))).toEqual(summary);
  },
);

describe('a history that was edited', () => {
  const history = (name: string): History =>
    readHistory(files.find((file) => file.endsWith(`-${name}.json`)) as string);
  /** Changes the first place that matches, in everything but the lines. */
  const edited = (name: string, from: RegExp, to: string): History => {
    const { lines, ...rest } = history(name);
    const text = JSON.stringify(rest);
    if (!from.test(text)) throw new Error(`There is nothing to edit in ${name}.`);
    return { ...(JSON.parse(text.replace(from, to)) as Omit<History, 'lines'>), lines };
  };

  it.each<[what: string, name: string, from: RegExp, to: string]>([
    ['result of a task', 'golden', /("result":\{"taskId":"right","score":)1/, '$10.5'],
    ['score of a repeat', 'repeats', /("score":\{"kind":"scored","value":)1/, '$10'],
    ['latency of a repeat', 'golden', /("outcome":"completed","latencyMs":)\d+/, '$19999'],
    ['cost of a judgement', 'rubric', /("unpriced":)\d+/, '$19'],
    ['finding', 'adversarial', /"severity":"high"/, '"severity":"low"'],
    ['scorecard', 'rejudge', /("outputs":\{.*?"passedCount":)\d/, '$19'],
    ['score of the baseline', 'regression', /("baseline":.*?"aggregateScore":)[\d.]+/, '$10.125'],
    ['bar of the suite', 'golden', /("passScore":)0.5/, '$10.25'],
    ['outputs of an agent', 'agent', /("outputs":\{"output":)"gladly"/, '$1"sadly"'],
  ])('in the %s is noticed', async (_, name, from, to) => {
    expect((await replayed(edited(name, from, to))).notes).toBeGreaterThan(0);
  });

  it('in one of its lines is noticed', async () => {
    const { lines, ...rest } = history('golden');
    const other = lines.map((line) => line.replace('"score":1', '"score":0'));
    expect(other).not.toEqual(lines);
    expect((await replayed({ ...rest, lines: other })).lines).not.toEqual(other);
  });
});
