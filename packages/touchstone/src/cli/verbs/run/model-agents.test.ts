import type { Json } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ModelAction,
  type ModelServer,
  startModelServer,
} from '../../../agents/fixtures/model-server.js';
import { openTestCli, type TestCli } from '../../testing/test-cli.js';

type Project = TestCli & { readonly server: ModelServer };

/** A project with one agent, a model on loopback, and one suite with a task for each input. */
async function project(
  run: object,
  inputs: readonly Json[],
  action: ModelAction = { say: 'yes' },
): Promise<Project> {
  const server = await startModelServer(() => action);
  const cli = openTestCli({ env: { OPENAI_API_KEY: 'sk-test' } });
  onTestFinished(async () => {
    cli.close();
    await server.close();
  });
  cli.write('touchstone.config.json', {
    providers: {
      local: { kind: 'openai-compatible', baseUrl: server.baseUrl },
      openai: { kind: 'openai', baseUrl: server.baseUrl },
    },
    agents: [
      {
        agentId: 'local.test.desk',
        version: '1.0.0',
        run: { kind: 'openai', provider: 'local', model: 'small-1', ...run },
      },
    ],
  });
  cli.write('desk.suite.json', {
    suiteId: 'local.test.evals.desk',
    version: '1.0.0',
    modes: ['golden'],
    tasks: inputs.map((input, index) => ({
      taskId: `t-${index}`,
      input,
      expected: { kind: 'golden', match: { strategy: 'exact', value: 'yes' } },
    })),
  });
  return { ...cli, server };
}

const ran = (cli: Project, ...options: string[]) => cli.run('run', 'desk.suite.json', ...options);
const sentMessages = ({ server }: Project) => server.requests.map(({ body }) => body.messages);
const createdNothing = async (cli: Project): Promise<boolean> =>
  !(await cli.run('runs', '--json')).out.includes('"runId"');

const CONVERSATION = [
  { role: 'user', content: 'My order is late.' },
  { role: 'assistant', content: 'Which one?' },
  { role: 'user', content: [{ type: 'text', text: '1042' }] },
];

describe('a task of an openai agent', () => {
  it('that is a conversation arrives as its messages, after what the entry says', async () => {
    const cli = await project({ system: 'You help.' }, [CONVERSATION, { messages: CONVERSATION }]);
    expect((await ran(cli, '--concurrency', '1')).code).toBe(0);
    const expected = [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'My order is late.' },
      { role: 'assistant', content: 'Which one?' },
      { role: 'user', content: '1042' },
    ];
    expect(sentMessages(cli)).toEqual([expected, expected]);
  });

  it.each([
    ['with more members than messages', { messages: [{ role: 'user', content: 'a' }], locale: 'de' }],
    ['with somebody else in it', [{ role: 'clerk', content: 'a' }]],
    ['with something else than text', [{ role: 'user', content: [{ type: 'image', url: 'x' }] }]],
    ['without a message', { messages: [] }],
  ] as [string, Json][])('%s arrives as JSON, whole', async (_, input) => {
    const cli = await project({}, [input]);
    expect((await ran(cli)).code).toBe(0);
    const [[message] = []] = sentMessages(cli);
    expect(JSON.parse(String(message?.content))).toEqual(input);
  });

  it('is filled into the prompt, with its types where a placeholder stands alone', async () => {
    const prompt = [
      { role: 'system', content: 'Answer {{ tone | default("kindly") }}.' },
      { role: 'user', content: '{{ order.id }}: {{ order.items | json }}' },
    ];
    const cli = await project({ prompt }, [{ order: { id: 7, items: ['a'] } }]);
    expect((await ran(cli)).code).toBe(0);
    expect(sentMessages(cli)).toEqual([
      [
        { role: 'system', content: 'Answer kindly.' },
        { role: 'user', content: '7: ["a"]' },
      ],
    ]);
  });

  it('that is a conversation stands where the prompt has its messages', async () => {
    const prompt = [{ role: 'system', content: 'Be brief.' }, '{{ messages }}', 'And now: {{ last }}'];
    const cli = await project({ prompt }, [CONVERSATION.slice(0, 2)]);
    expect((await ran(cli)).code).toBe(0);
    expect(sentMessages(cli)[0]?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(sentMessages(cli)[0]?.at(-1)?.content).toBe('And now: My order is late.');
  });

  it('without a value for a variable of the prompt is refused at create, with task and variable', async () => {
    const cli = await project({ prompt: 'Where is {{ order.id }}?' }, [{ order: { id: 1 } }, { order: {} }]);
    const { code, err } = await ran(cli);
    expect(code).toBe(2);
    expect(err).toContain('Task "t-1" has no value for {{ order.id }}');
    expect(cli.server.requests).toEqual([]);
    expect(await createdNothing(cli)).toBe(true);
  });
});

