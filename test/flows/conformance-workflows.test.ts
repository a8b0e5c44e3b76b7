import { check } from '@touchstone/protocol/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOf, openDeploymentHost, typesOf, untilStatus } from './deployment-host.js';
import { type Event, payloadsOf, readJson } from './pack-host.js';
import { command, diffOf, finishPlain, fork } from './run-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: the workflows that the conformance suite of the protocol runs for its scenarios on agents, diffs and replays do
// what those scenarios look for.

let host: WholeHost;
beforeAll(async () => {
  host = await openDeploymentHost();
});
afterAll(() => host.close());

const REASONING = 'conformance-agent-reasoning';
const LOOP = 'conformance-dispatch-loop';
const finished = async (workflowId: string): Promise<{ runId: string; events: readonly Event[] }> => {
  const runId = await finishPlain(host, { workflowId });
  return { runId, events: await logOf(host, runId) };
};

describe(REASONING, () => {
  it('reasons, calls a tool, hands over and decides; every event names its agent, and calls have their returns', async () => {
    const { events } = await finished(REASONING);
    expect(typesOf(events)).toEqual([
      'run.started',
      'node.started',
      'agent.reasoned',
      'agent.toolCalled',
      'agent.toolReturned',
      'agent.handoff',
      'agent.decided',
      'node.completed',
      'run.completed',
    ]);
    const [call, result] = [events[3], events[4]] as [
      Event & { eventId: string },
      Event & { causationId: string },
    ];
    expect(result.causationId).toBe(call.eventId);
    expect(result.payload.callId).toBe(call.payload.callId);
    const agentId = 'core.conformance.reasoning-agent';
    for (const event of [2, 3, 4, 6].map((at) => events[at])) expect(event?.payload.agentId).toBe(agentId);
    expect(events[5]?.payload).toMatchObject({ fromAgentId: agentId, toAgentId: expect.any(String) });
  });
});

describe(LOOP, () => {
  it('has its supervisor decide for a worker, and then to end', async () => {
    const { runId, events } = await finished(LOOP);
    expect(events.at(-1)?.type).toBe('run.completed');
    const decided = payloadsOf(events, 'runOrchestrator.decided') as {
      decision: { kind: string };
      agentId: string;
    }[];
    expect(decided.map(({ decision }) => decision.kind)).toEqual(['next-worker', 'terminate']);
    const { body } = await readJson(host, `/v1/runs/${runId}`);
    expect(check('run-snapshot', body)).toEqual([]);
    for (const { agentId } of decided) expect(body.runOrchestrator).toMatchObject({ agentId });
    const nodes = payloadsOf(events, 'node.started').map(({ nodeId }) => nodeId);
    expect(nodes).toEqual(['supervisor', 'dispatch', 'worker', 'supervisor']);
  });

  it('is defined as the loop it is', async () => {
    const { body } = await readJson(host, `/v1/workflows/${LOOP}`);
    const { nodes, edges } = body as never as {
      nodes: { id: string }[];
      edges: { sourceNodeId: string; targetNodeId: string }[];
    };
    expect(nodes.map(({ id }) => id)).toEqual(['supervisor', 'dispatch', 'worker']);
    expect(edges.map(({ sourceNodeId, targetNodeId }) => `${sourceNodeId} ${targetNodeId}`)).toEqual([
      'supervisor dispatch',
      'dispatch worker',
      'worker supervisor',
    ]);
  });
});

describe('the difference of the two', () => {
  it('is none for a run and itself, and for a run and its replay', async () => {
    for (const workflowId of [REASONING, LOOP]) {
      const { runId } = await finished(workflowId);
      const replay = (await fork(host, runId, { mode: 'replay' })).body.runId as string;
      await untilStatus(host, replay, 'completed');
      for (const other of [runId, replay])
        expect(await diffOf(host, runId, other)).toMatchObject({ divergedAtSeq: null, eventDiffs: [] });
    }
  });

  it('begins where their logs part', async () => {
    const [a, b] = [await finished(REASONING), await finished(LOOP)];
    const diff = await diffOf(host, a.runId, b.runId);
    expect(check('run-diff-response', diff)).toEqual([]);
    expect(diff.divergedAtSeq).toBe(0);
    expect(diff.eventDiffs[0]?.seq).toBe(diff.divergedAtSeq);
    expect(JSON.stringify(diff.stateDiff)).not.toMatch(/sk-|api[_-]?key|secret|bearer\s/i);
  });
});

describe('conformance-replay-side-effect', () => {
  const EFFECT = 'conformance-replay-side-effect';
  const effects = (): number => host.logs.join('').split('workflow.effect').length - 1;
  const ofEffect = (events: readonly Event[]) =>
    events.filter(({ nodeId }) => nodeId === 'effect').map(({ type, payload }) => [type, payload.error]);

  it('is what the host says it can: an effect is not repeated by a replay', async () => {
    const { body } = await readJson(host, '/.well-known/openwop', { key: null });
    expect(body.replay).toMatchObject({ sideEffectSuppression: 'recorded-outcome' });
    const before = effects();
    const runId = await finishPlain(host, { workflowId: EFFECT, inputs: { delayMs: 1 } });
    expect(effects()).toBe(before + 1);
    const replay = (await fork(host, runId, { mode: 'replay' })).body.runId as string;
    await untilStatus(host, replay, 'completed');
    expect(typesOf(await logOf(host, replay))).toEqual(typesOf(await logOf(host, runId)));
    expect(effects()).toBe(before + 1);
  });

  it('fails where the source has no outcome to repeat, and has no effect', async () => {
    const before = effects();
    const created = await readJson(host, '/v1/runs', {
      method: 'POST',
      body: { workflowId: EFFECT, inputs: { delayMs: 5_000 } },
    });
    const runId = created.body.runId as string;
    expect(await command(host, `/v1/runs/${runId}/cancel`)).toMatchObject({ status: 200 });
    await untilStatus(host, runId, 'cancelled');
    expect(ofEffect(await logOf(host, runId))).toEqual([]);
    const forked = await fork(host, runId, { mode: 'replay' });
    expect(forked).toMatchObject({ status: 201 });
    const replay = forked.body.runId as string;
    await untilStatus(host, replay, 'failed');
    const events = await logOf(host, replay);
    const error = { code: 'replay_source_missing', message: expect.any(String) };
    expect(ofEffect(events)).toEqual([
      ['node.started', undefined],
      ['node.failed', error],
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', payload: { error, failedNodeId: 'effect' } });
    // A replay of the replay repeats what that one recorded.
    const again = (await fork(host, replay, { mode: 'replay' })).body.runId as string;
    await untilStatus(host, again, 'failed');
    expect(typesOf(await logOf(host, again))).toEqual(typesOf(events));
    expect(effects()).toBe(before);
  });

  it('a branch is a run of its own, and has its effect', async () => {
    const before = effects();
    const runId = await finishPlain(host, { workflowId: EFFECT, inputs: { delayMs: 1 } });
    const branch = (await fork(host, runId, { mode: 'branch', fromSeq: 0 })).body.runId as string;
    await untilStatus(host, branch, 'completed');
    expect(effects()).toBe(before + 2);
  });
});
