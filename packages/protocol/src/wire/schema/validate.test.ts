import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { schemas } from '../catalogue.js';
import type { AgentEvalSuiteWire } from '../openwop/agent-eval-suite.js';
import { formats } from './keywords.js';
import { check, checkPayload, parse } from './validate.js';

const suite = () => ({
  suiteId: 'core.acme.evals.refunds',
  version: '1.2.0',
  targetAgentId: 'local.acme.support',
  modes: ['golden', 'rubric'],
  allowedModels: ['general'],
  thresholds: { passScore: 0.9, maxCostUsd: 2, maxP95LatencyMs: 1500 },
  tasks: [
    {
      taskId: 'late-parcel',
      input: { question: 'Where is it?' },
      expected: { kind: 'golden', match: { strategy: 'contains', value: 'on its way' } },
      fixtures: {
        toolResponses: [{ tool: 'local:kb.search', response: [1] }],
        memorySeed: [{ content: 'likes tea' }],
      },
    },
    {
      taskId: 'tone',
      input: null,
      expected: { kind: 'rubric', rubric: [{ criterion: 'is kind', weight: 1 }] },
    },
  ],
});

const pointers = (value: unknown) => check('agent-eval-suite', value).map(({ pointer }) => pointer);

describe('the shapes', () => {
  test('are all valid schemas of the draft they name', () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, formats });
    for (const schema of Object.values(schemas)) expect(ajv.validateSchema(schema)).toBe(true);
  });

  test('a whole suite fits', () => {
    expect(check('agent-eval-suite', suite())).toEqual([]);
  });

  test('a discovery document with every block an eval host advertises fits', () => {
    const discovery = {
      protocolVersion: '1.0',
      supportedEnvelopes: ['clarification.request'],
      schemaVersions: {},
      limits: { clarificationRounds: 3, schemaRounds: 2, envelopesPerTurn: 5, maxRunDurationMs: 600_000 },
      implementation: { name: 'touchstone', version: '0.1.0', vendor: 'touchstone' },
      engineVersion: 1,
      eventLogSchemaVersion: 2,
      agents: {
        supported: true,
        manifestRuntime: { supported: true, handoffValidation: true, installScope: 'tenant' },
        liveRuntime: { supported: true, structuredOutput: true, sources: ['run-api'] },
        evalSuite: {
          supported: true,
          modes: ['golden', 'rubric', 'adversarial', 'regression', 'live-shadow'],
          maxTasksPerSuite: 200,
          maxCostUsdPerSuite: 5,
        },
        deployment: {
          supported: true,
          channels: ['stable', 'canary', 'latest'],
          canary: true,
          rollback: true,
          states: ['draft', 'test', 'staged', 'active', 'paused', 'deprecated', 'rolled-back'],
        },
      },
      providerUsage: { supported: true, costEstimates: true },
      feedback: {
        supported: true,
        targets: ['run', 'event'],
        signals: ['rating', 'correction', 'label', 'flag'],
      },
      authorization: {
        supported: true,
        failClosed: true,
        roles: [{ role: 'admin', scopes: ['deploy:promote'] }],
      },
      replay: { supported: true, modes: ['replay', 'branch'] },
      runs: { pauseResume: { supported: true, drainPolicies: ['immediate', 'drain-current-node'] } },
      webhooks: { supported: true, signatureAlgorithms: ['v1'] },
      toolCatalog: { supported: true, sources: ['host-extension'] },
      debugBundle: { supported: true },
      budget: { supported: true, dimensions: ['cost'], enforce: 'hard', scopes: ['run'] },
      fixtures: ['conformance-noop'],
    };
    expect(check('capabilities', discovery)).toEqual([]);
    const { limits: _, ...withoutLimits } = discovery;
    expect(check('capabilities', withoutLimits)).toEqual([
      { pointer: '/limits', message: 'required, but missing' },
    ]);
  });

  test('a scorecard with every optional member fits, and nothing can be added to it', () => {
    const summary = {
      suiteId: 'core.acme.evals.refunds',
      suiteVersion: '1.0.0',
      evaluatedModelClass: 'writing',
      aggregateScore: 0.5,
      passed: false,
      taskCount: 2,
      passedCount: 1,
      totalCostUsd: 0.01,
      tasks: [
        {
          taskId: 't1',
          score: 1,
          passed: true,
          costUsd: 0.005,
          latencyMs: 42,
          schemaValid: true,
          safetyFindings: [{ kind: 'pii-leak', severity: 'high' }],
        },
        { taskId: 't2', score: 0, passed: false },
      ],
      regression: { baselineRunId: 'run-1', scoreDelta: -0.25, diffRef: '/v1/runs/run-2:diff?against=run-1' },
    };
    expect(check('eval-summary', summary)).toEqual([]);
    expect(check('eval-summary', { ...summary, output: 'x' })).toEqual([
      {
        pointer: '/output',
        message: `unknown property "output"; known are ${Object.keys(schemas['eval-summary'].properties).join(', ')}`,
      },
    ]);
  });

  test('a payload is checked by the type of its event', () => {
    expect(checkPayload('eval.scored', { taskId: 't1', score: 1, passed: true })).toEqual([]);
    expect(checkPayload('eval.scored', { taskId: 't1', score: 2, passed: true })).toEqual([
      { pointer: '/score', message: 'expected at most 1; got a larger number' },
    ]);
    expect(checkPayload('interrupt.requested', { kind: 'approval', key: 'k', data: {} })).toHaveLength(1);
  });
});

