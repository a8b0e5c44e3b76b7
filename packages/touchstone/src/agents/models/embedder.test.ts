// Everything here goes over real connections to a server on loopback.
import { asId, type EmbedderPin, type ModelName } from '@touchstone/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDeferred } from '../../net/concurrency.js';
import { createGuard } from '../../net/guard.js';
import { createPaces } from '../../net/pace.js';
import type { Usage } from '../../ports/index.js';
import { type ManualClock, manualClock } from '../fixtures/manual-clock.js';
import { ACME, modelsFor, passingTime } from '../fixtures/model-parts.js';
import { inTurn, type ModelAction, type ModelScript, startModelServer } from '../fixtures/model-server.js';
import { createEmbedder, type EmbedderParts } from './embedder.js';

const PIN: EmbedderPin = { provider: asId<ModelName>('local'), model: asId<ModelName>('embed-1') };
const TEXTS = ['one', 'two'];

const answer = (body: unknown): ModelAction => ({
  status: 200,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const vectors = (...all: readonly unknown[]) => all.map((embedding, index) => ({ index, embedding }));
const GOOD = { data: vectors([1, 0], [0.5, -2]), usage: { prompt_tokens: 9, total_tokens: 9 } };

type Setup = { readonly spec?: object; readonly env?: object; readonly parts?: Partial<EmbedderParts> };

async function start(script: ModelScript, { spec = {}, env = {}, parts = {} }: Setup = {}) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const clock = manualClock();
  const local = { kind: 'openai-compatible', baseUrl: server.baseUrl, ...spec };
  const models = modelsFor({ local }, clock, { env: { ...env } });
  const common = {
    owner: ACME,
    clock,
    random: () => 0.5,
    paceOf: createPaces(clock),
    maxAnswerBytes: 10_000,
  };
  const embedder = createEmbedder(models, PIN, { ...common, ...parts });
  onTestFinished(() => embedder.close());
  return { server, clock, embedder };
}

/** Asks once, letting any waiting pass. */
async function embed(script: ModelScript, setup?: Setup) {
  const { server, clock, embedder } = await start(script, setup);
  const spent: Usage[] = [];
  const asked = embedder.embed(TEXTS, new AbortController().signal, async (usage) => spent.push(...usage));
  const { value: embedded } = await passingTime(asked, clock);
  return { embedded, spent, server };
}

describe('an embedder', () => {
  it('asks for all texts in one request and pays for it', async () => {
    const { embedded, spent, server } = await embed(inTurn(answer(GOOD)));
    expect(embedded).toEqual({
      kind: 'embedded',
      vectors: [
        [1, 0],
        [0.5, -2],
      ],
    });
    expect(server.requests).toMatchObject([
      { path: '/v1/embeddings', body: { model: 'embed-1', input: TEXTS } },
    ]);
    expect(spent).toMatchObject([
      {
        provider: 'local',
        model: 'embed-1',
        inputTokens: 9,
        outputTokens: 0,
        time: { of: 'embedder', durationMs: expect.any(Number) },
      },
    ]);
  });

  it('brings the credential and the headers of its provider', async () => {
    const spec = { apiKeyEnv: 'KEY', headers: { 'x-team': 'evals' } };
    const { server } = await embed(inTurn(answer(GOOD)), { spec, env: { KEY: 'k-1' } });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer k-1', 'x-team': 'evals' });
  });

  it('puts vectors in the order of the texts, whatever order they came in', async () => {
    const data = [
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ];
    expect((await embed(inTurn(answer({ data })))).embedded).toEqual({
      kind: 'embedded',
      vectors: [[1], [2]],
    });
    const unnumbered = [{ embedding: [1] }, { embedding: [2] }];
    expect((await embed(inTurn(answer({ data: unnumbered })))).embedded).toMatchObject({
      vectors: [[1], [2]],
    });
  });

  it.each<[string, unknown]>([
    ['one vector too few', vectors([1])],
    ['one too many', vectors([1], [2], [3])],
    ['vectors of two lengths', vectors([1], [1, 2])],
    ['empty vectors', vectors([], [])],
    ['a vector without direction', vectors([0, 0], [1, 0])],
    ['words for numbers', vectors(['1'], ['2'])],
    ['nothing for numbers', vectors([null], [1])],
    ['numbers beyond all bounds', '[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]'],
    [
      'the same place twice',
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    ],
    [
      'a place that is none',
      [
        { index: 0, embedding: [1] },
        { index: 2, embedding: [1] },
      ],
    ],
    ['entries that are none', [1, 2]],
    ['no list', {}],
  ])('that gives %s has failed, and is paid', async (_name, data) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    const { embedded, spent, server } = await embed(
      inTurn(answer(`{"data":${text},"usage":{"total_tokens":4}}`)),
    );
    expect(embedded).toMatchObject({ kind: 'failed' });
    expect(spent).toMatchObject([{ inputTokens: 4 }]);
    expect(server.requests).toHaveLength(1);
  });

  it('whose tokens nobody counted has cost nothing that is known', async () => {
    const { spent } = await embed(inTurn(answer({ data: GOOD.data, usage: { prompt_tokens: -1 } })));
    expect(spent).toMatchObject([
      { provider: 'local', model: 'embed-1', inputTokens: 0, outputTokens: 0, uncounted: true },
    ]);
  });

  it.each<[string, ModelAction, RegExp]>([
    ['is not JSON', answer('private words NaN'), /not one vector/],
    ['is a refusal', { status: 400, body: 'private words' }, /HTTP 400/],
    ['is a redirect', { status: 307, headers: { location: '/v2' } }, /redirect/],
    ['has no end', 'endless', /larger than 10000 bytes/],
  ])('has failed for good when its answer %s, quoting nothing', async (_name, action, reason) => {
    const { embedded, spent, server } = await embed(inTurn(action));
    expect(embedded).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) });
    expect(JSON.stringify(embedded)).not.toContain('private');
    expect(spent).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, ModelAction]>([
    ['a lost connection', 'reset'],
    ['an answer cut short', 'cut'],
    ['a server in trouble', { status: 503 }],
    ['one that asks to wait', { status: 429, headers: { 'retry-after': '2' } }],
  ])('asks again after %s', async (_name, action) => {
    const { embedded, spent } = await embed(inTurn(action, answer(GOOD)));
    expect(embedded).toMatchObject({ kind: 'embedded' });
    expect(spent).toHaveLength(1);
  });

  it('gives up on a server that stays in trouble', async () => {
    const { embedded, server } = await embed(inTurn({ status: 500 }));
    expect(embedded).toEqual({ kind: 'unreachable', reason: expect.stringMatching(/4 tries.*HTTP 500/) });
    expect(server.requests).toHaveLength(4);
  });

  it('does not wait for ever', async () => {
    const silence = createSilence();
    const { clock, embedder } = await start(silence.script, { parts: { timeoutMs: 1_000 } });
    const asked = embedder.embed(TEXTS, new AbortController().signal, async () => undefined);
    await silence.asked;
    clock.advance(1_000);
    expect(await asked).toEqual({ kind: 'unreachable', reason: expect.stringContaining('1000 ms') });
  });

  it('rejects only when it is called off', async () => {
    const silence = createSilence();
    const { embedder } = await start(silence.script);
    const controller = new AbortController();
    const asked = embedder.embed(TEXTS, controller.signal, async () => undefined);
    await silence.asked;
    controller.abort(new Error('called off'));
    await expect(asked).rejects.toThrow('called off');
    await expect(embedder.embed(TEXTS, controller.signal, async () => undefined)).rejects.toThrow(
      'called off',
    );
  });

  it('goes nowhere that its guard does not allow', async () => {
    const guard = createGuard({ allowHosts: [], allowPrivate: false });
    const { embedded, server } = await embed(inTurn(answer(GOOD)), { parts: { guard } });
    expect(embedded).toMatchObject({ kind: 'failed' });
    expect(server.requests).toEqual([]);
  });

  it('needs a provider that is asked over a network, and is this owner’s', () => {
    const clock: ManualClock = manualClock();
    const common = { owner: ACME, clock, random: () => 0.5, paceOf: createPaces(clock) };
    const providers = {
      scripted: { kind: 'scripted', path: 'replies.json' },
      theirs: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', tenants: ['other'] },
    };
    const models = modelsFor(providers, clock);
    for (const provider of ['scripted', 'theirs', 'nobody'])
      expect(() => createEmbedder(models, { ...PIN, provider: asId<ModelName>(provider) }, common)).toThrow(
        `there is no provider "${provider}" here`,
      );
  });
});

/** A server that has heard the question and says nothing. */
function createSilence() {
  const heard = createDeferred<undefined>();
  const script: ModelScript = () => {
    heard.resolve(undefined);
    return new Promise(() => undefined);
  };
  return { script, asked: heard.promise };
}
