import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openTestCli, type TestCli } from './test-cli.js';

export const PACK = 'vendor.acme.support';
export const AGENT = `${PACK}.default`;
export const SUITE = 'vendor.acme.evals.support';

/** A project with a pack in `support`, and a model that answers from a script, so that nothing leaves the machine. */
export type PackCli = TestCli & {
  configure(more?: object): void;
};

export function openPackCli(options?: Parameters<typeof openTestCli>[0]): PackCli {
  const desk = openTestCli(options);
  const { write } = desk;
  const configure = (more: object = {}): void =>
    write('touchstone.config.json', {
      providers: { offline: { kind: 'scripted', path: 'script.json' } },
      modelClasses: { general: 'offline/demo' },
      ...more,
    });
  write('script.json', SCRIPT);
  configure();
  write('support/pack.json', manifest());
  write('support/prompts/support.md', 'Answer kindly.\n');
  write('support/evals/support.json', suite());
  return { ...desk, configure };
}

export const manifest = (members: object = {}): object => ({
  name: PACK,
  version: '1.0.0',
  engines: { openwop: '>=1.0.0 <2.0.0' },
  runtime: { language: 'remote', entry: 'pack.json' },
  agents: [agentEntry()],
  ...members,
});

export const agentEntry = (members: object = {}): object => ({
  agentId: AGENT,
  persona: 'Support',
  modelClass: 'general',
  systemPromptRef: 'prompts/support.md',
  evalSuiteRef: 'evals/support.json',
  toolAllowlist: ['local:kb.search'],
  ...members,
});

const golden = (taskId: string, question: string, value: string, more: object = {}): object => ({
  taskId,
  input: { question },
  expected: { kind: 'golden', match: { strategy: 'contains', value } },
  ...more,
});

/** Two questions: one that needs no tool, and one that asks the knowledge base. */
export const suite = (members: object = {}): object => ({
  suiteId: SUITE,
  version: '1.0.0',
  targetAgentId: AGENT,
  modes: ['golden', 'live-shadow'],
  tasks: [
    golden('hours', 'When are you open?', '9 to 5'),
    golden('parcel', 'Where is my parcel?', 'on its way', {
      fixtures: { toolResponses: [{ tool: 'local:kb.search', response: 'canned' }] },
    }),
  ],
  ...members,
});

export const SCRIPT = {
  replies: [
    {
      when: { contains: 'parcel' },
      toolCalls: [{ toolId: 'local:kb.search', inputs: { q: 'parcel' } }],
    },
    { when: { contains: 'parcel', rounds: 1 }, text: 'It is on its way.' },
  ],
  otherwise: { text: 'We are open 9 to 5.' },
};

export function keyPair(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

export type ToolServer = { readonly tool: object; readonly calls: () => number; close(): Promise<void> };

/** A live tool on this machine. `answer` gets the number of the call, from 1, and gives its JSON; undefined is a failure. */
export async function serveTool(answer: (call: number) => unknown | Promise<unknown>): Promise<ToolServer> {
  let calls = 0;
  const server: Server = createServer((request, response) => {
    request.resume().on('end', async () => {
      calls += 1;
      const value = await answer(calls);
      response.statusCode = value === undefined ? 500 : 200;
      response.end(value === undefined ? '' : JSON.stringify(value));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    tool: { toolId: 'local:kb.search', kind: 'http', url: `http://127.0.0.1:${port}/` },
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
