import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@touchstone/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSuite } from '../../suites/parse-suite.js';
import type { NormalRow } from '../types.js';
import { agent, criterion, profile, rowsOf } from './fixtures/agents.js';
import type { CompileInput } from './options.js';
import { compileProfile, compileToWriters } from './outputs.js';

async function writtenBy(input: CompileInput) {
  const texts = { suite: '', contract: '' };
  const written = await compileToWriters(input, {
    suite: async (piece) => {
      texts.suite += piece;
    },
    contract: async (piece) => {
      texts.contract += piece;
    },
  });
  return { ...texts, written };
}

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const wellFormed = (value: Json): boolean => !/\\ud[89a-f]/i.test(JSON.stringify(value));
const body = json.filter(wellFormed);
const optional = <T>(member: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((given) => (given === undefined ? {} : { [member]: given }));

const row = fc
  .tuple(
    fc.record({ input: body }),
    optional('expected', body),
    optional('reference', body),
    optional('match', fc.constantFrom('exact', 'contains', 'json-match')),
    optional('forbidden', fc.array(fc.string({ unit: 'grapheme-ascii' }), { maxLength: 2 })),
    optional(
      'tools',
      fc.array(fc.record({ tool: fc.constant('local:x'), response: body }), { maxLength: 2 }),
    ),
    optional('tags', fc.constant(['t'])),
  )
  .map((parts) => Object.assign({}, ...parts) as Omit<NormalRow, 'at'>);

const inputs = fc
  .record({
    rows: fc.array(row, { minLength: 1, maxLength: 150 }),
    names: fc.subarray(['tone', 'similarity', 'tool_usage', 'forbidden_content', 'accuracy', '10', '9'], {
      minLength: 1,
    }),
    split: fc.boolean(),
    count: fc.integer({ min: 1, max: 200 }),
  })
  .map(({ rows, names, split, count }): CompileInput => {
    const grading_rubric = [
      criterion('non_empty'),
      ...names.map((name) => criterion(name, { strict: false })),
    ];
    const numbered = rows.map((given, at) => ({ ...given, id: `${at * 7}` }));
    return {
      agent: agent(profile({ grading_rubric })),
      rows: rowsOf(...numbered),
      dataset: () => ({ sha256: 'f'.repeat(64), bytes: 1, format: 'jsonl' }),
      options: { split, sample: { count, seed: 's' } },
    };
  });

describe('what is written', () => {
  test('is what is compiled, canonical, under the digest it has when installed', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const { suite, contract, written } = await writtenBy(input);
        const compiled = await compileProfile(input);
        expect(suite).toBe(canonicalJson(compiled.suite as unknown as Json));
        expect(JSON.parse(contract)).toEqual(compiled.contract);
        const digest = createHash('sha256').update(suite).digest('hex');
        expect(written).toMatchObject({ suiteSha256: digest, tasks: compiled.suite.tasks.length });
        expect(parseSuite(JSON.parse(suite)).head.digest).toBe(`sha256:${digest}`);
        expect(Object.keys(compiled.contract.tasks).sort()).toEqual(
          compiled.suite.tasks.map(({ taskId }) => taskId).sort(),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('is the same every time', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        const again = await writtenBy(input);
        expect(await writtenBy(input)).toEqual(again);
        expect(JSON.stringify(await compileProfile(input))).toBe(JSON.stringify(await compileProfile(input)));
      }),
      { numRuns: 20 },
    );
  });

  test('of a sample says so, and takes that many of the rows', async () => {
    const rows = Array.from({ length: 10 }, (_, at) => ({ input: at, expected: at }));
    const input = (count: number): CompileInput => ({
      agent: agent(profile()),
      rows: rowsOf(...rows),
      dataset: () => ({ uri: 'rows.csv', sha256: 'f'.repeat(64), bytes: 9, format: 'csv' }),
      options: { maxTasks: 10, sample: { count, seed: 'spring' } },
    });
    const { suite, contract } = await compileProfile(input(4));
    expect(suite.tasks).toHaveLength(4);
    expect(contract.dataset).toMatchObject({ rows: 4, sample: { seed: 'spring', of: 10 } });
    for (const { taskId, input: given } of suite.tasks)
      expect(taskId).toBe(`row-00${String(Number(given) + 1).padStart(2, '0')}`);
    expect((await compileProfile(input(10))).contract.dataset).not.toHaveProperty('sample');
  });

  test('is nothing when the profile does not compile', async () => {
    const pieces: string[] = [];
    const sink = (piece: string): void => void pieces.push(piece);
    const refused = compileToWriters(
      { agent: agent(profile()), rows: rowsOf({ input: 1 }) },
      { suite: sink, contract: sink },
    );
    await expect(refused).rejects.toMatchObject({ details: { code: 'row_without_expectation' } });
    expect(pieces).toEqual([]);
  });

  test('waits for a writer that is slow', async () => {
    const busy = { suite: 0, most: 0 };
    const rows = Array.from({ length: 500 }, (_, at) => ({ input: at, expected: at }));
    const sink = async () => {
      busy.suite += 1;
      busy.most = Math.max(busy.most, busy.suite);
      await new Promise((resolve) => setImmediate(resolve));
      busy.suite -= 1;
    };
    await compileToWriters(
      { agent: agent(profile()), rows: rowsOf(...rows) },
      { suite: sink, contract: sink },
    );
    expect(busy.most).toBe(1);
  });
});
