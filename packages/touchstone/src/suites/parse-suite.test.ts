import { type HostError, type Issue, isHostError } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSuite, suiteDocument } from './parse-suite.js';

const CANARY = 'CANARY 4711';

const suite = () => ({
  suiteId: 'core.acme.evals.refunds',
  version: '1.2.0',
  targetAgentId: 'local.acme.support',
  modes: ['golden', 'rubric'],
  allowedModels: ['general'],
  thresholds: { passScore: 0.9, maxCostUsd: 1, maxP95LatencyMs: 500 },
  tasks: [
    {
      taskId: 'late',
      input: { question: CANARY, nested: [1, { deep: CANARY }] },
      expected: { kind: 'golden', match: { strategy: 'json-match', value: { answer: CANARY } } },
      fixtures: {
        toolResponses: [{ tool: 'local:kb.search', response: CANARY }, { tool: 'local:kb.read' }],
        memorySeed: [
          { content: CANARY, id: 'm1', tags: ['a'], createdAt: '2026-01-31T12:00:00Z', mood: 'kept out' },
        ],
      },
    },
    {
      taskId: 'empty',
      input: null,
      expected: { kind: 'golden', match: { strategy: 'exact', value: '' } },
      fixtures: {},
    },
    {
      taskId: 'tone',
      input: CANARY,
      expected: {
        kind: 'rubric',
        rubric: [
          { criterion: CANARY, weight: 0 },
          { criterion: `[check:json] ${CANARY}`, weight: 0.5 },
        ],
      },
    },
  ],
});

