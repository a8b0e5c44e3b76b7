// The least a client of a model can do: put the same four questions for each task, 32 tasks at a time, and keep nothing. Its
// arguments are the suite and the port of the endpoint.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tell } from './pool.mjs';

const WIDTH = 32;
const [file, port] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'local_orders_get',
      description: 'An order.',
      parameters: { type: 'object', properties: { order: { type: 'string' } } },
    },
  },
];

function ask(question) {
  const body = JSON.stringify(question);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const to = { host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', headers, agent };
  return new Promise((resolve, reject) => {
    const read = (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => (text += piece));
      response.on('end', () => resolve(JSON.parse(text).choices[0].message));
    };
    request(to, read).on('error', reject).end(body);
  });
}

async function answerTo({ input, fixtures }) {
  const messages = [{ role: 'user', content: input }];
  for (const { response } of [...fixtures.toolResponses, {}]) {
    const said = await ask({ model: 'bench', messages, tools: TOOLS });
    if (!said.tool_calls) return said.content;
    const content = JSON.stringify({ status: 'ok', outcome: response });
    messages.push(said, { role: 'tool', tool_call_id: said.tool_calls[0].id, content });
  }
  throw new Error('The model asks for more tools than there are.');
}

async function isMet({ expected }, answer) {
  const content = `${expected.rubric[0].criterion}\n${answer}`;
  const said = await ask({ model: 'judge', messages: [{ role: 'user', content }] });
  return JSON.parse(said.content).verdicts[0].met;
}

await tell(async () => {
  const { tasks } = JSON.parse(readFileSync(file, 'utf8'));
  let next = 0;
  let passed = 0;
  const work = async () => {
    while (next < tasks.length) {
      const task = tasks[next++];
      const met = await isMet(task, await answerTo(task));
      passed += Number(met);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
  agent.destroy();
  return passed;
});
