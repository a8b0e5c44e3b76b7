import {
  defined,
  isUnsound,
  type Json,
  type JsonObject,
  type ModelPin,
  parseJson,
  withoutFence,
} from '@touchstone/protocol';
import { fromBody, type MemoryEntry, type ToolResult, toBody } from '@touchstone/protocol/bodies';
import {
  type Agent,
  type AgentFacts,
  type AgentHost,
  type Answer,
  type Clock,
  type Invocation,
  MAX_TURNS,
} from '../../../ports/index.js';
import { listedMessages, spokenMessages } from '../../models/chat.js';
import type { Message, Model, ModelCall, Question, Reply, ToolMessage } from '../../models/model.js';
import { DEFAULT_TIMEOUT_MS, type ManifestRun, type OpenaiRun } from '../../spec/run-spec.js';
import { checkedTemplate, rendered } from '../../templates/invocation-template.js';
import { failed } from '../answers.js';
import { type Bound, createBounds, type TakeAnswer } from '../bounds.js';
import { nameTools } from './tool-names.js';

export type ModelAgentParts = {
  readonly facts: AgentFacts;
  readonly clock: Clock;
  /** Closed with the agent. */
  readonly model: Model;
  readonly pin: ModelPin;
  /** What the model is told about a task; the input as it is when absent. */
  readonly prompt?: Json;
  readonly takeAnswer?: TakeAnswer;
};

/** An agent that is a prompt and a model. The host runs the loop of questions and tool calls, so both are recorded and bounded. */
export function createModelAgent(run: ManifestRun | OpenaiRun, parts: ModelAgentParts): Agent {
  const { facts, model, pin } = parts;
  const bounds = createBounds(
    parts.clock,
    run.timeoutMs ?? model.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    parts.takeAnswer,
  );
  const system = run.kind === 'manifest' ? run.systemPrompt : run.system;
  const template = checkedTemplate(parts.prompt ?? '{{ input }}');
  return {
    facts,
    model: pin,
    ...(run.kind === 'manifest' && {
      prompt: (invocation: Invocation) => ({
        chain: [{ layer: 'agent-intrinsic', applied: true, source: `${facts.agentId}@${facts.version}` }],
        resolved: systemText(system, invocation.memory),
      }),
    }),
    invoke: (invocation, host) =>
      bounds.run(host, async (bound) => {
        const prompt = rendered(template, invocation);
        if ('problem' in prompt) return failed(prompt.problem);
        const messages = opening(systemText(system, invocation.memory), prompt.value, parts);
        return converse(parts, messages, invocation, bound);
      }),
    async close() {
      bounds.close();
      model.close();
    },
  };
}

/** Entries are quoted, one to a line, so that what was remembered cannot pass for a part of the prompt. */
function systemText(prompt: string | undefined, memory: readonly MemoryEntry[]): string {
  if (memory.length === 0) return prompt ?? '';
  const lines = memory.map(
    ({ createdAt, tags, content }) => `- ${createdAt} ${JSON.stringify(tags)} ${JSON.stringify(content)}`,
  );
  const section = ['=== Memory: notes from earlier, for information ===', ...lines, '=== End of memory ==='];
  return [...(prompt === undefined ? [] : [prompt, '']), ...section].join('\n');
}

async function converse(
  { facts, model, pin }: ModelAgentParts,
  messages: Message[],
  invocation: Invocation,
  bound: Bound,
): Promise<Answer> {
  const { host } = bound;
  const tools = nameTools(invocation.tools);
  const fixed = fixedPart(facts, pin, tools, invocation);
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const reply = await model.ask({ ...fixed, messages: [...messages] }, bound);
    if (reply.kind !== 'reply') return reply;
    // Money first: what was spent is on record before anything that it bought is used.
    await host.spend([reply.usage]);
    await bound.takeAnswer(reply.text);
    await reply.remember?.();
    const ignored = reply.ignored?.filter((name) => name in pin) ?? [];
    if (ignored.length > 0) return notTaken(pin, ignored);
    if (reply.reasoning !== '') host.reason(reply.reasoning);
    if (reply.refused || reply.toolCalls.length === 0) return answerOf(reply, facts, pin);
    messages.push({ role: 'assistant', said: reply.said });
    messages.push({ role: 'tools', results: await callTools(reply.toolCalls, tools, host) });
  }
  return failed(`The agent took ${MAX_TURNS} turns without giving an answer.`);
}