describe('the prompt of a file', () => {
  it.each([
    ['p.md', 'Say yes to {{ q }}.\n', 'Say yes to x.'],
    ['p.txt', 'Say {{ q }}', 'Say x'],
    ['p.json', '[{"role":"user","content":"{{ q }}!"}]', 'x!'],
    ['p.yaml', '- role: user\n  content: "{{ q }}?"\n', 'x?'],
  ])('%s is what the model is told, and part of the agent', async (name, text, content) => {
    const cli = await project({ promptFile: name }, [{ q: 'x' }]);
    cli.write(name, text);
    const digest = async (): Promise<string> => JSON.parse((await ran(cli, '--json')).out).agent.digest;
    const before = await digest();
    expect(sentMessages(cli)).toEqual([[{ role: 'user', content }]]);
    cli.write(name, text.replace('{{ q }}', '{{ q }}, please'));
    expect(await digest()).not.toBe(before);
  });

  it.each([
    [{ promptFile: 'absent.md' }, 'absent.md'],
    [{ promptFile: 'p.html' }, '.md, .txt'],
    [{ promptFile: 'broken.md' }, 'not closed'],
    [{ promptFile: 'p.md', prompt: 'x' }, 'either prompt or promptFile'],
    [{ prompt: [{ role: 'clerk', content: 'x' }] }, '/run/prompt'],
  ])('that cannot be used is refused: %j', async (run, words) => {
    const cli = await project(run, ['hi']);
    for (const name of ['p.md', 'p.html']) cli.write(name, 'x');
    cli.write('broken.md', '{{ a');
    const { code, err } = await ran(cli);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  it('replaces the own one for a run with --prompt, as another digest of the same agent', async () => {
    const cli = await project({ prompt: 'own {{ q }}' }, [{ q: 'x' }]);
    cli.write('p.md', 'new {{ q }}');
    const own = JSON.parse((await ran(cli, '--json')).out).agent;
    const other = JSON.parse((await ran(cli, '--json', '--prompt', 'p.md')).out).agent;
    expect(sentMessages(cli).map(([message]) => message?.content)).toEqual(['own x', 'new x']);
    expect(other).toEqual({ ...own, digest: expect.not.stringMatching(own.digest) });
  });

  it('is one of several that are run side by side when --prompt is repeated', async () => {
    const cli = await project({ prompt: 'own {{ q }}' }, [{ q: 'x' }]);
    cli.write('p.md', 'p {{ q }}');
    cli.write('q.md', 'q {{ q }}');
    const { code, out } = await ran(cli, '--json', '--prompt', 'p.md', '--prompt', 'q.md');
    const { runs, matrix } = JSON.parse(out);
    expect([code, runs.length]).toEqual([0, 2]);
    expect(matrix.variants.map(({ name }: { name: string }) => name)).toEqual(['p.md', 'q.md']);
    expect(sentMessages(cli).map(([message]) => message?.content)).toEqual(['p x', 'q x']);
  });

  it('stands in the scorecard of its run', async () => {
    const cli = await project({ prompt: 'own {{ q }}' }, [{ q: 'x' }]);
    cli.write('p.md', 'p {{ q }}');
    expect((await ran(cli, '--prompt', 'p.md')).out).toMatch(/^ +prompt p\.md$/m);
    expect((await ran(cli)).out).not.toMatch(/^ +prompt /m);
  });

  it('is found again for a branch of the run, and refused when it has changed', async () => {
    const cli = await project({ prompt: 'own {{ q }}' }, [{ q: 'x' }]);
    cli.write('p.md', 'new {{ q }}');
    const { runId } = JSON.parse((await ran(cli, '--json', '--prompt', 'p.md')).out);
    expect((await cli.run('replay', runId, '--branch', '--from', '0')).code).toBe(0);
    expect(sentMessages(cli).map(([message]) => message?.content)).toEqual(['new x', 'new x']);
    cli.write('p.md', 'other {{ q }}');
    expect((await cli.run('replay', runId, '--branch', '--from', '0')).code).toBe(2);
  });

  it('cannot stand in for anything in an agent without a prompt', async () => {
    const cli = await project({}, ['hi']);
    cli.write('agent.mjs', 'export default () => "yes";');
    cli.write('p.md', 'x');
    const { code, err } = await ran(cli, '--agent', 'agent.mjs', '--prompt', 'p.md');
    expect([code, err]).toEqual([2, expect.stringContaining('has no prompt that could be replaced')]);
    const absent = await ran(cli, '--prompt', 'absent.md');
    expect([absent.code, absent.err]).toEqual([2, expect.stringContaining('no prompt at absent.md')]);
  });
});

describe('parameters', () => {
  const parameters = {
    temperature: 0.5,
    topP: 0.9,
    maxTokens: 50,
    seed: 7,
    stop: 'END',
    frequencyPenalty: 0.1,
    presencePenalty: -0.1,
    reasoningEffort: 'low',
  };

  it('reach the endpoint under its own names, and stand in the snapshot', async () => {
    const cli = await project({ parameters }, ['hi']);
    const { runId } = JSON.parse((await ran(cli, '--json')).out);
    expect(cli.server.requests[0]?.body).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      max_tokens: 50,
      seed: 7,
      stop: ['END'],
      frequency_penalty: 0.1,
      presence_penalty: -0.1,
      reasoning_effort: 'low',
    });
    const { model } = JSON.parse((await cli.run('show', runId, '--json')).out).report;
    expect(model).toEqual({ provider: 'local', model: 'small-1', ...parameters, stop: ['END'] });
  });

  it('of a run go before those of the agent', async () => {
    const cli = await project({ parameters }, ['hi']);
    expect((await ran(cli, '--param', 'temperature=0', '--param', 'stop=7')).code).toBe(0);
    expect(cli.server.requests[0]?.body).toMatchObject({ temperature: 0, top_p: 0.9, stop: ['7'] });
  });

  it('make another agent', async () => {
    const digestOf = async (run: object): Promise<string> => {
      const cli = await project(run, ['hi']);
      return JSON.parse((await ran(cli, '--json')).out).agent.digest;
    };
    expect(await digestOf({ parameters: { seed: 1 } })).not.toBe(await digestOf({ parameters: { seed: 2 } }));
  });

  it.each([
    [['--param', 'warmth=1'], 'warmth'],
    [['--param', 'temperature=hot'], '--param'],
    [['--param', 'temperature=3'], '--param'],
    [['--param', 'temperature'], 'a name and a value'],
  ])('%j are refused, and nothing is created', async (options, words) => {
    const cli = await project({}, ['hi']);
    const { code, err } = await ran(cli, ...options);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(await createdNothing(cli)).toBe(true);
  });

  it('mean nothing to an agent that brings its own model', async () => {
    const cli = await project({}, ['hi']);
    cli.write('agent.mjs', 'export default () => "yes";');
    const { code, err } = await ran(cli, '--agent', 'agent.mjs', '--param', 'seed=1');
    expect([code, err]).toEqual([2, expect.stringContaining('--param would change nothing')]);
  });

  it('that the provider refuses are its 400, by the name it gives the refusal', async () => {
    const body = JSON.stringify({ error: { message: 'CANARY', code: 'unsupported_parameter' } });
    const cli = await project({ parameters: { seed: 1 } }, ['hi'], { status: 400, body });
    const { code, out } = await ran(cli, '--bodies');
    expect(code).toBe(1);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('answered with HTTP 400 (unsupported_parameter)');
    expect(out).not.toContain('CANARY');
  });

  it('that the model was asked without are no part of an answer', async () => {
    const cli = await project({ provider: 'openai', model: 'o3-mini', parameters: { temperature: 0.5 } }, [
      'hi',
    ]);
    const { code, out } = await ran(cli, '--bodies');
    expect(code).toBe(1);
    expect(cli.server.requests[0]?.body).not.toHaveProperty('temperature');
    expect(out.replaceAll(/\s+/g, ' ')).toContain('openai/o3-mini does not take temperature');
  });
});
