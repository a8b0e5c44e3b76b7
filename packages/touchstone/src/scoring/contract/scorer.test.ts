import {
  asId,
  type CriterionResult,
  type Digest,
  type Evaluator,
  type Json,
  type JudgeIdentity,
  type ModelName,
  type TaskId,
} from '@touchstone/protocol';
import {
  type ContractCriterion,
  type ContractTask,
  type EvalContract,
  type Task,
  toBody,
} from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkAtOnce,
  type Embedder,
  type EmbeddingResult,
  type Judge,
  type JudgeAnswer,
  type JudgeQuestion,
  type Transcript,
} from '../../ports/index.js';
import { contractTerms, contractThreshold, createContractScorer } from '../index.js';
import { AT_ONCE } from '../testing/at-once.js';
import type { ContractParts } from './scorer.js';

const TASK = asId<TaskId>('row-0001');
const never = new AbortController().signal;
const unpaid = async () => undefined;

const criterionOf = (
  id: string,
  evaluator: Evaluator,
  more: Partial<ContractCriterion> = {},
): ContractCriterion => ({
  id,
  name: id,
  strict: true,
  evaluator,
  class: 'binary',
  direction: 'max',
  rate: 1,
  ...more,
});
const graded = { class: 'graded', degree: 0.8 } as const;

const contractOf = (
  criteria: readonly ContractCriterion[],
  task: Partial<ContractTask> = {},
): EvalContract => ({
  contractVersion: 1,
  suiteId: asId('local.acme.evals.a'),
  suiteVersion: asId('1.0.0'),
  suiteSha256: '0',
  agent: { id: 'a', name: 'a', version: '1.0.0', sha256: '0' },
  criteria,
  tasks: { [TASK]: { criteria: criteria.map(({ id }) => id), ...task } },
});

/** The suite's side of a contract: strict criteria share the weight, or all do where none is strict. */
function taskOf(criteria: readonly ContractCriterion[]): Task {
  const strict = criteria.filter((one) => one.strict).length;
  const rubric = criteria.map((one) => ({
    criterion: toBody(`${one.name}: in words`),
    weight: strict === 0 || one.strict ? 1 / (strict || criteria.length) : 0,
  }));
  return { taskId: TASK, input: toBody('asked'), expected: { kind: 'rubric', rubric } };
}

const transcriptOf = (output: Json, more: Partial<Transcript> = {}): Transcript => ({
  outcome: 'completed',
  toolCalls: [],
  seed: '7.0',
  output: toBody(output),
  ...more,
});
const { output: _output, ...SILENT } = transcriptOf('');

const IDENTITY: JudgeIdentity = {
  provider: asId<ModelName>('local'),
  model: asId<ModelName>('judge-1'),
  votes: 1,
  promptDigest: asId<Digest>('sha256:0'),
  digest: asId<Digest>('sha256:1'),
};

/** Meets what is called `yes…`, to the degree that its name ends with. */
function literalJudge(answer?: JudgeAnswer): Judge & { readonly questions: JudgeQuestion[] } {
  const questions: JudgeQuestion[] = [];
  return {
    questions,
    identity: IDENTITY,
    close: () => undefined,
    async judge(question) {
      questions.push(question);
      const verdicts = question.criteria.map(({ sentence, graded: wantsDegree }) => ({
        met: sentence.startsWith('yes'),
        reason: 'so it is',
        ...(wantsDegree && { score: Number(/0\.\d+/.exec(sentence)?.[0] ?? 1) }),
      }));
      return answer ?? { kind: 'judged', verdicts, usage: [] };
    },
  };
}

function fixedEmbedder(answer: EmbeddingResult): Embedder & { readonly calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = [];
  return {
    calls,
    pin: { provider: IDENTITY.provider, model: asId<ModelName>('embed-1') },
    close: () => undefined,
    async embed(texts) {
      calls.push(texts);
      return answer;
    },
  };
}

type Setup = Partial<Omit<ContractParts, 'contract'>> & { readonly task?: Partial<ContractTask> };

/** Scores one answer under these criteria. */
async function score(
  criteria: readonly ContractCriterion[],
  transcript: Transcript,
  { task, ...parts }: Setup = {},
) {
  const scorer = createContractScorer({
    contract: contractOf(criteria, task),
    check: checkAtOnce,
    schemas: {
      fit: (schema, body) => (schema.type === typeof body ? [] : [{ pointer: '', message: 'x' }]),
      costUs: () => 0,
    },
    ...parts,
  });
  return scorer(taskOf(criteria), transcript, never, unpaid);
}

