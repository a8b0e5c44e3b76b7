import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AGENT,
  answer,
  askPeople,
  clientOf,
  deploymentEvents,
  deployProject,
  expectSoundAudit,
  GRANTED,
  KEYS,
  keyOf,
  logOf,
  move,
  type Person,
  recordOf,
  recordsOf,
  SUITE,
  stage,
  statusOf,
  untilStatus,
} from './deployment-host.js';
import { type Event, type HostClient, payloadsOf, readJson } from './pack-host.js';
import { kill, type Serving, serve, temporaryFolder } from './processes.js';

// Goal: what serves is changed once, by one, whoever else tries and whoever dies. Method: real processes on one store
// file, that promote at the same moment or are killed between a question, its answer and what follows from it.

let folder: ReturnType<typeof temporaryFolder>;
const running = new Set<Serving>();
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const one of running) await kill(one);
  running.clear();
  folder.remove();
});

function writeProject(options: Parameters<typeof deployProject>[0]): void {
  const { config, files } = deployProject(options);
  const all = { ...files, 'touchstone.config.json': JSON.stringify(config) };
  for (const [name, content] of Object.entries(all)) {
    const path = join(folder.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
type Host = { readonly client: HostClient; readonly process: Serving };
async function start(): Promise<Host> {
  const process = await serve([], folder.path);
  running.add(process);
  return { process, client: clientOf(process.url) };
}
async function killed({ process }: Host): Promise<void> {
  await kill(process);
  running.delete(process);
}

const gate = { gateId: 'board', agentId: '*', to: 'active', approval: { requiredRole: 'approver' } };
const ROUNDS = 20;
const versionsOf = (round: number): readonly [string, string] => [`1.${round}.0`, `2.${round}.0`];
const allVersions = Array.from({ length: ROUNDS }, (_, round) => versionsOf(round)).flat();

/** Promotions to one channel form a line: each names the one that served when it came, and the last one serves now. */
async function expectOneLine(client: HostClient, logs: readonly (readonly Event[])[]): Promise<void> {
  const left = logs.flatMap((events) => payloadsOf(events, 'deployment.promoted'));
  let head: unknown;
  while (left.length > 0) {
    const next = left.findIndex(({ fromVersion }) => fromVersion === head);
    expect({ head, left, found: next >= 0 }).toMatchObject({ found: true });
    head = left[next]?.toVersion;
    left.splice(next, 1);
  }
  const serving = (await recordsOf(client)).filter(({ channels }) => channels?.includes('stable'));
  expect(serving.map(({ version }) => version)).toEqual([head]);
}

describe('two processes on one store', () => {
  it('that promote the same version at the same moment promote it once', async () => {
    writeProject({ versions: allVersions.slice(0, ROUNDS) });
    const [one, other] = [await start(), await start()];
    const logs: (readonly Event[])[] = [];
    for (const version of allVersions.slice(0, ROUNDS)) {
      await stage(one.client, version);
      const asked = await Promise.all(
        [one, other].map(({ client }) => move(client, version, { toState: 'active', channel: 'stable' })),
      );
      const statuses = asked.map(({ status }) => status).sort();
      expect([400, 409]).toContain(statuses[1]);
      expect(statuses[0]).toBe(200);
      const told = asked.flatMap(({ runId }) => runId ?? []);
      const log = await Promise.all(told.map((runId) => logOf(other.client, runId)));
      expect(log.flatMap(deploymentEvents)).toHaveLength(1);
      logs.push(...log);
    }
    await expectOneLine(one.client, logs);
    expect(await recordsOf(other.client)).toEqual(await recordsOf(one.client));
    expect(await expectSoundAudit(other.client)).toBe(await expectSoundAudit(one.client));
  });

  it('that promote different versions to a channel at the same moment never both replace the same one', async () => {
    writeProject({ versions: allVersions });
    const hosts = [await start(), await start()];
    const [{ client }] = hosts as [Host, Host];
    for (const version of allVersions) await stage(client, version);
    const logs: (readonly Event[])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const asked = await Promise.all(
        versionsOf(round).map((version, index) =>
          move((hosts[index] as Host).client, version, { toState: 'active', channel: 'stable' }),
        ),
      );
      for (const { status, body } of asked)
        if (status !== 200)
          expect({ status, body }).toMatchObject({ status: 409, body: { error: 'conflict' } });
      const log = await Promise.all(asked.map(({ runId }) => logOf(client, runId as string)));
      expect(asked.map(({ status }) => (status === 200 ? 1 : 0))).toEqual(
        log.map((events) => deploymentEvents(events).length),
      );
      expect(asked.some(({ status }) => status === 200)).toBe(true);
      logs.push(...log);
    }
    await expectOneLine(client, logs);
    await expectSoundAudit(client);
  });

  it('in which both of two waiting promotions are granted at once let exactly one of them happen', async () => {
    writeProject({ versions: allVersions, gates: [gate] });
    const [one, other] = [await start(), await start()];
    for (const version of allVersions) await stage(one.client, version);
    const logs: (readonly Event[])[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const [first, second] = versionsOf(round);
      const runs = [
        await askPeople(one.client, first, { channel: 'stable' }),
        await askPeople(other.client, second, { channel: 'stable' }),
      ] as const;
      // Answers come through the process that did not ask.
      const given = await Promise.all([
        answer(other.client, runs[0], 'ann'),
        answer(one.client, runs[1], 'ben'),
      ]);
      expect(given.map(({ status }) => status)).toEqual([200, 200]);
      const ended = await Promise.all(
        runs.map((runId) => untilStatus(one.client, runId, 'completed', 'failed')),
      );
      expect([...ended].sort()).toEqual(['completed', 'failed']);
      const log = await Promise.all(runs.map((runId) => logOf(one.client, runId)));
      expect(log.flatMap(deploymentEvents)).toHaveLength(1);
      expect(log.flatMap((events) => payloadsOf(events, 'run.failed'))).toMatchObject([
        { error: { code: 'conflict', details: { reason: 'deployments_moved' } } },
      ]);
      logs.push(...log);
    }
    await expectOneLine(other.client, logs);
    expect(await expectSoundAudit(other.client)).toBe(await expectSoundAudit(one.client));
  });

  it('let one of two answers to the same question count', async () => {
    writeProject({ gates: [gate] });
    const [one, other] = [await start(), await start()];
    await stage(one.client, '1.0.0');
    for (let round = 0; round < 10; round++) {
      const runId = await askPeople(one.client, '1.0.0');
      const given = await Promise.all([answer(one.client, runId, 'ann'), answer(other.client, runId, 'ben')]);
      expect(given.map(({ status }) => status).sort()).toEqual([200, 409]);
      await untilStatus(one.client, runId, 'completed');
      const events = await logOf(one.client, runId);
      expect(payloadsOf(events, 'approval.granted')).toHaveLength(1);
      expect(deploymentEvents(events)).toHaveLength(1);
      expect(await move(other.client, '1.0.0', { transition: 'pause' })).toMatchObject({ status: 200 });
    }
  });
});

describe('a restart with another configuration', () => {
  it('takes the word from a link whose maker has another role now', async () => {
    writeProject({ gates: [gate] });
    let host = await start();
    await stage(host.client, '1.0.0');
    const runId = await askPeople(host.client, '1.0.0');
    const path = `/v1/host/touchstone/runs/${runId}/interrupts/approval/tokens`;
    const link = async (person: Person): Promise<string> =>
      (await readJson(host.client, path, { method: 'POST', key: keyOf(person), body: {} })).body
        .token as string;
    const [lost, kept] = [await link('ann'), await link('ben')];
    await killed(host);
    const keys = KEYS.map((key) =>
      'principal' in key && key.principal === 'ann' ? { ...key, roles: ['reader'] } : key,
    );
    writeProject({ gates: [gate], config: { keys } });
    host = await start();
    const use = (token: string) =>
      readJson(host.client, `/v1/interrupts/${token}`, {
        method: 'POST',
        key: null,
        body: { resumeValue: GRANTED },
      });
    expect(await use(lost)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(await statusOf(host.client, runId)).toBe('waiting-approval');
    // A link survives the restart of the host; that of somebody who is still who they were counts.
    expect(await use(kept)).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  it('leaves what is gone out of service in its place, and lets it be taken away', async () => {
    writeProject({});
    let host = await start();
    for (const version of ['1.0.0', '2.0.0']) {
      await stage(host.client, version);
      expect(await move(host.client, version, { toState: 'active', channel: 'stable' })).toMatchObject({
        status: 200,
      });
    }
    await killed(host);
    writeProject({ versions: ['1.0.0', '3.0.0'] });
    host = await start();
    expect((await recordsOf(host.client)).map(({ version, state }) => [version, state])).toEqual([
      ['1.0.0', 'active'],
      ['2.0.0', 'active'],
      ['3.0.0', 'draft'],
    ]);
    const onStable = () =>
      readJson(host.client, '/v1/runs', { method: 'POST', body: { agentId: `${AGENT}@stable`, inputs: {} } });
    expect(await onStable()).toMatchObject({
      status: 400,
      body: { error: 'no_active_deployment', details: { reason: 'agent_gone' } },
    });
    expect(await move(host.client, '2.0.0', { transition: 'rollback' })).toMatchObject({ status: 200 });
    expect(await onStable()).toMatchObject({ status: 201 });
  });
});

describe('gates that ask for more by the time people agree', () => {
  it.each([
    ['more people', { ...gate, approval: { ...gate.approval, quorum: 2 } }, 'conflict', 'gates_changed'],
    ['evidence', { ...gate, requiredEval: { suite: SUITE } }, 'eval_gate_unmet', 'no_eval_run'],
  ])('bind what still waits: %s', async (_, stricter, code, reason) => {
    writeProject({ gates: [gate] });
    let host = await start();
    await stage(host.client, '1.0.0');
    const runId = await askPeople(host.client, '1.0.0');
    await killed(host);
    writeProject({ gates: [stricter] });
    host = await start();
    expect(await answer(host.client, runId, 'ann')).toMatchObject({ body: { status: 'failed' } });
    expect(payloadsOf(await logOf(host.client, runId), 'run.failed')).toMatchObject([
      { error: { code, details: { reason } } },
    ]);
    expect(await recordsOf(host.client)).toMatchObject([{ state: 'staged' }, {}, {}]);
  });
});

describe('kill -9', () => {
  it('while a run waits loses neither the question nor the votes', async () => {
    writeProject({ gates: [{ ...gate, approval: { ...gate.approval, quorum: 2 } }] });
    let host = await start();
    await stage(host.client, '1.0.0');
    const runId = await askPeople(host.client, '1.0.0', { channel: 'stable' });
    await killed(host);
    host = await start();
    expect(await statusOf(host.client, runId)).toBe('waiting-approval');
    expect(await answer(host.client, runId, 'ann')).toMatchObject({ status: 200 });
    const before = await logOf(host.client, runId);
    await killed(host);
    host = await start();
    expect(await logOf(host.client, runId)).toEqual(before);
    expect(await answer(host.client, runId, 'ann')).toMatchObject({ status: 409 });
    expect(await answer(host.client, runId, 'ben')).toMatchObject({ status: 200 });
    await untilStatus(host.client, runId, 'completed');
    expect(deploymentEvents(await logOf(host.client, runId))).toHaveLength(1);
    expect(await recordOf(host.client, '1.0.0')).toMatchObject({ state: 'active', approvalGateId: 'board' });
    await killed(host);
    host = await start();
    expect(await recordOf(host.client, '1.0.0')).toMatchObject({ state: 'active' });
    await expectSoundAudit(host.client);
  });

  it('while a deadline passes does not make anyone wait for ever, nor open the gate', async () => {
    writeProject({ gates: [{ ...gate, approval: { ...gate.approval, timeoutSec: 5 } }] });
    let host = await start();
    await stage(host.client, '1.0.0');
    const runId = await askPeople(host.client, '1.0.0');
    await killed(host);
    host = await start();
    await untilStatus(host.client, runId, 'failed');
    const events = await logOf(host.client, runId);
    expect(payloadsOf(events, 'approval.rejected')).toMatchObject([{ reason: 'timeout' }]);
    expect(deploymentEvents(events)).toEqual([]);
    expect(await answer(host.client, runId, 'ann')).toMatchObject({ status: 409 });
    expect(await recordOf(host.client, '1.0.0')).toMatchObject({ state: 'staged' });
  });

  it('right after the grant lets the promotion happen once, or not yet', async () => {
    writeProject({ gates: [gate] });
    let host = await start();
    await stage(host.client, '1.0.0');
    for (let round = 0; round < 8; round++) {
      const runId = await askPeople(host.client, '1.0.0');
      const given = answer(host.client, runId, 'ann').catch(() => undefined);
      // Not a wait for anything: the kill comes at another moment in each round.
      await wait(round * 3);
      await killed(host);
      await given;
      host = await start();
      const granted = payloadsOf(await logOf(host.client, runId), 'approval.granted').length;
      if (granted === 0) expect(await answer(host.client, runId, 'ben')).toMatchObject({ status: 200 });
      await untilStatus(host.client, runId, 'completed');
      const events = await logOf(host.client, runId);
      expect(payloadsOf(events, 'approval.granted')).toHaveLength(1);
      expect(payloadsOf(events, 'interrupt.resolved')).toHaveLength(1);
      expect(deploymentEvents(events)).toHaveLength(1);
      expect(events.map((event) => (event as unknown as { sequence: number }).sequence)).toEqual(
        events.map((_, index) => index),
      );
      expect(await recordOf(host.client, '1.0.0')).toMatchObject({ state: 'active' });
      expect(await move(host.client, '1.0.0', { transition: 'pause' })).toMatchObject({ status: 200 });
      await expectSoundAudit(host.client);
    }
  });

  it('in the middle of a transition leaves it done or undone, and a run that says which', async () => {
    writeProject({});
    let host = await start();
    await stage(host.client, '1.0.0');
    for (let round = 0; round < 8; round++) {
      const before = await recordOf(host.client, '1.0.0');
      const transition = before.state === 'active' ? 'pause' : 'promote';
      const asked = move(host.client, '1.0.0', { transition }).catch(() => undefined);
      // As above.
      await wait(round * 2);
      await killed(host);
      await asked;
      host = await start();
      await settled(host.client);
      const after = await recordOf(host.client, '1.0.0');
      const moves = await movesOf(host.client);
      expect(['active', 'paused', 'staged']).toContain(after.state);
      // As many moves are told as have been made: every one leads from where the one before led to.
      expect(moves.at(-1)).toBe(after.state);
      await expectSoundAudit(host.client);
    }
  });

  /** Resolves when nobody works on anything any more. */
  async function settled(client: HostClient): Promise<void> {
    for (const { runId } of await runsOf(client)) await untilStatus(client, runId, 'completed', 'failed');
  }
  const runsOf = async (client: HostClient): Promise<readonly { runId: string }[]> =>
    (
      (await (await client.fetch('/v1/host/touchstone/runs?limit=200')).json()) as {
        items: { runId: string }[];
      }
    ).items;
  /** States of version 1.0.0, as the events of all runs tell them. */
  async function movesOf(client: HostClient): Promise<readonly unknown[]> {
    const oldestFirst = [...(await runsOf(client))].reverse();
    const logs = await Promise.all(oldestFirst.map(({ runId }) => logOf(client, runId)));
    return logs.flatMap(deploymentEvents).map(({ payload }) => payload.toState);
  }
});
