import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { issuesOf } from '../fixtures/issues-of.js';
import { manualClock } from '../fixtures/manual-clock.js';
import { ACME, freeBound, modelsFor, pinOf, questionOf } from '../fixtures/model-parts.js';
import { temporaryFolder } from '../fixtures/temporary-folder.js';
import type { Message, Question } from './model.js';

async function open(script: string, file = 'demo.yaml') {
  const baseDir = await temporaryFolder();
  await writeFile(join(baseDir, file), script);
  const clock = manualClock();
  const models = modelsFor({ demo: { kind: 'scripted', path: file, timeoutMs: 9 } }, clock, { baseDir });
  const model = await models.open(ACME, pinOf('demo'));
  return { model, ask: (question: Question) => model.ask(question, freeBound(clock)) };
}

const SCRIPT = `
replies:
  - when: { contains: [refund, days] }
    toolCalls: [{ toolId: "local:kb.search", inputs: { q: refund } }]
    reasoning: Look it up.
  - when: { contains: refund, rounds: 1 }
    text: Five days.
  - when: { input: { ask: hours } }
    json: { confidence: 0.9, answer: 9 to 5 }
    usage: { inputTokens: 11, outputTokens: 3, costUsd: 0.5 }
  - when: { input: exactly this }
    text: Exactly.
  - when: { system: pirate }
    text: Arr.
  - when: { model: small-2 }
    text: I am another model.
otherwise: { refusal: I cannot help with that. }
`;

describe('a scripted model', () => {
  const rounds: readonly Message[] = [
    { role: 'assistant', said: [] },
    { role: 'tools', results: [] },
  ];
  const later = (text: string): Question => ({
    ...questionOf(text),
    messages: [{ role: 'user', text }, ...rounds],
  });

  it.each<[string, Question, object]>([
    [
      'words, with a call',
      questionOf('refund in how many days?'),
      { finish: 'tool-calls', reasoning: 'Look it up.' },
    ],
    [
      'words, after the call',
      later('refund in how many days?'),
      { text: 'Five days.', finish: 'stop', toolCalls: [] },
    ],
    [
      'JSON, whatever its order',
      questionOf('{"ask":"hours"}'),
      { text: '{"answer":"9 to 5","confidence":0.9}' },
    ],
    ['the very text', questionOf('exactly this'), { text: 'Exactly.' }],
    [
      'the prompt',
      {
        ...questionOf(''),
        messages: [
          { role: 'system', text: 'You are a pirate.' },
          { role: 'user', text: 'x' },
        ],
      },
      { text: 'Arr.' },
    ],
    ['nothing else', questionOf('refund'), { refused: true, text: 'I cannot help with that.' }],
  ])('goes by %s', async (_what, question, expected) => {
    const { ask } = await open(SCRIPT);
    expect(await ask(question)).toMatchObject({ kind: 'reply', ...expected });
  });

  it('calls tools by their ids', async () => {
    const { ask } = await open(SCRIPT);
    expect(await ask(questionOf('refund days'))).toMatchObject({
      toolCalls: [{ id: 'call-1-0', name: 'local:kb.search', inputs: { q: 'refund' } }],
    });
  });

  it('costs what the script says, or nothing for a guess of tokens', async () => {
    const { ask } = await open(SCRIPT);
    expect(await ask(questionOf('{"ask":"hours"}'))).toMatchObject({
      usage: { provider: 'demo', model: 'small-1', inputTokens: 11, outputTokens: 3, costUsd: 0.5 },
    });
    const [short, long] = [await ask(questionOf('x')), await ask(questionOf('x'.repeat(401)))];
    expect(short).toMatchObject({ usage: { costUsd: 0 } });
    const tokens = (reply: typeof short) => ('usage' in reply ? reply.usage.inputTokens : 0);
    expect(tokens(long) - tokens(short)).toBe(100);
  });

  it('says the same every time', async () => {
    const { ask } = await open(SCRIPT);
    expect(await ask(questionOf('refund days'))).toEqual(await ask(questionOf('refund days')));
  });

  it('without a word for a question fails', async () => {
    const { ask, model } = await open('{"replies": []}', 'demo.json');
    expect(await ask(questionOf('x'))).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('demo/small-1'),
    });
    expect(model.timeoutMs).toBe(9);
  });

  it.each([
    ['not YAML', ': : :', ['']],
    ['not an object', '[]', ['']],
    ['a reply that says two things', 'replies: [{ text: a, json: 1 }]', ['/replies/0']],
    ['a reply that says nothing', 'otherwise: { reasoning: hm }', ['/otherwise']],
    [
      'misspelt members',
      'replies: [{ txt: a, toolCalls: [{ tool: x }] }, { when: { contain: a, rounds: -1 }, text: a }]',
      [
        '/replies/0/toolCalls/0/toolId',
        '/replies/0/toolCalls/0/tool',
        '/replies/0/txt',
        '/replies/1/when/rounds',
        '/replies/1/when/contain',
      ],
    ],
  ])('is refused with file and pointers: %s', async (_what, script, pointers) => {
    const error = await open(script).catch((thrown: unknown) => thrown);
    expect(issuesOf(error).map(({ pointer }) => pointer)).toEqual(pointers);
    expect(error).toHaveProperty('details.file', expect.stringMatching(/demo\.yaml$/));
  });

  it('whose file is missing says so', async () => {
    const models = modelsFor({ demo: { kind: 'scripted', path: 'gone.yaml' } }, manualClock());
    await expect(models.open(ACME, pinOf('demo'))).rejects.toThrow(/does not exist/);
  });
});
