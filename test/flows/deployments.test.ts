import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  activate,
  expectSoundAudit,
  keyOf,
  logOf,
  managementRuns,
  move,
  recordsOf,
} from './deployment-host.js';
import { anySteps, createWalk, freshAgent, openTransitionHost } from './deployment-walk.js';
import { payloadsOf, readJson } from './pack-host.js';
import { KEY } from './processes.js';
import type { WholeHost } from './whole-host.js';

// Single facts about transitions; deployments-model.slow.test.ts compares random sequences with a model of the rules.
let host: WholeHost;
beforeAll(async () => {
  host = await openTransitionHost();
});
afterAll(() => host.close());

describe('transitions', () => {
  it('leave a version without any share on no channel', async () => {
    // 81 % of `stable` for the newest, 100 % of the rest for the one before: exactly nothing is left for the oldest.
    const agentId = await freshAgent(host);
    await activate(host, '1.10.0', { agentId, channel: 'stable' });
    await activate(host, '1.0.0', { agentId, channel: 'stable' });
    await activate(host, '2.0.0-rc.1', { agentId, channel: 'stable', canaryPercent: 81 });
    const channels = (await recordsOf(host, agentId)).map(({ version, channels }) => [version, channels]);
    expect(channels).toEqual([
      ['1.0.0', ['stable']],
      ['1.10.0', undefined],
      ['2.0.0-rc.1', ['stable', 'latest']],
    ]);
  });

  it('do what the model says where a rounded share once made a difference', async () => {
    const walk = createWalk(host);
    const [steps] = fc.sample(anySteps, { seed: -574657192, path: '9:5:0:3:6', numRuns: 1 });
    await walk.take(steps ?? []);
    expect(walk.statuses[200]).toBeGreaterThan(10);
  });

  it('asked for twice with one idempotency key happen once', async () => {
    const agentId = await freshAgent(host);
    const headers = { 'idempotency-key': `once-${agentId}` };
    const first = await move(host, '1.0.0', { agentId, headers });
    const again = await move(host, '1.0.0', { agentId, headers });
    expect(first).toMatchObject({ status: 200, body: { state: 'test' } });
    expect(again).toEqual(first);
    expect((await recordsOf(host, agentId))[0]).toMatchObject({ state: 'test' });
  });

  it.each<[string, object]>([
    ['no version', { transition: 'promote' }],
    ['no transition', { version: '1.0.0' }],
    ['an unknown transition', { version: '1.0.0', transition: 'resume' }],
    ['an unknown state', { version: '1.0.0', transition: 'promote', toState: 'live' }],
    ['a share above all', { version: '1.0.0', transition: 'promote', canaryPercent: 101 }],
    ['half a percent', { version: '1.0.0', transition: 'promote', canaryPercent: 0.5 }],
    ['an empty channel', { version: '1.0.0', transition: 'promote', channel: '' }],
    ['an empty reason', { version: '1.0.0', transition: 'promote', reason: '' }],
    ['a long reason', { version: '1.0.0', transition: 'promote', reason: 'x'.repeat(513) }],
    ['more than there is', { version: '1.0.0', transition: 'promote', principal: 'lead' }],
  ])('with %s are refused before anyone is asked', async (_, body) => {
    const agentId = await freshAgent(host);
    for (const person of ['lead', 'reader'] as const) {
      const answer = await readJson(host, `/v1/agents/${agentId}/deployments`, {
        method: 'POST',
        key: keyOf(person),
        body,
      });
      expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    }
    expect((await managementRuns(host)).map(({ touchstone }) => touchstone)).not.toContainEqual(
      expect.objectContaining({ agentId }),
    );
  });

  it('of an agent that is not there are not found', async () => {
    for (const agentId of ['local.test.nobody', 'local.test.clerk@1.0.0', 'no%20name']) {
      const url = `/v1/agents/${agentId}/deployments`;
      expect((await host.fetch(url)).status).toBe(404);
      const body = { version: '1.0.0', transition: 'promote' };
      expect((await host.fetch(url, { method: 'POST', body })).status).toBe(404);
    }
  });

  it('in large numbers at the same moment each win once or lose with a conflict', async () => {
    const agentId = await freshAgent(host);
    await activate(host, '1.0.0', { agentId, channel: 'stable' });
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        move(host, '1.0.0', { agentId, transition: 'adjust-canary', canaryPercent: index + 1 }),
      ),
    );
    const won = asked.filter(({ status }) => status === 200);
    for (const { status, body } of asked)
      if (status !== 200)
        expect({ status, body }).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(won.length).toBeGreaterThanOrEqual(1);
    const logs = await Promise.all(asked.map(({ runId }) => logOf(host, runId as string)));
    const adjusted = logs.flatMap((events) => payloadsOf(events, 'deployment.canary.adjusted'));
    expect(adjusted).toHaveLength(won.length);
    // Each change starts from where another one ended: they form one line, and its end is what serves.
    let percent: unknown = 100;
    for (let left = [...adjusted]; left.length > 0; ) {
      const next = left.find(({ fromPercent }) => fromPercent === percent);
      expect(next).toBeDefined();
      percent = next?.toPercent;
      left = left.filter((one) => one !== next);
    }
    expect((await recordsOf(host, agentId))[0]).toMatchObject({ canaryPercent: percent });
    await expectSoundAudit(host);
  });

  it('are for those who have a key', async () => {
    const agentId = await freshAgent(host);
    const url = `/v1/agents/${agentId}/deployments`;
    const body = { version: '1.0.0', transition: 'promote' };
    expect((await host.fetch(url, { method: 'POST', key: null, body })).status).toBe(401);
    expect((await host.fetch(url, { method: 'POST', key: `${KEY}x`, body })).status).toBe(401);
    expect((await recordsOf(host, agentId))[0]).toMatchObject({ state: 'draft' });
  });
});
