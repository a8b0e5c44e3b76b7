import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startModelServer } from './pack-host.js';
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

  it('the conversations pass: with a simulated user, fixed turns and a history', async () => {
    const { code, stdout } = await runCli(
      ['run', ...example('conversation'), '--json', '--data', folder.path],
      root,
    );
    const [{ summary, simulatedUser }] = JSON.parse(stdout);
    expect([code, summary.passedCount, simulatedUser.model]).toEqual([0, 3, 'shopper']);
  });

  const returns = [
    'examples/returns-pack/pack',
    '--config',
    'examples/returns-pack/touchstone.config.mjs',
    '--json',
  ];

  it('the pack passes offline with its one known weakness, and two runs of it have equal logs', async () => {
    const logs: string[] = [];
    for (const _ of [1, 2]) {
      // Whatever keys the machine has, nobody is asked here.
      const env = { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' };
      const { code, stdout } = await runCli(['run', ...returns, '--data', folder.path], root, env);
      const [{ runId, summary, model, judge }] = JSON.parse(stdout);
      expect({ code, passedCount: summary.passedCount, taskCount: summary.taskCount }).toEqual({
        code: 0,
        passedCount: 9,
        taskCount: 10,
      });
      expect([model.mock, judge.mock]).toEqual([true, true]);
      logs.push(await plainLog(folder.path, runId));
    }
    expect(logs[0]).toBe(logs[1]);
  });

  it('the pack runs on a real endpoint when a key is set, and no tool is called for it', async () => {
    const answer = { decision: 'refund', amountUsd: 39.9, method: 'card', confidence: 0.9 };
    const verdict = { verdicts: [{ criterion: 1, reason: 'so it is', met: true }] };
    const server = await startModelServer(({ body }) => ({
      say: JSON.stringify(String(body.messages[0]?.content).startsWith('You judge') ? verdict : answer),
    }));
    try {
      const env = { OPENAI_API_KEY: 'not-a-key', OPENAI_BASE_URL: server.baseUrl };
      const { stdout } = await runCli(['run', ...returns, '--data', folder.path], root, env);
      const [{ summary, model, judge }] = JSON.parse(stdout);
      expect(model).toEqual({ provider: 'openai', model: 'gpt-4o-mini' });
      expect(judge).toMatchObject({ provider: 'openai', votes: 1 });
      expect(summary.tasks.map((task: { schemaValid: boolean }) => task.schemaValid)).not.toContain(false);
      expect(server.requests).toHaveLength(12);
    } finally {
      await server.close();
    }
  });

  const contractOf = (file: string): string[] => [
    `examples/invoice-triage/${file}`,
    '--config',
    'examples/invoice-triage/touchstone.config.mjs',
    '--json',
    '--data',
    folder.path,
  ];
  const statuses = (contract: { criteria: { id: string; status: string }[] }) =>
    contract.criteria.map(({ id, status }) => [id, status]);

  it('the definition keeps its contract offline, with one weakness and one warning, and equal logs', async () => {
    const logs: string[] = [];
    for (const _ of [1, 2]) {
      const { code, stdout } = await runCli(['run', ...contractOf('agent.json')], root, {
        OPENAI_API_KEY: '',
      });
      const { runId, summary, model, contract } = JSON.parse(stdout);
      expect({ code, verdict: contract.verdict, mock: model.mock }).toEqual({
        code: 0,
        verdict: 'pass',
        mock: true,
      });
      expect(statuses(contract)).toEqual([
        ['json-schema-validity', 'pass'],
        ['accuracy', 'pass'],
        ['response-conciseness', 'warn'],
      ]);
      const failed = summary.tasks.filter(({ passed }: { passed: boolean }) => !passed);
      expect(failed).toMatchObject([{ taskId: 'decimal-comma', score: 0.5 }]);
      logs.push(await plainLog(folder.path, runId));
    }
    expect(logs[0]).toBe(logs[1]);
  });

  it('the manifest keeps its contract offline, by the word of its judge', async () => {
    const { code, stdout } = await runCli(['run', ...contractOf('manifest.yaml')], root, {
      OPENAI_API_KEY: '',
    });
    const [{ contract, judge }] = JSON.parse(stdout);
    expect({ code, verdict: contract.verdict, mock: judge.mock }).toEqual({
      code: 0,
      verdict: 'pass',
      mock: true,
    });
    expect(statuses(contract)).toEqual([
      ['politeness', 'pass'],
      ['forbidden-content', 'pass'],
      ['response-conciseness', 'pass'],
    ]);
  });

  it('the definition asks a real endpoint when a key is set, and does not keep its contract by rambling', async () => {
    const server = await startModelServer(() => ({ say: 'I would pay it, I think.' }));
    try {
      const env = { OPENAI_API_KEY: 'not-a-key', OPENAI_BASE_URL: server.baseUrl };
      const { code, stdout } = await runCli(['run', ...contractOf('agent.json')], root, env);
      const { contract, model } = JSON.parse(stdout);
      expect({ code, verdict: contract.verdict }).toEqual({ code: 1, verdict: 'fail' });
      expect(model).toEqual({ provider: 'openai', model: 'gpt-4o-mini' });
      expect(server.requests.map(({ body }) => body.temperature)).toEqual(Array(6).fill(0));
    } finally {
      await server.close();
    }
  });

  it('the release gate denies without evidence, asks, moves, and lets a version go back', async () => {
    const gate = async (...args: string[]) => {
      const config = ['--config', 'examples/release-gate/touchstone.config.json', '--data', folder.path];
      const { code, stdout } = await runCli([...args, ...config, '--json'], root);
      return { code, told: JSON.parse(stdout) };
    };
    const suite = 'examples/release-gate/evals';
    const agent = (version: string): string => `local.example.quotes@${version}`;
    const serving = async (): Promise<unknown> =>
      (await gate('deployments', 'local.example.quotes')).told.items;

    const denied = await gate('promote', agent('1.0.0'), '--channel', 'stable');
    expect([denied.code, denied.told.error.details.reason]).toEqual([1, 'no_eval_run']);
    const evaluated = await gate('run', suite, '--agent', agent('1.0.0'));
    const [{ runId: evalRunId, summary }] = evaluated.told;
    expect([evaluated.code, summary.passedCount, summary.taskCount]).toEqual([0, 9, 10]);

    const waiting = await gate('promote', agent('1.0.0'), '--channel', 'stable', '--eval-run', 'last');
    expect([waiting.code, waiting.told.record.state]).toEqual([3, 'staged']);
    expect((await gate('approve', waiting.told.waiting.runId)).code).toBe(0);
    expect(await serving()).toMatchObject([
      {
        version: '1.0.0',
        state: 'active',
        channels: ['stable', 'latest'],
        evalRunId,
        approvalGateId: 'release',
      },
      { version: '1.1.0', state: 'draft' },
    ]);

    const borrowed = await gate('promote', agent('1.1.0'), '--eval-run', evalRunId);
    expect([borrowed.code, borrowed.told.error.details.reason]).toEqual([1, 'other_version']);
    const piped = await gate(
      'run',
      suite,
      '--agent',
      agent('1.1.0'),
      '--promote',
      '--channel',
      'stable',
      '--canary',
      '20',
    );
    expect(piped.code).toBe(3);
    expect((await gate('approve', piped.told[0].promotion.waiting.runId)).code).toBe(0);
    expect(await serving()).toMatchObject([
      { version: '1.0.0', channels: ['stable'] },
      { version: '1.1.0', channels: ['stable', 'latest'], canaryPercent: 20 },
    ]);

    expect((await gate('promote', agent('1.1.0'), '--rollback', '--reason', 'wrong prices')).code).toBe(0);
    expect(await serving()).toMatchObject([
      { version: '1.0.0', state: 'active', channels: ['stable', 'latest'] },
      { version: '1.1.0', state: 'rolled-back', rollbackPointer: '1.0.0' },
    ]);
    expect((await gate('audit', 'verify')).told.valid).toBe(true);
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
