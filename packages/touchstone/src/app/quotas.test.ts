import { asId, type Owner, type RunId } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import type { NewRun } from '../ports/index.js';
import { createMemoryStore } from '../store/index.js';
import { completeTenantLimits } from './config/tenant-limits.js';
import { createLimitCounts } from './limit-counts.js';
import { createQuotas, withQuotas } from './quotas.js';
import { createManualClock } from './testing/manual-clock.js';

const runOf = (name: string, owner: Owner, plan: object = { kind: 'workflow', workflowId: 'w' }): NewRun =>
  ({
    ...{ runId: asId<RunId>(name), owner, principal: 'p', origin: 'host', workflowId: 'w', plan },
    ...{ request: {}, createdAt: 1, engineVersion: 1 },
  }) as unknown as NewRun;

it('a tenant with too many runs that wait is refused for a while, in all its workspaces; others, and moves of deployments, are not', async () => {
  const counts = createLimitCounts();
  const memory = await createMemoryStore(createManualClock());
  const store = withQuotas(memory, createQuotas(memory, completeTenantLimits({ pendingRuns: 2 }), counts));
  const [main, lab] = ['main', 'lab'].map((workspace) => ({ tenant: 'acme', workspace })) as [Owner, Owner];
  await store.runs.create(runOf('r1', main));
  await store.runs.create(runOf('r2', lab));
  const refusal = await store.runs.create(runOf('r3', main)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    code: 'rate_limited',
    status: 429,
    details: { limit: 'pendingRuns', scope: 'tenant', retryAfter: 10 },
  });
  expect(counts.read().get('pendingRuns')).toBe(1);
  await store.runs.create(runOf('r4', main, { kind: 'deployment', agentId: 'a', request: {} }));
  await store.runs.create(runOf('r5', { tenant: 'globex', workspace: 'main' }));
  // One of them begins.
  await store.runs.request(main, asId<RunId>('r1'), { from: ['pending'], status: 'running', control: null });
  await store.runs.request(main, asId<RunId>('r4'), { from: ['pending'], status: 'running', control: null });
  await store.runs.create(runOf('r6', main));
  await store.close();
});
