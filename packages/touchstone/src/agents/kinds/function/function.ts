import type { Json } from '@touchstone/protocol';
import { fromBody, toBody } from '@touchstone/protocol/bodies';
import type { Agent, AgentFacts, AgentHost, Answer, Clock, Invocation } from '../../../ports/index.js';
import { DEFAULT_TIMEOUT_MS, type FunctionRun } from '../../spec/run-spec.js';
import { failed } from '../answers.js';
import { createBounds } from '../bounds.js';
import type { ModuleAgent } from '../module/module-context.js';
import { createFunctionCall, jsonOf } from './function-call.js';

type FunctionParts = {
  readonly facts: AgentFacts;
  readonly clock: Clock;
  readonly maxOutputBytes: number;
};

/**
 * A function of the program that this host is part of. It runs on the caller's thread: one that never gives the thread
 * back cannot be stopped.
 */
export function createFunctionAgent(answer: ModuleAgent, run: FunctionRun, parts: FunctionParts): Agent {
  const bounds = createBounds(parts.clock, run.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return {
    facts: parts.facts,
    invoke: (invocation, host) =>
      bounds.run(host, ({ host: bounded }) => ask(answer, invocation, bounded, parts.maxOutputBytes)),
    async close() {
      bounds.close();
    },
  };
}

async function ask(
  answer: ModuleAgent,
  invocation: Invocation,
  host: AgentHost,
  most: number,
): Promise<Answer> {
  const call = createFunctionCall(invocation, host);
  const given = await attempt(async () => {
    // A copy: what the function does with its input must not reach the suite.
    const returned = await answer(structuredClone(fromBody(invocation.input)), call.context);
    return bounded(
      jsonOf(returned === undefined ? (call.said.refusal ?? null) : returned, 'The answer'),
      most,
    );
  });
  const unreadable = await call.settled();
  if (unreadable !== undefined) return failed(unreadable);
  if ('reason' in given) return failed(given.reason);
  const { refused, confidence } = call.said;
  return {
    kind: refused ? 'refused' : 'answered',
    output: toBody(JSON.parse(given.text) as Json),
    ...(confidence !== undefined && { confidence }),
  };
}

type Attempt = { readonly text: string } | { readonly reason: string };

async function attempt(work: () => Promise<string>): Promise<Attempt> {
  try {
    return { text: await work() };
  } catch (error) {
    return { reason: describe(error) };
  }
}

function bounded(text: string, most: number): string {
  if (Buffer.byteLength(text) > most) throw new Error(`The answer is larger than ${most} bytes.`);
  return text;
}

const LONGEST_REASON = 8192;

function describe(error: unknown): string {
  if (!(error instanceof Error))
    return `The agent threw ${typeof error === 'object' ? 'an object that is no Error' : String(error)}`;
  return `${error.name}: ${error.message}`.slice(0, LONGEST_REASON);
}
