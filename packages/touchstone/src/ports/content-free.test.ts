// Goal: content cannot get into a scorecard, an `eval.*` event or a log line. Most of this file is checked by the
// compiler: a line that should not compile is marked, and the build fails when it does compile.

import type {
  AgentDeployments,
  AuthorizationDecided,
  ContractReport,
  DeploymentPayloads,
  DeploymentPlan,
  EvalReport,
  EvalSummary,
  Evidence,
  RunTotals,
  Scorecard,
} from '@touchstone/protocol';
import {
  asId,
  type CapBreached,
  type EvalCompleted,
  type EvalScored,
  type EvalStarted,
  evalCompleted,
  evalScored,
  type Finding,
  type FindingKind,
  type InvocationCompleted,
  type InvocationStarted,
  type ProviderUsage,
  type RepeatScore,
  type RunId,
  SEVERITIES,
  type SuiteId,
  type TaskId,
  type TaskResult,
  type Version,
} from '@touchstone/protocol';
import { type Body, type EventType, type Payloads, type Task, toBody } from '@touchstone/protocol/bodies';
import { checkPayload, type PayloadType, type PayloadWire, schemas } from '@touchstone/protocol/wire';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Fact, Log } from './system.js';

type Scalar = string | number | boolean | bigint | symbol | null | undefined;
type Any<T> = true extends T ? true : false;

/** Whether a Body can be put anywhere into a T, however deep. `unknown` can hold one and counts. */
type MentionsBody<T> = Any<
  unknown extends T
    ? true
    : T extends Scalar
      ? false
      : T extends Body
        ? true
        : T extends readonly (infer Item)[]
          ? MentionsBody<Item>
          : { [Key in keyof T]-?: MentionsBody<T[Key]> }[keyof T]
>;

/** The places of a T that take any text at all, rather than a name or one of a few words. */
type FreeText<T> = T extends readonly (infer Item)[]
  ? FreeText<Item>
  : T extends Scalar
    ? never
    : { [Key in keyof T & string]-?: FreeTextAt<NonNullable<T[Key]>, Key> }[keyof T & string];
type FreeTextAt<T, Key extends string> = string extends T ? Key : `${Key}.${FreeText<T>}`;

type ContentFree = {
  evalStarted: EvalStarted;
  evalScored: EvalScored;
  evalCompleted: EvalCompleted;
  evalSummary: EvalSummary;
  taskResult: TaskResult;
  repeatScore: RepeatScore;
  report: EvalReport;
  contractReport: ContractReport;
  scorecard: Scorecard;
  headline: RunTotals;
  invocationStarted: InvocationStarted;
  invocationCompleted: InvocationCompleted;
  providerUsage: ProviderUsage;
  capBreached: CapBreached;
  facts: { readonly [key: string]: Fact };
  finding: Finding;
  authorization: AuthorizationDecided;
  deployments: AgentDeployments;
  deploymentEvents: DeploymentPayloads;
  evidence: Evidence;
  deploymentPlan: DeploymentPlan;
};

describe('the compiler', () => {
  test('finds no Body in anything content-free', () => {
    type Found = { [Name in keyof ContentFree]: MentionsBody<ContentFree[Name]> }[keyof ContentFree];
    expectTypeOf<Found>().toEqualTypeOf<false>();
  });

  test('would find one, however deep', () => {
    expectTypeOf<MentionsBody<Task>>().toEqualTypeOf<true>();
    expectTypeOf<MentionsBody<Body>>().toEqualTypeOf<true>();
    expectTypeOf<MentionsBody<Payloads['agent.decided']>>().toEqualTypeOf<true>();
    expectTypeOf<MentionsBody<{ a?: readonly { b: number | Body }[] }>>().toEqualTypeOf<true>();
    expectTypeOf<MentionsBody<{ a: { b?: unknown } }>>().toEqualTypeOf<true>();
    expectTypeOf<MentionsBody<{ a: { b?: string }[] }>>().toEqualTypeOf<false>();
  });

  test('lets free text into the scorecard nowhere but in the address of the diff', () => {
    expectTypeOf<FreeText<EvalStarted | EvalScored | EvalCompleted | TaskResult>>().toEqualTypeOf<never>();
    expectTypeOf<FreeText<EvalReport>>().toEqualTypeOf<never>();
    expectTypeOf<FreeText<DeploymentPayloads[keyof DeploymentPayloads]>>().toEqualTypeOf<never>();
    expectTypeOf<FreeText<AuthorizationDecided>>().toEqualTypeOf<never>();
    expectTypeOf<FreeText<ContractReport>>().toEqualTypeOf<never>();
    expectTypeOf<FreeText<EvalSummary>>().toEqualTypeOf<'regression.diffRef'>();
    expectTypeOf<FreeText<Scorecard>>().toEqualTypeOf<'summary.regression.diffRef'>();
    expectTypeOf<FreeText<{ a?: { b: string | number }[]; c: RunId }>>().toEqualTypeOf<'a.b'>();
  });

  test('refuses a Body, and text that is no name, in every payload of an eval event', () => {
    const body = toBody('an answer');
    const text: string = 'an answer';
    const started = {
      suiteId: asId<SuiteId>('s'),
      suiteVersion: asId<Version>('1'),
      taskCount: 1,
      modes: [],
    };
    const scored = { taskId: asId<TaskId>('t'), score: 1, passed: true };
    const completed = { aggregateScore: 1, passed: true, taskCount: 1, passedCount: 1 };
    const attempts = [
      // @ts-expect-error a Body is no suite id
      { ...started, suiteId: body } satisfies EvalStarted,
      // @ts-expect-error nor a baseline
      { ...started, baselineRunId: body } satisfies EvalStarted,
      // @ts-expect-error nor a mode
      { ...started, modes: [body] } satisfies EvalStarted,
      // @ts-expect-error a Body is no task id
      { ...scored, taskId: body } satisfies EvalScored,
      // @ts-expect-error free text is none either
      { ...scored, taskId: text } satisfies EvalScored,
      // @ts-expect-error a Body is no score
      { ...scored, score: body } satisfies EvalScored,
      // @ts-expect-error and has no member of its own
      { ...scored, output: body } satisfies EvalScored,
      // @ts-expect-error a Body is no verdict
      { ...completed, passed: body } satisfies EvalCompleted,
      // @ts-expect-error nor a difference
      { ...completed, regressionVsBaseline: body } satisfies EvalCompleted,
    ];
    expect(attempts).toHaveLength(9);
  });

  test('refuses a Body in a scorecard, a task result and a log line', () => {
    const body = toBody('an answer');
    const text: string = 'an answer';
    const score = { taskId: asId<TaskId>('t'), score: 1, passed: true };
    const attempts = [
      // @ts-expect-error a finding has a kind, not a quotation
      { ...score, safetyFindings: [{ kind: body, severity: 'low' }] } satisfies EvalSummary['tasks'][number],
      // @ts-expect-error nor is free text a kind
      { ...score, safetyFindings: [{ kind: text, severity: 'low' }] } satisfies EvalSummary['tasks'][number],
      // @ts-expect-error a task score has no reason
      { ...score, reason: body } satisfies EvalSummary['tasks'][number],
      // @ts-expect-error a result has none either, only one of a few words
      { ...score, unscored: text } satisfies TaskResult,
      // @ts-expect-error a Body is no repeat
      { ...score, repeats: [body] } satisfies TaskResult,
      // @ts-expect-error a log line has no place for a Body
      body satisfies Fact,
      // @ts-expect-error nor for free text
      text satisfies Fact,
      // @ts-expect-error also not in a call
      (log: Log) => log.info('task.sealed', { answer: body }),
    ];
    expect(attempts).toHaveLength(8);
  });

  test('finds every payload we write to be the payload of its wire schema', () => {
    type Strangers = Exclude<EventType, PayloadType>;
    type Misfits = {
      [T in EventType & PayloadType]: Payloads[T] extends PayloadWire<T> ? never : T;
    }[EventType & PayloadType];
    expectTypeOf<Strangers | Misfits>().toEqualTypeOf<never>();
  });
});

