import type { InvocationId } from '@touchstone/protocol';
import type { Answer, Invocation, ResolvedPrompt } from '../../ports/index.js';
import type { Recorder } from '../log/recorder.js';
import type { AnswerOutcome, InvocationRequest } from './invocation.js';

// The bracket: the events that open and close an invocation, and the one between them that every invocation has.

export function recordStart(
  { agent, channel, environment }: InvocationRequest,
  invocationId: InvocationId,
  invocation: Invocation,
  recorder: Recorder,
): ResolvedPrompt | undefined {
  const { facts, model } = agent;
  const { agentId } = facts;
  recorder.add('agent.invocation.started', {
    invocationId,
    agentId,
    source: 'run-api',
    ...(facts.modelClass && { modelClass: facts.modelClass }),
    ...(model && { resolvedModel: model.model, resolvedProvider: model.provider }),
    resolvedAgentVersion: facts.version,
    ...(channel !== undefined && { resolvedChannel: channel }),
    toolSurfaceCount: environment.tools.length,
    memoryBound: environment.memoryBound,
  });
  const prompt = agent.prompt?.(invocation);
  if (prompt)
    recorder.add('agent.promptResolved', { nodeId: recorder.nodeId, agentId, kind: 'system', ...prompt });
  return prompt;
}

/** Of all turns of an invocation; what comes after is not on record. */
const MAX_REASONING_CHARS = 4 * 1024 * 1024;

/**
 * A bracket holds at least one `agent.reasoned`, before any tool call; an agent that shows none, or whose reasoning the
 * caller does not want on record, gets an empty one.
 */
export class Reasoning {
  readonly #request: Pick<InvocationRequest, 'agent' | 'keepsReasoning'>;
  readonly #recorder: Recorder;
  #shown = false;
  #closed = false;
  #left = MAX_REASONING_CHARS;

  constructor(request: Pick<InvocationRequest, 'agent' | 'keepsReasoning'>, recorder: Recorder) {
    this.#request = request;
    this.#recorder = recorder;
  }

  show(reasoning: string): void {
    const { agent, keepsReasoning } = this.#request;
    if (this.#closed || !keepsReasoning || this.#left === 0) return;
    this.#shown = true;
    const { agentId } = agent.facts;
    const kept = reasoning.slice(0, this.#left);
    this.#left -= kept.length;
    this.#recorder.add('agent.reasoned', { agentId, reasoning: kept, verbosity: 'full' });
  }

  beforeTools(): void {
    if (this.#shown) return;
    this.#shown = true;
    const { agentId } = this.#request.agent.facts;
    this.#recorder.add('agent.reasoned', { agentId, reasoning: '', verbosity: 'off' });
  }

  close(): void {
    this.beforeTools();
    this.#closed = true;
  }
}

export function recordEnd(
  { agent }: InvocationRequest,
  invocationId: InvocationId,
  answer: Answer,
  { outcome, schemaValid }: AnswerOutcome,
  recorder: Recorder,
): void {
  const { agentId } = agent.facts;
  const confidence =
    'confidence' in answer && answer.confidence !== undefined ? { confidence: answer.confidence } : {};
  if ('output' in answer) recorder.add('agent.decided', { agentId, decision: answer.output, ...confidence });
  recorder.add('agent.invocation.completed', {
    invocationId,
    agentId,
    outcome,
    ...(schemaValid !== undefined && { schemaValidated: schemaValid }),
    ...confidence,
  });
}
