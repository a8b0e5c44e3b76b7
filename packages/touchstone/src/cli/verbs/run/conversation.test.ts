import type { Json } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startModelServer } from '../../../agents/fixtures/model-server.js';
import { reply, serve } from '../../../agents/fixtures/serve.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

/** Says what it was told last, and asks for the number until it is told one. Calls its tool in every turn. */
const AGENT = `
export default async ({ messages }, { tools }) => {
  await tools.call('local:log.note', { turns: messages.length });
  const last = messages.at(-1).content;
  return /\\d/.test(last) ? 'Order ' + last.match(/\\d+/)[0] + ' comes on Friday.' : 'Which order, please?';
};`;

const PAID = `
export default ({ messages }, { usage }) => {
  usage({ provider: 'p', model: 'm', inputTokens: 1, outputTokens: 1, costUsd: 0.1 });
  return messages.length > 1 ? 'It comes on Friday.' : 'Which order?';
};`;

/** Opens with its trouble, tells the number when it is asked, and is content with a day. */
const USER = {
  replies: [
    { when: { contains: 'comes on Friday' }, json: { end: true, reached: true }, usage: usage(0.25) },
    { when: { contains: 'Which order' }, json: { say: 'It is 1042.' }, usage: usage(0.5) },
  ],
};
function usage(costUsd: number): object {
  return { inputTokens: 10, outputTokens: 5, costUsd };
}

const SHOPPER = { user: { opening: 'My parcel is late.', goal: 'Learn the day.', knows: { order: '1042' } } };

type Options = {
  readonly user?: object | null;
  readonly script?: object;
  readonly more?: object;
  readonly inner?: object;
};

function project(inputs: readonly Json[], { user, script = USER, more = {}, inner }: Options = {}): TestCli {
  const cli = openTestCli();
  onTestFinished(() => cli.close());
  cli.write('agent.mjs', AGENT);
  cli.write('user.json', script);
  const configure = (): void =>
    cli.write('touchstone.config.json', {
      providers: { local: { kind: 'scripted', path: 'user.json' } },
      agents: [
        {
          agentId: 'local.test.desk',
          version: '1.0.0',
          run: { kind: 'module', path: 'agent.mjs' },
          toolAllowlist: ['local:log.note'],
          ...inner,
        },
        {
          agentId: 'local.test.talk',
          version: '1.0.0',
          run: {
            kind: 'conversation',
            agent: 'local.test.desk@1.0.0',
            ...(user === null ? {} : { user: user ?? { model: 'local/user-1' } }),
          },
        },
      ],
      ...more,
    });
  configure();
  cli.write('talk.suite.json', suite(inputs));
  return cli;
}

const FIXTURES = { fixtures: { toolResponses: [{ tool: 'local:log.note', response: null }] } };
const suite = (inputs: readonly Json[], expected: object = RUBRIC, more: object = FIXTURES): object => ({
  suiteId: 'local.test.evals.talk',
  version: '1.0.0',
  modes: ['rubric'],
  tasks: inputs.map((input, index) => ({
    taskId: `t-${index}`,
    input,
    ...more,
    expected,
  })),
});
const RUBRIC = {
  kind: 'rubric',
  rubric: [
    { criterion: '[check:contains {"text":"Friday","at":"/answer"}] It names the day.', weight: 1 },
    { criterion: '[check:turns {"max":2}] It is quick.', weight: 1 },
  ],
};

const PROMPTED = { run: { kind: 'openai', provider: 'local', model: 'm', prompt: '{{ order }}' } };

/** The digest of the log, out of the envelope of a scorecard file. */
const logDigest = (envelope: string): string => {
  const { payload } = JSON.parse(envelope) as { payload: string };
  return JSON.parse(Buffer.from(payload, 'base64').toString()).predicate.scorecard.log.digest;
};

const RUN = ['run', 'talk.suite.json', '--agent', 'local.test.talk', '--json'];
const ran = async (cli: TestCli, ...options: string[]) => {
  const { code, out, err } = await cli.run(...RUN, ...options);
  return { code, err, run: JSON.parse(out || '{}') };
};
const taskOf = async (cli: TestCli, taskId = 't-0') =>
  JSON.parse((await cli.run('show', 'last', '--task', taskId, '--json', '--bodies')).out);
const answerOf = async (cli: TestCli) => (await taskOf(cli)).invocations[0].output;

