import { type AgentId, asId, type CallId, type ToolId } from '@touchstone/protocol';
import { type Payloads, toBody } from '@touchstone/protocol/bodies';
import type { FloorEvent } from './floor-nodes.js';

// What agents of the conformance workflows say. They are no agents: nothing here is thought, called or decided.

const agentId = asId<AgentId>('core.conformance.reasoning-agent');
const call = {
  agentId,
  toolName: asId<ToolId>('openwop:conformance.lookup'),
  callId: asId<CallId>('call-1'),
};

export const REASONING: readonly FloorEvent[] = [
  {
    type: 'agent.reasoned',
    payload: { agentId, reasoning: 'The answer has to be looked up.', verbosity: 'full' },
  },
  { type: 'agent.toolCalled', payload: { ...call, inputs: toBody({ query: 'answer' }) } },
  {
    type: 'agent.toolReturned',
    payload: { ...call, status: 'ok', outcome: toBody({ answer: 42 }) },
    cause: 1,
  },
  {
    type: 'agent.handoff',
    payload: { fromAgentId: agentId, toAgentId: asId<AgentId>('core.conformance.writing-agent') },
  },
  { type: 'agent.decided', payload: { agentId, decision: toBody({ answer: 42 }), confidence: 1 } },
];

export const SUPERVISOR = asId<AgentId>('core.conformance.supervisor-agent');

type Decision = Payloads['runOrchestrator.decided']['decision'];
const decided = (decision: Decision): readonly FloorEvent[] => [
  { type: 'runOrchestrator.decided', payload: { agentId: SUPERVISOR, decision } },
];
export const DECISIONS = {
  work: decided({ kind: 'next-worker', nextWorkerIds: ['worker'] }),
  end: decided({ kind: 'terminate', reason: 'goal-reached' }),
};
