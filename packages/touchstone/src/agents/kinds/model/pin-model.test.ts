import { asId } from '@touchstone/protocol';
import { describe, expect, it } from 'vitest';
import { createPaces } from '../../../net/pace.js';
import { manualClock } from '../../fixtures/manual-clock.js';
import { createModels } from '../../models/models.js';
import { parseProviders } from '../../models/provider-spec.js';
import { type AgentSpec, parseAgentSpec } from '../../spec/spec.js';
import { pinModel } from './pin-model.js';

const ACME = { tenant: 'acme', workspace: 'main' };
const GLOBEX = { tenant: 'globex', workspace: 'main' };
const clock = manualClock();
const models = createModels({
  providers: parseProviders({
    local: {
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKeyEnv: 'LOCAL_KEY',
      tenants: ['acme'],
    },
    keyless: {
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKeyEnv: 'MISSING',
      tenants: ['acme'],
    },
    fleet: { kind: 'openwop', baseUrl: 'http://127.0.0.1:1', tenants: ['acme'] },
    offline: { kind: 'scripted', path: 'script.yaml', tenants: ['acme'] },
  }),
  modelClasses: { general: 'local/small-1', writing: 'keyless/x', coding: 'offline/any' },
  models: { judge: 'local/large-1' },
  env: { LOCAL_KEY: 'k' },
  baseDir: '.',
  clock,
  random: () => 0.5,
  paceOf: createPaces(clock),
  isOnlyTenant: () => false,
});

const specOf = (run: object, modelClass?: string): AgentSpec =>
  'systemPrompt' in run
    ? ({
        agentId: asId('vendor.acme.support.default'),
        version: asId('1.0.0'),
        ...(modelClass !== undefined && { modelClass }),
        run: { kind: 'manifest', ...run },
      } as AgentSpec)
    : parseAgentSpec({ agentId: 'local.acme.support', version: '1.0.0', run }, 'operator');
const manifest = (modelClass: string) => specOf({ systemPrompt: 'Be kind.' }, modelClass);

describe('the model of a run', () => {
  it('is that of the class the agent names', () => {
    expect(pinModel(models, ACME, manifest('general'), {})).toEqual({
      model: { provider: 'local', model: 'small-1' },
    });
  });

  it('is the one that was asked for by name, with what was asked of it', () => {
    const asked = { name: 'judge', temperature: 0, maxTokens: 5 };
    expect(pinModel(models, ACME, manifest('general'), asked)).toEqual({
      model: { provider: 'local', model: 'large-1', temperature: 0, maxTokens: 5 },
    });
  });

  it('is marked when its answers are written down beforehand', () => {
    expect(pinModel(models, ACME, manifest('coding'), {})).toMatchObject({
      model: { provider: 'offline', mock: true },
    });
  });

  it.each([
    ['a class without a model', ACME, manifest('research'), {}, /modelClasses\.research/],
    ['a provider that is not granted', GLOBEX, manifest('general'), {}, /no provider "local"/],
    [
      'a provider that does not exist',
      ACME,
      manifest('general'),
      { name: 'nobody/x' },
      /no provider "nobody"/,
    ],
    ['a provider whose credential is not there', ACME, manifest('writing'), {}, /MISSING/],
    ['a provider that has agents and no models', ACME, manifest('general'), { name: 'fleet/x' }, /openwop/],
  ] as const)('is refused in time for %s', (_what, owner, spec, asked, words) => {
    const decision = pinModel(models, owner, spec, asked);
    expect('issue' in decision && decision.issue).toMatch(words);
  });

  it('is its own for an endpoint that names its address, and a configured one for an endpoint that names a provider', () => {
    const own = specOf({ kind: 'openai', model: 'm', baseUrl: 'https://models.example:8443/v1' });
    expect(pinModel(models, ACME, own, {})).toEqual({
      model: { provider: 'models.example:8443', model: 'm' },
    });
    const configured = specOf({ kind: 'openai', model: 'm', provider: 'local' });
    expect(pinModel(models, ACME, configured, {})).toEqual({ model: { provider: 'local', model: 'm' } });
    expect(pinModel(models, GLOBEX, configured, {})).toHaveProperty('issue');
  });

  it('is nobody’s business for agents that bring their own', () => {
    for (const run of [
      { kind: 'http', url: 'http://127.0.0.1:1/' },
      { kind: 'openwop', agentId: 'local.x.y', baseUrl: 'http://127.0.0.1:1' },
      { kind: 'openwop', agentId: 'local.x.y', provider: 'fleet' },
    ])
      expect(pinModel(models, ACME, specOf(run), {})).toEqual({});
    for (const provider of ['nobody', 'local', 'offline']) {
      const elsewhere = specOf({ kind: 'openwop', agentId: 'local.x.y', provider });
      expect(pinModel(models, ACME, elsewhere, {})).toHaveProperty('issue');
    }
  });
});