describe('a conversation', () => {
  it('with a simulated user is one invocation, whose answer holds all that was said', async () => {
    const cli = project([SHOPPER]);
    const { code, run } = await ran(cli);
    expect(code).toBe(0);
    expect(await answerOf(cli)).toEqual({
      answer: 'Order 1042 comes on Friday.',
      transcript: [
        { role: 'user', content: 'My parcel is late.' },
        { role: 'assistant', content: 'Which order, please?' },
        { role: 'user', content: 'It is 1042.' },
        { role: 'assistant', content: 'Order 1042 comes on Friday.' },
      ],
      turns: 2,
      ended: 'user',
    });
    const { invocations } = await taskOf(cli);
    expect(invocations).toHaveLength(1);
    expect(invocations[0].toolCalls).toHaveLength(2);
    expect(run.rubrics[0].criteria.map(({ met }: { met: number }) => met)).toEqual([1, 1]);
  });

  it.each<[string, Json, object]>([
    ['fixed turns', { turns: ['Late!', 'It is 7.'] }, { turns: 2, ended: 'turns' }],
    ['a text', 'Where is 7?', { turns: 1, ended: 'turns' }],
    [
      'a history',
      {
        messages: [
          { role: 'assistant', content: 'Which?' },
          { role: 'user', content: '7' },
        ],
      },
      { turns: 1, ended: 'turns', transcript: expect.objectContaining({ length: 3 }) },
    ],
    [
      'a user who may say no more',
      { user: { ...SHOPPER.user, maxTurns: 1 } },
      { turns: 1, ended: 'turns', answer: 'Which order, please?' },
    ],
  ])('can be %s', async (_, input, expected) => {
    const cli = project([input]);
    await ran(cli);
    expect(await answerOf(cli)).toMatchObject(expected);
  });

  it('ends where the agent refuses, and counts as refused', async () => {
    const cli = project([{ turns: ['a', 'b'] }]);
    cli.write('agent.mjs', 'export default (_, ctx) => ctx.refuse("No.");');
    expect((await ran(cli)).code).toBe(1);
    const [{ outcome, output }] = (await taskOf(cli)).invocations;
    expect([outcome, output]).toEqual(['refused', expect.objectContaining({ turns: 1, ended: 'refused' })]);
  });

  it('has equal logs twice, whether the user is scripted or its turns are fixed', async () => {
    const cli = project([SHOPPER, { turns: ['Late!', 'It is 7.'] }]);
    const digest = async (name: string): Promise<string> => {
      expect((await ran(cli)).code).toBe(0);
      expect((await cli.run('export', 'last', '-o', name)).code).toBe(0);
      return logDigest(cli.read(name));
    };
    expect(await digest('one.json')).toBe(await digest('two.json'));
  });

  it('is told as messages to a model', async () => {
    const server = await startModelServer(() => ({ say: 'Friday' }));
    onTestFinished(() => server.close());
    const inner = { run: { kind: 'openai', baseUrl: server.baseUrl, model: 'small-1', system: 'Help.' } };
    const cli = project([{ turns: ['a', 'b'] }], { user: null, inner });
    expect((await ran(cli)).code).toBe(0);
    expect(server.requests.map(({ body }) => body.messages)).toEqual([
      [
        { role: 'system', content: 'Help.' },
        { role: 'user', content: 'a' },
      ],
      [
        { role: 'system', content: 'Help.' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'Friday' },
        { role: 'user', content: 'b' },
      ],
    ]);
  });

  it('is told to a service in its own words, under one id and with what was said before', async () => {
    const service = await serve((_body, response) => reply(response, 200, { text: 'Friday' }));
    onTestFinished(() => service.close());
    const request = { session: '{{ conversationId }}', history: '{{ messages }}', say: '{{ last }}' };
    const inner = { run: { kind: 'http', url: service.url, request, response: { output: '/text' } } };
    const cli = project([{ turns: ['a', 'b'] }], { user: null, inner });
    const refused = await ran(cli);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('a mapped service calls its own tools'),
    ]);
    cli.write('talk.suite.json', suite([{ turns: ['a', 'b'] }], RUBRIC, {}));
    expect((await ran(cli)).code).toBe(0);
    const [first, second] = service.requests.map((body) => JSON.parse(body));
    expect(second.session).toBe(first.session);
    expect(second).toMatchObject({ say: 'b', history: [{}, { role: 'assistant', content: 'Friday' }, {}] });
  });

  it('is another agent when the agent is that it is with', async () => {
    const cli = project(['Where is 7?']);
    const before = (await ran(cli)).run.agent.digest;
    cli.write('agent.mjs', `${AGENT}\n// edited`);
    const after = (await ran(cli)).run.agent.digest;
    expect(after).not.toBe(before);
    expect((await ran(cli)).run.agent.digest).toBe(after);
  });

  it.each<[string, Json, Options, string]>([
    ['an input that is none', { q: 1 }, {}, 'Task "t-0": expected a text, or an object with messages'],
    ['an unknown wish', { user: { ...SHOPPER.user, mood: 'bad' } }, {}, '/tasks/0/input/user/mood'],
    [
      'words of the agent at the end',
      { messages: [{ role: 'assistant', content: 'x' }] },
      {},
      "user's words last",
    ],
    ['a user whom nobody plays', SHOPPER, { user: null }, 'no model that plays the user'],
    ['more turns than the agent takes', { turns: Array<string>(11).fill('x') }, {}, 'takes 10 turns at most'],
    [
      'a model that is not there',
      SHOPPER,
      { user: { model: 'nobody/x' } },
      'The simulated user cannot be asked',
    ],
    [
      'an agent that is not there',
      'x',
      { inner: { agentId: 'local.test.other' } },
      'which is not known here',
    ],
    ['an agent with a prompt for something else', 'x', { inner: PROMPTED }, '{{ order }}'],
  ])('with %s is refused at create', async (_, input, options, words) => {
    const cli = project([input], options);
    const { code, err } = await ran(cli);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect((await cli.run('runs', '--json')).out).not.toContain('"runId"');
  });
});

