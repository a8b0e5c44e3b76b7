import { type EvalMode, type HostError, type Issue, isHostError } from '@touchstone/protocol';
import { fromBody, type Task, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentFacts, SchemaCheck, SuiteHead } from '../ports/index.js';
import { needsJudge } from './needs.js';
import { readRunLimits } from './run-options.js';
import { checkRunnable, type RunnableLimits, type RunnableQuestion } from './runnable.js';

const CANARY = 'CANARY 4711';

const task = (taskId: string, kind: 'golden' | 'rubric', input: object = { text: CANARY }): Task =>
  ({
    taskId,
    input: toBody(input as never),
    expected:
      kind === 'golden'
        ? { kind, match: { strategy: 'exact', value: toBody('') } }
        : { kind, rubric: [{ criterion: toBody(CANARY), weight: 1 }] },
  }) as unknown as Task;

const TASKS = [task('g0', 'golden'), task('r1', 'rubric'), task('g2', 'golden'), task('r3', 'rubric')];
const ALL: readonly EvalMode[] = ['golden', 'rubric', 'adversarial', 'regression', 'live-shadow'];

type Case = {
  readonly head?: Partial<SuiteHead>;
  readonly agent?: Partial<AgentFacts>;
  readonly configurable?: unknown;
  readonly limits?: Partial<RunnableLimits>;
  readonly tasks?: readonly Task[];
  readonly checkSchema?: SchemaCheck;
  readonly onRead?: () => void;
};

function question(given: Case): RunnableQuestion {
  const tasks = given.tasks ?? TASKS;
  async function* pages() {
    given.onRead?.();
    for (let from = 0; from < tasks.length; from += 3) yield tasks.slice(from, from + 3);
  }
  return {
    head: {
      suiteId: 'core.acme.evals.refunds',
      version: '1.0.0',
      digest: 'sha256:0',
      modes: ['golden', 'rubric'],
      taskCount: tasks.length,
      rubricTasks: tasks.filter(({ expected }) => expected.kind === 'rubric').length,
      judgedTasks: tasks.filter(needsJudge).length,
      ...given.head,
    } as SuiteHead,
    agent: { agentId: 'local.acme.support', version: '1.0.0', ...given.agent } as AgentFacts,
    configurable: given.configurable,
    limits: { modes: ALL, judge: true, ...given.limits },
    tasks: pages(),
    checkSchema: given.checkSchema ?? (() => []),
  };
}

