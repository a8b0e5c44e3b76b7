import { asId, type CallId, type InvocationId, type ToolId } from '@touchstone/protocol';
import type { Body, ToolResult } from '@touchstone/protocol/bodies';
import { type AgentHost, MEMORY_TOOL, type ScoredCall, type Turn, type Usage } from '../../ports/index.js';
import type { Recorder } from '../log/recorder.js';
import type { Parts } from '../parts.js';
import { Reasoning } from './bracket.js';
import type { InvocationRequest } from './invocation.js';
import { createMemoryWriter } from './memory.js';
import { recordCalls, type SpendMeter } from './spend-meter.js';
import { createToolGateway, type ToolGateway } from './tool-gateway.js';

/**
 * What one invocation may ask of this host, and what it has asked for. A class, because there is one for every task: an
 * object of functions took as long to make as the rest of the invocation.
 */
export class InvocationHost implements AgentHost {
  readonly signal: AbortSignal;
  readonly turn: Turn | undefined;
  /** The model calls that were paid for until the answer. */
  readonly usage: Usage[] = [];
  /** Those of the model that plays the user of a conversation. */
  readonly userUsage: Usage[] = [];
  /** Opened with the first call: most invocations make none. */
  gateway: ToolGateway | undefined = undefined;
  readonly #parts: Parts;
  readonly #request: InvocationRequest;
  /** As the log names it; the agent is given another id. */
  readonly #invocationId: InvocationId;
  readonly #meter: SpendMeter;
  readonly #recorder: Recorder;
  readonly #reasoning: Reasoning;
  #over = false;

  constructor(
    parts: Parts,
    request: InvocationRequest,
    invocationId: InvocationId,
    meter: SpendMeter,
    recorder: Recorder,
    signal: AbortSignal,
  ) {
    this.signal = signal;
    this.#parts = parts;
    this.#request = request;
    this.#invocationId = invocationId;
    this.#meter = meter;
    this.#recorder = recorder;
    this.#reasoning = new Reasoning(request, recorder);
    this.turn = request.turn;
  }

  /** What was recorded while it waited for its turn happened then. */
  begun(agoMs = 0): void {
    this.#recorder.begin(agoMs);
    this.#request.turn?.begun(agoMs);
  }

  callTool(toolId: string, inputs: Body): Promise<ToolResult> {
    this.gateway ??= this.#openGateway();
    if (this.#over) this.gateway.close();
    return this.gateway.call(toolId, inputs);
  }

  observe(toolId: string, inputs: Body, outcome?: Body): void {
    const toolName = asId<ToolId>(toolId);
    this.observeCall({ toolId: toolName, inputs, status: 'ok', ...(outcome !== undefined && { outcome }) });
  }

  /** Records a call that the agent made elsewhere. */
  observeCall(call: ScoredCall): void {
    if (this.#over) return;
    this.gateway ??= this.#openGateway();
    this.gateway.observe(call);
  }

  reason(text: string): void {
    this.#reasoning.show(text);
  }

  async spend(calls: readonly Usage[], by?: 'simulatedUser'): Promise<void> {
    const priced = await this.#meter.spend(calls);
    // Money spent after the answer is in the ledger, but the bracket is closed and stays as it is.
    if (this.#over) return;
    if (by === 'simulatedUser') {
      this.userUsage.push(...priced);
      return;
    }
    recordCalls(this.#recorder, priced, 'agent');
    // When it was asked is for the log, not for those who score the answer.
    this.usage.push(...priced.map(({ time: _, ...call }) => call));
  }

  /** The answer is there: nothing that comes later is recorded. */
  close(): void {
    this.#over = true;
    this.gateway?.close();
    this.#reasoning.close();
  }

  /** The host answers its memory tool itself, unless the task has a fixture for it. */
  #openGateway(): ToolGateway {
    const { clock } = this.#parts;
    const { owner, runId, agent, environment } = this.#request;
    const invocationId = this.#invocationId;
    const { agentId } = agent.facts;
    const target = { owner, agentId, runId, invocationId, keeps: environment.keepsMemory };
    const write = createMemoryWriter(this.#parts, target, this.#recorder);
    return createToolGateway({
      agentId,
      invocationId,
      surface: environment.tools,
      answer: (toolId, inputs, callId) =>
        toolId === MEMORY_TOOL.toolId && !environment.fixtureTools?.has(toolId)
          ? write(inputs)
          : this.#callWithin(callId, () => environment.answer(toolId, inputs, this.signal)),
      recorder: this.#recorder,
      clock,
      beforeCall: () => this.#reasoning.beforeTools(),
    });
  }

  /** A call may come from a thread or a process that works for several invocations, so it says itself what it belongs to. */
  #callWithin<T>(callId: CallId, call: () => T): T {
    const { within } = this.#parts;
    const { runId } = this.#request;
    return within ? within({ runId, invocationId: this.#invocationId, callId }, call) : call();
  }
}
