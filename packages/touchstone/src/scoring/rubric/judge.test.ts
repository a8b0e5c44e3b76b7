import { asId, type ModelName } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskModel, JudgeQuestion, Usage } from '../../ports/index.js';
import { createModelJudge, judgeIdentity } from './judge.js';

type Asked = Parameters<AskModel>[0];
type Said = Awaited<ReturnType<AskModel>>;

const usage = (inputTokens: number): Usage => ({
  provider: asId<ModelName>('local'),
  model: asId<ModelName>('judge-1'),
  inputTokens,
  outputTokens: 1,
});
const says = (text: string, at = 0): Said => ({ kind: 'reply', text, usage: usage(at) });
/** The numbered sentences at the end of a question. */
const sentencesIn = ({ user }: Asked): string[] =>
  user
    .slice(user.indexOf('\nCriteria:\n') + '\nCriteria:\n'.length)
    .split('\n')
    .map((line) => JSON.parse(line.replace(/^\d+\. /, '')) as string);
const verdicts = (asked: Asked, metOf: (sentence: string) => boolean): string =>
  JSON.stringify({
    verdicts: sentencesIn(asked).map((sentence, index) => ({
      criterion: index + 1,
      reason: `about ${sentence}`,
      met: metOf(sentence),
    })),
  });

function judgeOf(votes: number, answer: (asked: Asked, index: number) => Said) {
  const asked: Asked[] = [];
  const ask: AskModel = async (question) => answer(question, asked.push(question) - 1);
  const identity = judgeIdentity(asId<ModelName>('local'), asId<ModelName>('judge-1'), votes);
  return { asked, judge: createModelJudge(identity, ask, () => undefined) };
}
const questionOf = (count: number, seed = '0.0'): JudgeQuestion => ({
  input: toBody('asked'),
  output: toBody('answered'),
  criteria: Array.from({ length: count }, (_, index) => ({ sentence: `c${index}` })),
  seed,
});
const never = new AbortController().signal;

describe('a judge', () => {
  it.each([
    [1, [1]],
    [20, [20]],
    [21, [20, 1]],
    [41, [20, 20, 1]],
  ])('is asked about %i criteria in calls of %j', async (count, sizes) => {
    const { judge, asked } = judgeOf(1, (question, at) =>
      says(
        verdicts(question, (s) => s.endsWith('3')),
        at,
      ),
    );
    const judged = await judge.judge(questionOf(count), never);
    expect(asked.map((question) => sentencesIn(question).length)).toEqual(sizes);
    expect(judged).toMatchObject({
      kind: 'judged',
      verdicts: questionOf(count).criteria.map(({ sentence }) => ({ met: sentence.endsWith('3') })),
      usage: sizes.map((_, at) => usage(at)),
    });
  });

  it('gives every criterion its own verdict, however the votes shuffle and split them', async () => {
    const shape = fc.tuple(fc.integer({ min: 1, max: 45 }), fc.integer({ min: 1, max: 5 }), fc.string());
    await fc.assert(
      fc.asyncProperty(shape, fc.func(fc.boolean()), async ([count, votes, seed], metOf) => {
        const { judge } = judgeOf(votes, (question) => says(verdicts(question, metOf)));
        const judged = await judge.judge(questionOf(count, seed), never);
        const expected = questionOf(count).criteria.map(({ sentence }) => ({
          met: metOf(sentence),
          reason: `about ${sentence}`,
          ...(votes > 1 && { agreement: 1 }),
        }));
        expect(judged).toMatchObject({ kind: 'judged', verdicts: expected });
      }),
    );
  });

  it('asks in another order for each vote, and in the same orders the next time', async () => {
    const orders = async (seed: string) => {
      const { judge, asked } = judgeOf(4, (question) => says(verdicts(question, () => true)));
      await judge.judge(questionOf(12, seed), never);
      return asked.map((question) => sentencesIn(question).join());
    };
    const first = await orders('3.0');
    expect(new Set(first).size).toBe(4);
    expect(await orders('3.0')).toEqual(first);
    expect(await orders('3.1')).not.toEqual(first);
  });

  it('asks no question twice as the same question, so that a cache cannot answer for a second vote', async () => {
    const { judge, asked } = judgeOf(3, (question, at) =>
      says(at % 2 === 0 ? 'what?' : verdicts(question, () => true)),
    );
    await judge.judge(questionOf(2), never);
    expect(asked.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('is asked once more after an unreadable answer, and no more after a second', async () => {
    const once = judgeOf(1, (question, at) => says(at === 0 ? 'Well…' : verdicts(question, () => true), at));
    expect(await once.judge.judge(questionOf(2), never)).toMatchObject({
      kind: 'judged',
      usage: [usage(0), usage(1)],
    });
    expect(once.asked[1]?.user).toBe(once.asked[0]?.user);
    const twice = judgeOf(3, (_, at) => says('Well…', at));
    expect(await twice.judge.judge(questionOf(2), never)).toMatchObject({
      kind: 'unreadable',
      usage: [usage(0), usage(1)],
    });
  });

  it('that cannot be reached has judged nothing, and what was paid before stays paid', async () => {
    const { judge, asked } = judgeOf(2, (question, at) =>
      at === 0 ? says(verdicts(question, () => true)) : { kind: 'unreachable', reason: 'gone' },
    );
    expect(await judge.judge(questionOf(2), never)).toEqual({
      kind: 'unreachable',
      reason: 'gone',
      usage: [usage(0)],
    });
    expect(asked).toHaveLength(2);
  });

  it('is another one with another model, provider or number of votes', () => {
    const [a, b] = [asId<ModelName>('a'), asId<ModelName>('b')];
    const all = [
      judgeIdentity(a, b, 1),
      judgeIdentity(b, a, 1),
      judgeIdentity(a, b, 3),
      judgeIdentity(a, a, 1),
    ];
    expect(new Set(all.map(({ digest }) => digest)).size).toBe(all.length);
    expect(judgeIdentity(a, b, 1)).toEqual(all[0]);
  });
});
