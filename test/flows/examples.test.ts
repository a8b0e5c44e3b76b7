import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from './processes.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = (name: string): string[] => [
  `examples/${name}/evals`,
  '--config',
  `examples/${name}/touchstone.config.json`,
];

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

type Event = { readonly type: string };

/** A log without what may differ between equal runs. */
async function plainLog(data: string, runId: string): Promise<string> {
  const { stdout } = await runCli(['show', runId, '--events', '--json', '--data', data], root);
  const events = JSON.parse(stdout) as readonly Event[];
  expect(events.at(-1)?.type).toBe('run.completed');
  const apart = ['eventId', 'runId', 'causationId', 'timestamp', 'latencyMs', 'durationMs'];
  return JSON.stringify(events, (key, value) => (apart.includes(key) ? undefined : value));
}

describe('the examples', () => {
  it('the sample passes with its one known weakness, and two runs of it have equal logs', async () => {
    const logs: string[] = [];
    for (const _ of [1, 2]) {
      const { code, stdout } = await runCli(
        ['run', ...example('support-desk'), '--json', '--data', folder.path],
        root,
      );
      const [{ runId, summary }] = JSON.parse(stdout);
      expect({
        code,
        passed: summary.passed,
        passedCount: summary.passedCount,
        taskCount: summary.taskCount,
      }).toEqual({
        code: 0,
        passed: true,
        passedCount: 11,
        taskCount: 12,
      });
      logs.push(await plainLog(folder.path, runId));
    }
    expect(logs[0]).toBe(logs[1]);
  });

  it('the command agent passes', async () => {
    const { code, stderr } = await runCli(
      ['run', ...example('command-agent'), '--json', '--data', folder.path],
      root,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('what `init` writes passes as it is', async () => {
    expect((await runCli(['init', '.'], folder.path)).code).toBe(0);
    const { code, stdout } = await runCli(['run', 'evals', '--json'], folder.path);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)[0].summary.passed).toBe(true);
  });
});
