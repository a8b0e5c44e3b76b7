import { check } from '@touchstone/contract/wire';
import { expect, it } from 'vitest';
import { capabilitiesOf, evalCapability } from './capabilities.js';
import { parseConfig } from './config.js';

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
    evalSuite: { supported: true, modes: ['golden'], maxTasksPerSuite: 10_000 },
  });
  expect(runs).toEqual({
    pauseResume: { supported: true, drainPolicies: ['immediate', 'drain-current-node'] },
  });
  expect(limits).toMatchObject({ maxRequestBodyBytes: 4_096 });
  for (const block of [
    'budget',
    'replay',
    'webhooks',
    'feedback',
    'authorization',
    'debugBundle',
    'toolCatalog',
    'capabilities',
  ]) {
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
  expect(document({ evalSuite: false }).agents).toEqual({ supported: true });
});

it('costs are estimated only where prices are known', () => {
  const price = { inputPerMTok: 1, outputPerMTok: 1 };
  expect(document({}).providerUsage).toEqual({ supported: true, costEstimates: false });
  expect(document({ prices: { m: price } }).providerUsage).toEqual({ supported: true, costEstimates: true });
});
