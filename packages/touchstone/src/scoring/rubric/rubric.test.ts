import { asId, type Digest, type JudgeIdentity, type ModelName, type TaskId } from '@touchstone/protocol';
import { type Criterion, type Task, toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Judge, JudgeAnswer, JudgeQuestion, Transcript } from '../../ports/index.js';
import { AT_ONCE } from '../testing/at-once.js';
import { createRubricScorer } from './rubric.js';

const IDENTITY: JudgeIdentity = {
  provider: asId<ModelName>('local'),
  model: asId<ModelName>('judge-1'),
  votes: 1,
  promptDigest: asId<Digest>('sha256:0'),
  digest: asId<Digest>('sha256:1'),
};
const checks = AT_ONCE;
const never = new AbortController().signal;

/** A judge to whom a criterion is met when it says so itself. */
function literalJudge(answer?: JudgeAnswer): Judge & { readonly questions: JudgeQuestion[] } {
  const questions: JudgeQuestion[] = [];
  return {
    questions,
    identity: IDENTITY,
    close: () => undefined,
    async judge(question) {
      questions.push(question);
      const verdicts = question.criteria.map(({ sentence }) => ({ met: sentence.startsWith('true') }));
      return answer ?? { kind: 'judged', verdicts, usage: [] };
    },
  };
}
const taskOf = (rubric: readonly Criterion[]): Task => ({
  taskId: asId<TaskId>('t'),
  input: toBody('asked'),
  expected: { kind: 'rubric', rubric },
});
const prose = (words: string, weight: number): Criterion => ({ criterion: toBody(words), weight });
const OUTPUT = 'the quick brown fox';
const transcript: Transcript = { outcome: 'completed', toolCalls: [], seed: '0.0', output: toBody(OUTPUT) };

// The independent model: parts of a whole in exact integers. A weight is a number of thousandths, a criterion is met or
// not by what the generator decided, and only the last step divides.
type Planned = { readonly thousandths: number; readonly met: boolean; readonly isCheck: boolean };
const planned = fc.record({
  thousandths: fc.nat(1_000),
  met: fc.boolean(),
  isCheck: fc.boolean(),
});
const rubricPlan = fc
  .array(planned, { minLength: 1, maxLength: 40 })
  .filter((plan) => plan.some(({ thousandths }) => thousandths > 0));
const criterionOf = ({ thousandths, met, isCheck }: Planned, index: number): Criterion => {
  const text = met ? 'brown' : 'purple';
  const words = isCheck
    ? `[check:contains {"text":"${text}"}] Says ${text}, ${index}.`
    : `${met} of ${index}`;
  return prose(words, thousandths / 1_000);
};
const expectedScore = (plan: readonly Planned[]): number => {
  const sum = (some: readonly Planned[]) => some.reduce((total, { thousandths }) => total + thousandths, 0);
  return sum(plan.filter(({ met }) => met)) / sum(plan);
};

const unpaid = async () => undefined;

