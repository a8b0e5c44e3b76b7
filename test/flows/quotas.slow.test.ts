import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import { readJson } from './pack-host.js';
import { KEY, OTHER_KEY } from './processes.js';
import {
  ACME_SIDE_KEY,
  ECHO_AGENT,
  echoAgent,
  echoSuite,
  metricsOf,
  openWholeHost,
  type WholeHost,
} from './whole-host.js';

// Goal: a tenant stores so much and no more, is told so clearly, gets room again by removing runs, and does not touch what
// others may store. Method: a whole host with low limits and two tenants, one of which stores until it is refused.

let host: WholeHost;
afterEach(() => host.close());
const open = async (perTenant: object, options: Parameters<typeof openWholeHost>[1] = {}): Promise<void> => {
  host = await openWholeHost(
    { agents: [echoAgent()], egress: { allowPrivate: true }, limits: { perTenant } },
    { files: { 'echo.mjs': ECHO_AGENT }, ...options },
  );
};

const post = (path: string, body: object, key = KEY) => readJson(host, path, { method: 'POST', body, key });
const SUITES = '/v1/host/touchstone/suites';
/** About 100 kB. */
const large = (version: number): object =>
  echoSuite(1, {
    version: `${version}.0.0`,
    tasks: [
      {
        taskId: 't',
        input: `${version} ${'x'.repeat(50_000)}`,
        expected: { kind: 'golden', match: { strategy: 'contains', value: 'x' } },
      },
    ],
  });
const evaluate = (version: number) => ({
  mode: 'eval',
  evalSuiteRef: `local.test.evals.echo@${version}.0.0`,
  agentId: 'local.test.echo',
});
const itemsOf = async (path: string, key = KEY): Promise<readonly { readonly [member: string]: unknown }[]> =>
  (await readJson(host, path, { key })).body.items as never;
const reached = async (limit: string): Promise<number> =>
  Number(
    /^touchstone_limit_reached_total\{limit="(\w+)"\} (\d+)$/m.exec(
      (await metricsOf(host))
        .split('\n')
        .filter((line) => line.includes(`"${limit}"`))
        .join('\n'),
    )?.[2] ?? 0,
  );

const MIB = 1024 ** 2;

/** Evaluates until the tenant has no room left; the runs that ended. */
async function fill(): Promise<readonly string[]> {
  await post(SUITES, large(1));
  const runIds: string[] = [];
  for (;;) {
    const { status, body } = await post('/v1/runs', evaluate(1));
    if (status !== 201) {
      expect({ status, error: body.error }).toEqual({ status: 409, error: 'quota_exceeded' });
      return runIds;
    }
    // The last one may find the storage filled by itself.
    await host
      .client()
      .waitForScorecard(body.runId as never)
      .catch(() => undefined);
    runIds.push(body.runId as string);
  }
}

