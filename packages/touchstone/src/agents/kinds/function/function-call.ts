import type { Json } from '@touchstone/protocol';
import { fromBody, toBody } from '@touchstone/protocol/bodies';
import type { AgentHost, Invocation } from '../../../ports/index.js';
import { readUsage } from '../../spec/members.js';
import type { ModuleContext, ModuleUsage, ToolError } from '../module/module-context.js';

/** What a function says besides its answer. */
type AnswerMarks = { refused: boolean; refusal?: unknown; confidence?: number };

export type FunctionCall = {
  readonly context: ModuleContext;
  readonly said: Readonly<AnswerMarks>;
  /**
   * Waits for what has been paid for. Resolves with why reported usage cannot be read; rejects when the host has failed
   * the function, whatever the function made of that.
   */
  settled(): Promise<string | undefined>;
};

/** One call of a function: the same context as that of a module agent. */
export function createFunctionCall(invocation: Invocation, host: AgentHost): FunctionCall {
  const said: AnswerMarks = { refused: false };
  const owed: Promise<unknown>[] = [];
  let unreadable: string | undefined;
  /** Its failure is told by `settled`; until then it must not count as an unhandled rejection. */
  const remember = <T>(promise: Promise<T>): Promise<T> => {
    owed.push(promise);
    promise.catch(() => undefined);
    return promise;
  };
  const context: ModuleContext = {
    runId: invocation.runId,
    invocationId: invocation.invocationId,
    memory: structuredClone(invocation.memory),
    signal: host.signal,
    tools: {
      offered: invocation.tools,
      call: (toolId, inputs) => callTool(host, toolId, inputs, remember),
    },
    reason: (text) => host.reason(String(text)),
    usage(value: ModuleUsage) {
      const reading = readUsage(value);
      if (typeof reading === 'string')
        unreadable ??= `The agent reported usage that cannot be read: ${reading}`;
      else remember(host.spend([reading]));
    },
    confidence(value) {
      if (!(value >= 0 && value <= 1)) throw new RangeError('Confidence is a number from 0 to 1.');
      said.confidence = Number(value);
    },
    refuse(output) {
      said.refused = true;
      said.refusal = output;
      return output;
    },
  };
  return {
    context,
    said,
    async settled() {
      await Promise.all(owed);
      return unreadable;
    },
  };
}

async function callTool(
  host: AgentHost,
  toolId: string,
  inputs: unknown,
  remember: <T>(promise: Promise<T>) => Promise<T>,
): Promise<unknown> {
  const given = toBody(JSON.parse(jsonOf(inputs ?? null, 'Tool inputs')) as Json);
  const { status, outcome, error } = await remember(host.callTool(String(toolId), given));
  if (status === 'ok') return outcome === undefined ? undefined : structuredClone(fromBody(outcome));
  const words = error ?? `Tool ${toolId} answered "${status}".`;
  throw Object.assign(new Error(words), { name: 'ToolError', status, toolId }) satisfies ToolError;
}

export function jsonOf(value: unknown, what: string): string {
  const text = textOf(value, what);
  if (text === undefined) throw new TypeError(`${what} cannot be written as JSON: it is a ${typeof value}.`);
  return text;
}

function textOf(value: unknown, what: string): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const [words] = String((error as Error).message).split('\n');
    throw new TypeError(`${what} cannot be written as JSON: ${words}`);
  }
}