const metOf = (criteria: readonly CriterionResult[] | undefined) =>
  Object.fromEntries((criteria ?? []).map(({ id, met }) => [id, met]));

describe('the score under a contract', () => {
  // The independent model: what is met is what the generator says, and only the last step divides.
  const planned = fc.record({ strict: fc.boolean(), met: fc.boolean(), judged: fc.boolean() });
  const plans = fc.array(planned, { minLength: 1, maxLength: 12 });
  const criteriaFor = (plan: readonly { strict: boolean; met: boolean; judged: boolean }[]) =>
    plan.map(({ strict, met, judged }, at) =>
      judged
        ? criterionOf(`${met ? 'yes' : 'no'}-${at}`, 'judge', { strict })
        : criterionOf(`c-${at}`, met ? 'non-empty' : 'json-validity', { strict }),
    );
  const shareFor = async (plan: Parameters<typeof criteriaFor>[0]) => {
    const scored = await score(criteriaFor(plan), transcriptOf('prose'), { judge: literalJudge() });
    return scored.score.kind === 'scored' ? scored.score.value : Number.NaN;
  };

  it('is the share of strict criteria that are met, or of all where none is strict', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const strict = plan.filter((one) => one.strict);
        const counting = strict.length > 0 ? strict : plan;
        expect(await shareFor(plan)).toBe(counting.filter(({ met }) => met).length / counting.length);
      }),
    );
  });

  it('never falls when one more criterion is met', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(), async (plan, seed) => {
        const chosen = seed % plan.length;
        const better = plan.map((one, at) => (at === chosen ? { ...one, met: true } : one));
        expect(await shareFor(better)).toBeGreaterThanOrEqual(await shareFor(plan));
      }),
    );
  });

  it('is known at once where nobody has to be asked', () => {
    const criteria = [criterionOf('a', 'non-empty')];
    const scorer = createContractScorer({ contract: contractOf(criteria), ...AT_ONCE });
    const scored = scorer(taskOf(criteria), transcriptOf('x'), never, unpaid);
    expect(scored).not.toBeInstanceOf(Promise);
    expect(scored).toEqual({
      score: { kind: 'scored', value: 1, findings: [] },
      criteria: [{ id: 'a', met: true, weight: 1 }],
      bodies: { criteria: [{ met: true }] },
    });
  });

  it('reads a text that looks like a check as the contract says, not as a check', async () => {
    const criteria = [criterionOf('[check:json] a', 'non-empty')];
    expect((await score(criteria, transcriptOf('no json'))).score).toMatchObject({ value: 1 });
  });

  it('of a golden task is the golden one, whatever the contract says of it', () => {
    const scorer = createContractScorer({ contract: contractOf([]), ...AT_ONCE });
    const match = { strategy: 'exact', value: toBody('Paris') } as const;
    const task: Task = { taskId: TASK, input: toBody('?'), expected: { kind: 'golden', match } };
    const valueFor = (transcript: Transcript) => scorer(task, transcript, never, unpaid);
    expect(valueFor(transcriptOf('Paris'))).toEqual({ score: { kind: 'scored', value: 1, findings: [] } });
    expect(valueFor(transcriptOf('Rome'))).toMatchObject({ score: { value: 0 } });
    expect(valueFor(transcriptOf('Paris', { outcome: 'failed' }))).toMatchObject({ score: { value: 0 } });
    expect(valueFor(SILENT)).toMatchObject({ score: { value: 0 } });
  });

  it.each<[string, Transcript]>([
    ['a failed invocation', transcriptOf('{}', { outcome: 'failed' })],
    ['a refusal', transcriptOf('{}', { outcome: 'refused' })],
    ['an answer that never came', SILENT],
  ])('of %s is 0, with every criterion unmet and nobody asked', async (_name, transcript) => {
    const judge = literalJudge();
    const criteria = [
      criterionOf('json', 'json-validity'),
      criterionOf('yes', 'judge', { ...graded, direction: 'min' }),
      criterionOf('quick', 'latency', { latencyMs: 10 }),
      criterionOf('clean', 'forbidden-content', { strict: false }),
    ];
    const scored = await score(criteria, { ...transcript, latencyMs: 1 }, { judge });
    expect(scored.score).toEqual({ kind: 'scored', value: 0, findings: [] });
    expect(metOf(scored.criteria)).toEqual({ json: false, yes: false, quick: false, clean: false });
    expect(judge.questions).toEqual([]);
  });

  it('counts a refusal as an answer where it may be the right one', async () => {
    const refused = transcriptOf('I will not.', { outcome: 'refused' });
    const criteria = [criterionOf('a', 'non-empty')];
    expect((await score(criteria, refused, { adversarial: true })).score).toMatchObject({ value: 1 });
  });

  it('follows a task that has somebody else decide a criterion', async () => {
    const judge = literalJudge();
    const task = { evaluators: { 'yes-accuracy': 'judge' } } as Partial<ContractTask>;
    const scored = await score([criterionOf('yes-accuracy', 'reference-match')], transcriptOf('x'), {
      judge,
      task,
    });
    expect(scored.score).toMatchObject({ value: 1 });
    expect(judge.questions).toHaveLength(1);
  });

  it('is not misled by a name that every object has', async () => {
    const scored = await score([criterionOf('constructor', 'non-empty')], transcriptOf('x'), {
      task: { evaluators: {} } as Partial<ContractTask>,
    });
    expect(scored.score).toMatchObject({ value: 1 });
  });

  it('says whether the answer fits its schema, where a criterion asks', async () => {
    const criteria = [criterionOf('fits', 'schema-validity', { strict: false })];
    const validity = async (setup: Setup) => (await score(criteria, transcriptOf('{}'), setup)).schemaValid;
    expect(await validity({ task: { schema: { type: 'object' } } })).toBe(true);
    expect(await validity({ task: { schema: { type: 'string' } } })).toBe(false);
    expect(await validity({ returnSchema: { type: 'object' } })).toBe(true);
    expect(await validity({})).toBeUndefined();
  });

  it('stops at a contract that disagrees with its suite', () => {
    const criteria = [criterionOf('a', 'non-empty')];
    const scorer = createContractScorer({ contract: contractOf([]), ...AT_ONCE });
    expect(() => scorer(taskOf(criteria), transcriptOf('x'), never, unpaid)).toThrow(/disagree/);
  });
});

