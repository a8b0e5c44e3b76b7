import {
  type AuditEntry,
  asId,
  type Principal,
  type PrincipalId,
  type ResourceName,
  timestampOf,
  type WorkflowPlan,
} from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Interrupt, Run } from '../../ports/index.js';
import { FLOOR_WORKFLOWS, type FloorNode } from '../kinds/floor-workflows.js';
import { completion, failure } from '../log/endings.js';
import {
  type Answer,
  type AnswerResult,
  type ApprovalFlow,
  ask,
  invalid,
  joined,
  type LogStep,
  membersOf,
  RESPOND,
  RESUMED,
  resolvedBy,
} from './approval-flow.js';
import { eventsOf, type History } from './history.js';

const QUESTION = { id: 'q1', question: 'What is missing?' };
const ACTIONS = ['accept', 'reject'] as const;

export const asksPeople = ({ typeId }: FloorNode): boolean =>
  typeId === 'core.approvalGate' || typeId === 'core.clarificationGate';

/** The conformance workflows that ask people: one node after another, each a question. */
export function openQuestionFlow(run: Run, { workflowId }: WorkflowPlan): ApprovalFlow {
  const nodes = FLOOR_WORKFLOWS.find((one) => one.workflowId === workflowId)?.nodes ?? [];
  return {
    async next(history, now) {
      const failed = eventsOf(history, 'node.failed').at(-1);
      if (failed) return failure(run, REJECTED, now, failed.payload.nodeId);
      const node = nodes[eventsOf(history, 'node.completed').length];
      return node
        ? begin(run, history, node, now)
        : completion(run, { events: [], outputs: toBody({}) }, now);
    },
    answer: (_history, interrupt, answer, now) =>
      interrupt.kind === 'approval' ? decide(interrupt, answer, now) : clarify(interrupt, answer, now),
  };
}

const REJECTED = { code: 'approval_rejected', message: 'The approval was refused.' } as const;

const answeredBy = ({ runId, nodeId }: Interrupt, { id }: Principal, at: number): AuditEntry => ({
  at,
  principal: asId<PrincipalId>(id),
  action: RESPOND,
  resource: asId<ResourceName>(`runs/${runId}/interrupts/${nodeId}`),
  allowed: true,
  runId,
});

function begin(run: Run, history: History, { nodeId, typeId }: FloorNode, now: number): LogStep {
  const started: NewEvent = { type: 'node.started', at: now, nodeId, payload: { nodeId, typeId } };
  const question = ask(run, history, { nodeId, ...questionOf(nodeId, typeId) }, now);
  return { ...question, events: joined([started], question.events) };
}

const questionOf = (nodeId: string, typeId: FloorNode['typeId']) =>
  typeId === 'core.approvalGate'
    ? ({
        kind: 'approval',
        data: toBody({
          artifactId: nodeId,
          artifactType: 'conformance',
          title: 'May the run go on?',
          artifactData: {},
          actions: [...ACTIONS],
        }),
      } as const)
    : ({ kind: 'clarification', data: toBody({ questions: [QUESTION] }) } as const);

function decide(interrupt: Interrupt, { by, value }: Answer, at: number): AnswerResult {
  const { action } = membersOf(value);
  if (action !== 'accept' && action !== 'reject')
    return { refusal: invalid('/resumeValue/action', `expected one of ${ACTIONS.join(', ')}`) };
  const { nodeId } = interrupt;
  const received: NewEvent = {
    type: 'approval.received',
    at,
    nodeId,
    payload: { nodeId, action, decidedBy: asId<PrincipalId>(by.id), decidedAt: timestampOf(at) },
  };
  const outcome: NewEvent =
    action === 'accept'
      ? { type: 'node.completed', at, nodeId, payload: { nodeId } }
      : { type: 'node.failed', at, nodeId, payload: { nodeId, error: REJECTED } };
  const events = [received, resolvedBy(interrupt, toBody({ action }), at), outcome];
  return { step: { events, run: RESUMED, audit: [answeredBy(interrupt, by, at)] } };
}

function clarify(interrupt: Interrupt, { by, value }: Answer, at: number): AnswerResult {
  const { answers } = membersOf(value);
  const text = membersOf(answers)[QUESTION.id];
  if (typeof text !== 'string' || text === '')
    return { refusal: invalid(`/resumeValue/answers/${QUESTION.id}`, 'expected a text that is not empty') };
  const { nodeId } = interrupt;
  const kept = toBody({ [QUESTION.id]: text });
  const resolved: NewEvent = {
    type: 'clarification.resolved',
    at,
    nodeId,
    payload: { nodeId, answers: kept, answeredBy: asId<PrincipalId>(by.id) },
  };
  const resume = toBody({ answers: { [QUESTION.id]: text } });
  const completed: NewEvent = { type: 'node.completed', at, nodeId, payload: { nodeId } };
  const events = [resolved, resolvedBy(interrupt, resume, at), completed];
  return { step: { events, run: RESUMED, audit: [answeredBy(interrupt, by, at)] } };
}
