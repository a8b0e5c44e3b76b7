import {
  type AgentId,
  asId,
  type InvocationId,
  type SuiteId,
  type TaskId,
  type Version,
} from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';

const agentId = asId<AgentId>('local.acme.echo');

export const started: NewEvent = { type: 'run.started', at: 1_000, payload: { workflowId: 'w' } };
export const completed: NewEvent = { type: 'run.completed', at: 9_000, payload: {} };
export const paused: NewEvent = { type: 'run.paused', at: 2_000, payload: { drainPolicy: 'immediate' } };
export const scored = (task: string): NewEvent => ({
  type: 'eval.scored',
  at: 3_000,
  payload: { taskId: asId<TaskId>(task), score: 1, passed: true },
  nodeId: task,
});
export const decided = (task: string, decision: string | number): NewEvent => ({
  type: 'agent.decided',
  at: 2_500,
  payload: { agentId, decision: toBody(decision) },
  nodeId: task,
});
export const invoked = (task: string): NewEvent => ({
  type: 'agent.invocation.started',
  at: 2_000,
  payload: { invocationId: asId<InvocationId>(`inv-${task}`), agentId, source: 'run-api' },
  nodeId: task,
});
export const summary = {
  suiteId: asId<SuiteId>('core.acme.evals.echo'),
  suiteVersion: asId<Version>('1.0.0'),
  aggregateScore: 1,
  passed: true,
  taskCount: 1,
  passedCount: 1,
  tasks: [{ taskId: asId<TaskId>('t'), score: 1, passed: true }],
};