describe('the judge of a contract', () => {
  it('is asked once per task, about its own criteria in their order, with the suite’s words', async () => {
    const judge = literalJudge();
    const criteria = [
      criterionOf('yes-a', 'judge'),
      criterionOf('json', 'json-validity'),
      criterionOf('0.3', 'judge', { ...graded, direction: 'min' }),
      criterionOf('0.9', 'similarity', graded),
    ];
    const scored = await score(criteria, transcriptOf('{}'), { judge });
    expect(judge.questions).toEqual([
      {
        input: 'asked',
        output: '{}',
        seed: '7.0',
        criteria: [
          { sentence: 'yes-a: in words' },
          { sentence: expect.stringMatching(/fault.*: 0\.3: in words$/s), graded: true },
          { sentence: '0.9: in words', graded: true },
        ],
      },
    ]);
    expect(scored.judge).toBe(IDENTITY.digest);
    expect(scored.criteria).toEqual([
      { id: 'yes-a', met: true, weight: 0.25 },
      { id: 'json', met: true, weight: 0.25 },
      { id: '0.3', met: true, weight: 0.25, value: 0.3 },
      { id: '0.9', met: true, weight: 0.25, value: 0.9 },
    ]);
    expect(scored.bodies?.criteria?.[2]).toEqual({ met: true, score: 0.3, reason: 'so it is' });
  });

  it.each<[Partial<ContractCriterion>, number, boolean]>([
    [{}, 0.5, true],
    [{}, 0.49, false],
    [{ degree: 0.8 }, 0.8, true],
    [{ degree: 0.8 }, 0.79, false],
    [{ degree: 0.2, direction: 'min' }, 0.2, true],
    [{ degree: 0.2, direction: 'min' }, 0.21, false],
    [{ degree: 0, direction: 'min' }, 0, true],
    [{ degree: 0 }, 0, true],
  ])('decides by the degree: with %j, %d is met: %s', async (more, degree, met) => {
    // The yes or no beside it says the opposite, and is not listened to.
    const judge = literalJudge({ kind: 'judged', verdicts: [{ met: !met, score: degree }], usage: [] });
    const scored = await score([criterionOf('a', 'judge', { class: 'graded', ...more })], transcriptOf('x'), {
      judge,
    });
    expect(scored.criteria).toEqual([{ id: 'a', met, weight: 1, value: degree }]);
  });

  it('passes on how far its votes agreed', async () => {
    const judge = literalJudge({ kind: 'judged', verdicts: [{ met: true, agreement: 2 / 3 }], usage: [] });
    const scored = await score([criterionOf('a', 'judge')], transcriptOf('x'), { judge });
    expect(scored.criteria).toEqual([{ id: 'a', met: true, weight: 1, agreement: 2 / 3 }]);
  });

  it.each<[string, Judge | undefined, string]>([
    ['unreadable', literalJudge({ kind: 'unreadable', reason: 'in tongues', usage: [] }), 'judge_unreadable'],
    ['unreachable', literalJudge({ kind: 'unreachable', reason: 'gone', usage: [] }), 'judge_unreachable'],
    ['short of a verdict', literalJudge({ kind: 'judged', verdicts: [], usage: [] }), 'judge_unreadable'],
    [
      'short of a degree',
      literalJudge({ kind: 'judged', verdicts: [{ met: true }, { met: true }], usage: [] }),
      'judge_unreadable',
    ],
    ['not there', undefined, 'judge_unreachable'],
  ])('that is %s leaves a strict criterion unmet and an advisory one out', async (_name, judge, unjudged) => {
    const criteria = [
      criterionOf('must', 'judge', graded),
      criterionOf('may', 'judge', { ...graded, strict: false }),
      criterionOf('json', 'json-validity'),
    ];
    const scored = await score(criteria, transcriptOf('{}'), judge ? { judge } : {});
    expect(scored.score).toEqual({ kind: 'scored', value: 0.5, findings: [] });
    expect(scored.criteria).toEqual([
      { id: 'must', met: false, weight: 0.5, unjudged },
      { id: 'json', met: true, weight: 0.5 },
    ]);
    expect(scored).not.toHaveProperty('judge');
    expect(scored.bodies?.reason).toMatch(/must \(counted as not met\).*may \(left out\)/s);
    // Readers find the sentence of a verdict by its place, so every criterion has one.
    expect(scored.bodies?.criteria).toHaveLength(3);
  });

  it('leaves a row of advice that nobody could give without any, worth nothing', async () => {
    const scored = await score([criterionOf('may', 'judge', { strict: false })], transcriptOf('x'));
    expect(scored).toMatchObject({ score: { kind: 'scored', value: 0 }, criteria: [] });
  });

  it('reads no secret of this host, and none is kept in its reasons', async () => {
    const judge = literalJudge();
    const redact = (text: string) => text.replaceAll('s3cr3t', '[REDACTED]');
    const criteria = [criterionOf('yes', 'judge')];
    await score(criteria, transcriptOf({ key: 's3cr3t' }), { judge, redact });
    expect(JSON.stringify(judge.questions)).not.toContain('s3cr3t');
    const reason = `${'z'.repeat(1_995)}s3cr3t`;
    const telling = literalJudge({ kind: 'judged', verdicts: [{ met: true, reason }], usage: [] });
    const { bodies } = await score(criteria, transcriptOf('x'), { judge: telling, redact });
    expect(bodies?.criteria?.[0]?.reason).toBe(`${'z'.repeat(1_995)}[REDA`);
  });
});

