import type { Message, Question, ReplyPart, ToolMessage } from '../model.js';
import { parseArguments } from '../sdk-reply.js';

/** A question as the chat protocol of OpenAI writes it: byte for byte what the provider package sends. */
export const requestBody = (model: string, question: Question): string =>
  JSON.stringify({
    model,
    max_tokens: question.maxTokens,
    temperature: question.temperature,
    top_p: question.topP,
    frequency_penalty: question.frequencyPenalty,
    presence_penalty: question.presencePenalty,
    response_format: formatOf(question),
    stop: question.stop,
    seed: question.seed,
    reasoning_effort: question.reasoningEffort,
    messages: question.messages.flatMap(messagesOf),
    tools: question.tools.length === 0 ? undefined : question.tools.map(toolOf),
  });

/** Not strict: schemas of authors are seldom written in the narrow dialect that providers call so. */
const formatOf = ({ returnSchema: schema }: Question) =>
  schema && { type: 'json_schema', json_schema: { schema, strict: false, name: 'response' } };

const toolOf = ({ name, description, inputSchema: parameters }: Question['tools'][number]) => ({
  type: 'function',
  function: { name, description, parameters },
});

function messagesOf(message: Message): object | readonly object[] {
  if (message.role === 'assistant') return assistantMessage(message.said);
  if (message.role === 'tools') return message.results.map(toolMessage);
  return { role: message.role, content: message.text };
}

const toolMessage = ({ callId, result }: ToolMessage) => ({
  role: 'tool',
  tool_call_id: callId,
  content: JSON.stringify(result),
});

function assistantMessage(said: readonly ReplyPart[]) {
  let text = '';
  let reasoning = '';
  const calls: object[] = [];
  for (const part of said) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'reasoning') reasoning += part.text;
    else calls.push(callOf(part));
  }
  return {
    role: 'assistant',
    content: calls.length > 0 ? text || null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** What was not JSON cannot be said again; the error that stands as its result tells the model so. */
const callOf = ({ id, name, argumentsText }: Extract<ReplyPart, { kind: 'call' }>) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(parseArguments(argumentsText) ?? {}) },
});
