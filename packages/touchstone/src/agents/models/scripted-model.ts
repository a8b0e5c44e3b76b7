import { createHash } from 'node:crypto';
import { canonicalJson, jsonEqual, parseJson } from '@touchstone/protocol';
import type { Usage } from '../../ports/index.js';
import type { Message, Model, ModelIdentity, Question, Reply, ReplyPart } from './model.js';
import { readModelScript, type ScriptCondition, type ScriptReply } from './script.js';

/** A model whose replies come from a file: offline, free, and the same every time. */
export function createScriptedModel(path: string, named: ModelIdentity): Model {
  const script = readModelScript(path);
  const { replies, otherwise } = script;
  // An edited script is another model: replies of the old one must not be remembered for it.
  const identity = { ...named, script: createHash('sha256').update(JSON.stringify(script)).digest('hex') };
  return {
    identity,
    async ask(question, bound) {
      bound.signal.throwIfAborted();
      bound.effort.attempts = Math.max(1, bound.effort.attempts);
      const scripted = replies.find((reply) => fits(reply, question, identity)) ?? otherwise;
      if (scripted) return replyOf(scripted, question, identity);
      const reason = `The script of model ${identity.provider}/${identity.model} has no reply for this question, and no "otherwise".`;
      return { kind: 'failed', reason };
    },
    close: () => undefined,
  };
}

function fits({ when = {}, toolCalls }: ScriptReply, question: Question, identity: ModelIdentity): boolean {
  const roundsSoFar = question.messages.filter(({ role }) => role === 'tools').length;
  const rounds = when.rounds ?? (toolCalls ? 0 : roundsSoFar);
  return (
    rounds === roundsSoFar &&
    (when.model === undefined || when.model === identity.model) &&
    (when.system === undefined || textOf(question.messages, 'system').includes(when.system)) &&
    fitsInput(when, textOf(question.messages, 'user'))
  );
}

function fitsInput({ input, contains = [] }: ScriptCondition, text: string): boolean {
  if (!contains.every((words) => text.includes(words))) return false;
  if (input === undefined || input === text) return true;
  const value = parseJson(text);
  return value !== undefined && jsonEqual(value, input);
}

const textOf = (messages: readonly Message[], wanted: 'system' | 'user'): string =>
  messages
    .flatMap((message) => (message.role === wanted && 'text' in message ? [message.text] : []))
    .join('\n');

function replyOf(scripted: ScriptReply, question: Question, identity: ModelIdentity): Reply {
  const { reasoning = '', refusal, toolCalls = [] } = scripted;
  const text = refusal ?? scripted.text ?? (scripted.json === undefined ? '' : canonicalJson(scripted.json));
  // Named by their ids: a name that is not on offer counts as the id of a tool.
  const calls = toolCalls.map(({ toolId, inputs }, index) => ({
    id: callId(question, index),
    name: toolId,
    inputs,
  }));
  const said: readonly ReplyPart[] = [
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
    ...calls.map(
      ({ id, name, inputs }) => ({ kind: 'call', id, name, argumentsText: canonicalJson(inputs) }) as const,
    ),
  ];
  return {
    kind: 'reply',
    text,
    reasoning,
    toolCalls: calls,
    refused: refusal !== undefined,
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
    usage: usageOf(scripted, question, said, identity),
    said,
  };
}

const callId = ({ messages }: Question, index: number): string => `call-${messages.length}-${index}`;

const CHARACTERS_PER_TOKEN = 4;
const estimate = (value: unknown): number => Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);

/** The tokens are an estimate unless the script gives them. The cost is 0. */
function usageOf(
  { usage, reasoning = '' }: ScriptReply,
  { messages, tools }: Question,
  said: readonly ReplyPart[],
  { provider, model }: ModelIdentity,
): Usage {
  return {
    provider,
    model,
    inputTokens: usage?.inputTokens ?? estimate([messages, tools]),
    outputTokens: usage?.outputTokens ?? estimate([said, reasoning]),
    costUsd: usage?.costUsd ?? 0,
  };
}
