import { describe, expect, it } from 'vitest';
import { issuesOf } from '../fixtures/issues-of.js';
import { parseModelNames, parseProviders } from './provider-spec.js';

const issuesIn = (parse: () => unknown): readonly string[] => {
  try {
    parse();
    return [];
  } catch (error) {
    return issuesOf(error).map(({ pointer }) => pointer);
  }
};

describe('providers of a configuration', () => {
  it('are read under their names', () => {
    const local = {
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:8000/v1',
      apiKeyEnv: 'LOCAL_KEY',
      tenants: ['acme'],
      headers: { 'x-team': 'a' },
      stream: true,
      timeoutMs: 5,
    };
    const parsed = parseProviders({
      local,
      openai: { kind: 'openai' },
      demo: { kind: 'scripted', path: 'a.yaml' },
    });
    expect([...parsed]).toEqual([
      ['local', local],
      ['openai', { kind: 'openai' }],
      ['demo', { kind: 'scripted', path: 'a.yaml' }],
    ]);
  });

  it('declare limits where models are asked over a network, and nowhere else', () => {
    const limits = { requestsPerMinute: 60, tokensPerMinute: 1_000 };
    const kinds = {
      good: { kind: 'openai', limits },
      script: { kind: 'scripted', path: 'a.yaml', limits },
      host: { kind: 'openwop', baseUrl: 'http://127.0.0.1:1', limits },
      none: { kind: 'openai', limits: { requestsPerMinute: 0 } },
    };
    expect(issuesIn(() => parseProviders(kinds)).toSorted()).toEqual([
      '/providers/host/limits',
      '/providers/none/limits/requestsPerMinute',
      '/providers/script/limits',
    ]);
  });

  it('have all their problems listed at once', () => {
    const wrong = {
      'No/Good': { kind: 'openai' },
      compatible: { kind: 'openai-compatible' },
      other: { kind: 'openwop', baseUrl: 'ftp://x' },
      script: { kind: 'scripted', baseUrl: 'http://x/', apiKeyEnv: 'A', headers: {}, stream: true },
      file: { kind: 'openai', path: 'x' },
      unknown: { kind: 'magic', colour: 'red' },
      nothing: null,
      header: { kind: 'openai', headers: { host: 'x' } },
    };
    expect(issuesIn(() => parseProviders(wrong))).toEqual(
      [
        '/providers/No~1Good',
        '/providers/compatible/baseUrl',
        '/providers/other/baseUrl',
        '/providers/script/path',
        '/providers/script/baseUrl',
        '/providers/script/apiKeyEnv',
        '/providers/script/headers',
        '/providers/script/stream',
        '/providers/script/baseUrl',
        '/providers/file/path',
        '/providers/unknown/kind',
        '/providers/unknown/colour',
        '/providers/nothing',
        '/providers/header/headers/host',
      ].filter((pointer, index, all) => all.indexOf(pointer) === index),
    );
  });
});

describe('names of models', () => {
  it('lead to a provider and a model', () => {
    expect(parseModelNames({ general: 'local/org/small-1' }, '/modelClasses', ['general'])).toEqual({
      general: 'local/org/small-1',
    });
  });

  it('that lead nowhere are refused, each under its pointer', () => {
    const parse = () =>
      parseModelNames({ generl: 'local/a', general: 'small-1' }, '/modelClasses', ['general']);
    expect(issuesIn(parse)).toEqual(['/modelClasses/generl', '/modelClasses/general']);
  });
});