describe('a rubric', () => {
  it('is worth the share of its weight that is met, on a thousand random ones', async () => {
    await fc.assert(
      fc.asyncProperty(rubricPlan, async (plan) => {
        const score = createRubricScorer({ ...checks, judge: literalJudge() });
        const scored = await score(taskOf(plan.map(criterionOf)), transcript, never, unpaid);
        const value = scored.score.kind === 'scored' ? scored.score.value : Number.NaN;
        expect(value).toBeCloseTo(expectedScore(plan), 12);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        // No rounding may turn a full score into less than one, nor nothing into something.
        const weighing = plan.filter(({ thousandths }) => thousandths > 0);
        expect(value === 1).toBe(weighing.every(({ met }) => met));
        expect(value === 0).toBe(weighing.every(({ met }) => !met));
        expect(scored.criteria?.map(({ met, weight }) => [met, weight])).toEqual(
          plan.map(({ met, thousandths }) => [met, thousandths / 1_000]),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not miss a bar by rounding: weights in tenths give the share in tenths', async () => {
    const score = createRubricScorer({ ...checks, judge: literalJudge() });
    const tenths = fc
      .tuple(
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 10 }),
      )
      .map((cuts) => [0, ...cuts.sort((a, b) => a - b), 10])
      .map((cuts) => cuts.slice(1).map((cut, at) => cut - (cuts[at] as number)));
    await fc.assert(
      fc.asyncProperty(
        tenths,
        fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
        async (weights, met) => {
          const rubric = weights.map((weight, at) => prose(`${met[at]} ${at}`, weight / 10));
          const { score: given } = await score(taskOf(rubric), transcript, never, unpaid);
          const exact = weights.reduce((sum, weight, at) => sum + (met[at] ? weight : 0), 0) / 10;
          expect(given).toMatchObject({ value: exact });
        },
      ),
    );
  });

  it('asks the judge once, about its prose alone and in its order', async () => {
    const judge = literalJudge();
    const rubric = [prose('true a', 1), prose('[check:json] Is JSON.', 1), prose('false b', 0.5)];
    const scored = await createRubricScorer({ ...checks, judge })(taskOf(rubric), transcript, never, unpaid);
    expect(judge.questions).toEqual([
      {
        input: 'asked',
        output: OUTPUT,
        criteria: [{ sentence: 'true a' }, { sentence: 'false b' }],
        seed: '0.0',
      },
    ]);
    expect(scored).toMatchObject({ score: { value: 0.4 }, judge: IDENTITY.digest });
  });

  it('of checks alone asks nobody, and nobody has judged it', async () => {
    const scored = await createRubricScorer(checks)(
      taskOf([prose('[check:contains {"text":"fox"}] Has a fox.', 1)]),
      transcript,
      never,
      unpaid,
    );
    expect(scored).toMatchObject({ score: { value: 1 } });
    expect(scored).not.toHaveProperty('judge');
  });

  it('names its criteria so that nothing of them can be read, the same one everywhere the same', async () => {
    const score = createRubricScorer({ ...checks, judge: literalJudge() });
    const ids = async (...words: readonly string[]) =>
      (await score(taskOf(words.map((text) => prose(text, 1))), transcript, never, unpaid)).criteria?.map(
        ({ id }) => id,
      ) ?? [];
    const [first, second] = await ids('true secret-words', 'true other');
    expect(first).toMatch(/^c-[0-9a-f]{12}$/);
    expect(second).not.toBe(first);
    expect(await ids('false', 'true secret-words')).toContain(first);
  });

  it('has no prose met by an answer that was not given, and does not ask', async () => {
    const judge = literalJudge();
    const { output: _, ...silent } = transcript;
    const scored = await createRubricScorer({ ...checks, judge })(
      taskOf([prose('true', 1)]),
      silent,
      never,
      unpaid,
    );
    expect(scored.score).toMatchObject({ kind: 'scored', value: 0 });
    expect(judge.questions).toEqual([]);
  });

  it('keeps reasons up to a length, redacted before they are cut', async () => {
    const reason = `${'z'.repeat(1_995)}correct horse`;
    const judge = literalJudge({ kind: 'judged', verdicts: [{ met: true, reason }], usage: [] });
    const redact = (text: string) => text.replaceAll('correct horse', '[REDACTED:key]');
    const score = createRubricScorer({ ...checks, judge, redact });
    const { bodies } = await score(taskOf([prose('true', 1)]), transcript, never, unpaid);
    expect(bodies?.criteria?.[0]?.reason).toBe(`${'z'.repeat(1_995)}[REDA`);
  });

  it.each(['unreadable', 'unreachable'] as const)('whose judge is %s has no score', async (kind) => {
    const usage = [{ provider: IDENTITY.provider, model: IDENTITY.model, inputTokens: 1, outputTokens: 2 }];
    const judge = literalJudge({ kind, reason: 'in words', usage });
    const rubric = [prose('true', 1), prose('[check:contains {"text":"fox"}] Has a fox.', 1)];
    const scored = await createRubricScorer({ ...checks, judge })(taskOf(rubric), transcript, never, unpaid);
    expect(scored).toEqual({
      score: { kind: 'unscored', reason: `judge_${kind}` },
      bodies: { reason: 'in words' },
    });
  });
});
