import { asId, type Principal, type ScopeName } from '@touchstone/protocol';
import type { Body, NewEvent, Payloads } from '@touchstone/protocol/bodies';
import type { Commit, Interrupt, Run } from '../../ports/index.js';
import { type History, nextKey } from './history.js';

/** What is written next: events, the row's change, and what else belongs to the same moment. */
export type Chapter = Pick<Commit, 'run' | 'deployments' | 'audit'> & {
  readonly events: readonly NewEvent[];
};

/** What became of an answer. A refusal may leave a trace of its own; the question stays open then. */
export type Answered =
  | { readonly chapter: Chapter }
  | { readonly refusal: Error; readonly chapter?: Chapter };

export type Answer = { readonly by: Principal; readonly value: unknown };

/**
 * A run that asks people and waits for them. Its next words follow from its history and nothing else, so that it can rest
 * for weeks, be taken up by any process, and go on as if it had never stopped.
 */
export type Script = {
  /** After `run.started`: what comes next when no question is open. Ends the run or asks. */
  next(history: History, now: number): Promise<Chapter>;
  answer(history: History, interrupt: Interrupt, answer: Answer, now: number): Answered;
  /** Nobody answered in time. Absent when its questions have no deadline. */
  timeout?(history: History, interrupt: Interrupt, now: number): Chapter;
};

type Question = {
  readonly nodeId: string;
  readonly kind: Payloads['interrupt.requested']['kind'];
  readonly data: Body;
  readonly resumeSchema?: Body;
  readonly deadline?: number;
};

const STATUS = { approval: 'waiting-approval', clarification: 'waiting-input' } as const;

/** The question and the rest that follows it. */
export function ask(run: Run, history: History, question: Question, now: number): Chapter {
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
): NonNullable<Commit['run']> {
  const limitMs = run.plan.runTimeoutMs;
  const startedAt = run.startedAt ?? run.createdAt;
  const ends = [deadline, limitMs === undefined ? undefined : startedAt + run.pausedMs + limitMs];
  const known = ends.filter((end) => end !== undefined);
  return {
    status: STATUS[kind],
    waitUntil: known.length === 0 ? null : Math.min(...known),
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

/** Off to work again. */
export const GOING_ON: NonNullable<Commit['run']> = { status: 'running', waitUntil: null, waitingNode: null };

/** What whoever answers does. */
export const RESPOND = asId<ScopeName>('approvals:respond');
