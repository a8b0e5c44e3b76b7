import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, payloadsOf, readJson } from './pack-host.js';
import { echoAgent, echoSuite, openWholeHost, type WholeHost } from './whole-host.js';

const THINKER = `export default async (input, context) => {
  context.reason('a thought that stays here');
  return typeof input === 'string' ? input : 'done';
};
`;
let host: WholeHost;
beforeAll(async () => {
  host = await openWholeHost(
    { agents: [echoAgent()], suites: ['.'] },
    { files: { 'echo.mjs': THINKER, 'echo.suite.json': JSON.stringify(echoSuite(2)) } },
  );
});
afterAll(() => host.close());

const EVAL = { mode: 'eval', evalSuiteRef: 'local.test.evals.echo', agentId: 'local.test.echo' };
const AGENT = { agentId: 'local.test.echo', inputs: {} };
const create = (body: object, configurable?: object) =>
  readJson(host, '/v1/runs', { method: 'POST', body: { ...body, ...(configurable && { configurable }) } });
async function reasoningOf(body: object, configurable?: object): Promise<readonly unknown[]> {
  const created = await create(body, configurable);
  expect(created.status).toBe(201);
  const events = await eventsOf(host, created.body.runId as string);
  return payloadsOf(events, 'agent.reasoned').map(({ reasoning, verbosity }) => [reasoning, verbosity]);
}

describe.each([
  ['an evaluation', EVAL, 2],
  ['a run of one agent', AGENT, 1],
] as const)('reasoningVerbosity of %s', (_, body, invocations) => {
  const each = (reasoning: string, verbosity: string) =>
    Array.from({ length: invocations }, () => [reasoning, verbosity]);

  it('is full unless the caller says otherwise', async () => {
    expect(await reasoningOf(body)).toEqual(each('a thought that stays here', 'full'));
    expect(await reasoningOf(body, { reasoningVerbosity: 'full' })).toEqual(
      each('a thought that stays here', 'full'),
    );
  });

  it('off keeps what the agent thinks out of the log', async () => {
    expect(await reasoningOf(body, { reasoningVerbosity: 'off' })).toEqual(each('', 'off'));
  });

  it.each([['summary'], ['loud'], [7]])('%j is refused', async (reasoningVerbosity) => {
    const answer = await create(body, { reasoningVerbosity });
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(JSON.stringify(answer.body.details)).toContain('/configurable/reasoningVerbosity');
  });
});

it('the discovery document tells the default', async () => {
  const { body } = await readJson(host, '/.well-known/openwop');
  expect(body).toMatchObject({ agents: { reasoning: { verbosity: 'full', streaming: false } } });
});

it.each([
  ['callbackUrl', 'https://hooks.example/x'],
  ['residency', { region: 'eu' }],
])('%s is no member of a run here, and no document says that it is', async (member, value) => {
  const answer = await create({ ...AGENT, [member]: value });
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
  expect(answer.body.message).toContain(`/${member}`);
  const document = await (await host.fetch('/v1/openapi.json')).text();
  expect(document).not.toContain(member);
});