/** An answer without a parameter that was planned would pass for one with it. */
const notTaken = ({ provider, model }: ModelPin, names: readonly string[]): Answer =>
  failed(`Model ${provider}/${model} does not take ${names.join(' and ')}. Leave it out of the parameters.`);

/** What the agent's entry says to the model goes first, whatever a prompt or a conversation begins with. */
const opening = (system: string, filled: Json, { prompt }: ModelAgentParts): Message[] => [
  ...(system === '' ? [] : [{ role: 'system', text: system } as const]),
  ...(Array.isArray(prompt) ? listedMessages(filled as readonly Json[]) : spokenMessages(filled)),
];

function fixedPart(
  { returnSchema }: AgentFacts,
  { provider: _, model: __, mock: ___, ...parameters }: ModelPin,
  tools: ReturnType<typeof nameTools>,
  { repeat }: Invocation,
): Omit<Question, 'messages'> {
  const named = [...tools].map(([name, { description, inputSchema = { type: 'object' } }]) =>
    defined({ name, inputSchema, description }),
  );
  return defined({ tools: named, repeat, returnSchema, ...parameters });
}

/** One after the other, so that fixtures are consumed in the order the model asked. */
async function callTools(
  calls: readonly ModelCall[],
  tools: ReturnType<typeof nameTools>,
  host: AgentHost,
): Promise<readonly ToolMessage[]> {
  const results: ToolMessage[] = [];
  for (const { id, name, inputs } of calls) {
    // A name that was not on offer is passed on: the tool gateway refuses it and records the call.
    const toolId = tools.get(name)?.toolId ?? name;
    const result =
      inputs === undefined ? NOT_JSON : resultMessage(await host.callTool(toolId, toBody(inputs)));
    results.push({ callId: id, name, result });
  }
  return results;
}

const NOT_JSON: JsonObject = {
  status: 'error',
  error: 'The arguments were not valid JSON, so the tool was not called.',
};

const resultMessage = ({ status, outcome, error }: ToolResult): JsonObject =>
  defined({ status, outcome: outcome === undefined ? undefined : fromBody(outcome), error }) as JsonObject;

function answerOf(reply: Reply, { returnSchema }: AgentFacts, { provider, model }: ModelPin): Answer {
  if (reply.refused) return { kind: 'refused', output: toBody(reply.text) };
  const who = `Model ${provider}/${model}`;
  if (reply.text === '' && reply.finish === 'length')
    return failed(`${who} reached its token limit before it had said anything.`);
  if (reply.text === '' && reply.finish === 'error')
    return failed(`${who} stopped with an error of its own.`);
  if (!returnSchema) return { kind: 'answered', output: toBody(reply.text) };
  const value = structured(reply.text);
  const confidence = confidenceIn(value);
  return defined({ kind: 'answered', output: toBody(value), confidence } as const);
}

/** The JSON that the text is, or that it fences in. Anything else stays text, for the host's schema check to judge. */
function structured(text: string): Json {
  const value = parsed(withoutFence(text));
  return value === undefined ? text : value;
}

function parsed(text: string): Json | undefined {
  const value = parseJson(text);
  return isUnsound(value) ? undefined : value;
}

function confidenceIn(value: Json): number | undefined {
  if (typeof value !== 'object' || value === null || !('confidence' in value)) return undefined;
  const { confidence } = value;
  return typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? confidence : undefined;
}
