import {
  asId,
  type InvocationId,
  type InvocationOutcome,
  type Owner,
  type RunId,
} from '@touchstone/protocol';
import type { Body, RecordBodies } from '@touchstone/protocol/bodies';
import type { Agent, Answer, Run, ScoredCall, Usage } from '../../ports/index.js';
import type { UnitTurn } from '../kinds/run-kind.js';
import type { Environment } from './environment.js';
import type { AgentIds } from './opaque-ids.js';

/** One call of the agent: what it is asked, for which unit of which run, and in which environment. */
export type InvocationRequest = {
  readonly owner: Owner;
  readonly runId: RunId;
  /** Those that the agent is given. */
  readonly ids: AgentIds;
  readonly agent: Agent;
  readonly channel: string | undefined;
  readonly ordinal: number;
  readonly repeat: number;
  readonly input: Body;
  readonly environment: Environment;
  readonly escalationThreshold: number;
  /** False when the caller wants no reasoning on record. */
  readonly keepsReasoning: boolean;
  /** With a contract, an answer that breaks the return schema still counts as an answer: a criterion decides about it. */
  readonly underContract?: boolean;
  /** It is handed over ahead of its turn, or gives its place to one that was. */
  readonly turn?: UnitTurn | undefined;
};

/** What came of it. `unanswered`: there was no answer, through no fault of the agent; every other outcome is the agent's. */
export type InvocationResult = {
  readonly outcome: InvocationOutcome;
  readonly unanswered:
    | Extract<Answer, { kind: 'unreachable' | 'unreadable' | 'denied' | 'absent' }>
    | undefined;
  readonly output: Body | undefined;
  readonly latencyMs: number;
  /** The answer was given elsewhere, and how long that took is unknown. */
  readonly untimed?: true;
  readonly usage: readonly Usage[];
  /** What the model used that played the user of a conversation. */
  readonly userUsage: readonly Usage[];
  /** How many answers the agent gave in a conversation. */
  readonly turns?: number;
  readonly schemaValid: boolean | undefined;
  /** The answer could not be checked against the agent's return schema, through no fault of the agent. */
  readonly unchecked: boolean;
  readonly toolCalls: readonly ScoredCall[];
  /** The system prompt, when this host resolved it. */
  readonly prompt: string | undefined;
  /** What is worth keeping besides the events; undefined when there is nothing. */
  readonly bodies: RecordBodies | undefined;
};

/** What an answer counts as. */
export type AnswerOutcome = {
  readonly outcome: InvocationOutcome;
  readonly schemaValid?: boolean;
  readonly unchecked?: true;
  readonly reason?: string;
};

/** As the log names it. The agent is given another id. */
export const invocationIdOf = (ordinal: number, repeat: number): InvocationId =>
  asId<InvocationId>(`inv-${ordinal}.${repeat}`);

/** Below this confidence an answer counts as escalated, when neither the run nor the agent says otherwise. */
const DEFAULT_THRESHOLD = 0.7;

export const keepsReasoning = ({ request }: Run): boolean =>
  request.configurable?.reasoningVerbosity !== 'off';

export function escalationThreshold(run: Run, agent: Agent): number {
  const requested = run.request.configurable?.escalationThreshold;
  return typeof requested === 'number' ? requested : (agent.facts.confidenceThreshold ?? DEFAULT_THRESHOLD);
}
