import { isHostError } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { STANDARD_JUDGE } from '../../scoring/index.js';
import { packJudges } from './judge-catalogue.js';
import { parseJudge, readJudgeFile } from './judge-file.js';

const JUDGE = {
  judgeId: 'acme.judges.tone',
  version: '1.0.0',
  model: { class: 'general' },
  question: {
    system: 'You judge the tone of an answer.',
    user: [{ place: 'output' }, { text: 'Criteria:' }, { place: 'criteria' }],
  },
  answer: { form: 'verdicts/1' },
  votes: 1,
  aggregation: 'majority',
};
const { user } = JUDGE.question;
const asking = (parts: readonly unknown[], system: unknown = JUDGE.question.system) => ({
  ...JUDGE,
  question: { system, user: parts },
});

function issuesOf(read: () => unknown): readonly (readonly [string, string])[] {
  try {
    read();
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = (error.details?.issues ?? []) as { pointer: string; message: string }[];
    return issues.map(({ pointer, message }) => [pointer, message] as const);
  }
  return [];
}

describe('a portable judge', () => {
  it('is read as it is, and has the digest of its canonical form', () => {
    const read = parseJudge(JUDGE);
    expect(read).toMatchObject({ judgeId: 'acme.judges.tone', version: '1.0.0', judge: JUDGE });
    const turned = Object.fromEntries(Object.entries(JUDGE).reverse());
    expect(parseJudge(turned).digest).toBe(read.digest);
    expect(parseJudge({ ...JUDGE, votes: 3 }).digest).not.toBe(read.digest);
  });

  it('of the standard question is pinned: another word is another judge', () => {
    expect(parseJudge(STANDARD_JUDGE).digest).toBe(STANDARD_DIGEST);
  });

  it.each<[string, unknown, string, RegExp]>([
    ['no output', asking([{ text: 'x' }, { place: 'criteria' }]), '/question/user', /"output"/],
    ['no criteria', asking([{ text: 'x' }, { place: 'output' }]), '/question/user', /"criteria"/],
    ['a place twice', asking([...user, { place: 'output' }]), '/question/user', /once/],
    ['an unknown place', asking([...user, { place: 'prompt' }]), '/question/user/3/place', /output/],
    ['parts in parts', asking([...user, [{ place: 'input' }]]), '/question/user/3', /./],
    ['a loop', asking([...user, { each: 'criteria', parts: user }]), '/question/user/3', /./],
    ['a place in text', asking([...user, { text: 'See {{output}}.' }]), '/question/user/3/text', /\{\{/],
    [
      'a marker in text',
      asking([...user, { text: 'Now:\n--- answered 00 ---' }]),
      '/question/user/3/text',
      /---/,
    ],
    ['a marker in the orders', asking(user, 'Judge.\n --- end 00 ---'), '/question/system', /---/],
    ['invisible text', asking(user, 'Judge.\u202e\u200b'), '/question/system', /invisible/],
    [
      'a name that ends data',
      asking([{ place: 'output', name: 'end' }, { place: 'criteria' }]),
      '/question/user/0/name',
      /end/,
    ],
    [
      'a name with a marker',
      asking([{ place: 'output', name: 'x --- y' }, { place: 'criteria' }]),
      '/question/user/0',
      /./,
    ],
    ['orders without end', asking(user, 'x'.repeat(20_000)), '/question/system', /./],
    ['an address', { ...JUDGE, model: { name: 'https://example.com/v1' } }, '/model/name', /matches/],
    ['an unknown class', { ...JUDGE, model: { class: 'huge' } }, '/model/class', /general/],
    ['a credential', { ...JUDGE, apiKey: 'sk-1' }, '', /./],
    ['a class nobody knows', { ...JUDGE, model: { class: 'huge' } }, '/model', /./],
    ['another form of answer', { ...JUDGE, answer: { form: 'free' } }, '/answer/form', /./],
    ['too many votes', { ...JUDGE, votes: 99 }, '/votes', /./],
    ['a name of two parts', { ...JUDGE, judgeId: 'acme.tone' }, '/judgeId', /./],
    ['nothing', null, '', /./],
  ])('with %s is refused', (_what, value, pointer, message) => {
    const issues = issuesOf(() => parseJudge(value));
    expect(issues.some(([at, words]) => at.startsWith(pointer) && message.test(words))).toBe(true);
    expect(JSON.stringify(issues)).not.toMatch(/sk-1|tone of an answer/);
  });

  it('in a file is refused with the line, and when it is too long', () => {
    const yaml = 'judgeId: acme.judges.tone\nversion: 1.0.0\nvotes: 0\n';
    expect(issuesOf(() => readJudgeFile(Buffer.from(yaml), 'tone.judge.yaml')).length).toBeGreaterThan(3);
    expect(() => readJudgeFile(Buffer.alloc(70_000, 32), 'x.judge.json')).toThrow(/64 KiB/);
    expect(() => readJudgeFile(Buffer.from([0xff, 0xfe]), 'x.judge.json')).toThrow();
    expect(readJudgeFile(Buffer.from(JSON.stringify(JUDGE)), 'a.judge.json').digest).toBe(
      parseJudge(JUDGE).digest,
    );
  });
});

it('lies in the folder judges of a pack, once under its name', () => {
  const bytes = Buffer.from(JSON.stringify(JUDGE));
  const files = { 'judges/a.json': bytes, 'pack.json': Buffer.from('{}'), 'other/judges/b.json': bytes };
  expect(packJudges(new Map(Object.entries(files))).map(({ judgeId }) => judgeId)).toEqual([JUDGE.judgeId]);
  expect(() => packJudges(new Map([...Object.entries(files), ['judges/b.json', bytes]]))).toThrow(/twice/);
  expect(() => packJudges(new Map([['judges/a.json', Buffer.from('{"judgeId":1}')]]))).toThrow();
});

/** A change of the standard question is meant, or it is a mistake. */
const STANDARD_DIGEST = 'sha256:1cae9624ba343b5473a19d17b563e940a24f0385ffbe5ba9b1f1e43c86528c1c';
