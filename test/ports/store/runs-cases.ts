import { asId, RUN_STATUSES, type RunPlan, type RunStatus } from '@touchstone/protocol';
import { expect, it } from 'vitest';
import {
  PAGE_BYTES,
  type Run,
  type RunChange,
  type Store,
} from '../../../packages/touchstone/src/ports/index.js';
import { auditEntry } from './audit-cases.js';
import {
  ACME,
  body,
  createRun,
  endingCommit,
  evalPlan,
  leasedRun,
  newRun,
  refusalOf,
  runIdOf,
  START,
} from './givens.js';

export function runsCases(open: () => Promise<Store>): void {
  it('a created run reads back as it was given, pending and empty', async () => {
    const store = await open();
    const given = newRun('r1', {
      plan: evalPlan({ ordinals: [0, 2], ceilingUsd: 0.1 }),
      request: {
        inputs: body({ text: 'Grüße \u0000 \ud800 𝄞' }),
        configurable: { deep: [1, null, { a: 'b' }] },
        tags: ['x'],
        scopeId: 's',
      },
    });
    const expected: Run = { ...given, status: 'pending', pausedMs: 0, eventCount: 0 };
    expect(await store.runs.create(given)).toEqual(expected);
    expect(await store.runs.get(ACME, given.runId)).toStrictEqual(expected);
    expect(await store.runs.get(ACME, runIdOf('unknown'))).toBeUndefined();
  });

  it('a move of a deployment is a run of its agent, and of no suite', async () => {
    const store = await open();
    const plan: RunPlan = {
      kind: 'deployment',
      agentId: asId('local.acme.support'),
      request: { version: asId('1.0.0'), transition: 'promote', toState: 'active' },
      authorization: {
        principal: asId('ci'),
        action: asId('deploy:promote'),
        resource: asId('agents/local.acme.support@1.0.0'),
        allowed: false,
      },
    };
    await createRun(store, 'moving', { plan, workflowId: 'touchstone.deployment' });
    await createRun(store, 'other', { plan: { ...plan, agentId: asId('other') } });
    expect((await store.runs.get(ACME, runIdOf('moving')))?.plan).toStrictEqual(plan);
    const { items } = await store.runs.list(ACME, { limit: 9, agentId: plan.agentId });
    expect(items.map((run) => run.runId)).toEqual(['moving']);
  });

  it('until when a run waits is set, kept and taken away by commits', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const waitUntil = async (change: RunChange) => {
      await store.log.commit(lease, { firstSequence: 0, run: change });
      return (await store.runs.get(ACME, run.runId))?.waitUntil;
    };
    expect(await waitUntil({ status: 'waiting-approval', waitUntil: START + 9 })).toBe(START + 9);
    expect(await waitUntil({ pausedMs: 1 })).toBe(START + 9);
    expect(await waitUntil({ status: 'running', waitUntil: null })).toBeUndefined();
    expect(await store.runs.get(ACME, run.runId)).not.toHaveProperty('waitUntil');
  });

  it('a run id is given once', async () => {
    const store = await open();
    await createRun(store, 'r1');
    expect((await refusalOf(store.runs.create(newRun('r1', { principal: 'other' })))).code).toBe('conflict');
    expect((await store.runs.get(ACME, runIdOf('r1')))?.principal).toBe('ci');
  });

  it('of two simultaneous runs in an exclusive scope one is refused and names the other', async () => {
    const store = await open();
    const request = { scopeId: 'release' };
    const create = (id: string) => store.runs.create(newRun(id, { request }), { exclusiveScope: true });
    const both = await Promise.all([create('r1'), create('r2')]);
    // Which of them is first is up to the database.
    const [made, refused] = 'runId' in both[0] ? ['r1', 'r2'] : ['r2', 'r1'];
    expect(both).toContainEqual(expect.objectContaining({ runId: made }));
    expect(both).toContainEqual({ activeRunId: made });
    expect(await store.runs.get(ACME, runIdOf(refused))).toBeUndefined();
  });

  it('a scope is free for another run when its run has ended, and other scopes never were taken', async () => {
    const store = await open();
    const request = { scopeId: 'release' };
    const { lease } = await leasedRun(store, 'r1', { request });
    const create = (id: string, scopeId: string) =>
      store.runs.create(newRun(id, { request: { scopeId } }), { exclusiveScope: true });
    expect(await create('r2', 'release')).toEqual({ activeRunId: 'r1' });
    expect(await create('r3', 'nightly')).toMatchObject({ runId: 'r3' });
    expect(await createRun(store, 'r4', { request })).toMatchObject({ runId: 'r4' });
    await store.log.commit(lease, endingCommit(0));
    expect(await create('r5', 'release')).toEqual({ activeRunId: 'r4' });
  });

  it('lists newest first, page by page, without gaps or repeats', async () => {
    const store = await open();
    const ids = Array.from({ length: 7 }, (_, i) => `r${i}`);
    // Three of them are of the same millisecond.
    for (const [i, id] of ids.entries())
      await createRun(store, id, { createdAt: START + Math.max(0, i - 2) });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.runs.list(ACME, { limit: 3, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.items.map((run) => run.runId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([...ids].reverse());
  });

  it('a cursor tells nothing about the runs of other owners', async () => {
    const store = await open();
    const firstCursor = async (others: number) => {
      for (let n = 0; n < others; n += 1)
        await createRun(store, `other-${n}`, { owner: { tenant: 'globex', workspace: 'main' } });
      await createRun(store, `a${others}`, { createdAt: START + others });
      await createRun(store, `b${others}`, { createdAt: START + others });
      const { items, nextCursor = '' } = await store.runs.list(ACME, { limit: 1 });
      const told = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
      expect(told).toEqual([items[0]?.createdAt, items[0]?.runId]);
    };
    await firstCursor(0);
    await firstCursor(9);
  });

  it('a list goes on after a run that has been removed since, without a gap', async () => {
    const store = await open();
    const ids = ['r0', 'r1', 'r2', 'r3', 'r4'];
    for (const [i, id] of ids.entries()) {
      const { lease } = await leasedRun(store, id, { createdAt: START + i });
      await store.log.commit(lease, endingCommit(0));
    }
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await store.runs.list(ACME, { limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.items.map((run) => run.runId));
      cursor = page.nextCursor;
      for (const { runId } of page.items) await store.retention.remove(ACME, runId, auditEntry({ runId }));
    }
    expect(seen).toEqual(['r4', 'r3', 'r2', 'r1', 'r0']);
  });

  it('a page of runs ends by bytes, and the next one goes on', async () => {
    const store = await open();
    const inputs = body('x'.repeat(PAGE_BYTES * 0.4));
    for (let n = 0; n < 7; n += 1) await createRun(store, `r${n}`, { request: n < 6 ? { inputs } : {} });
    const pages: number[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await store.runs.list(ACME, { limit: 50, ...(cursor !== undefined && { cursor }) });
      pages.push(page.items.length);
      cursor = page.nextCursor;
    }
    expect(pages).toEqual([3, 2, 2]);
  });

  it('a run is looked at without what was sent along', async () => {
    const store = await open();
    const { lease, run } = await leasedRun(store, 'r1', { request: { inputs: body('x') } });
    await store.log.commit(lease, endingCommit(0));
    expect(await store.runs.head(ACME, run.runId)).toEqual({ status: 'completed', eventCount: 1 });
    expect(await store.runs.head(ACME, runIdOf('unknown'))).toBeUndefined();
  });

  it('filters combine', async () => {
    const store = await open();
    const plan = evalPlan();
    const otherAgent = evalPlan({ agent: { ...plan.agent, agentId: asId('other') } });
    const otherSuite = evalPlan({ suite: { ...plan.suite, suiteId: asId('other') } });
    await createRun(store, 'plain');
    await createRun(store, 'agent', { plan: otherAgent });
    await createRun(store, 'suite', { plan: otherSuite });
    await createRun(store, 'workflow', { plan: { kind: 'workflow', workflowId: 'w' } });
    await store.runs.request(ACME, runIdOf('suite'), {
      from: ['pending'],
      status: 'cancelling',
      control: null,
    });
    const idsFor = async (filter: object) =>
      (await store.runs.list(ACME, { limit: 9, ...filter })).items.map((run) => run.runId).sort();
    expect(await idsFor({ agentId: 'other' })).toEqual(['agent']);
    expect(await idsFor({ suiteId: 'other' })).toEqual(['suite']);
    expect(await idsFor({ agentId: plan.agent.agentId })).toEqual(['plain', 'suite']);
    expect(await idsFor({ agentId: plan.agent.agentId, status: 'pending' })).toEqual(['plain']);
    expect(await idsFor({ agentId: 'other', suiteId: 'other' })).toEqual([]);
  });

  it('a cursor that no page gave out is refused and the field named', async () => {
    const store = await open();
    // The last one is of a kind that earlier versions gave out.
    const forged = ['["x",1]', `[${START},7]`].map((text) => Buffer.from(text).toString('base64url'));
    for (const cursor of ['', '%%%', 'bm90IGpzb24', ...forged]) {
      const refusal = await refusalOf(store.runs.list(ACME, { limit: 3, cursor }));
      expect(refusal).toMatchObject({ code: 'validation_error', details: { field: 'cursor' } });
    }
  });

  it('a request changes status and control only from the states it names', async () => {
    const store = await open();
    await createRun(store, 'r1');
    const control = { kind: 'pause', by: 'ann', drainPolicy: 'immediate', reason: 'lunch' } as const;
    const from = RUN_STATUSES.filter((status) => status !== 'pending');
    const pause = { status: 'paused' as RunStatus, control, pausedAt: START + 1 };
    expect(await store.runs.request(ACME, runIdOf('r1'), { ...pause, from })).toBeUndefined();
    const paused = await store.runs.request(ACME, runIdOf('r1'), { ...pause, from: ['running', 'pending'] });
    expect(paused).toMatchObject({ status: 'pending', control, pausedAt: START + 1 });
    expect(await store.runs.request(ACME, runIdOf('r1'), { ...pause, from: ['pending'] })).toBeUndefined();
    const resume = { from: ['paused'] as const, status: 'running' as const, control: null };
    const resumed = await store.runs.request(ACME, runIdOf('r1'), resume);
    expect(resumed).toMatchObject({ status: 'running', pausedAt: START + 1 });
    expect(resumed).not.toHaveProperty('control');
  });

  it('a run that has been asked to pause is paused when that has been carried out, in lists too', async () => {
    const store = await open();
    const { run, lease } = await leasedRun(store, 'r1');
    const shown = async () => {
      const found = await store.runs.get(ACME, run.runId);
      const lists = RUN_STATUSES.map((status) => store.runs.list(ACME, { limit: 9, status }));
      const pages = await Promise.all(lists);
      return [found?.status, RUN_STATUSES.filter((_, index) => pages[index]?.items.length === 1)];
    };
    const control = { kind: 'pause', by: 'ann', drainPolicy: 'drain-current-node' } as const;
    await store.runs.request(ACME, run.runId, { from: ['pending'], status: 'paused', control });
    expect(await shown()).toEqual(['pending', ['pending']]);
    await store.log.commit(lease, { firstSequence: 0, run: { startedAt: START } });
    expect(await shown()).toEqual(['running', ['running']]);
    await store.log.commit(lease, { firstSequence: 0, run: { control: null } });
    expect(await shown()).toEqual(['paused', ['paused']]);
    await store.runs.request(ACME, run.runId, { from: ['paused'], status: 'running', control: null });
    expect(await shown()).toEqual(['running', ['running']]);
  });

  it('of many simultaneous requests exactly one wins', async () => {
    const store = await open();
    await createRun(store, 'r1');
    const cancel = (by: string) =>
      store.runs.request(ACME, runIdOf('r1'), {
        from: ['pending', 'running'],
        status: 'cancelling',
        control: { kind: 'cancel', by },
      });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(cancel));
    expect(answers.filter((run) => run !== undefined)).toHaveLength(1);
  });
}