describe('a tenant that has stored all it may', () => {
  it('is refused whatever would store more, and nothing is created; another tenant goes on', async () => {
    await open({ storedBytes: MIB });
    const runIds = await fill();
    const before = [await itemsOf('/v1/host/touchstone/runs'), await itemsOf(SUITES)];
    const refused = [
      await post('/v1/runs', evaluate(1)),
      await post('/v1/runs', evaluate(1), ACME_SIDE_KEY),
      await post(`/v1/runs/${runIds[0]}:fork`, { mode: 'replay' }),
      await post(SUITES, large(2)),
      await post(SUITES, large(2), ACME_SIDE_KEY),
      await post(`/v1/runs/${runIds[0]}/annotations`, { signal: { kind: 'flag' } }),
      await post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['run.completed'] }),
      await post('/v1/host/touchstone/baselines', { runId: runIds[0] }),
      await readJson(host, '/v1/host/touchstone/agents/local.acme.mine', {
        method: 'PUT',
        body: {
          agentId: 'local.acme.mine',
          version: '1.0.0',
          run: { kind: 'http', url: 'http://127.0.0.1:9/' },
        },
      }),
    ];
    // A suite of another workspace is not there, so its run is refused before there is a question of room.
    const [first, , ...others] = refused;
    for (const answer of [first, ...others])
      expect(answer).toMatchObject({
        status: 409,
        body: { error: 'quota_exceeded', details: { limit: 'storedBytes', max: MIB } },
      });
    expect([await itemsOf('/v1/host/touchstone/runs'), await itemsOf(SUITES)]).toEqual(before);
    expect(await reached('storedBytes')).toBeGreaterThanOrEqual(8);
    expect(await post(SUITES, large(1), OTHER_KEY)).toMatchObject({ status: 201 });
    expect(await post('/v1/runs', evaluate(1), OTHER_KEY)).toMatchObject({ status: 201 });
  });

  it('may send again what is there, and move versions', async () => {
    await open({ storedBytes: MIB });
    await fill();
    expect(await post(SUITES, large(1))).toMatchObject({ status: 200 });
    const promote = { version: '1.0.0', transition: 'promote' };
    expect(await post('/v1/agents/local.test.echo/deployments', promote)).toMatchObject({ status: 200 });
  });

  it('has room again when runs are removed, and can repeat the request under its key', async () => {
    await open({ storedBytes: MIB });
    await fill();
    const create = () =>
      readJson(host, '/v1/runs', {
        method: 'POST',
        body: evaluate(1),
        headers: { 'idempotency-key': 'k' },
      });
    expect(await create()).toMatchObject({ status: 409 });
    const { body } = await post('/v1/host/touchstone/runs:prune', { keep: 1 });
    expect((body.removed as readonly string[]).length).toBeGreaterThan(0);
    expect(await create()).toMatchObject({ status: 201 });
  });
});

it('a run that fills the storage of its tenant ends, and says why', async () => {
  const agent = "export default () => 'x'.repeat(200_000);\n";
  // What is looked at every second is looked at every millisecond.
  const sleep: Clock['sleep'] = (ms, signal) => systemClock.sleep(ms === 1_000 ? 1 : ms, signal);
  await open({ storedBytes: MIB }, { files: { 'echo.mjs': agent }, clock: { ...systemClock, sleep } });
  await post(SUITES, echoSuite(500));
  const run = { ...evaluate(1), configurable: { concurrency: 4 } };
  const runId = (await post('/v1/runs', run)).body.runId as string;
  await expect(host.client().waitForScorecard(runId as never)).rejects.toMatchObject({
    code: 'storage_exhausted',
  });
  const { body } = await readJson(host, `/v1/runs/${runId}`);
  expect(body).toMatchObject({ status: 'failed', error: { code: 'storage_exhausted' } });
});

describe('of things with small rows a tenant may have so many', () => {
  it.each([
    ['suites', (n: number) => post(SUITES, echoSuite(1, { version: `${n}.0.0` }))],
    [
      'agents',
      (n: number) =>
        readJson(host, '/v1/host/touchstone/agents/local.acme.mine', {
          method: 'PUT',
          body: {
            agentId: 'local.acme.mine',
            version: `${n}.0.0`,
            run: { kind: 'http', url: 'http://127.0.0.1:9/' },
          },
        }),
    ],
    [
      'webhooks',
      (_: number) => post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['run.completed'] }),
    ],
  ])('%s', async (limit, create) => {
    await open({ [limit]: 2 });
    for (const n of [1, 2]) expect(await create(n)).toMatchObject({ status: 201 });
    expect(await create(3)).toMatchObject({
      status: 409,
      body: { error: 'quota_exceeded', details: { limit, max: 2, used: 2 } },
    });
    expect(await reached(limit)).toBe(1);
  });

  it('annotations of one run', async () => {
    await open({ annotationsPerRun: 2 });
    const annotate = async (runId: unknown) =>
      (await post(`/v1/runs/${runId}/annotations`, { signal: { kind: 'flag' } })).status;
    const create = async () => (await post('/v1/runs', { workflowId: 'conformance-noop' })).body.runId;
    const [one, other] = [await create(), await create()];
    expect([await annotate(one), await annotate(one), await annotate(one), await annotate(other)]).toEqual([
      201, 201, 409, 201,
    ]);
  });
});