function refusal(value: unknown): HostError {
  try {
    parseSuite(value);
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error('The suite was accepted.');
}
const issuesOf = (value: unknown): readonly Issue[] => refusal(value).details?.issues as readonly Issue[];

/** The sample with one change, as authors make it: by a path. */
function changed(path: string, value: unknown): unknown {
  const root = suite() as unknown as { [key: string]: unknown };
  const keys = path.split('.');
  const last = keys.pop() as string;
  const parent = keys.reduce<{ [key: string]: unknown }>(
    (node, key) => node[key] as { [key: string]: unknown },
    root,
  );
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return root;
}

describe('a parsed suite', () => {
  test('holds its head, and its tasks exactly as they were written', () => {
    const { head, tasks } = parseSuite(suite());
    expect(head).toEqual({
      suiteId: 'core.acme.evals.refunds',
      version: '1.2.0',
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      targetAgentId: 'local.acme.support',
      modes: ['golden', 'rubric'],
      allowedModels: ['general'],
      thresholds: { passScore: 0.9, maxCostUsd: 1, maxP95LatencyMs: 500 },
      taskCount: 3,
      rubricTasks: 1,
      judgedTasks: 1,
    });
    expect(tasks).toEqual(suite().tasks);
  });

  test('read back as a document and parsed again, it has the same digest', () => {
    const parsed = parseSuite(changed('tasks.0.expected.rubric', [{ criterion: 'polite', weight: 0 }]));
    const again = parseSuite(JSON.parse(JSON.stringify(suiteDocument(parsed))));
    expect(again).toEqual(parsed);
  });

  test('leaves out what the author left out', () => {
    const { suiteId, version, modes } = suite();
    const [, , tone] = suite().tasks;
    const bare = parseSuite({ suiteId, version, modes, tasks: [tone] });
    expect(Object.keys(bare.head).sort()).toEqual([
      'digest',
      'judgedTasks',
      'modes',
      'rubricTasks',
      'suiteId',
      'taskCount',
      'version',
    ]);
    expect(Object.keys(bare.tasks[0] ?? {})).toEqual(['taskId', 'input', 'expected']);
  });

  test('a block of the other kind beside the right one is allowed, and is part of the digest', () => {
    const both = parseSuite(changed('tasks.0.expected.rubric', [{ criterion: 'polite', weight: 0 }]));
    expect(both.head.digest).not.toBe(parseSuite(suite()).head.digest);
  });
});

describe('a suite is refused', () => {
  const seed = '/tasks/0/fixtures/memorySeed/0';
  test.each<[string, string, unknown, string]>([
    ['for a repeated task id', 'tasks.2.taskId', 'late', '/tasks/2/taskId'],
    ['for a golden task without a match', 'tasks.1.expected', { kind: 'golden' }, '/tasks/1/expected'],
    ['for a golden task that has only a rubric', 'tasks.2.expected.kind', 'golden', '/tasks/2/expected'],
    ['for a rubric task that has only a match', 'tasks.0.expected.kind', 'rubric', '/tasks/0/expected'],
    ['for weights that are all 0', 'tasks.2.expected.rubric.1.weight', 0, '/tasks/2/expected/rubric'],
    [
      'for a check that does not exist',
      'tasks.2.expected.rubric.1.criterion',
      `[check:x] ${CANARY}`,
      '/tasks/2/expected/rubric/1/criterion',
    ],
    [
      'for a check whose arguments it does not take',
      'tasks.2.expected.rubric.1.criterion',
      `[check:json {"x":"${CANARY}"}] ${CANARY}`,
      '/tasks/2/expected/rubric/1/criterion',
    ],
    ['for a seed without content', 'tasks.0.fixtures.memorySeed.0.content', undefined, seed],
    [
      'for a seed whose content is no text',
      'tasks.0.fixtures.memorySeed.0.content',
      { a: CANARY },
      `${seed}/content`,
    ],
    ['for a seed with an empty id', 'tasks.0.fixtures.memorySeed.0.id', '', `${seed}/id`],
    ['for a seed whose tags are no list', 'tasks.0.fixtures.memorySeed.0.tags', CANARY, `${seed}/tags`],
    [
      'for a seed whose date is no date',
      'tasks.0.fixtures.memorySeed.0.createdAt',
      '2026-13-01T00:00:00Z',
      `${seed}/createdAt`,
    ],
    [
      'for a seed whose end has no zone',
      'tasks.0.fixtures.memorySeed.0.expiresAt',
      '2026-01-01T00:00:00',
      `${seed}/expiresAt`,
    ],
    ['for a number that is not finite', 'tasks.1.input', { n: Number.POSITIVE_INFINITY }, '/tasks/1/input/n'],
    ['for half a surrogate pair', 'tasks.1.input', { t: '\ud800' }, '/tasks/1/input/t'],
    ['for half a surrogate pair in a key', 'tasks.1.input', { '\udc00': 1 }, '/tasks/1/input'],
    ['for a value JSON does not have', 'tasks.1.input', { n: 1n }, '/tasks/1/input/n'],
  ])('%s', (_, path, value, pointer) => {
    const issues = issuesOf(changed(path, value));
    expect(issues.map((issue) => issue.pointer)).toEqual([pointer]);
    expect(JSON.stringify(issues)).not.toContain(CANARY);
  });

  test('a repeated task id is told with the place of the first', () => {
    const tasks = ['a', 'b', 'a', 'a'].map((taskId) => ({ ...suite().tasks[1], taskId }));
    expect(issuesOf({ ...suite(), tasks })).toEqual([
      { pointer: '/tasks/2/taskId', message: expect.stringContaining('"a" is already used by /tasks/0') },
      { pointer: '/tasks/3/taskId', message: expect.stringContaining('/tasks/0') },
    ]);
  });

  test('with everything that is wrong at once, schema and meaning alike', () => {
    const broken = changed('tasks.1.expected', { kind: 'golden' }) as ReturnType<typeof suite>;
    const issues = issuesOf({ ...broken, version: 'one', tasks: [...broken.tasks, broken.tasks[0]] });
    const pointers = issues.map((issue) => issue.pointer);
    expect(pointers).toEqual(expect.arrayContaining(['/version', '/tasks/1/expected', '/tasks/3/taskId']));
  });

  test('for a value nested too deep or inside itself, instead of running out of stack', () => {
    const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as unknown;
    const cycle: unknown[] = [];
    cycle.push(cycle, cycle);
    for (const input of [deep, cycle])
      expect(issuesOf(changed('tasks.1.input', input))[0]?.message).toContain('deeper');
    expect(issuesOf(changed('modes', [deep, deep]))[0]?.pointer).toMatch(/^\/modes\/0\/0/);
  });
});

describe('whatever an author writes', () => {
  type Path = readonly (string | number)[];
  const pathsOf = (value: unknown, path: Path = []): Path[] =>
    typeof value !== 'object' || value === null
      ? [path]
      : [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))];

  const strange = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      undefined,
      Number.NaN,
      CANARY,
      '\udfff',
      0,
      1,
      '',
      'golden',
      'rubric',
      [],
      {},
      null,
      [CANARY],
      { '/~x': 1 },
    ),
    fc.constantFrom(Symbol.iterator, 1n, () => CANARY),
  );
  const mutation = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('delete', 'replace', 'add'),
    value: strange,
  });

  /** A copy, because a later mutation may change what an earlier one has put in. */
  const copyOf = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value);
  function mutate(root: unknown, change: { at: number; how: string; value: unknown }): unknown {
    const { at, how } = change;
    const value = copyOf(change.value);
    const paths = pathsOf(root);
    const path = paths[at % paths.length] ?? [];
    if (path.length === 0) return how === 'replace' ? value : root;
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((node, key) => (node as { [key: string]: unknown })[key], root);
    const key = path.at(-1) as string;
    const members = parent as { [key: string]: unknown };
    if (how === 'replace') members[key] = value;
    else if (Array.isArray(parent))
      parent.splice(Number(key), how === 'add' ? 0 : 1, ...(how === 'add' ? [value] : []));
    else if (how === 'add') members.extra = value;
    else delete members[key];
    return root;
  }

  test('it is parsed, or refused with pointers and without its content', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const value = mutations.reduce<unknown>(mutate, suite());
        try {
          expect(parseSuite(value).tasks.length).toBeGreaterThan(0);
        } catch (error) {
          if (!isHostError(error)) throw error;
          refused += 1;
          const issues = error.details?.issues as readonly Issue[];
          expect(error.code).toBe('validation_error');
          expect(issues.length).toBeGreaterThan(0);
          for (const { pointer } of issues) expect(pointer).toMatch(/^(\/|$)/);
          expect(error.message + JSON.stringify(error.details)).not.toContain(CANARY);
        }
      }),
      { numRuns: 1500 },
    );
    expect(refused).toBeGreaterThan(100);
  });
});
