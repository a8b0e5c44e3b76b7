import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LOCAL_OWNER } from '../../local.js';
import { main } from '../../main.js';
import { AGENT, type EvidenceCli, forge, openEvidenceCli, steady } from '../../testing/evidence-cli.js';

let desk: EvidenceCli;
let source: RunId;
beforeEach(async () => {
  desk = openEvidenceCli();
  source = await desk.runSuite();
});
afterEach(() => desk.close());

const starts = (): Promise<readonly number[]> =>
  desk.inStore(async ({ store }) =>
    (await store.log.entries(LOCAL_OWNER, source, 0, 1_000)).map(({ firstSequence }) => firstSequence),
  );

/** A run in which the result of a task is not the one that its recorded score gives. */
const forged = (): Promise<RunId> =>
  desk.inStore((touchstone) =>
    forge(touchstone, source, (entry) =>
      entry.kind === 'step' && entry.ordinal === 1 && entry.result
        ? { ...entry, result: { ...entry.result, score: 0.5, passed: false } }
        : entry,
    ),
  );

describe('replay', () => {
  test('goes through a run again although its agent and its suite are gone', async () => {
    rmSync(join(desk.cwd, 'agent.mjs'));
    rmSync(join(desk.cwd, 'say.suite.json'));
    const { code, out } = await desk.run('replay', 'last');
    expect(code).toBe(0);
    expect(steady(out)).toMatchInlineSnapshot(`
      "  ✓ Replayed 19 events of run run-…
          as run run-…: identical, nobody was asked.
      "
    `);
    const document = JSON.parse((await desk.run('replay', source, '--json')).out);
    expect(document).toMatchObject({
      sourceRunId: source,
      mode: 'replay',
      identical: true,
      exitCode: 0,
      diverged: [],
      divergedAtSeq: null,
    });
    expect(document.runId).not.toBe(source);
  });

  test('gives a run with the same scorecard', async () => {
    const { runId } = JSON.parse((await desk.run('replay', source, '--json')).out);
    const [before, after] = await desk.inStore(({ scorecard }) =>
      Promise.all([source, runId].map((id) => scorecard(LOCAL_OWNER, id))),
    );
    expect([after?.log, after?.summary, after?.results]).toEqual([
      before?.log,
      before?.summary,
      before?.results,
    ]);
  });

  test('of a run that has failed is that run', async () => {
    desk.write('agent.mjs', 'export default () => new Promise((done) => setTimeout(done, 60_000));');
    await desk.run('run', 'say.suite.json', '--agent', 'agent.mjs', '--timeout', '1');
    const { code, out } = await desk.run('replay', 'last');
    expect([code, out]).toEqual([0, expect.stringContaining('identical, nobody was asked.')]);
  });

  test('says which events do not follow from what is recorded, and by its exit code', async () => {
    await forged();
    const { code, out } = await desk.run('replay', 'forged');
    expect(code).toBe(1);
    expect(steady(out)).toMatchInlineSnapshot(`
      "  ✗ Replayed 19 events of run forged
          as run run-…: 3 events do not follow from what is recorded.

          event 11  eval.scored     task early
          event 17  eval.completed
          event 18  run.completed

        touchstone show forged --events  all events
      "
    `);
    const document = JSON.parse((await desk.run('replay', 'forged', '--json')).out);
    expect(document).toMatchObject({
      identical: false,
      exitCode: 1,
      diverged: [
        { type: 'eval.scored', nodeId: 'early' },
        { type: 'eval.completed' },
        { type: 'run.completed' },
      ],
    });
    expect(document.divergedAtSeq).toBeGreaterThan(0);
  });

  test('can be interrupted, and says how to start again', async () => {
    const io = {
      ...desk.io,
      onSignal: (listener: (signal: 'SIGINT' | 'SIGTERM') => void) => {
        listener('SIGINT');
        return () => undefined;
      },
    };
    expect(await main(['replay', source], io)).toBe(130);
    expect(desk.written.err).toContain(`Start again with: touchstone replay ${source}`);
  });

  test.each([
    [['run-nope'], 'There is no run run-nope here.', ''],
    [['last', '--from', '3'], '--from changes the run', 'Add --branch --from <seq>'],
    [['last', '--concurrency', '2'], '--concurrency changes the run', 'Add --branch'],
    [['last', '--branch'], '--branch needs --from', '--from 0 runs everything anew'],
    [['last', '--branch', '--from', '-1'], 'whole number', ''],
    [['last', '--branch', '--from', '999'], 'The log of the run ends at', 'touchstone show run-'],
  ])('%j is refused', async (argv, words, hint) => {
    const { code, err } = await desk.run('replay', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(err).toContain(hint);
    expect(JSON.parse((await desk.run('runs', '--json')).out).items).toHaveLength(1);
  });
});

describe('a branch', () => {
  const branch = (from: number, ...more: string[]) =>
    desk.run('replay', source, '--branch', '--from', String(from), ...more);

  test('keeps the history before its point and runs the rest anew', async () => {
    const [, second = 0, third = 0] = (await starts()).slice(1);
    const { code, out } = await branch(second, '--concurrency', '1');
    expect(code).toBe(1);
    expect(out).toContain('2 passed · 1 failed');
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`A branch of run ${source} from event ${second}.`);
    const document = JSON.parse((await branch(third, '--json')).out);
    expect(document).toMatchObject({ exitCode: 1, fork: { source, mode: 'branch', fromSeq: third } });
    const [before, after] = await desk.inStore(({ store }) =>
      Promise.all([source, document.runId].map((id) => store.log.read(LOCAL_OWNER, id, -1, 10_000))),
    );
    const facts = (events: typeof before = []) =>
      events.slice(0, third).map(({ type, payload, timestamp }) => [type, payload, timestamp]);
    expect(facts(after)).toEqual(facts(before));
  });

  test('inside of a block names the event to type instead', async () => {
    const [, at = 0] = (await starts()).slice(1);
    const { code, err } = await branch(at + 1);
    expect(code).toBe(2);
    expect(err).toContain(`Type: touchstone replay ${source} --branch --from ${at}`);
    expect((await branch(at)).code).toBe(1);
  });

  test('is refused when the agent is another one by now', async () => {
    desk.write('agent.mjs', `${AGENT} // changed`);
    const { code, err } = await branch(0);
    expect(code).toBe(2);
    expect(err).toContain('has changed since the run');
    expect(err).toContain('Undo the change, or start a new run');
  });
});
