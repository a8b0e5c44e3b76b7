import { asId, type RunId } from '@touchstone/protocol';
import { collectRun } from '@touchstone/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { documentOf } from './render/run/document.js';
import { withSession } from './session.js';
import { type EvidenceCli, openEvidenceCli } from './testing/evidence-cli.js';
import { writeDocuments } from './write-documents.js';

const SETTINGS = { data: '.touchstone', json: true, color: false };

let cli: EvidenceCli;
beforeEach(() => {
  cli = openEvidenceCli();
});
afterEach(() => cli.close());

/** What is written of a run whose list of tasks was not read, and the document with the list in it. */
const bothOf = (runId: RunId, wrap: (document: object) => unknown = (document) => document) =>
  withSession({ io: cli.io, settings: SETTINGS }, {}, 'store', async ({ client }) => {
    const options = { bodies: 0, now: 0 };
    const whole = await collectRun(client, runId, options);
    const short = await collectRun(client, runId, { ...options, summary: 'totals' });
    expect(whole.summary?.tasks).toBeDefined();
    expect(short.summary).not.toHaveProperty('tasks');
    const pieces: string[] = [];
    const write = (text: string): boolean => pieces.push(text) > 0;
    const stdout = { ...cli.io.stdout, write };
    await writeDocuments({ io: { ...cli.io, stdout }, client }, wrap(documentOf(short)));
    return { written: pieces.join(''), expected: JSON.stringify(wrap(documentOf(whole)), null, 2) };
  });

describe('a document whose list of tasks is read while it is written', () => {
  it('is the one that holds the list, to the byte', async () => {
    const { written, expected } = await bothOf(await cli.runSuite());
    expect(written).toBe(`${expected}\n`);
  });

  it('may be one of several, at any depth', async () => {
    const { written, expected } = await bothOf(await cli.runSuite(), (document) => [
      { runs: [document] },
      document,
    ]);
    expect(written).toBe(`${expected}\n`);
  });

  it('holds content that looks like a list of tasks', async () => {
    const tasks = [{ tasks: '\u0000run-1' }, { tasks: '"tasks": "run-1"' }];
    const { written, expected } = await bothOf(await cli.runSuite(), (document) => ({ ...document, tasks }));
    expect(JSON.parse(written)).toEqual(JSON.parse(expected));
  });

  it('lists the tasks that were chosen', async () => {
    const { out } = await cli.run(
      ...['run', 'say.suite.json', '--agent', 'agent.mjs', '--only', 'never,late', '--json'],
    );
    const { runId, summary } = JSON.parse(out);
    expect(summary.tasks.map(({ taskId }: { taskId: string }) => taskId)).toEqual(['late', 'never']);
    const { written, expected } = await bothOf(asId<RunId>(runId));
    expect(JSON.parse(written)).toEqual(JSON.parse(expected));
  });
});
