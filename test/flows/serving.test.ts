import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asId } from '@touchstone/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ECHO_AGENT, echoAgent, echoSuite, openWholeHost, type WholeHost } from './whole-host.js';

let host: WholeHost;
beforeAll(async () => {
  host = await openWholeHost({ agents: [echoAgent()] }, { files: { 'echo.mjs': ECHO_AGENT } });
  await host.client().suites.install(echoSuite(3) as never);
});
afterAll(() => host.close());

async function evaluate(): Promise<{ passedCount: number; digest: string }> {
  const client = host.client();
  const body = { mode: 'eval' as const, evalSuiteRef: 'local.test.evals.echo', agentId: 'local.test.echo' };
  const { runId } = await client.runs.create(body);
  const { passedCount } = await client.waitForScorecard(asId(runId));
  const snapshot = (await (await host.fetch(`/v1/runs/${runId}`)).json()) as {
    touchstone: { agent: { digest: string } };
  };
  return { passedCount, digest: snapshot.touchstone.agent.digest };
}

it('an agent edited while the host runs is evaluated as it is now, under a digest of its own', async () => {
  const before = await evaluate();
  writeFileSync(join(host.folder, 'echo.mjs'), "export default () => 'something else';\n");
  const after = await evaluate();
  expect([before.passedCount, after.passedCount]).toEqual([3, 0]);
  expect(after.digest).not.toBe(before.digest);
});

it('HEAD answers where GET does', async () => {
  const response = await host.fetch('/.well-known/openwop', { method: 'HEAD', key: null });
  expect({ status: response.status, body: await response.text() }).toEqual({ status: 200, body: '' });
});

it('a ceiling of nothing starts nothing', async () => {
  const client = host.client();
  const budget = { maxCostUsd: 0 };
  const { runId } = await client.runs.create({
    mode: 'eval',
    evalSuiteRef: 'local.test.evals.echo',
    agentId: 'local.test.echo',
    configurable: { budget },
  });
  await expect(client.waitForScorecard(asId(runId))).rejects.toMatchObject({ name: 'RunFailed' });
});

it('a page of suites never loses one', async () => {
  const client = host.client();
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `local.pages.evals.${name}`);
  for (const suiteId of names) await client.suites.install(echoSuite(1, { suiteId }) as never);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = (await (await host.fetch(`/v1/host/touchstone/suites?limit=2${cursor}`)).json()) as {
      items: { suiteId: string }[];
      nextCursor?: string;
    };
    seen.push(...page.items.map(({ suiteId }) => suiteId));
    if (page.nextCursor === undefined) break;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  expect(seen.filter((suiteId) => suiteId.startsWith('local.pages.'))).toEqual(names);
});
