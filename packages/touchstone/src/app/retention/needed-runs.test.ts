import { asId, type EvalPlan, type Owner, type RunId, type RunStatus } from '@touchstone/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Commit, Lease, Run, Store } from '../../ports/index.js';
import { createMemoryStore } from '../../store/index.js';
import { systemClock } from '../system.js';
import { readNeeds } from './needed-runs.js';
import { pruneRuns } from './prune.js';

const OWNER: Owner = { tenant: 'acme', workspace: 'main' };
const AGENT = asId<EvalPlan['agent']['agentId']>('local.acme.support');
const idOf = (name: string): RunId => asId<RunId>(name);
const PLAN: EvalPlan = {
  kind: 'eval',
  suite: { suiteId: asId('local.acme.evals'), version: asId('1.0.0'), digest: asId('sha256:s') },
  agent: { agentId: AGENT, version: asId('1.0.0'), digest: asId('sha256:a') },
  modes: ['golden'],
  totalTasks: 1,
  repeats: 1,
  concurrency: 1,
};

let store: Store;
beforeEach(async () => {
  store = await createMemoryStore(systemClock);
});
afterEach(() => store.close());

async function stored(
  name: string,
  status: RunStatus,
  plan: Partial<EvalPlan> = {},
  more: Partial<Commit> = {},
): Promise<void> {
  const run = { runId: idOf(name), owner: OWNER, principal: 'ci', origin: 'cli', workflowId: 'w' } as const;
  await store.runs.create({
    ...run,
    plan: { ...PLAN, ...plan },
    request: {},
    createdAt: 1,
    engineVersion: 1,
  });
  const lease = (await store.leases.take(OWNER, run.runId, 1_000)) as Lease;
  await store.log.commit(lease, { firstSequence: 0, run: { status }, ...more });
  await store.leases.release(lease);
}

async function needOf(name: string) {
  const run = (await store.runs.get(OWNER, idOf(name))) as Run;
  return (await readNeeds(store, OWNER))(run);
}

it.each([
  ['baselineRunId', { baselineRunId: idOf('source') }],
  ['rejudgeOf', { rejudgeOf: idOf('source') }],
  ['fork', { fork: { source: idOf('source'), mode: 'branch', fromSeq: 0 } }],
] as const)('a run that an unfinished one reads by %s stays until that one has ended', async (_, plan) => {
  await stored('source', 'completed');
  await stored('ended-reader', 'completed', plan);
  expect(await needOf('source')).toBeUndefined();
  await stored('reader', 'running', plan);
  expect(await needOf('source')).toEqual({ reason: 'in_use', by: 'reader' });
  expect(await needOf('reader')).toEqual({ reason: 'unfinished' });
});

it('a run that a promotion in progress names as its proof stays until that one has ended', async () => {
  await stored('proof', 'completed');
  const request = { version: PLAN.agent.version, transition: 'promote', evalRunId: idOf('proof') } as const;
  const plan = { kind: 'deployment', agentId: AGENT, request } as unknown as Partial<EvalPlan>;
  await stored('waiting', 'waiting-approval', plan);
  expect(await needOf('proof')).toEqual({ reason: 'in_use', by: 'waiting' });
  await stored('proof-of-nothing', 'completed');
  expect(await needOf('proof-of-nothing')).toBeUndefined();
});

it.each([
  ['waiting-approval', { reason: 'in_use', by: 'parent' }],
  ['completed', undefined],
] as const)('a run whose parent is %s is needed by it until then: %o', async (status, need) => {
  await stored('parent', status);
  const parent = { runId: idOf('parent'), nodeId: 'child' };
  const plan = { kind: 'workflow', workflowId: 'w', parent } as unknown as Partial<EvalPlan>;
  await stored('child', 'completed', plan);
  expect(await needOf('child')).toEqual(need);
});

it('the run by which the proof of a deployment was measured stays with the proof', async () => {
  await stored('baseline', 'completed');
  await stored('proof', 'completed', { baselineRunId: idOf('baseline') });
  expect(await needOf('baseline')).toBeUndefined();
  const version = {
    version: PLAN.agent.version,
    state: 'active',
    digest: PLAN.agent.digest,
    evalRunId: idOf('proof'),
  } as const;
  const deployments = { agentId: AGENT, revision: 1, versions: [version], channels: {} };
  await stored('move', 'completed', {}, { deployments });
  const by = 'local.acme.support@1.0.0';
  expect(await needOf('proof')).toEqual({ reason: 'evidence', by });
  expect(await needOf('baseline')).toEqual({ reason: 'evidence_baseline', by });
  expect(await needOf('move')).toBeUndefined();
});

it('runs without a verdict take no place among the newest that have one, and are counted by themselves', async () => {
  const totals = { aggregateScore: 1, passed: true, taskCount: 1, passedCount: 1, unscored: 0 };
  const measured = (name: string) =>
    stored(name, 'completed', {}, { run: { status: 'completed', headline: totals } });
  const denied = (name: string) => {
    const error = { code: 'agent_denied', message: 'The key was refused.' } as const;
    return stored(name, 'failed', {}, { run: { status: 'failed', error } });
  };
  const unjudged = { ...totals, unscored: 1 };
  await measured('old');
  await measured('good');
  await denied('denied-1');
  await stored('unscored', 'completed', {}, { run: { status: 'completed', headline: unjudged } });
  await denied('denied-2');
  const { removed } = await pruneRuns(store, OWNER, {
    rule: { keep: 1, bodiesOnly: false },
    dryRun: true,
    principal: asId('ci'),
    now: 2,
  });
  expect([...removed].sort()).toEqual(['denied-1', 'old', 'unscored']);
});
