import { afterAll, beforeAll, expect, it } from 'vitest';
import { readJson } from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import { AGENT, command, openRunHost, READER_KEY, type RunHost, untilEvent } from './run-host.js';

// Goal: what a run asks people about can be read under its name, by those who may read artifacts.
let setup: RunHost;
let runId: string;
let promotion: string;
beforeAll(async () => {
  setup = await openRunHost({ gates: [{ agentId: '*', to: 'test', approval: { requiredRole: 'admin' } }] });
  const { host } = setup;
  runId = (await command(host, '/v1/runs', { workflowId: 'conformance-approval' })).body.runId as string;
  await untilEvent(host, runId, 'node.suspended');
  const asked = await command(host, `/v1/agents/${AGENT}/deployments`, {
    version: '2.0.0',
    transition: 'promote',
    toState: 'test',
    reason: 'ready',
  });
  expect(asked.status).toBe(202);
  promotion = (asked.body.touchstone as { runId: string }).runId;
});
afterAll(() => setup.close());

const read = (of: string, artifactId: string, key?: string) =>
  readJson(setup.host, `/v1/runs/${of}/artifacts/${encodeURIComponent(artifactId)}`, {
    ...(key !== undefined && { key }),
  });

it('the thing that is to be approved is an artifact of the run that asks', async () => {
  expect(await read(runId, 'gate')).toMatchObject({
    status: 200,
    body: { artifactId: 'gate', artifactType: 'conformance', title: 'May the run go on?', artifactData: {} },
  });
  const { status, body } = await read(promotion, `${AGENT}@2.0.0`);
  expect(status).toBe(200);
  expect(body).toEqual({
    runId: promotion,
    artifactId: `${AGENT}@2.0.0`,
    artifactType: 'deployment',
    title: `promote ${AGENT}@2.0.0 to test`,
    artifactData: {
      agentId: AGENT,
      version: '2.0.0',
      transition: 'promote',
      toState: 'test',
      reason: 'ready',
    },
  });
  const client = setup.host.client();
  expect(await client.runs.artifact(promotion as never, `${AGENT}@2.0.0`)).toEqual(body);
});

it('an unknown artifact, an unknown run and a foreign one look the same', async () => {
  const unknown = await read(runId, 'nothing');
  expect(unknown).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect(await read('run-of-nobody', 'gate')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  expect((await read(runId, 'gate', OTHER_KEY)).body).toEqual((await read('run-of-nobody', 'gate')).body);
});

it('takes the scope artifacts:read, which runs:read does not include', async () => {
  expect(await read(runId, 'gate', READER_KEY)).toMatchObject({
    status: 403,
    body: { details: { scopeRequired: 'artifacts:read' } },
  });
  const anonymous = await setup.host.fetch(`/v1/runs/${runId}/artifacts/gate`, { key: null });
  expect(anonymous.status).toBe(401);
});
