import { asId, type Json, jsonEqual, type PrincipalId, type WorkflowPlan } from '@touchstone/protocol';
import { type NewEvent, toBody } from '@touchstone/protocol/bodies';
import type { Interrupt, Run } from '../../ports/index.js';
import type { AwaitedEvent, FloorNode } from '../kinds/floor-nodes.js';
import { floorWorkflow } from '../kinds/floor-workflows.js';
import { completion, failure } from '../log/endings.js';
import {
  type Answer,
  type AnswerResult,
  type ApprovalFlow,
  answeredBy,
  ask,
  invalid,
  joined,
  type LogStep,
  membersOf,
  RESUMED,
  resolvedBy,
} from './approval-flow.js';
import { ACTIONS, decide, REJECTED } from './gate-votes.js';
import { eventsOf, type History } from './history.js';

const QUESTION = { id: 'q1', question: 'What is missing?' };

export const asksPeople = ({ typeId }: FloorNode): boolean =>
  typeId === 'core.approvalGate' || typeId === 'core.clarificationGate' || typeId === 'core.interrupt';

/** The conformance workflows that ask people or other systems: one node after another, each a question. */
export function openQuestionFlow(run: Run, { workflowId }: WorkflowPlan): ApprovalFlow {
  const nodes = floorWorkflow(workflowId)?.nodes ?? [];
  return {
    async next(history, now) {
      const failed = eventsOf(history, 'node.failed').at(-1);
      if (failed) return failure(run, REJECTED, now, failed.payload.nodeId);
      const node = nodes[eventsOf(history, 'node.completed').length];
      return node
        ? begin(run, history, node, now)
        : completion(run, { events: [], outputs: toBody({}) }, now);
    },
    answer(history, interrupt, answer, now) {
      const node = nodes.find(({ nodeId }) => nodeId === interrupt.nodeId);
      if (node?.event) return receive(interrupt, node.event, answer, now);
      return interrupt.kind === 'approval'
        ? decide(history, interrupt, answer, node?.gate ?? {}, now)
        : clarify(interrupt, answer, now);
    },
    timeout: (_history, { nodeId }, now) => {
      const { events, run: row } = failure(run, TOO_LATE, now, nodeId);
      return { events, run: { ...row, waitUntil: null } };
    },
  };
}

const TOO_LATE = {
  code: 'interrupt_timeout',
  message: 'What the run waited for did not come in time.',
} as const;

function begin(run: Run, history: History, node: FloorNode, now: number): LogStep {
  const { nodeId, typeId, event } = node;
  const started: NewEvent = { type: 'node.started', at: now, nodeId, payload: { nodeId, typeId } };
  const deadline = event && { deadline: now + event.timeoutMs };
  const question = ask(run, history, { nodeId, ...questionOf(node), ...deadline }, now);
  return { ...question, events: joined([started], question.events) };
}

function questionOf({ nodeId, typeId, gate, event }: FloorNode) {
  if (event) {
    const { kind, eventType, correlation } = event;
    return { kind, data: toBody({ eventType, correlation }) } as const;
  }
  if (typeId !== 'core.approvalGate')
    return { kind: 'clarification', data: toBody({ questions: [QUESTION] }) } as const;
  const artifact = { artifactId: nodeId, artifactType: 'conformance', artifactData: {} };
  const data = { ...artifact, title: 'May the run go on?', actions: [...ACTIONS], ...gate };
  return { kind: 'approval', data: toBody(data) } as const;
}

/** Goes on with the event that it waits for; what comes besides is kept with it. */
function receive(
  interrupt: Interrupt,
  { correlation }: AwaitedEvent,
  { by, value }: Answer,
  at: number,
): AnswerResult {
  const members = membersOf(value);
  const missing = Object.keys(correlation).find(
    (name) => !jsonEqual((members[name] ?? null) as Json, correlation[name] ?? null),
  );
  if (missing !== undefined)
    return { refusal: invalid(`/resumeValue/${missing}`, 'expected the value that the run waits for') };
  const { nodeId } = interrupt;
  const completed: NewEvent = { type: 'node.completed', at, nodeId, payload: { nodeId } };
  const events = [resolvedBy(interrupt, toBody(value as never), at), completed];
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
