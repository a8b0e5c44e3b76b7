import { isHostError } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import type { DefinitionAgent } from '../types.js';
import { agent, criterion, profile, rowsOf, rubricAgent } from './fixtures/agents.js';
import type { CompileInput } from './options.js';
import { compileProfile, compileToWriters } from './outputs.js';

const KB = 1024;
const rows = rowsOf(...Array.from({ length: 100 }, (_, at) => ({ input: at, expected: 'A' })));
const inputOf = (of: DefinitionAgent, maxBytes: number): CompileInput => ({
  agent: of,
  rows,
  options: { maxBytes },
});
const issueOf = async (input: CompileInput): Promise<unknown> => {
  const error: unknown = await compileProfile(input).catch((thrown: unknown) => thrown);
  if (!isHostError(error)) throw new Error('expected a refusal');
  return (error.details?.issues as readonly unknown[] | undefined)?.[0];
};

describe('a suite that is held as a whole', () => {
  const long = rubricAgent(
    criterion('tone', { description: 'Kind.' }),
    criterion('style', { description: 'x'.repeat(100 * KB) }),
  );

  it('is refused when it grows too large, at the description that stands in every task', async () => {
    expect(await issueOf(inputOf(long, 1024 * KB))).toMatchObject({
      code: 'suite_too_large',
      pointer: '/evaluation/grading_rubric/1/description',
      message: expect.stringMatching(/more than 1 MiB.*every task.*shorten it/),
    });
  });

  it('is refused at the schema that stands in every task', async () => {
    const outputs = { type: 'object', description: 'x'.repeat(100 * KB) };
    const grading_rubric = [criterion('json_schema_validity')];
    const checked = agent(profile({ grading_rubric }), { capabilities: [{ name: 'a', outputs }] });
    expect(await issueOf(inputOf(checked, 1024 * KB))).toMatchObject({
      code: 'suite_too_large',
      pointer: '/capabilities/0/outputs',
    });
  });

  it('is refused as a whole where the rows make it long', async () => {
    const wide = rowsOf(
      ...Array.from({ length: 20 }, () => ({ input: 'x'.repeat(100 * KB), expected: 'A' })),
    );
    expect(await issueOf({ ...inputOf(agent(profile()), 1024 * KB), rows: wide })).toMatchObject({
      code: 'suite_too_large',
      pointer: '',
      message: expect.stringContaining('fewer rows'),
    });
  });

  it('is measured in the bytes that it is written with, and may be as long when it is only written', async () => {
    const { suite, contract } = await compileProfile({ agent: long, rows });
    const written = [...suite.tasks, ...Object.values(contract.tasks)]
      .map((part) => Buffer.byteLength(JSON.stringify(part)))
      .reduce((sum, bytes) => sum + bytes, 0);
    await expect(compileProfile(inputOf(long, written))).resolves.toBeDefined();
    await expect(compileProfile(inputOf(long, written - 1))).rejects.toThrow();
    const sinks = { suite: () => undefined, contract: () => undefined };
    await expect(compileToWriters(inputOf(long, 1), sinks)).resolves.toMatchObject({ tasks: 100 });
  });
});
