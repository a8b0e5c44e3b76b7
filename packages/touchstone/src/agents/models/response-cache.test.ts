import type { Digest, Owner } from '@touchstone/protocol';
import type { Body } from '@touchstone/protocol/bodies';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Responses } from '../../ports/index.js';
import { ACME, freeBound, questionOf, servedModel } from '../fixtures/model-parts.js';
import { inTurn, type ModelAction } from '../fixtures/model-server.js';
import type { ModelIdentity, Question } from './model.js';
import { questionDigest, withResponses } from './response-cache.js';

/** Keeps answers as a store does: as text. */
function keptResponses(): Responses & { readonly size: () => number } {
  const kept = new Map<string, string>();
  const keyOf = (owner: Owner, question: Digest) => `${owner.tenant}/${owner.workspace}/${question}`;
  return {
    size: () => kept.size,
    async get(owner, question) {
      const text = kept.get(keyOf(owner, question));
      return text === undefined ? undefined : (JSON.parse(text) as Body);
    },
    async put(owner, question, answer) {
      kept.set(keyOf(owner, question), JSON.stringify(answer));
    },
  };
}

async function start(...actions: readonly ModelAction[]) {
  const { server, model, clock } = await servedModel(inTurn(...actions));
  const responses = keptResponses();
  const cached = (owner = ACME) =>
    withResponses(model, responses, owner, clock, (text) => text.includes('sk-CANARY'));
  const ask = async (question: Question, owner = ACME) => {
    const reply = await cached(owner).ask(question, freeBound(clock));
    if (!('remember' in reply)) return reply;
    const { remember, ...rest } = reply;
    await remember?.();
    return rest;
  };
  return { server, responses, ask };
}

describe('a remembered reply', () => {
  it('is given again without a request, with its tokens and at no price', async () => {
    const calls = [
      { name: 'kb', arguments: { q: 1 } },
      { name: 'kb', arguments: 'broken' },
    ];
    const { server, ask } = await start({ say: 'x', calls, usage: { input: 9, output: 2, cached: 4 } });
    const first = await ask(questionOf('hi'));
    const second = await ask(questionOf('hi'));
    expect(server.requests).toHaveLength(1);
    expect(first).not.toHaveProperty('usage.cacheHit');
    expect(second).toEqual({
      ...first,
      usage: { ...('usage' in first && first.usage), cacheHit: true, costUsd: 0, time: undefined },
    });
    expect(second).not.toHaveProperty('usage.time');
  });

  it('is not there before it has been paid for', async () => {
    const { server, model, clock } = await servedModel(inTurn({ say: 'x' }));
    const cached = withResponses(model, keptResponses(), ACME, clock, () => false);
    for (const _ of [1, 2]) await cached.ask(questionOf('hi'), freeBound(clock));
    expect(server.requests).toHaveLength(2);
  });

  it('is for the owner who paid for it', async () => {
    const { server, ask } = await start({ say: 'x' });
    await ask(questionOf('hi'));
    await ask(questionOf('hi'), { tenant: 'globex', workspace: 'main' });
    expect(server.requests).toHaveLength(2);
  });

  it('may be a refusal, for that is an answer', async () => {
    const { server, ask } = await start({ refusal: 'No.' });
    await ask(questionOf('hi'));
    expect(await ask(questionOf('hi'))).toMatchObject({ refused: true, text: 'No.' });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, ModelAction]>([
    ['a failure', { status: 400 }],
    ['a secret in the text', { say: 'it is sk-CANARY' }],
    ['a secret in an argument', { calls: [{ name: 'kb', arguments: { a: ['sk-CANARY'] } }] }],
  ])('is never %s', async (_what, action) => {
    const { server, responses, ask } = await start(action);
    await ask(questionOf('hi'));
    await ask(questionOf('hi'));
    expect(server.requests).toHaveLength(2);
    expect(responses.size()).toBe(0);
  });
});

describe('the digest of a question', () => {
  const identity: ModelIdentity = {
    kind: 'openai-compatible',
    provider: 'local' as never,
    model: 'small-1' as never,
    baseUrl: 'http://a/v1',
  };
  const question = questionOf('hi', { returnSchema: { type: 'object' }, temperature: 0, maxTokens: 5 });

  it.each<[string, Partial<ModelIdentity>, Partial<Question>]>([
    ['kind', { kind: 'openai' }, {}],
    ['provider', { provider: 'other' as never }, {}],
    ['model', { model: 'small-2' as never }, {}],
    ['address', { baseUrl: 'http://b/v1' }, {}],
    ['messages', {}, { messages: [{ role: 'system', text: 'hi' }] }],
    ['tools', {}, { tools: [{ name: 'kb', inputSchema: {} }] }],
    ['schema', {}, { returnSchema: { type: 'array' } }],
    ['temperature', {}, { temperature: 1 }],
    ['token limit', {}, { maxTokens: 6 }],
    ['repeat', {}, { repeat: 1 }],
  ])('changes with its %s', (_what, other, changed) => {
    const digest = questionDigest(identity, question);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(questionDigest({ ...identity, ...other }, { ...question, ...changed })).not.toBe(digest);
  });

  it('does not change with the order in which a schema was written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (schema) => {
        const turned = Object.fromEntries(Object.entries(schema).reverse());
        expect(questionDigest(identity, { ...question, returnSchema: turned })).toBe(
          questionDigest(identity, { ...question, returnSchema: schema }),
        );
      }),
    );
  });
});
