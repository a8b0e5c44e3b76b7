import { type AgentId, asId, type GateId, type GatePolicy } from '@touchstone/protocol';
import { expect, test } from 'vitest';
import { matchingGates } from './states.js';

const gate = (gateId: string, agentId: string, extra: Partial<GatePolicy> = {}): GatePolicy => ({
  gateId: asId<GateId>(gateId),
  agentId,
  to: 'active',
  ...extra,
});
const GATES = [
  gate('all', '*'),
  gate('acme', 'local.acme.*'),
  gate('one', 'local.acme.support'),
  gate('longer', 'local.acme.support.eu'),
  gate('beginning', 'local.acme'),
  gate('other-state', '*', { to: 'staged' }),
  gate('tenant', '*', { tenant: 'acme' }),
  gate('other-tenant', '*', { tenant: 'umbrella' }),
];
const ids = (tenant: string, agentId: string) =>
  matchingGates(GATES, tenant, asId<AgentId>(agentId), 'active').map(({ gateId }) => gateId);

test('every gate binds whose agent, target and tenant fit, the widest and the narrowest alike', () => {
  expect(ids('acme', 'local.acme.support')).toEqual(['all', 'acme', 'one', 'tenant']);
  expect(ids('acme', 'local.acme')).toEqual(['all', 'beginning', 'tenant']);
  expect(ids('elsewhere', 'local.acmebank.x')).toEqual(['all']);
});
