import {
  type AuditEntry,
  asId,
  HostError,
  isObject,
  type Principal,
  type PrincipalId,
  type ResourceName,
  type ScopeName,
  type UnknownObject,
} from '@touchstone/protocol';
import type { Body, NewEvent, Payloads } from '@touchstone/protocol/bodies';
import type { Append, Interrupt, InterruptAnswer, Run, RunChange } from '../../ports/index.js';
import { type History, nextKey } from './history.js';

/** What is written next, in one append: events, and the changes that belong to them. */
export type LogStep = Pick<Append, 'run' | 'deployments' | 'audit'> & {
  readonly events: readonly NewEvent[];
};

/** What follows from an answer. A refusal may be recorded too; the question then stays open. */
export type AnswerResult = { readonly step: LogStep } | { readonly refusal: Error; readonly step?: LogStep };

export type Answer = Pick<InterruptAnswer, 'by' | 'value'>;

/**
 * A run that asks people and waits for them. What it writes next follows from its history alone, so it can wait for weeks
 * and be continued by any process.
 */
export type ApprovalFlow = {
  /** After `run.started`: what comes next when no question is open. Ends the run or asks. */
  next(history: History, now: number): Promise<LogStep>;
  answer(history: History, interrupt: Interrupt, answer: Answer, now: number): AnswerResult;
  /** Before the run is stopped: what it has started is stopped with it. */
  letGo?(by: string): Promise<void>;
  /** No answer came in time. Absent when its questions have no deadline. */
  timeout?(history: History, interrupt: Interrupt, now: number): LogStep;
};

type Question = {
  readonly nodeId: string;
  readonly kind: Payloads['interrupt.requested']['kind'];
  readonly data: Body;
  readonly resumeSchema?: Body;
  readonly deadline?: number;
};

const STATUS = {
  approval: 'waiting-approval',
  clarification: 'waiting-input',
  'external-event': 'waiting-external',
} as const;

/** The question, after which the run waits. */
export function ask(run: Run, history: History, question: Question, now: number): LogStep {
  const { nodeId, kind, data, resumeSchema, deadline } = question;
  const { key, interruptId } = nextKey(run, nodeId, history);
  const requested: NewEvent = {
    type: 'interrupt.requested',
    at: now,
    nodeId,
    payload: {
      kind,
      key,
      data,
      ...(resumeSchema !== undefined && { resumeSchema }),
      ...(deadline !== undefined && { timeoutMs: Math.max(0, deadline - now) }),
    },
  };
  const suspended: NewEvent = {
    type: 'node.suspended',
    at: now,
    nodeId,
    payload: { nodeId, interruptId, kind, key },
    cause: 0,
  };
  return {
    events: [requested, suspended],
    run: waiting(run, { nodeId, kind, ...(deadline !== undefined && { deadline }) }),
  };
}

/** A run's own limit counts while it waits, too. */
export function waiting(
  run: Run,
  { nodeId, kind, deadline }: Pick<Question, 'nodeId' | 'kind' | 'deadline'>,
): RunChange {
  const limitMs = run.plan.runTimeoutMs;
  const startedAt = run.startedAt ?? run.createdAt;
  const ends = [deadline, limitMs === undefined ? undefined : startedAt + run.pausedMs + limitMs];
  const limits = ends.filter((end) => end !== undefined);
  return {
    status: STATUS[kind],
    waitUntil: limits.length === 0 ? null : Math.min(...limits),
    waitingNode: nodeId,
  };
}

/** Events that follow others in one entry: causes point into the block, so they move along. */
export const joined = (first: readonly NewEvent[], second: readonly NewEvent[]): readonly NewEvent[] => [
  ...first,
  ...second.map((event) =>
    event.cause === undefined ? event : { ...event, cause: event.cause + first.length },
  ),
];

export const resolvedBy = (interrupt: Interrupt, value: Body, at: number): NewEvent => ({
  type: 'interrupt.resolved',
  at,
  nodeId: interrupt.nodeId,
  payload: {
    nodeId: interrupt.nodeId,
    interruptId: interrupt.interruptId,
    kind: interrupt.kind,
    resumeValue: value,
  },
});

export const RESUMED: RunChange = { status: 'running', waitUntil: null, waitingNode: null };

/** The scope that an answer is audited under. */
export const RESPOND = asId<ScopeName>('approvals:respond');

/** What the audit log keeps of an answer. */
export const answeredBy = ({ runId, nodeId }: Interrupt, { id }: Principal, at: number): AuditEntry => ({
  at,
  principal: asId<PrincipalId>(id),
  action: RESPOND,
  resource: asId<ResourceName>(`runs/${runId}/interrupts/${nodeId}`),
  allowed: true,
  runId,
});

/** The members of an object; none for any other value. */
export const membersOf = (value: unknown): UnknownObject => (isObject(value) ? value : {});

export const invalid = (pointer: string, expected: string): HostError =>
  new HostError('INVALID_RESUME_VALUE', `${pointer}: ${expected}. The run still waits.`, {
    field: pointer.slice(1).replaceAll('/', '.'),
    issues: [{ pointer, message: expected }],
  });
