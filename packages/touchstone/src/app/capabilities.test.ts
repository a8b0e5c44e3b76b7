import { check } from '@touchstone/protocol/wire';
import { expect, it } from 'vitest';
import { capabilitiesOf, evalCapability, offers } from './capabilities.js';
import { parseConfig } from './config/config.js';

const facts = (config: object, implementedModes: readonly ('golden' | 'rubric')[] = ['golden']) => ({
  config: parseConfig(config, '/'),
  implementedModes,
  version: '0.1.0',
  engineVersion: 1,
});
type Capabilities = { readonly agents: { readonly evalSuite?: object }; readonly [block: string]: unknown };
const document = (config: object) => capabilitiesOf(facts(config)) as Capabilities;

it.each([[{}], [{ evalSuite: false }], [{ evalSuite: { maxCostUsdPerSuite: 5 } }]])(
  'with %j it fits the published schema',
  (config) => {
    expect(check('capabilities', document(config))).toEqual([]);
  },
);

it('advertises what is done here and not what is not', () => {
  const { agents, runs, limits } = document({ limits: { maxRequestBodyBytes: 4_096 } });
  expect(agents).toEqual({
    supported: true,
    memoryBackends: ['long-term'],
    reasoning: { verbosity: 'full', streaming: false },
    manifestRuntime: { supported: true, handoffValidation: true, installScope: 'tenant' },
    liveRuntime: { supported: true, structuredOutput: true, sources: ['run-api'] },
    evalSuite: { supported: true, modes: ['golden'], maxTasksPerSuite: 10_000 },
    deployment: {
      supported: true,
      channels: ['stable', 'canary', 'latest'],
      canary: true,
      rollback: true,
      states: ['draft', 'test', 'staged', 'active', 'paused', 'deprecated', 'rolled-back'],
    },
  });
  expect(runs).toEqual({
    pauseResume: { supported: true, drainPolicies: ['immediate', 'drain-current-node'] },
  });
  expect(limits).toMatchObject({ maxRequestBodyBytes: 4_096 });
  expect(document({})).toMatchObject({
    replay: { supported: true, modes: ['replay', 'branch'], sideEffectSuppression: 'recorded-outcome' },
    webhooks: { supported: true, signatureAlgorithms: ['v1'] },
    feedback: { supported: true, targets: ['run', 'event', 'node'] },
    debugBundle: { supported: true },
    supportedEnvelopes: ['clarification.request'],
    authorization: { supported: true, failClosed: true },
  });
  const roles = { auditor: ['audit:read'] };
  expect(document({ roles }).authorization).toMatchObject({
    roles: expect.arrayContaining([{ role: 'auditor', scopes: ['audit:read'] }]),
  });
  for (const block of ['budget', 'toolHooks', 'capabilities']) {
    expect(document({})).not.toHaveProperty(block);
  }
});

it('the modes are those of the config that are implemented', () => {
  const modes = (config: object, implemented: readonly ('golden' | 'rubric')[]) =>
    evalCapability(facts(config, implemented))?.modes;
  expect(modes({}, ['golden', 'rubric'])).toEqual(['golden', 'rubric']);
  expect(modes({ evalSuite: { modes: ['rubric', 'regression'] } }, ['golden', 'rubric'])).toEqual(['rubric']);
  expect(modes({ evalSuite: { modes: ['adversarial'] } }, ['golden'])).toEqual([]);
});

it('switched off, the block is gone', () => {
  expect(document({ evalSuite: false }).agents).not.toHaveProperty('evalSuite');
});

it.each([
  ['agents.manifestRuntime', true],
  ['host.agentRuntime', true],
  ['agentRuntime', true],
  ['host.toolCatalog', true],
  ['agents.memoryBackends', true],
  ['openwop.agents.memoryBackends', true],
  ['openwop.openwop.agents', false],
  // Which models there are is not in the document, and other modalities are not here at all.
  ['aiProviders', false],
  ['aiProviders.imageGeneration', false],
  ['aiProviders.videoGeneration', false],
  // The other aliases of upstream's table: known, and of things that are not here.
  ...[
    ...['aiEnvelope', 'aiEnvelope.await', 'brand', 'campaignMessaging', 'canvas', 'chat', 'coordination'],
    ...['dataIntegration', 'entities', 'fs', 'kanban', 'knowledge', 'launchStudio', 'messaging'],
    ...['promptLibrary', 'queueBus', 'webResearch', 'webSearch', 'workspace'],
  ].map((name): [string, boolean] => [`host.${name}`, false]),
  ['secrets.resolveInPack', false],
  ['providerUsage.costEstimates', true],
  ['replay', true],
  ['authorization', true],
  ['agents.deployment', true],
  ['host.prompts', false],
  ['limits.maxLoopIterations', false],
  ['__proto__', false],
  ['', false],
])('whether %s is offered is read off the document', (name, expected) => {
  expect(offers(document({}), name)).toBe(expected);
});
