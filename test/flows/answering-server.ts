import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export type AnsweringServer = {
  readonly origin: string;
  /** The next turn of an agent is a note in its memory. */
  noteNext(note: object): void;
  close(): Promise<void>;
};

type AgentRequest = { readonly headers: IncomingMessage['headers']; readonly body: unknown };
type Reply = (given: AgentRequest) => object;

/** Stands for agents of three protocols, each at its path; all answer with what they were given. */
export async function startAnsweringServer(): Promise<AnsweringServer> {
  let note: object | undefined;
  const runs: AgentRequest[] = [];
  const replies: { readonly [path: string]: Reply } = {
    '/turn': (given) => {
      const inputs = note;
      note = undefined;
      return inputs
        ? { toolCalls: [{ callId: 'n', toolId: 'x-host-touchstone:memory.write', inputs }] }
        : { output: given };
    },
    '/v1/chat/completions': (given) => ({
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: JSON.stringify(given) } },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    }),
    '/v1/runs': (given) => ({ runId: `remote-${runs.push(given) - 1}` }),
  };
  const server = createServer(async (request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? '';
    const body = request.method === 'POST' ? await json(request) : undefined;
    const reply = replies[path] ?? (() => remoteRun(runs[Number(/remote-(\d+)/.exec(path)?.[1])]));
    answer(response, reply({ headers: request.headers, body }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    noteNext(next) {
      note = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The events of a run that has answered with the request that created it. */
function remoteRun(output: AgentRequest | undefined): object {
  const completed = { type: 'run.completed', sequence: 0, payload: { outputs: { output } } };
  return { events: [completed], isComplete: true };
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
