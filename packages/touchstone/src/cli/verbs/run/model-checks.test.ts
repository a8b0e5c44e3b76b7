import type { Json } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startModelServer } from '../../../agents/fixtures/model-server.js';
import { reply, serve } from '../../../agents/fixtures/serve.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

const AGENT = `
export default async (input, { tools }) => {
  await tools.call('local:orders.get', { orderId: '1042' });
  return 'It comes on Friday.';
};`;

/** A project with one task, whose rubric has these criteria. */
function project(config: object, ...criteria: readonly string[]): TestCli {
  const cli = openTestCli();
  onTestFinished(() => cli.close());
  cli.write('agent.mjs', AGENT);
  cli.write('touchstone.config.json', {
    agents: [
      {
        agentId: 'local.test.desk',
        version: '1.0.0',
        run: { kind: 'module', path: 'agent.mjs' },
        toolAllowlist: ['local:orders.get'],
        memoryShape: { longTerm: true },
      },
    ],
    ...config,
  });
  cli.write('desk.suite.json', {
    suiteId: 'local.test.evals.desk',
    version: '1.0.0',
    modes: ['rubric'],
    tasks: [
      {
        taskId: 'late',
        input: 'Where is my order?',
        fixtures: {
          toolResponses: [{ tool: 'local:orders.get', response: { day: 'OUTCOME' } }],
          memorySeed: [{ content: 'REMEMBERED', tags: [] }],
        },
        expected: {
          kind: 'rubric',
          rubric: criteria.map((criterion) => ({ criterion, weight: 1 })),
        },
      },
    ],
  });
  return cli;
}

const ran = async (cli: TestCli, ...options: string[]) => {
  const { code, out, err } = await cli.run('run', 'desk.suite.json', '--json', ...options);
  const run = JSON.parse(out || '{}');
  return { code, err, run, criteria: run.rubrics?.[0]?.criteria, unscored: run.report?.tasks.unscoredTasks };
};

describe('the check judge', () => {
  /** A judge on loopback that says this of every criterion, and what it was asked. */
  async function judged(verdict: object, ...criteria: readonly string[]) {
    const server = await startModelServer(() => ({
      say: JSON.stringify({
        verdicts: criteria.map((_, at) => ({ criterion: at + 1, reason: 'Because.', met: true, ...verdict })),
      }),
    }));
    onTestFinished(() => server.close());
    const config = {
      providers: { local: { kind: 'openai-compatible', baseUrl: server.baseUrl } },
      judge: { model: 'local/judge-1' },
    };
    const result = await ran(project(config, ...criteria));
    const question = String(server.requests[0]?.body.messages.at(-1)?.content);
    return { ...result, question };
  }

  it('is put its sentence with calls, memory and reference where it sees them', async () => {
    const args = { sees: ['calls', 'memory'], reference: 'REFERENCE' };
    const { code, question } = await judged(
      {},
      `[check:judge ${JSON.stringify(args)}] The order was looked up.`,
    );
    expect(code).toBe(0);
    for (const part of ['--- calls for 1', 'local:orders.get', '1042', 'OUTCOME', 'REMEMBERED', 'REFERENCE'])
      expect(question).toContain(part);
    expect(question).toContain('1. "The order was looked up."');
  });

  it('is shown nothing of it where it does not', async () => {
    const { question } = await judged({}, '[check:judge {}] It names a day.');
    for (const part of ['1042', 'OUTCOME', 'REMEMBERED', 'for 1']) expect(question).not.toContain(part);
  });

  it.each([
    [{ min: 0.6 }, { score: 0.5, met: true }, 0, 0],
    [{ min: 0.5 }, { score: 0.5, met: false }, 1, 1],
    [{ min: 0.6, graded: true }, { score: 0.5, met: true }, 0, 0.5],
    [{ not: true }, { met: true }, 0, 0],
  ])('with %j, answered with %j, is met %d and scores %d', async (args, verdict, met, score) => {
    const { criteria, run } = await judged(verdict, `[check:judge ${JSON.stringify(args)}] It is kind.`);
    expect(criteria[0].met).toBe(met);
    expect(run.summary.aggregateScore).toBe(score);
  });

  it('records the degree where it has one', async () => {
    const { criteria } = await judged({ score: 0.5 }, '[check:judge {"min":0.4}] It is kind.');
    expect(criteria[0]).toMatchObject({ met: 1, value: 0.5 });
  });

  it('makes another judge of one that sees more than question and answer', async () => {
    const digest = async (criterion: string): Promise<string> =>
      (await judged({}, criterion)).run.judge.digest;
    const plain = await digest('It is kind.');
    expect(await digest('[check:judge {}] It is kind.')).toBe(plain);
    expect(await digest('[check:judge {"sees":["calls"]}] It is kind.')).not.toBe(plain);
    expect(await digest('[check:judge {"reference":"x"}] It is kind.')).not.toBe(plain);
  });

  it('needs a judge: without one the run is refused, and nothing is created', async () => {
    const cli = project({}, '[check:judge {}] It is kind.');
    expect((await ran(cli)).code).toBe(2);
    expect((await cli.run('runs', '--json')).out).not.toContain('"runId"');
  });
});

