import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Random } from '../../packages/touchstone/src/ports/index.js';
import {
  AGENT,
  activate,
  clerkSource,
  logOf,
  moduleOf,
  move,
  openDeploymentHost,
  recordOf,
  SUITE,
  type TransitionCall,
} from './deployment-host.js';
import { type Event, eventsOf, payloadsOf, readJson } from './pack-host.js';
import { begin, finish, fork, untilEvent } from './run-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: a name of a channel leads to what serves there when a run begins, for the whole of the run and for ever after.
// Method: agents that say which version they are; channels that move before, during and after their runs.

const open: WholeHost[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
const VERSIONS = ['1.0.0', '1.9.0', '1.10.0', '2.0.0-rc.1'];
async function start(options: Parameters<typeof openDeploymentHost>[0] = {}): Promise<WholeHost> {
  const host = await openDeploymentHost({ versions: VERSIONS, ...options });
  open.push(host);
  return host;
}
const moved = async (host: WholeHost, version: string, transition: string, extra: TransitionCall = {}) =>
  expect(await move(host, version, { transition, ...extra })).toMatchObject({ status: 200 });

type Resolved = { readonly version: unknown; readonly channel: unknown };
const resolvedIn = (events: readonly Event[]): readonly Resolved[] =>
  payloadsOf(events, 'agent.invocation.started').map(({ resolvedAgentVersion, resolvedChannel }) => ({
    version: resolvedAgentVersion,
    channel: resolvedChannel,
  }));

const create = (host: WholeHost, reference: string, extra: object = {}) =>
  readJson(host, '/v1/runs', {
    method: 'POST',
    body: { agentId: reference, inputs: { who: true }, ...extra },
  });
/** Which version answers under a name: as it says itself, as its run says, and as the run's state says. */
async function whoIs(host: WholeHost, channel: string): Promise<string> {
  const created = await create(host, `${AGENT}@${channel}`);
  expect(created).toMatchObject({ status: 201 });
  const runId = created.body.runId as string;
  const events = await eventsOf(host, runId);
  const [resolved] = resolvedIn(events);
  const [{ outputs } = {}] = payloadsOf(events, 'run.completed') as readonly {
    outputs?: { output?: string };
  }[];
  const version = outputs?.output as string;
  expect(resolved).toEqual({ version, channel });
  expect((await readJson(host, `/v1/runs/${runId}`)).body).toMatchObject({
    agent: { agentId: AGENT, version },
    touchstone: { agent: { version, channel } },
  });
  return version;
}
/** How often each version answers, of so many runs. */
async function countOn(host: WholeHost, channel: string, draws: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let left = draws;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const version = await whoIs(host, channel);
      counts.set(version, (counts.get(version) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return counts;
}
/** Draws that lie evenly between 0 and 1, again and again. */
function evenDraws(count: number): Random {
  let drawn = 0;
  return () => {
    drawn += 1;
    return ((drawn % count) + 0.5) / count;
  };
}
async function refusedAs(
  host: WholeHost,
  reference: string,
  error: string,
  details: object = {},
): Promise<void> {
  for (const extra of [{}, { mode: 'eval', evalSuiteRef: SUITE, inputs: undefined }])
    expect({ reference, ...(await create(host, reference, extra)) }).toMatchObject({
      status: 400,
      body: { error, details: { field: 'agentId', ...details } },
    });
}

describe('a channel', () => {
  it('on which nothing serves is refused, and so is one that does not exist', async () => {
    const host = await start();
    for (const channel of ['stable', 'canary', 'latest'])
      await refusedAs(host, `${AGENT}@${channel}`, 'no_active_deployment');
    for (const state of ['test', 'staged']) {
      await moved(host, '1.0.0', 'promote', { toState: state });
      await refusedAs(host, `${AGENT}@latest`, 'no_active_deployment');
    }
    for (const reference of [
      `${AGENT}@nightly`,
      `${AGENT}@constructor`,
      `${AGENT}@Stable`,
      `${AGENT}@1.0.0@stable`,
      `${AGENT}@stable@1.0.0`,
      `${AGENT}@`,
      `${AGENT}@7.7.7`,
    ])
      await refusedAs(host, reference, 'validation_error');
    // An agent that is not there is no agent without a deployment.
    expect((await create(host, 'local.test.nobody@stable')).status).toBe(400);
    await moved(host, '1.0.0', 'promote', { channel: 'canary' });
    expect(await whoIs(host, 'canary')).toBe('1.0.0');
    await refusedAs(host, `${AGENT}@stable`, 'no_active_deployment');
  });

  it('named latest leads to the highest version that serves, whatever channel it is on', async () => {
    const host = await start();
    await activate(host, '1.9.0', { channel: 'stable' });
    expect(await whoIs(host, 'latest')).toBe('1.9.0');
    await activate(host, '1.10.0');
    expect(await whoIs(host, 'latest')).toBe('1.10.0');
    await activate(host, '1.0.0', { channel: 'stable' });
    expect([await whoIs(host, 'latest'), await whoIs(host, 'stable')]).toEqual(['1.10.0', '1.0.0']);
    await activate(host, '2.0.0-rc.1', { channel: 'canary', canaryPercent: 0 });
    expect(await whoIs(host, 'latest')).toBe('2.0.0-rc.1');
    await moved(host, '2.0.0-rc.1', 'deprecate');
    await moved(host, '1.10.0', 'pause');
    expect(await whoIs(host, 'latest')).toBe('1.9.0');
    expect((await recordOf(host, '1.9.0')).channels).toEqual(['latest']);
  });

  it('falls back to what served before when a version is paused, deprecated or rolled back', async () => {
    const host = await start();
    for (const version of ['1.0.0', '1.9.0', '1.10.0', '2.0.0-rc.1'])
      await activate(host, version, { channel: 'stable' });
    expect(await whoIs(host, 'stable')).toBe('2.0.0-rc.1');
    await moved(host, '2.0.0-rc.1', 'pause');
    expect(await whoIs(host, 'stable')).toBe('1.10.0');
    await moved(host, '1.10.0', 'deprecate');
    expect(await whoIs(host, 'stable')).toBe('1.9.0');
    await moved(host, '2.0.0-rc.1', 'promote');
    expect(await whoIs(host, 'stable')).toBe('2.0.0-rc.1');
    await moved(host, '1.9.0', 'pause');
    // The nearest one before is paused: it comes back.
    await moved(host, '2.0.0-rc.1', 'rollback');
    expect(await whoIs(host, 'stable')).toBe('1.9.0');
    expect(await recordOf(host, '2.0.0-rc.1')).toMatchObject({
      state: 'rolled-back',
      rollbackPointer: '1.9.0',
    });
    await moved(host, '1.9.0', 'deprecate');
    expect(await whoIs(host, 'stable')).toBe('1.0.0');
    await moved(host, '1.0.0', 'pause');
    await refusedAs(host, `${AGENT}@stable`, 'no_active_deployment');
    // A version by its number is nobody's business but the caller's.
    expect((await create(host, `${AGENT}@1.10.0`)).status).toBe(201);
  });

  it('gives each version its share of the runs', async () => {
    const DRAWS = 40;
    const host = await start({ host: { random: evenDraws(DRAWS) } });
    await activate(host, '1.0.0', { channel: 'stable' });
    await activate(host, '1.9.0', { channel: 'stable', canaryPercent: 30 });
    const two = await countOn(host, 'stable', DRAWS);
    expect(Object.fromEntries(two)).toEqual({ '1.9.0': 12, '1.0.0': 28 });

    await activate(host, '1.10.0', { channel: 'stable', canaryPercent: 50 });
    const three = await countOn(host, 'stable', DRAWS);
    expect(Object.fromEntries(three)).toEqual({ '1.10.0': 20, '1.9.0': 6, '1.0.0': 14 });

    await moved(host, '1.10.0', 'adjust-canary', { canaryPercent: 0 });
    await moved(host, '1.9.0', 'adjust-canary', { canaryPercent: 100 });
    expect(await countOn(host, 'stable', 40)).toEqual(new Map([['1.9.0', 40]]));
    // With nobody to take the rest, a share is all of it.
    await moved(host, '1.9.0', 'pause');
    await moved(host, '1.0.0', 'pause');
    expect(await countOn(host, 'stable', 40)).toEqual(new Map([['1.10.0', 40]]));
  });

  it('is drawn once for a whole evaluation', async () => {
    const host = await start({ host: { random: evenDraws(2) } });
    await activate(host, '1.0.0', { channel: 'stable' });
    await activate(host, '1.9.0', { channel: 'stable', canaryPercent: 50 });
    const seen = new Set<unknown>();
    for (const _ of ['one draw', 'the other']) {
      const runId = await finish(host, SUITE, { agentId: `${AGENT}@stable` });
      const resolved = resolvedIn(await logOf(host, runId));
      expect(resolved).toHaveLength(3);
      expect(new Set(resolved.map(({ version }) => version)).size).toBe(1);
      seen.add(resolved[0]?.version);
    }
    expect(seen.size).toBe(2);
  });

  it('refuses an agent that is not the one that was promoted', async () => {
    const host = await start();
    await activate(host, '1.0.0', { channel: 'stable' });
    await activate(host, '1.9.0', { channel: 'canary' });
    const file = join(host.folder, moduleOf('1.0.0'));
    writeFileSync(file, 'export default () => "1.0.0, and something else";\n');
    await refusedAs(host, `${AGENT}@stable`, 'no_active_deployment', { reason: 'agent_changed' });
    expect(await whoIs(host, 'canary')).toBe('1.9.0');
    writeFileSync(file, clerkSource('1.0.0'));
    expect(await whoIs(host, 'stable')).toBe('1.0.0');
  });

  it('refuses to let a changed agent come back from a pause, or onto another channel', async () => {
    const host = await start();
    await activate(host, '1.0.0', { channel: 'stable' });
    await activate(host, '1.9.0', { channel: 'stable' });
    await moved(host, '1.9.0', 'pause');
    for (const version of ['1.0.0', '1.9.0'])
      writeFileSync(join(host.folder, moduleOf(version)), 'export default () => "else";\n');
    expect(await move(host, '1.9.0')).toMatchObject({ status: 400, body: { details: { field: 'version' } } });
    expect(await move(host, '1.0.0', { channel: 'canary' })).toMatchObject({ status: 400 });
    // What is wrong can be taken out of service all the same.
    await moved(host, '1.0.0', 'deprecate');
  });
});

describe('a run that began on a channel', () => {
  /** An agent that answers when a file is there. */
  const slow = (version: string): string => `
import { existsSync } from 'node:fs';
export default async ({ who, say, until }) => {
  while (until && !existsSync(until)) await new Promise((resolve) => setTimeout(resolve, 5));
  return who ? '${version}' : say;
};
`;
  const suiteOf = (until: string): object => ({
    suiteId: 'local.test.evals.slow',
    version: '1.0.0',
    modes: ['golden'],
    tasks: Array.from({ length: 4 }, (_, index) => ({
      taskId: `t-${index}`,
      input: { say: `word ${index}`, ...(index === 1 && { until }) },
      expected: { kind: 'golden', match: { strategy: 'exact', value: `word ${index}` } },
    })),
  });
  async function startSlow(): Promise<{ host: WholeHost; runId: string; release(): void }> {
    const host = await start({
      host: { files: Object.fromEntries(VERSIONS.map((version) => [moduleOf(version), slow(version)])) },
    });
    await activate(host, '1.0.0', { channel: 'stable' });
    const until = join(host.folder, 'go-on');
    const suite = await readJson(host, '/v1/host/touchstone/suites', {
      method: 'POST',
      body: suiteOf(until),
    });
    expect(suite.status).toBe(201);
    const runId = await begin(host, 'local.test.evals.slow', {
      agentId: `${AGENT}@stable`,
      configurable: { concurrency: 1 },
    });
    await untilEvent(host, runId, 'eval.scored');
    return { host, runId, release: () => writeFileSync(until, '') };
  }
  const pinned = Array.from({ length: 4 }, () => ({ version: '1.0.0', channel: 'stable' }));

  it('keeps its version when the channel moves on, and so do its copies', async () => {
    const { host, runId, release } = await startSlow();
    await activate(host, '1.9.0', { channel: 'stable' });
    await moved(host, '1.0.0', 'pause');
    expect(await whoIs(host, 'stable')).toBe('1.9.0');
    release();
    const events = await eventsOf(host, runId);
    expect(resolvedIn(events)).toEqual(pinned);
    expect((await readJson(host, `/v1/runs/${runId}`)).body).toMatchObject({ status: 'completed' });

    const replay = (await fork(host, runId, { mode: 'replay' })).body.runId as string;
    expect(resolvedIn(await eventsOf(host, replay))).toEqual(pinned);
    const branch = (await fork(host, runId, { mode: 'branch', fromSeq: 2 })).body.runId as string;
    expect(resolvedIn(await eventsOf(host, branch))).toEqual(pinned);
    for (const copy of [replay, branch])
      expect((await readJson(host, `/v1/runs/${copy}`)).body).toMatchObject({
        status: 'completed',
        touchstone: { agent: { version: '1.0.0', channel: 'stable' } },
      });
  });

  it('keeps its version through a pause of its own', async () => {
    const { host, runId, release } = await startSlow();
    const paused = await host.fetch(`/v1/runs/${runId}:pause`, {
      method: 'POST',
      body: { drainPolicy: 'immediate' },
    });
    expect(paused.status).toBe(202);
    await untilEvent(host, runId, 'run.paused');
    await activate(host, '1.9.0', { channel: 'stable' });
    release();
    let status = 409;
    while (status === 409)
      status = (await host.fetch(`/v1/runs/${runId}:resume`, { method: 'POST', body: {} })).status;
    expect(status).toBe(202);
    expect(new Set(resolvedIn(await eventsOf(host, runId)).map(({ version }) => version))).toEqual(
      new Set(['1.0.0']),
    );
  });

  it('is proof for the version it got', async () => {
    const { host, runId, release } = await startSlow();
    release();
    await eventsOf(host, runId);
    expect(
      await move(host, '1.0.0', { channel: 'canary', evalRunId: runId, toState: 'active' }),
    ).toMatchObject({ status: 200, body: { evalRunId: runId } });
    expect(await move(host, '1.9.0', { evalRunId: runId })).toMatchObject({
      status: 403,
      body: { details: { reason: 'other_version' } },
    });
  });
});
