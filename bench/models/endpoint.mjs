// A model behind HTTP that takes a fixed time for each question. With tools it asks for two of them, one after the other, and
// then answers; without it is a judge, and every criterion is met. Prints its port. The argument is the time in milliseconds.
import { createServer } from 'node:http';

const delayMs = Number(process.argv[2] ?? 20);
const TOOL_CALLS = 2;

const message = ({ messages, tools }) => {
  if (!tools)
    return { content: JSON.stringify({ verdicts: [{ criterion: 1, reason: 'It is.', met: true }] }) };
  const used = messages.filter(({ role }) => role === 'tool').length;
  if (used === TOOL_CALLS) return { content: 'Your order is on its way.' };
  const call = { name: tools[0].function.name, arguments: JSON.stringify({ order: `o-${used}` }) };
  return { content: null, tool_calls: [{ id: `call-${used}`, type: 'function', function: call }] };
};

const completion = (question) => {
  const said = message(question);
  return {
    id: 'c',
    object: 'chat.completion',
    created: 0,
    model: question.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...said },
        finish_reason: said.tool_calls ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
};

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  const text = JSON.stringify(completion(JSON.parse(body)));
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(text), delayMs);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
