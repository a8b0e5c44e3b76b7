// A stand-in for a model, so that the recipes run without a key and without a network: it asks for the tool when the
// question names an order, and puts what the tool said into a sentence. It speaks the chat completions of OpenAI and
// `generateContent` of Gemini, on loopback, and prints its address.
import { createServer } from 'node:http';

const orderIn = (text) => /\d{4}/.exec(text)?.[0];

/** What the model says next: a call of the tool, or the answer. `told` is what the tool has answered, as text. */
function next(question, told) {
  const orderId = orderIn(question);
  if (!orderId) return { say: 'Which order is it?' };
  if (told === undefined) return { call: { orderId } };
  const { arrives } = JSON.parse(told);
  return { say: arrives ? `Order ${orderId} arrives on ${arrives}.` : `There is no order ${orderId}.` };
}

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('');

function completion({ model, messages, tools }) {
  const question = textOf(messages.findLast(({ role }) => role === 'user')?.content);
  const told = messages.at(-1).role === 'tool' ? textOf(messages.at(-1).content) : undefined;
  const { say, call } = next(question, told);
  const name = tools?.[0]?.function.name;
  const asked = call && [
    { id: 'call-1', type: 'function', function: { name, arguments: JSON.stringify(call) } },
  ];
  const message = { role: 'assistant', content: say ?? null, ...(asked && { tool_calls: asked }) };
  const choices = [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }];
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 0, model, choices, usage };
}

function generation({ contents, tools }) {
  const question = contents
    .flatMap(({ role, parts }) => (role === 'user' ? parts : []))
    .findLast(({ text }) => text)?.text;
  const result = contents.at(-1).parts.find(({ functionResponse }) => functionResponse)?.functionResponse;
  const { say, call } = next(question ?? '', result && JSON.stringify(result.response));
  const name = tools?.[0]?.functionDeclarations[0].name;
  const part = call ? { functionCall: { name, args: call } } : { text: say };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
  };
}

const server = createServer(async (request, response) => {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'));
  const answer = request.url.includes('generateContent') ? generation(body) : completion(body);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
