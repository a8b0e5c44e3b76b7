import { describe, expect, it } from 'vitest';
import { readModelRequest } from './model-request.js';

const pointers = (configurable: object, kind: 'manifest' | 'module' = 'manifest') =>
  readModelRequest(configurable as { [key: string]: unknown }, { kind }).issues.map(({ pointer }) => pointer);

describe('what a run asks of its model', () => {
  it('is nothing unless it says so', () => {
    expect(readModelRequest({ other: 1 }, { kind: 'manifest' })).toEqual({ cache: false, issues: [] });
  });

  it('may be a name in one member or in two, with temperature, length and cache', () => {
    const asked = { temperature: 0.5, maxTokens: 100, cache: true };
    expect(readModelRequest({ model: 'local/a', ...asked }, { kind: 'manifest' })).toEqual({
      name: 'local/a',
      ...asked,
      issues: [],
    });
    expect(readModelRequest({ ai: { provider: 'local', model: 'a/b' } }, { kind: 'openai' })).toMatchObject({
      name: 'local/a/b',
    });
  });

  it.each([
    [{ model: 5 }, '/configurable/model'],
    [{ ai: 'local' }, '/configurable/ai'],
    [{ ai: { provider: 'local' } }, '/configurable/ai'],
    [{ ai: { credentialRef: 'x' } }, '/configurable/ai/credentialRef'],
    [{ ai: { apiKey: 'x' } }, '/configurable/ai/apiKey'],
    [{ model: 'local/a\u0000' }, '/configurable/model'],
    [{ model: `local/${'a'.repeat(300)}` }, '/configurable/model'],
    [{ ai: { provider: 'local', model: 'a\nb' } }, '/configurable/ai'],
    [{ temperature: 3 }, '/configurable/temperature'],
    [{ temperature: Number.NaN }, '/configurable/temperature'],
    [{ maxTokens: 0 }, '/configurable/maxTokens'],
    [{ maxTokens: 1.5 }, '/configurable/maxTokens'],
    [{ cache: 'yes' }, '/configurable/cache'],
    [{ mockProvider: { id: 'x' } }, '/configurable/mockProvider'],
  ])('%j is refused where it is wrong', (configurable, pointer) => {
    expect(pointers(configurable)).toEqual([pointer]);
  });

  it('is the agent’s own business when the agent asks its model itself, but for the cache', () => {
    expect(pointers({ model: 5, temperature: 9 }, 'module')).toEqual([]);
    expect(pointers({ cache: true }, 'module')).toEqual(['/configurable/cache']);
    expect(pointers({ cache: false }, 'module')).toEqual([]);
  });

  it('may be parameters, which go before the two that stand beside them', () => {
    const parameters = { temperature: 0, stop: 'END', reasoningEffort: 'low' };
    const asked = { temperature: 1, maxTokens: 9, parameters };
    expect(readModelRequest(asked, { kind: 'openai' })).toEqual({
      ...{ temperature: 0, maxTokens: 9, stop: ['END'], reasoningEffort: 'low' },
      ...{ cache: false, issues: [] },
    });
    expect(pointers({ parameters: { warmth: 1, topP: 2 } })).toEqual([
      '/configurable/parameters/topP',
      '/configurable/parameters/warmth',
    ]);
  });

  it('is no parameter for an agent that asks its model itself', () => {
    expect(pointers({ parameters: { seed: 1 } }, 'module')).toEqual(['/configurable/parameters']);
  });

  it('counts for the agent that a conversation is with, and for who plays its user', () => {
    const conversation = { maxTurns: 1, hasUser: true };
    const facts = (kind: 'module' | 'openai') =>
      ({ kind: 'conversation', wraps: { kind }, conversation }) as never;
    expect(readModelRequest({ cache: true }, facts('module'))).toEqual({ cache: true, issues: [] });
    expect(readModelRequest({ model: 'local/a' }, facts('openai'))).toMatchObject({ name: 'local/a' });
  });
});