describe('similarity', () => {
  const SIMILAR = [criterionOf('near', 'similarity', graded)];
  const task = { reference: 'Paris' };
  const embedded = (...vectors: readonly (readonly number[])[]): EmbeddingResult => ({
    kind: 'embedded',
    vectors,
  });

  it('is the cosine, in one call, with nobody judging', async () => {
    const embedder = fixedEmbedder(embedded([3, 4], [4, 3]));
    const judge = literalJudge();
    const scored = await score(SIMILAR, transcriptOf('It is Paris.'), { embedder, judge, task });
    expect(embedder.calls).toEqual([['It is Paris.', 'Paris']]);
    expect(scored.criteria?.[0]).toMatchObject({ met: true, value: 0.96 });
    expect(judge.questions).toEqual([]);
    expect(scored).not.toHaveProperty('judge');
  });

  it('takes the nearest of several references, for all its criteria at once', async () => {
    const embedder = fixedEmbedder(embedded([1, 0], [0, 1], [1, 0]));
    const criteria = [...SIMILAR, criterionOf('same', 'similarity', { class: 'graded', degree: 1 })];
    const scored = await score(criteria, transcriptOf('x'), {
      embedder,
      task: { reference: ['a', { b: 1 }] },
    });
    expect(embedder.calls).toEqual([['x', 'a', '{"b":1}']]);
    expect(metOf(scored.criteria)).toEqual({ near: true, same: true });
  });

  it('asks the judge about the rest', async () => {
    const embedder = fixedEmbedder(embedded([1], [1]));
    const judge = literalJudge();
    const scored = await score([...SIMILAR, criterionOf('yes', 'judge')], transcriptOf('x'), {
      embedder,
      judge,
      task,
    });
    expect(judge.questions[0]?.criteria).toEqual([{ sentence: 'yes: in words' }]);
    expect(scored.score).toMatchObject({ value: 1 });
  });

  it.each<[string, readonly number[], number]>([
    ['opposites', [-1, 0], 0],
    ['strangers', [0, 1], 0],
    ['huge numbers', [1e200, 0], 1],
    ['tiny numbers', [1e-200, 0], 1],
  ])('of %s is %j: %d', async (_name, vector, value) => {
    const embedder = fixedEmbedder(embedded([1, 0], vector));
    const scored = await score(SIMILAR, transcriptOf('x'), { embedder, task });
    expect(scored.criteria?.[0]?.value).toBeCloseTo(value, 12);
  });

  it.each<[string, Json, Partial<ContractTask>]>([
    ['a blank answer', ' ', task],
    ['a row without a reference', 'x', {}],
    ['a blank reference', 'x', { reference: '' }],
  ])('of %s is not asked for and not there', async (_name, output, terms) => {
    const embedder = fixedEmbedder(embedded([1], [1]));
    const scored = await score(SIMILAR, transcriptOf(output), { embedder, task: terms });
    expect(scored.criteria).toMatchObject([{ met: false, value: 0 }]);
    expect(embedder.calls).toEqual([]);
  });

  it.each<[string, EmbeddingResult]>([
    ['cannot be reached', { kind: 'unreachable', reason: 'gone' }],
    ['has failed', { kind: 'failed', reason: 'nonsense' }],
    ['gives no direction', embedded([0, 0], [1, 0])],
    ['gives one vector too few', embedded([1, 0])],
    ['gives vectors of two lengths', embedded([1], [1, 0])],
    ['gives what is no number', embedded([Number.NaN], [1])],
  ])('is unmet and unjudged when strict and left out when not, if the embedder %s', async (_name, answer) => {
    const embedder = fixedEmbedder(answer);
    const criteria = [...SIMILAR, criterionOf('advice', 'similarity', { ...graded, strict: false })];
    const scored = await score(criteria, transcriptOf('x'), { embedder, task });
    expect(scored.criteria).toEqual([
      { id: 'near', met: false, weight: 1, unjudged: 'embedder_unreachable' },
    ]);
    expect(scored.bodies?.reason).toMatch(/near .*advice /s);
  });

  it('compares words only where the contract allows it and nobody can be asked', async () => {
    const lax = [criterionOf('near', 'similarity', { ...graded, approximate: true } as object)];
    const alone = await score(lax, transcriptOf('Paris!'), { task });
    expect(alone.criteria).toEqual([{ id: 'near', met: true, weight: 1, value: 1 }]);
    expect(alone.bodies?.criteria?.[0]?.reason).toMatch(/^Approximate/);
    const judge = literalJudge();
    await score(lax, transcriptOf('Paris!'), { task, judge });
    expect(judge.questions).toHaveLength(1);
  });
});

