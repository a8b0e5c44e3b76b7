import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Contracts, type Criterion, definition, openContractCli } from '../../testing/contract-cli.js';

let desk: Contracts;
beforeEach(() => {
  desk = openContractCli();
  desk.write('script.json', SCRIPT);
});
afterEach(() => desk.close());

const says = (model: string, contains: string, polite: boolean, warm: boolean): object => ({
  when: { model, contains },
  json: {
    verdicts: [polite, warm].map((met, at) => ({
      criterion: at + 1,
      met,
      score: Number(met),
      reason: 'REASON',
    })),
  },
});
const answers = [1, 2, 3, 4].map((parcel) => ({
  when: { model: 'agent', contains: `"parcel":${parcel}` },
  json: { place: `shelf ${parcel}` },
}));
/** To one judge nothing is warm, and shelf 3 not polite either; the other one likes everything. */
const SCRIPT = {
  replies: [
    ...answers,
    says('strict', 'shelf 3', false, false),
    says('strict', 'shelf', true, false),
    says('mild', 'shelf', true, true),
  ],
};
const SIMILAR: Criterion = { name: 'similarity', strict: false };
const JUDGED: readonly Criterion[] = [
  // Looks like a check, and is none: the contract names who decides.
  { name: 'politeness', description: '[check:json] It is polite.', strict: false },
  { name: 'warmth', description: 'It is warm.', strict: false },
];
const CONCISE: Criterion = { name: 'conciseness', description: 'At most 1 words.', strict: false };

const ruled = (...rubric: readonly Criterion[]): void =>
  desk.write('agent.json', definition({ grading_rubric: rubric }));
const comparison = async (...more: readonly string[]) =>
  JSON.parse((await desk.run('rejudge', 'last', '--judge', 'offline/mild', '--json', ...more)).out)
    .comparison;

test('under a contract only what a judge has decided is compared, under its own name', async () => {
  // The embedder refuses, so the first criterion is left out of every result and the others stand elsewhere.
  const server = createServer((_request, response) => response.writeHead(400).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  ruled(SIMILAR, CONCISE, ...JUDGED);
  desk.configure({
    providers: {
      offline: { kind: 'scripted', path: 'script.json' },
      near: { kind: 'openai-compatible', baseUrl },
    },
    judge: { model: 'offline/strict' },
    embedder: { model: 'near/vectors' },
  });
  const first = JSON.parse((await desk.run('run', 'agent.json', '--repeats', '2', '--json')).out);
  expect(first.rubrics[0].criteria.map(({ id }: { id: string }) => id)).not.toContain('similarity');
  expect(await comparison('--bodies')).toMatchObject({
    criteria: { compared: 16, agreement: 6 / 16, kappa: 0, confusion: { tp: 6, fp: 10, fn: 0, tn: 0 } },
    disputed: [
      { id: 'warmth', compared: 8, same: 0, sentence: expect.stringContaining('It is warm.') },
      { id: 'politeness', compared: 8, same: 6, sentence: expect.stringContaining('[check:json] It is') },
    ],
  });
  server.close();
});

test('without an embedder meanings are compared by the judges, and so are their verdicts', async () => {
  ruled(CONCISE, SIMILAR, { name: 'warmth', description: 'It is warm.', strict: false });
  desk.configure({ judge: { model: 'offline/strict' } });
  await desk.run('run', 'agent.json');
  const { criteria, disputed } = await comparison();
  expect(criteria).toMatchObject({ compared: 8, confusion: { tp: 3, fp: 5 } });
  expect(disputed).toMatchObject([{ id: 'warmth' }, { id: 'similarity', compared: 4, same: 3 }]);
});

test('advice that nobody could give is given by a judge that is named later', async () => {
  ruled(CONCISE, ...JUDGED);
  desk.configure();
  expect(JSON.parse((await desk.run('run', 'agent.json', '--json')).out).judge).toBeUndefined();
  const { code, err } = await desk.run('rejudge', 'last');
  expect([code, err]).toEqual([2, expect.stringContaining('No judge is configured. Name one')]);
  const again = JSON.parse((await desk.run('rejudge', 'last', '--judge', 'offline/mild', '--json')).out);
  expect(again.contract.criteria).toMatchObject([
    { id: 'conciseness', met: 0 },
    { id: 'politeness', met: 4 },
    { id: 'warmth', met: 4 },
    { id: 'reference-match', met: 4 },
  ]);
  // The first time there was no verdict to compare with.
  expect(again.comparison.criteria.compared).toBe(0);
});

test('a contract that asks no judge, or not about the tasks that ran, is not judged again', async () => {
  const words = 'No task of the run needs a judge';
  ruled(CONCISE);
  await desk.run('run', 'agent.json');
  expect(await desk.run('rejudge', 'last', '--judge', 'offline/mild')).toMatchObject({
    code: 2,
    err: expect.stringContaining(words),
  });
  const rows = [1, 2].map((parcel) => ({
    id: `p${parcel}`,
    input: { parcel },
    ...(parcel === 1 && { expected: { place: 'shelf 1' } }),
  }));
  desk.write('evals/rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  // Where there is no reference, somebody has to be asked.
  const rubric = [{ name: 'accuracy', strict: false }];
  desk.write('agent.json', definition({ grading_rubric: rubric }, '1.1.0'));
  await desk.run('run', 'agent.json', '--only', 'p1');
  expect((await desk.run('rejudge', 'last', '--judge', 'offline/mild')).err).toContain(words);
  await desk.run('run', 'agent.json', '--only', 'p2');
  expect((await desk.run('rejudge', 'last')).err).toContain('No judge is configured');
});
