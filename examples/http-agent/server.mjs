// An agent behind a URL, in any framework or language: one POST per turn, JSON both ways. It keeps nothing between
// turns; what it needs again it puts into `state`, which comes back as it was sent.
import { createServer } from 'node:http';

const PORT = Number(process.env.PORT ?? 9310);

/** One turn: ask for tools, or answer. */
function takeTurn({ input, state, toolResults }) {
  if (!toolResults) return readQuestion(input);
  const [{ status, outcome }] = toolResults;
  if (status !== 'ok') return { output: 'I have no exchange rate at the moment.' };
  const amount = Math.round(state.amount * outcome.rate * 100) / 100;
  return {
    output: `${state.amount} ${state.from} is ${amount} ${state.to}.`,
    reasoning: `Rate ${outcome.rate}.`,
  };
}

function readQuestion(input) {
  const [, amount, from, to] = /(\d+(?:\.\d+)?) ([A-Z]{3}) (?:in|to) ([A-Z]{3})/.exec(input) ?? [];
  if (!amount) return { output: 'Ask me something like: 10 EUR in USD' };
  const call = { callId: 'rate', toolId: 'local:rates.lookup', inputs: { from, to } };
  return { toolCalls: [call], state: { amount: Number(amount), from, to } };
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray();
  const answer = takeTurn(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});

server.listen(PORT, '127.0.0.1', () => console.log(`The agent listens on http://127.0.0.1:${PORT}/`));