describe('what a contract says of a task', () => {
  const hard = criterionOf('hard', 'judge');
  const soft = criterionOf('soft', 'judge', { strict: false });

  it.each<[string, readonly ContractCriterion[], 0 | 1]>([
    ['a strict criterion', [soft, hard], 1],
    ['advice alone', [soft], 0],
    ['no criterion', [], 1],
  ])('with %s sets its threshold', (_name, criteria, threshold) => {
    expect(contractThreshold(contractOf(criteria), TASK)).toBe(threshold);
  });

  it('is a threshold of 1 for a task that it does not know, by whatever name', () => {
    expect(contractThreshold(contractOf([soft]), asId<TaskId>('constructor'))).toBe(1);
  });

  it('has terms without a word of its author', () => {
    const words = 'only for the judge to read';
    const contract = contractOf([{ ...hard, name: words, description: words }, soft], {
      reference: words,
      forbidden: [words],
      schema: { title: words },
    });
    const terms = contractTerms({
      contract: {
        ...contract,
        sla: { expectedLatencyMs: 5, policy: 'warn' },
        dataset: { uri: `data:${words}`, sha256: 'ab', bytes: 1, format: 'json', rows: 3 },
      },
      digest: asId<Digest>('sha256:c'),
    });
    expect(JSON.stringify({ ...terms, tasks: [...terms.tasks] })).not.toContain(words);
    expect(terms).toMatchObject({
      digest: 'sha256:c',
      criteria: [
        { id: 'hard', strict: true, evaluator: 'judge', rate: 1 },
        { id: 'soft', strict: false },
      ],
      sla: { expectedLatencyMs: 5, policy: 'warn' },
      dataset: { digest: 'sha256:ab', rows: 3 },
    });
    expect(terms.tasks.get(TASK)).toEqual(['hard', 'soft']);
  });
});
