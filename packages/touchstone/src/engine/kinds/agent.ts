import type { AgentPlan } from '@touchstone/protocol';
import { type Body, fromBody, type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Agent, Run } from '../../ports/index.js';
import { openScene, type Props } from '../invoke/environment.js';
import { invoke } from '../invoke/invoke.js';
import { escalationThreshold } from '../invoke/request.js';
import type { Purse } from '../invoke/spend-meter.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import type { Closing, Executed, Program } from './run-kind.js';

const NODE = { nodeId: 'agent', typeId: 'touchstone.agent' };

/** A single-agent run: one invocation between two node events; its answer is the run's output. */
export async function openAgentProgram(parts: Parts, run: Run, plan: AgentPlan): Promise<Program> {
  const agent = await parts.openAgent(run.owner, plan);
  const scene = openScene(parts, run, agent, 'live');
  return {
    steps: 1,
    ordinalAt: () => 0,
    repeats: 1,
    concurrency: 1,
    ...(plan.ceilingUsd !== undefined && { ceilingUsd: plan.ceilingUsd }),
    opening: () => [],
    execute: async (_ordinal, _repeat, purse, signal) =>
      executeOnce(parts, run, plan, agent, await scene(0, undefined), purse, signal),
    result: () => undefined,
    closing: () => agentClosing(parts, run),
    close: () => agent.close(),
  };
}

async function executeOnce(
  parts: Parts,
  run: Run,
  plan: AgentPlan,
  agent: Agent,
  props: Props,
  purse: Purse,
  signal: AbortSignal,
): Promise<Executed> {
  const recorder = createRecorder(NODE.nodeId, parts.clock, parts.redact);
  const startedAt = parts.clock.elapsed();
  recorder.add('node.started', NODE);
  const asked = {
    owner: run.owner,
    runId: run.runId,
    agent,
    ...(plan.agent.channel !== undefined && { channel: plan.agent.channel }),
    ordinal: 0,
    repeat: 0,
    input: run.request.inputs ?? toBody({}),
    props,
    escalationThreshold: escalationThreshold(run, agent),
  };
  const invoked = await invoke(parts, asked, purse, recorder, signal);
  const answered = invoked.output !== undefined && invoked.outcome !== 'failed';
  if (answered) {
    const durationMs = Math.round(parts.clock.elapsed() - startedAt);
    recorder.add('node.completed', {
      nodeId: NODE.nodeId,
      outputs: outputs(invoked.output as Body),
      durationMs,
    });
  } else {
    recorder.add('node.failed', {
      nodeId: NODE.nodeId,
      error: { code: 'agent_failed', message: 'The agent gave no valid answer.' },
    });
  }
  return { record: { ordinal: 0, repeat: 0, events: recorder.events, bodies: invoked.bodies } };
}

const outputs = (output: Body): Body => toBody({ output: fromBody(output) });

/** Reads the sealed record back, so that a run resumed after a crash ends as the undisturbed one would have. */
export async function agentClosing(parts: Parts, run: Run): Promise<Closing> {
  const [record] = await parts.store.log.records(run.owner, run.runId, 0);
  const last = record?.events.at(-1) as NewEvent | undefined;
  if (last?.type === 'node.completed' && last.payload.outputs !== undefined)
    return { events: [], outputs: last.payload.outputs };
  return {
    events: [],
    error: {
      code: 'agent_failed',
      message: 'The agent gave no valid answer. Its reason is in the events of node "agent".',
    },
    failedNodeId: NODE.nodeId,
  };
}