describe('a malformed suite is told where it is wrong', () => {
  const task = (change: object) => ({ ...suite(), tasks: [{ ...suite().tasks[0], ...change }] });
  test.each<[string, unknown, readonly string[]]>([
    ['is no object', 'a suite', ['']],
    ['is empty', {}, ['/suiteId', '/version', '/modes', '/tasks']],
    ['has a bad name', { ...suite(), suiteId: 'Refunds' }, ['/suiteId']],
    ['has a short version', { ...suite(), version: '1.2' }, ['/version']],
    ['has no mode', { ...suite(), modes: [] }, ['/modes']],
    ['has a mode twice', { ...suite(), modes: ['golden', 'golden'] }, ['/modes']],
    ['has an unknown mode', { ...suite(), modes: ['golden', 'platinum'] }, ['/modes/1']],
    ['has an unknown class', { ...suite(), allowedModels: ['chat'] }, ['/allowedModels/0']],
    ['has a threshold above 1', { ...suite(), thresholds: { passScore: 1.1 } }, ['/thresholds/passScore']],
    [
      'has half a millisecond',
      { ...suite(), thresholds: { maxP95LatencyMs: 0.5 } },
      ['/thresholds/maxP95LatencyMs'],
    ],
    ['has no task', { ...suite(), tasks: [] }, ['/tasks']],
    ['has a task that is null', { ...suite(), tasks: [suite().tasks[1], null] }, ['/tasks/1']],
    [
      'has a task without input',
      { ...suite(), tasks: [{ taskId: 'a', expected: { kind: 'golden' } }] },
      ['/tasks/0/input'],
    ],
    ['has a bad task name', task({ taskId: '-a' }), ['/tasks/0/taskId']],
    ['has an unknown member', task({ 'a/b~c': 1 }), ['/tasks/0/a~1b~0c']],
    ['has no kind', task({ expected: {} }), ['/tasks/0/expected/kind']],
    [
      'has half a match',
      task({ expected: { kind: 'golden', match: {} } }),
      ['/tasks/0/expected/match/strategy', '/tasks/0/expected/match/value'],
    ],
    ['has an empty rubric', task({ expected: { kind: 'rubric', rubric: [] } }), ['/tasks/0/expected/rubric']],
    [
      'has a heavy criterion',
      task({ expected: { kind: 'rubric', rubric: [{ criterion: '', weight: 2 }] } }),
      ['/tasks/0/expected/rubric/0/criterion', '/tasks/0/expected/rubric/0/weight'],
    ],
    [
      'has a tool without name',
      task({ fixtures: { toolResponses: [{}] } }),
      ['/tasks/0/fixtures/toolResponses/0/tool'],
    ],
    [
      'has a seed that is text',
      task({ fixtures: { memorySeed: ['tea'] } }),
      ['/tasks/0/fixtures/memorySeed/0'],
    ],
  ])('when it %s', (_, value, expected) => {
    expect(pointers(value)).toEqual(expected);
  });

  test('in words that name what was expected and the type that came', () => {
    expect(check('agent-eval-suite', task({ expected: { kind: 7 } }))).toEqual([
      { pointer: '/tasks/0/expected/kind', message: 'expected one of golden, rubric; got a number' },
    ]);
  });
});

test('a canary in any place of a suite never comes back in an issue', () => {
  const places = pathsOf(suite());
  const canary = fc.constantFrom<unknown>('CANARY-1', ['CANARY-2'], { member: 'CANARY-3' }, [
    [{ member: ['CANARY-4'] }],
  ]);
  fc.assert(
    fc.property(fc.subarray([...places], { minLength: 1 }), canary, (chosen, value) => {
      const changed = chosen.reduce<unknown>((whole, path) => replaced(whole, path, value), suite());
      expect(JSON.stringify(check('agent-eval-suite', changed))).not.toContain('CANARY');
    }),
  );
});

test('a parsed value has the type of its shape', () => {
  const parsed = parse('agent-eval-suite', suite());
  expectTypeOf(parsed).toEqualTypeOf<AgentEvalSuiteWire>();
  expectTypeOf(parsed.tasks).items.toHaveProperty('input').toBeUnknown();
});

type Path = readonly string[];

function pathsOf(value: unknown): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([name, member]) => pathsOf(member).map((path) => [name, ...path])),
  ];
}

/** A copy with something else at the end of the path; the same when another change has already cut the path off. */
function replaced(whole: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (typeof whole !== 'object' || whole === null || !(name in whole)) return whole;
  const members = Object.entries(whole).map(([other, member]) => [
    other,
    other === name ? replaced(member, rest, value) : member,
  ]);
  return Array.isArray(whole) ? members.map(([, member]) => member) : Object.fromEntries(members);
}
