import { asId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../ports/index.js';
import { createPriceOf } from './prices.js';

const call = (provider: string, model: string): Usage => ({
  provider: asId(provider),
  model: asId(model),
  inputTokens: 1_000_000,
  outputTokens: 1_000_000,
});
const vendors = new Map([
  ['cheap', { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' }],
  ['main', { kind: 'openai' }],
  ['proxy', { kind: 'openai-compatible', baseUrl: 'https://api.openai.com/v1' }],
  ['offline', { kind: 'scripted' }],
]);
const priceOf = createPriceOf({ 'main/gpt-4o-mini': { inputPerMTok: 1, outputPerMTok: 2 } }, vendors, {
  now: () => Date.parse('2026-11-15'),
});

describe('the price of a call', () => {
  it('is the configured one before any other', () => {
    expect(priceOf(call('main', 'gpt-4o-mini'))).toBe(3);
  });

  it('is the listed one of the vendor that was asked, however its provider is called', () => {
    const listed = priceOf(call('openai', 'gpt-4o-mini'));
    expect(listed).toBeGreaterThan(0);
    expect(priceOf(call('proxy', 'gpt-4o-mini'))).toBe(listed);
    expect(priceOf(call('main', 'gpt-4o'))).toBeGreaterThan(listed ?? 0);
  });

  it('counts tokens that the vendor had cached at their own price', () => {
    const cached = priceOf({ ...call('openai', 'gpt-4o-mini'), cacheReadTokens: 1_000_000 });
    expect(cached).toBeLessThan(priceOf(call('openai', 'gpt-4o-mini')) ?? 0);
  });

  it.each([
    ['an endpoint of nobody known, whatever the model is called', 'cheap', 'gpt-4o-mini'],
    ['a model nobody lists', 'main', 'small-1'],
    ['a scripted model', 'offline', 'gpt-4o-mini'],
    ['a provider nobody knows', 'acme', 'gpt-4o-mini'],
  ])('is unknown, and not 0, for %s, however often it is asked for', (_what, provider, model) => {
    expect(priceOf(call(provider, model))).toBeUndefined();
    expect(priceOf(call(provider, model))).toBeUndefined();
    expect(priceOf(call('openai', 'gpt-4o-mini'))).toBeGreaterThan(0);
  });

  it('is unknown for counts that make no sense', () => {
    expect(priceOf({ ...call('openai', 'gpt-4o-mini'), cacheReadTokens: 2_000_000 })).toBeUndefined();
  });
});
