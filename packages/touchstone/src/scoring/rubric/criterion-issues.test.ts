import { asId, type TaskId } from '@touchstone/protocol';
import { type Task, toBody } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import { checkAtOnce } from '../../ports/index.js';
import { criterionIssues } from './criterion-issues.js';

const WORDS = 'canary-in-a-criterion';
const check = (name: string, args: object): string => `[check:${name} ${JSON.stringify(args)}] ${WORDS}`;
const taskOf = (...criteria: readonly string[]): Task => ({
  taskId: asId<TaskId>('t'),
  input: toBody(''),
  expected: {
    kind: 'rubric',
    rubric: criteria.map((criterion) => ({ criterion: toBody(criterion), weight: 1 })),
  },
});
const refuses = () => [{ pointer: '/properties', message: `cannot resolve ${WORDS}` }];

describe('the trouble with a task’s checks', () => {
  it('is named by the place of the criterion, and never by its words', async () => {
    const task = taskOf(
      'Is kind.',
      check('regex', { pattern: `(${WORDS}` }),
      check('schema', { schema: { title: WORDS } }),
      check('regex', { pattern: '(?=x)', absent: true }),
    );
    const issues = await criterionIssues(task, { check: checkAtOnce, checkSchema: refuses });
    expect(issues.map(({ pointer }) => pointer)).toEqual([
      '/expected/rubric/1/criterion',
      '/expected/rubric/2/criterion',
      '/expected/rubric/3/criterion',
    ]);
    expect(JSON.stringify(issues)).not.toContain(WORDS);
  });

  it('is none for prose, for checks that can be run, and for golden tasks', async () => {
    const fine = taskOf('(Is kind', check('regex', { pattern: '^a+$' }), check('schema', { schema: {} }));
    expect(await criterionIssues(fine, { check: checkAtOnce, checkSchema: () => [] })).toEqual([]);
    const { expected, ...rest } = taskOf(check('regex', { pattern: '(' }));
    const match = { strategy: 'exact' as const, value: toBody('') };
    const golden: Task = { ...rest, expected: { ...expected, kind: 'golden', match } };
    expect(await criterionIssues(golden, { check: checkAtOnce, checkSchema: refuses })).toEqual([]);
  });

  it('is a pattern that is much too large, told with its size', async () => {
    const huge = Array.from('cdefghijklmn', (letter) => `${letter}{990}`).join('|');
    const [issue] = await criterionIssues(taskOf('Is kind.', check('regex', { pattern: huge })), {
      check: checkAtOnce,
      checkSchema: () => [],
    });
    expect(issue).toMatchObject({
      pointer: '/expected/rubric/1/criterion',
      message: expect.stringMatching(/too large: it compiles to 1\d{4} instructions/),
    });
  });
});