describe('the payload builders', () => {
  const finding: fc.Arbitrary<Finding> = fc.record({
    kind: fc.string({ minLength: 1 }).map((text) => asId<FindingKind>(text)),
    severity: fc.constantFrom(...SEVERITIES),
  });
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const usd = fc.double({ min: 0, max: 1000, noNaN: true });
  const taskId = fc.string({ minLength: 1 }).map((text) => asId<TaskId>(text));
  // What a later hand might add to a result, under the names the protocol forbids.
  const smuggled = fc.dictionary(
    fc.constantFrom('output', 'taskOutput', 'rubric', 'prompt', 'body'),
    fc.string(),
  );

  const result = fc.record(
    {
      taskId,
      score: fraction,
      passed: fc.boolean(),
      latencyMs: fc.nat(),
      costUsd: usd,
      judgeUsd: usd,
      unpriced: fc.nat(),
      schemaValid: fc.boolean(),
      findings: fc.array(finding),
      unscored: fc.constant('judge_unreadable' as const),
      repeats: fc.array(fraction),
    },
    { requiredKeys: ['taskId', 'score', 'passed'] },
  );

  const summary = fc.record(
    {
      suiteId: fc.constant(asId<SuiteId>('core.acme.evals.refunds')),
      suiteVersion: fc.constant(asId<Version>('1.0.0')),
      aggregateScore: fraction,
      passed: fc.boolean(),
      taskCount: fc.nat(),
      passedCount: fc.nat(),
      totalCostUsd: usd,
      tasks: fc.array(fc.record({ taskId, score: fraction, passed: fc.boolean() })),
      regression: fc.record({
        baselineRunId: fc.constant(asId<RunId>('run-1')),
        scoreDelta: fc.double({ min: -1, max: 1, noNaN: true }),
      }),
    },
    {
      requiredKeys: [
        'suiteId',
        'suiteVersion',
        'aggregateScore',
        'passed',
        'taskCount',
        'passedCount',
        'tasks',
      ],
    },
  );

  test('evalScored yields a valid payload and only members the schema knows', () => {
    fc.assert(
      fc.property(result, smuggled, (given, extra) => {
        const payload = evalScored({ ...given, ...extra } as TaskResult);
        expect(checkPayload('eval.scored', payload)).toEqual([]);
        expect(membersOf('evalScored')).toEqual(expect.arrayContaining(Object.keys(payload)));
      }),
    );
  });

  test('evalCompleted yields a valid payload and only members the schema knows', () => {
    fc.assert(
      fc.property(summary, smuggled, (given, extra) => {
        const payload = evalCompleted({ ...given, ...extra } as EvalSummary);
        expect(checkPayload('eval.completed', payload)).toEqual([]);
        expect(membersOf('evalCompleted')).toEqual(expect.arrayContaining(Object.keys(payload)));
      }),
    );
  });
});

function membersOf(definition: string): readonly string[] {
  const { $defs } = schemas['run-event-payloads'] as unknown as {
    readonly $defs: { readonly [name: string]: { readonly properties: object } };
  };
  return Object.keys($defs[definition]?.properties ?? {});
}
