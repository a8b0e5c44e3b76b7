import type { Owner } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { type Choice, chooseModel, type ModelQuery } from './choose.js';
import { parseProviders } from './provider-spec.js';

const providers = parseProviders({
  local: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1', tenants: ['acme'] },
  shared: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8001/v1' },
  demo: { kind: 'scripted', path: 'demo.yaml', tenants: ['acme'] },
  other: { kind: 'openwop', baseUrl: 'http://127.0.0.1:8002', tenants: ['acme'] },
});

function choose(wanted: ModelQuery, tenant = 'acme', single = false): Choice {
  const owner: Owner = { tenant, workspace: 'main' };
  const parts = {
    providers,
    modelClasses: { general: 'local/org/small-1', writing: 'gone/x' },
    models: { 'gpt-4-turbo': 'local/judge-1' },
    isOnlyTenant: () => single,
  };
  return chooseModel(parts, owner, wanted);
}
const reasonOf = (choice: Choice): string => (choice.kind === 'none' ? choice.reason : '');

describe('the model', () => {
  it.each<[string, ModelQuery, object]>([
    ['of a class', { modelClass: 'general' }, { provider: 'local', model: 'org/small-1' }],
    ['of a name', { name: 'local/a/b' }, { provider: 'local', model: 'a/b' }],
    ['of an alias', { name: 'gpt-4-turbo' }, { provider: 'local', model: 'judge-1' }],
    [
      'of a name goes before that of the class',
      { name: 'local/x', modelClass: 'general' },
      { provider: 'local', model: 'x' },
    ],
  ])('%s is found', (_name, wanted, pin) => {
    expect(choose(wanted)).toEqual({ kind: 'model', pin, mock: false });
  });

  it('of a script is a mock', () => {
    expect(choose({ name: 'demo/any' })).toMatchObject({ kind: 'model', mock: true });
  });

  it.each<[string, ModelQuery, string]>([
    ['a class nobody configured', { modelClass: 'coding' }, 'modelClasses.coding'],
    ['a class whose provider is gone', { modelClass: 'writing' }, '"gone"'],
    ['nothing to go by', {}, 'modelClass'],
    ['a name without provider', { name: 'small-1' }, 'small-1'],
    ['a name without model', { name: 'local/' }, 'local/'],
    ['a name of every object', { name: 'constructor' }, 'constructor'],
    ['a host of agents', { name: 'other/x' }, 'openwop'],
  ])('is not found for %s, and the reason says why', (_name, wanted, words) => {
    expect(reasonOf(choose(wanted))).toContain(words);
  });

  it('is not found by a wrong provider, and the right ones are named', () => {
    expect(reasonOf(choose({ name: 'gone/x' }))).toMatch(/There are: local, demo\.$/);
  });

  it('of a provider that is not granted looks like one that does not exist', () => {
    const foreign = reasonOf(choose({ name: 'local/x' }, 'globex', true));
    expect(foreign.replaceAll('local', 'absent')).toBe(
      reasonOf(choose({ name: 'absent/x' }, 'globex', true)),
    );
  });

  it.each(['shared/x', 'openai/gpt', 'anthropic/claude', 'google/gemini'])(
    'of %s, granted to nobody by name, is everybody’s on a host with one tenant only',
    (name) => {
      expect(choose({ name }, 'acme', true).kind).toBe('model');
      expect(choose({ name }, 'acme', false).kind).toBe('none');
    },
  );
});
