import type { AgentPlan, RunError } from '@touchstone/protocol';
import { type Body, fromBody, type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Run } from '../../ports/index.js';
import { openEnvironments } from '../invoke/environment.js';
import {
  escalationThreshold,
  type InvocationRequest,
  type InvocationResult,
  keepsReasoning,
} from '../invoke/invocation.js';
import { invoke } from '../invoke/invoke.js';
import { openAgentIds } from '../invoke/opaque-ids.js';
import type { SpendMeter } from '../invoke/spend-meter.js';
import { deniedError } from '../log/endings.js';
import { createRecorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import type { Closing, ExecutionResult, Executor, RunKind } from './run-kind.js';

const NODE = { nodeId: 'agent', typeId: 'touchstone.agent' };

/** A single-agent run: one invocation between two node events; its answer is the run's output. */
export const agentRun = (parts: Parts, run: Run, plan: AgentPlan): RunKind => ({
  steps: 1,
  ordinalAt: () => 0,
  repeats: 1,
  concurrency: 1,
  ...(plan.ceilingUsd !== undefined && { ceilingUsd: plan.ceilingUsd }),
  opening: () => [],
  result: () => undefined,
  closing: () => agentClosing(parts, run),
});

export async function openAgentExecutor(
  parts: Parts,
  run: Run,
  plan: AgentPlan,
  meter: SpendMeter,
): Promise<Executor> {
  const agent = await parts.openAgent(run.owner, plan);
  const environments = openEnvironments(parts, run, agent, 'live');
  return {
    async execute({ ordinal, repeat }, signal) {
      const request = {
        owner: run.owner,
        runId: run.runId,
        ids: openAgentIds(run.runId)(ordinal, repeat),
        agent,
        channel: plan.agent.channel,
        ordinal,
        repeat,
        input: run.request.inputs ?? toBody({}),
        environment: await environments(ordinal, undefined),
        escalationThreshold: escalationThreshold(run, agent),
        keepsReasoning: keepsReasoning(run),
      };
      return executeOnce(parts, request, meter, signal);
    },
    ...(agent.hasChanged && { hasChanged: agent.hasChanged }),
    close: () => agent.close(),
  };
}

async function executeOnce(
  parts: Parts,
  request: InvocationRequest,
  meter: SpendMeter,
  signal: AbortSignal,
): Promise<ExecutionResult> {
  const { nodeId } = NODE;
  const { ordinal, repeat } = request;
  const recorder = createRecorder(nodeId, parts.clock, parts.redact);
  const startedAt = parts.clock.elapsed();
  recorder.add('node.started', NODE);
  const { output, outcome, bodies, unanswered, unchecked } = await invoke(
    parts,
    request,
    meter,
    recorder,
    signal,
  );
  if (output !== undefined && outcome !== 'failed' && !unchecked) {
    const durationMs = Math.round(parts.clock.elapsed() - startedAt);
    recorder.add('node.completed', { nodeId, outputs: outputs(output), durationMs });
  } else {
    recorder.add('node.failed', { nodeId, error: unchecked ? UNCHECKED : errorOf(unanswered) });
  }
  return { record: { ordinal, repeat, events: recorder.events, bodies: bodies ?? {} } };
}

/** A refusal of access is told in the open: it names a provider and a variable, and no content. */
const errorOf = (unanswered: InvocationResult['unanswered']): RunError =>
  unanswered?.kind === 'denied'
    ? deniedError(unanswered.denial)
    : { code: 'agent_failed', message: 'The agent gave no valid answer.' };

const UNCHECKED: RunError = {
  code: 'check_over_limit',
  message:
    "The answer could not be checked against the agent's return schema in the time and memory that a tenant has for it. Simplify the schema, or let the agent answer with less.",
};

const outputs = (output: Body): Body => toBody({ output: fromBody(output) });

/** Errors that are not the agent's: the run ends with them as they are. */
const NOT_THE_AGENTS: readonly string[] = ['agent_denied', 'check_over_limit'];

/** Reads the sealed record back, so that a run resumed after a crash ends as the undisturbed one would have. */
export async function agentClosing(parts: Parts, run: Run): Promise<Closing> {
  const [record] = await parts.store.log.records(run.owner, run.runId, 0);
  const last = record?.events.at(-1) as NewEvent | undefined;
  if (last?.type === 'node.completed' && last.payload.outputs !== undefined)
    return { events: [], outputs: last.payload.outputs };
  if (last?.type === 'node.failed' && NOT_THE_AGENTS.includes(last.payload.error.code))
    return { events: [], error: last.payload.error as RunError, failedNodeId: NODE.nodeId };
  return {
    events: [],
    error: {
      code: 'agent_failed',
      message: 'The agent gave no valid answer. Its reason is in the events of node "agent".',
    },
    failedNodeId: NODE.nodeId,
  };
}