describe('the check similar', () => {
  /** Directions for texts: what speaks of a day goes one way, money another. */
  const vectorOf = (text: string): readonly number[] => {
    if (text.includes('Friday')) return [1, 0];
    return text.includes('day') ? [0.6, 0.8] : [0, 1];
  };

  async function compared(check: Json, answers = true) {
    const server = await serve((body, response) => {
      if (!answers) return reply(response, 401, { error: { code: 'invalid_api_key' } });
      const { input, model } = JSON.parse(body) as { input: string[]; model: string };
      const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
      reply(response, 200, { object: 'list', model, data, usage: { prompt_tokens: 5, total_tokens: 5 } });
    });
    onTestFinished(() => server.close());
    const cli = project(
      {
        providers: { local: { kind: 'openai-compatible', baseUrl: `${server.url}v1` } },
        embedder: { model: 'local/embed-1' },
      },
      `[check:similar ${JSON.stringify(check)}] It means the same.`,
    );
    return { ...(await ran(cli)), cli };
  }

  it.each([
    [{ text: 'On Friday.', min: 0.9 }, 1, 1],
    [{ text: 'Some day.', min: 0.9 }, 0, 0.6],
    [{ text: ['Money.', 'Some day.'], min: 0.5 }, 1, 0.6],
    [{ text: 'Money.', min: 0.5, not: true }, 1, 0],
  ])('%j is met %d, with the cosine of the nearest text as its degree', async (check, met, value) => {
    const { code, criteria } = await compared(check);
    expect([code, criteria[0].met]).toEqual([met === 1 ? 0 : 1, met]);
    expect(criteria[0].value).toBeCloseTo(value);
  });

  it('names the embedder, which is compared like a judge', async () => {
    const { cli } = await compared({ text: 'On Friday.', min: 0.9 });
    const config = cli.read('touchstone.config.json');
    cli.write('touchstone.config.json', config.replace('embed-1', 'embed-2'));
    const { run } = await ran(cli, '--baseline', 'last');
    expect(run.comparison.reason).toContain('with another embedder');
  });

  it('leaves the task without a score when the embedder cannot be asked', async () => {
    const { code, unscored } = await compared({ text: 'On Friday.', min: 0.9 }, false);
    expect(code).toBe(3);
    expect(unscored).toEqual([{ taskId: 'late', reason: 'embedder_unreachable' }]);
  });

  it('is refused at create without an embedder, and nothing is created', async () => {
    const cli = project({}, '[check:similar {"text":"x","min":0.9}] It means the same.');
    const { code, err } = await ran(cli);
    // Nothing is wrong with the suite: 3 says that something is missing here.
    expect(code).toBe(3);
    expect(err).toContain('error validation_error');
    expect(err).toContain('Set "embedder.model"');
    expect((await cli.run('runs', '--json')).out).not.toContain('"runId"');
  });
});