describe('the simulated user', () => {
  it('is named with its cost apart, and both count', async () => {
    const cli = project([SHOPPER]);
    const { run } = await ran(cli);
    expect(run.simulatedUser).toMatchObject({ provider: 'local', model: 'user-1', mock: true });
    expect(run.simulatedUserUsd).toBe(0.75);
    expect(run.summary.totalCostUsd).toBe(0.75);
    expect(run.report.cost).toEqual({ simulatedUserUsd: 0.75 });
    const shown = await cli.run('show', 'last');
    expect(shown.out).toMatch(/user +local.user-1 \(mock\)/);
    expect(shown.out).toContain('simulated user $0.75');
  });

  it('who could never be asked is found by doctor', async () => {
    const cli = project([SHOPPER], { user: { model: 'nobody/x' } });
    const { code, out } = await cli.run('doctor');
    expect([code, out]).toEqual([1, expect.stringContaining('user.model of local.test.talk')]);
  });

  it('can use up a budget', async () => {
    const { code, run } = await ran(
      project([SHOPPER, SHOPPER, SHOPPER]),
      '--budget',
      '0.5',
      '--concurrency',
      '1',
    );
    expect(code).toBe(4);
    expect(run.error.code).toBe('budget_exhausted');
  });

  it('is remembered with --cache', async () => {
    const cli = project([SHOPPER]);
    await ran(cli, '--cache');
    const { run } = await ran(cli, '--cache');
    expect([run.cacheHits, run.simulatedUserUsd, run.exitCode]).toEqual([2, 0, 0]);
  });

  it('is told goal, knowledge and transcript as data, and the agent is told none of its orders', async () => {
    const seen: string[] = [];
    const server = await startModelServer(({ body }) => {
      seen.push(JSON.stringify(body.messages));
      return { say: seen.length === 1 ? '{"say":"It is 1042."}' : '{"end":true,"reached":true}' };
    });
    onTestFinished(() => server.close());
    const providers = { far: { kind: 'openai-compatible', baseUrl: server.baseUrl } };
    const parameters = { temperature: 0.7, seed: 3 };
    const cli = project([SHOPPER], { user: { model: 'far/user-1', parameters }, more: { providers } });
    expect((await ran(cli)).code).toBe(0);
    expect(server.requests[0]?.body).toMatchObject(parameters);
    expect(seen[0]).toContain('Learn the day.');
    expect(seen[0]).toContain('--- knows ---');
    expect(seen[1]).toContain('Order 1042 comes on Friday.');
    const { invocations } = await taskOf(cli);
    expect(JSON.stringify(invocations[0].toolCalls)).not.toContain('Learn the day.');
  });

  it('is compared like a judge: with another one there is no verdict unless the caller allows it', async () => {
    const cli = project([SHOPPER]);
    await ran(cli);
    const config = cli.read('touchstone.config.json');
    cli.write('touchstone.config.json', config.replace('local/user-1', 'local/user-2'));
    const { run } = await ran(cli, '--baseline', 'last');
    expect(run.comparison.reason).toContain('with another simulated user');
    const refused = await cli.run('compare', 'last~1', 'last');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('different simulated users')]);
    expect((await cli.run('compare', 'last~1', 'last', '--allow-judge-mismatch')).code).toBe(0);
  });

  it('of a new task alone does not keep the others from being compared with --common', async () => {
    const cli = project([{ turns: ['Where is order 1042?'] }]);
    await ran(cli);
    cli.write('talk.suite.json', suite([{ turns: ['Where is order 1042?'] }, SHOPPER]));
    const { run } = await ran(cli, '--baseline', 'last', '--common');
    expect(run.report.regression.tasks).toMatchObject({ common: 1, added: ['t-1'] });
  });

  it('is not asked again when the answers are judged again, and its cost stays what it was', async () => {
    const judge = {
      replies: [
        {
          when: { contains: 'Criteria:' },
          json: { verdicts: [{ criterion: 1, reason: 'Yes.', met: true }] },
        },
        ...USER.replies,
      ],
    };
    const cli = project([SHOPPER], { script: judge, more: { judge: { model: 'local/judge-1' } } });
    const prose = { criterion: 'It is kind.', weight: 1 };
    cli.write('talk.suite.json', suite([SHOPPER], { kind: 'rubric', rubric: [prose] }));
    expect((await ran(cli)).code).toBe(0);
    const again = await cli.run('rejudge', 'last', '--judge', 'local/judge-2', '--json');
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toMatchObject({
      simulatedUserUsd: 0.75,
      simulatedUser: { model: 'user-1' },
      report: { cost: { simulatedUserUsd: 0.75 } },
    });
  });

  it('becomes fixed turns with --record', async () => {
    const cli = project([SHOPPER, 'Where is 7?']);
    const { code, run } = await ran(cli, '--record', 'fixed.suite.json');
    expect([code, run.recorded]).toEqual([0, 'fixed.suite.json']);
    const [talk, single] = JSON.parse(cli.read('fixed.suite.json')).tasks;
    expect(talk.input).toEqual({ turns: ['My parcel is late.', 'It is 1042.'] });
    expect(talk.fixtures.toolResponses).toHaveLength(1);
    expect(single.input).toBe('Where is 7?');
    const again = await cli.run('run', 'fixed.suite.json', '--agent', 'local.test.talk', '--json');
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).not.toHaveProperty('simulatedUser');
  });

  it('who does not answer leaves the task without a score', async () => {
    const server = await startModelServer(() => ({ say: '' }));
    await server.close();
    const providers = { far: { kind: 'openai-compatible', baseUrl: server.baseUrl } };
    const { code, run } = await ran(project([SHOPPER], { user: { model: 'far/u' }, more: { providers } }));
    expect(code).toBe(3);
    expect(run.report.tasks.unscoredTasks).toEqual([{ taskId: 't-0', reason: 'user_unreachable' }]);
  }, 30_000);

  it('who is not let in leaves the task without a score, and the run says who refused', async () => {
    const body = JSON.stringify({ error: { code: 'invalid_api_key' } });
    const server = await startModelServer(() => ({ status: 401, body }));
    onTestFinished(() => server.close());
    const providers = { far: { kind: 'openai-compatible', baseUrl: server.baseUrl } };
    const cli = project([SHOPPER, 'Where is 7?'], { user: { model: 'far/u' }, more: { providers } });
    const { code, run } = await ran(cli);
    expect(code).toBe(3);
    expect(run.report.tasks.unscoredTasks).toEqual([{ taskId: 't-0', reason: 'user_denied' }]);
    expect((await cli.run('show', 'last')).out).toContain('far answered 401 invalid_api_key');
  });

  it.each([
    { text: 'My order is 1042.' },
    { json: { say: 'x', end: true } },
    { json: { end: true } },
    { json: { say: ' ' } },
    { json: { say: 'x', note: 'y' } },
  ])('who says %j is asked once more, and then the task has no score', async (reply) => {
    const { code, run } = await ran(
      project([SHOPPER], { script: { otherwise: { ...reply, usage: usage(0.1) } } }),
    );
    expect(code).toBe(3);
    expect(run.report.tasks.unscoredTasks).toEqual([{ taskId: 't-0', reason: 'user_unreadable' }]);
    expect(run.simulatedUserUsd).toBeCloseTo(0.2);
  });

  it('is not part of what the agent cost', async () => {
    const cli = project([SHOPPER]);
    cli.write('agent.mjs', PAID);
    const cost = '[check:cost {"maxUsd":0.2}] It is cheap.';
    cli.write(
      'talk.suite.json',
      suite([SHOPPER], { kind: 'rubric', rubric: [{ criterion: cost, weight: 1 }] }),
    );
    const { run } = await ran(cli);
    expect(run.rubrics[0].criteria[0]).toMatchObject({ met: 1 });
    expect(run.report.cost).toEqual({ agentUsd: expect.closeTo(0.2), simulatedUserUsd: 0.75 });
  });
});