async function refused(given: Case): Promise<HostError> {
  try {
    await checkRunnable(question(given));
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error('The run was accepted.');
}
const pointersOf = ({ details }: HostError) =>
  (details as { readonly issues: readonly Issue[] }).issues.map(({ pointer }) => pointer);

describe('a run that may start', () => {
  const planned: readonly [string, Case, object][] = [
    ['has the suite’s modes and all its tasks', {}, { modes: ['golden', 'rubric'], totalTasks: 4 }],
    [
      'runs only the kinds that evalModes name',
      { configurable: { evalModes: ['golden'] } },
      { modes: ['golden'], ordinals: [0, 2] },
    ],
    [
      'runs all tasks when evalModes name run modes only',
      { head: { modes: ['golden', 'adversarial'] }, configurable: { evalModes: ['adversarial'] } },
      { modes: ['adversarial'] },
    ],
    [
      'takes a scoring mode among run modes as the choice of kinds',
      { head: { modes: ['rubric', 'adversarial'] }, configurable: { evalModes: ['adversarial', 'rubric'] } },
      { modes: ['adversarial', 'rubric'], ordinals: [1, 3] },
    ],
    [
      'goes live by default only when the suite does nothing else',
      { head: { modes: ['golden', 'live-shadow'] } },
      { modes: ['golden'] },
    ],
    [
      'goes live when that is all the suite does',
      { head: { modes: ['live-shadow'] } },
      { modes: ['live-shadow'] },
    ],
    [
      'goes live when asked to',
      { head: { modes: ['golden', 'live-shadow'] }, configurable: { evalModes: ['live-shadow'] } },
      { modes: ['live-shadow'] },
    ],
    [
      'compares by default only with a baseline',
      { head: { modes: ['golden', 'regression'] } },
      { modes: ['golden'] },
    ],
    [
      'compares when a baseline is given',
      { head: { modes: ['golden', 'regression'] }, configurable: { baselineRunId: 'run-1' } },
      { modes: ['golden', 'regression'], baselineRunId: 'run-1' },
    ],
    [
      'runs the named tasks in suite order',
      { configurable: { onlyTasks: ['g2', 'g0', 'g2'] } },
      { totalTasks: 4, ordinals: [0, 2] },
    ],
    [
      'has no subset when every task is named',
      { configurable: { onlyTasks: ['r3', 'g2', 'r1', 'g0'] } },
      { totalTasks: 4 },
    ],
    ['has defaults', {}, { repeats: 1, concurrency: 8 }],
    [
      'has the caller’s numbers',
      { configurable: { repeats: 100, concurrency: 256, runTimeoutMs: 1 } },
      { repeats: 100, concurrency: 256, runTimeoutMs: 1 },
    ],
    [
      'is clamped to the host’s duration',
      { configurable: { runTimeoutMs: 9000 }, limits: { maxRunDurationMs: 500 } },
      { runTimeoutMs: 500 },
    ],
    ['has the host’s duration unasked', { limits: { maxRunDurationMs: 500 } }, { runTimeoutMs: 500 }],
    [
      'has the lower ceiling, the caller’s',
      { configurable: { budget: { maxCostUsd: 0 } }, limits: { ceilingUsd: 5 } },
      { ceilingUsd: 0 },
    ],
    [
      'has the lower ceiling, the host’s',
      { configurable: { budget: { maxCostUsd: 7, onExhaustion: 'fail' } }, limits: { ceilingUsd: 5 } },
      { ceilingUsd: 5 },
    ],
    ['may have as many tasks as the host allows', { limits: { maxTasks: 4 } }, { totalTasks: 4 }],
    [
      'may leave out rubric tasks where there is no judge',
      { configurable: { evalModes: ['golden'] }, limits: { judge: false } },
      { modes: ['golden'], ordinals: [0, 2] },
    ],
    [
      'records a mismatch that was allowed',
      { head: { targetAgentId: 'x' as never }, configurable: { allowTargetMismatch: true } },
      { targetMismatchAllowed: true },
    ],
    [
      'passes over what is not ours',
      { configurable: { temperature: 'hot', 'acme.x': 1 } },
      { totalTasks: 4 },
    ],
    [
      'fits the allowed classes',
      { head: { allowedModels: ['general'] }, agent: { modelClass: 'general' } },
      { totalTasks: 4 },
    ],
  ];
  test.each(planned)('%s', async (_, given, expected) => {
    const plan = await checkRunnable(question(given));
    const base = { modes: ['golden', 'rubric'], totalTasks: 4, repeats: 1, concurrency: 8 };
    expect(plan).toEqual({ ...base, ...expected });
  });

  test('permission without a mismatch leaves no trace', async () => {
    const given = {
      head: { targetAgentId: 'local.acme.support' as never },
      configurable: { allowTargetMismatch: true },
    };
    expect(await checkRunnable(question(given))).not.toHaveProperty('targetMismatchAllowed');
  });

  test('the tasks are not read when nothing depends on them', async () => {
    let reads = 0;
    await checkRunnable(question({ onRead: () => reads++ }));
    expect(reads).toBe(0);
    await checkRunnable(question({ onRead: () => reads++, agent: { taskSchema: {} } }));
    expect(reads).toBe(1);
  });
});

describe('a run is refused', () => {
  const modes = '/configurable/evalModes';
  const cases: readonly [string, Case, readonly string[], string][] = [
    [
      'when evalModes is no array',
      { configurable: { evalModes: 'golden' } },
      [modes],
      'configurable.evalModes',
    ],
    ['when evalModes is null', { configurable: { evalModes: null } }, [modes], 'configurable.evalModes'],
    ['when evalModes is empty', { configurable: { evalModes: [] } }, [modes], 'configurable.evalModes'],
    [
      'when a mode is named twice',
      { configurable: { evalModes: ['golden', 'golden'] } },
      [`${modes}/1`],
      'configurable.evalModes',
    ],
    [
      'when a mode does not exist',
      { configurable: { evalModes: ['golden', CANARY, 3] } },
      [`${modes}/1`, `${modes}/2`],
      'configurable.evalModes',
    ],
    [
      'when the suite does not declare a mode',
      { configurable: { evalModes: ['adversarial'] } },
      [`${modes}/0`],
      'configurable.evalModes',
    ],
    [
      'when neither suite nor host has a mode',
      { configurable: { evalModes: ['adversarial'] }, limits: { modes: ['golden', 'rubric'] } },
      [`${modes}/0`, `${modes}/0`],
      'configurable.evalModes',
    ],
    [
      'when the host does not offer a mode',
      { configurable: { evalModes: ['rubric'] }, limits: { modes: ['golden'] } },
      [`${modes}/0`],
      'configurable.evalModes',
    ],
    [
      'when the host does not offer a declared mode',
      { head: { modes: ['adversarial'] }, limits: { modes: ['golden'] } },
      ['/evalSuiteRef'],
      'evalSuiteRef',
    ],
    [
      'when no declared mode runs unasked',
      { head: { modes: ['live-shadow', 'regression'] } },
      [modes],
      'configurable.evalModes',
    ],
    [
      'when no task has the named kind',
      { tasks: [task('g0', 'golden')], configurable: { evalModes: ['rubric'] } },
      [modes],
      'configurable.evalModes',
    ],
    [
      'when regression has no baseline',
      { head: { modes: ['golden', 'regression'] }, configurable: { evalModes: ['regression'] } },
      ['/configurable/baselineRunId'],
      'configurable.baselineRunId',
    ],
    [
      'when regression is all there is and has no baseline',
      { head: { modes: ['regression'] } },
      ['/configurable/baselineRunId'],
      'configurable.baselineRunId',
    ],
    [
      'when a baseline is no run id',
      { configurable: { baselineRunId: 7 } },
      ['/configurable/baselineRunId'],
      'configurable.baselineRunId',
    ],
    [
      'when nobody here compares with a baseline',
      { configurable: { baselineRunId: 'run-1' }, limits: { modes: ['golden', 'rubric'] } },
      ['/configurable/baselineRunId'],
      'configurable.baselineRunId',
    ],
    [
      'when rubric tasks have no judge',
      { limits: { judge: false } },
      ['/tasks/1/expected/kind'],
      'evalSuiteRef',
    ],
    [
      'when rubric tasks are not offered',
      { head: { modes: ['golden'] }, limits: { modes: ['golden'] } },
      ['/tasks/1/expected/kind'],
      'evalSuiteRef',
    ],
    [
      'when the suite is for another agent',
      { head: { targetAgentId: 'x' as never } },
      ['/agentId'],
      'agentId',
    ],
    [
      'when the agent is of another class',
      { head: { allowedModels: ['coding'] }, agent: { modelClass: 'general' } },
      ['/agentId'],
      'agentId',
    ],
    [
      'when the agent has no class and the suite lists some',
      { head: { allowedModels: ['coding'] } },
      ['/agentId'],
      'agentId',
    ],
    ['when there are too many tasks', { limits: { maxTasks: 3 } }, ['/evalSuiteRef'], 'evalSuiteRef'],
    [
      'when a named task does not exist',
      { configurable: { onlyTasks: ['g0', CANARY] } },
      ['/configurable/onlyTasks/1'],
      'configurable.onlyTasks',
    ],
    [
      'when a named task is of another kind',
      { configurable: { onlyTasks: ['g0', 'r1'], evalModes: ['golden'] } },
      ['/configurable/onlyTasks/1'],
      'configurable.onlyTasks',
    ],
    [
      'when no task is named',
      { configurable: { onlyTasks: [] } },
      ['/configurable/onlyTasks'],
      'configurable.onlyTasks',
    ],
    [
      'when a task is named by a number',
      { configurable: { onlyTasks: ['g0', 1] } },
      ['/configurable/onlyTasks/1'],
      'configurable.onlyTasks',
    ],
    [
      'when a permission is no flag',
      { configurable: { allowTargetMismatch: 'yes' } },
      ['/configurable/allowTargetMismatch'],
      'configurable.allowTargetMismatch',
    ],
    [
      'when the budget is no object',
      { configurable: { budget: 5 } },
      ['/configurable/budget'],
      'configurable.budget',
    ],
    [
      'when the budget is negative',
      { configurable: { budget: { maxCostUsd: -1 } } },
      ['/configurable/budget/maxCostUsd'],
      'configurable.budget.maxCostUsd',
    ],
    [
      'when the budget has what is not enforced or not known',
      { configurable: { budget: { maxTokens: 5, onExhaustion: 'interrupt', 'a/b': 1 } } },
      ['/configurable/budget/maxTokens', '/configurable/budget/onExhaustion', '/configurable/budget/a~1b'],
      'configurable.budget.maxTokens',
    ],
    ['when configurable is no object', { configurable: [] }, ['/configurable'], 'configurable'],
  ];
  test.each(cases)('%s', async (_, given, pointers, field) => {
    const error = await refused(given);
    expect(error.code).toBe('validation_error');
    expect(pointersOf(error)).toEqual(pointers);
    expect(error.details?.field).toBe(field);
    expect(error.message + JSON.stringify(error.details)).not.toContain(CANARY);
  });

  test.each(['concurrency', 'repeats', 'runTimeoutMs'])(
    'when %s is not a number in its range',
    async (key) => {
      for (const value of [0, -1, 1.5, '8', null, Number.NaN, key === 'runTimeoutMs' ? 2 ** 60 : 257]) {
        expect(pointersOf(await refused({ configurable: { [key]: value } }))).toEqual([
          `/configurable/${key}`,
        ]);
      }
    },
  );

  test('for every independent reason at once', async () => {
    const error = await refused({
      head: { targetAgentId: 'x' as never, allowedModels: ['coding'] },
      agent: { modelClass: 'general', taskSchema: { type: 'object' } },
      configurable: {
        evalModes: ['golden', 'regression'],
        onlyTasks: ['none'],
        repeats: 0,
        budget: { maxTokens: 1 },
      },
      checkSchema: () => [{ pointer: '/never', message: 'asked about the wrong agent' }],
    });
    expect(pointersOf(error)).toEqual([
      '/configurable/evalModes/1',
      '/configurable/baselineRunId',
      '/agentId',
      '/agentId',
      '/configurable/budget/maxTokens',
      '/configurable/repeats',
      '/configurable/onlyTasks/0',
    ]);
  });

  test('for inputs that the agent’s own schema does not take, and only those that would run', async () => {
    const needsNumber: SchemaCheck = (_, body) =>
      'n' in (fromBody(body) as object) ? [] : [{ pointer: '/n', message: 'Expected a number.' }];
    const given: Case = {
      agent: { taskSchema: { type: 'object' } },
      tasks: [task('a', 'golden', { n: 1 }), task('b', 'golden'), task('c', 'rubric'), task('d', 'golden')],
      configurable: { evalModes: ['golden'] },
      checkSchema: needsNumber,
    };
    const error = await refused(given);
    expect(error.details).toMatchObject({
      field: 'evalSuiteRef',
      issues: [
        { pointer: '/tasks/1/input/n', message: 'Task "b": Expected a number.' },
        { pointer: '/tasks/3/input/n', message: 'Task "d": Expected a number.' },
      ],
    });
    expect(error.details).not.toHaveProperty('truncated');
  });

  test('with twenty bad inputs at most, and a word that there are more', async () => {
    const bad = (count: number): Case => ({
      agent: { taskSchema: {} },
      tasks: Array.from({ length: count }, (_, n) => task(`t${n}`, 'golden')),
      checkSchema: () => [{ pointer: '', message: 'No.' }],
    });
    const twenty = await refused(bad(20));
    const more = await refused(bad(21));
    expect(pointersOf(twenty)).toHaveLength(20);
    expect(twenty.details).not.toHaveProperty('truncated');
    expect(pointersOf(more)).toHaveLength(20);
    expect(more.details?.truncated).toBe(true);
  });
});

test('a request cannot make the answer as long as itself', async () => {
  const onlyTasks = Array.from({ length: 1000 }, (_, n) => `no-${n}`);
  const error = await refused({ configurable: { onlyTasks, evalModes: Array(200_000).fill('golden') } });
  expect(pointersOf(error)).toHaveLength(100);
  expect(error.details).toMatchObject({ truncated: true, field: 'configurable.evalModes' });
});

test('a run that is no evaluation has only a time limit and a ceiling', () => {
  const strangers = { repeats: 'many', concurrency: 0, onlyTasks: 7, evalModes: null };
  const bounds = { runTimeoutMs: 50, budget: { maxCostUsd: 2 } };
  expect(readRunLimits({ ...strangers, ...bounds }, {})).toEqual({
    runTimeoutMs: 50,
    ceilingUsd: 2,
    issues: [],
  });
});

test('whatever a caller sends, a run is planned inside its bounds or refused with pointers', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.integer(),
    fc.subarray([...ALL, 'g0', 'r1', CANARY]),
  );
  const keys = [
    'evalModes',
    'allowTargetMismatch',
    'baselineRunId',
    'concurrency',
    'repeats',
    'budget',
    'runTimeoutMs',
    'onlyTasks',
  ];
  const configurable = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 3 });
  await fc.assert(
    fc.asyncProperty(
      configurable,
      fc.subarray([...ALL], { minLength: 1 }),
      fc.boolean(),
      async (sent, declared, judge) => {
        try {
          const plan = await checkRunnable(
            question({ configurable: sent, head: { modes: declared }, limits: { judge } }),
          );
          expect(plan.modes.every((mode) => declared.includes(mode))).toBe(true);
          expect(plan.ordinals ?? [0]).not.toHaveLength(0);
          expect(
            plan.concurrency >= 1 && plan.concurrency <= 256 && plan.repeats >= 1 && plan.repeats <= 100,
          ).toBe(true);
        } catch (error) {
          if (!isHostError(error)) throw error;
          expect(error.code).toBe('validation_error');
          for (const pointer of pointersOf(error)) expect(pointer).toMatch(/^\//);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('a task that is not there is refused with some that are', async () => {
  const { message } = await refused({ configurable: { onlyTasks: ['nobody'] } });
  expect(message).toContain('The suite has no task "nobody". It has g0, r1, g2');
});
