import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../packages/touchstone/src/app/system.js';
import type { Clock } from '../../packages/touchstone/src/ports/index.js';
import { auditOf, expectSoundAudit, managementRuns, move, openDeploymentHost } from './deployment-host.js';
import { readJson } from './pack-host.js';
import type { WholeHost } from './whole-host.js';

let host: WholeHost;
afterEach(() => host.close());

it('a key that may not move versions leaves a bounded number of runs and records, however often it asks', async () => {
  const wakes: (() => void)[] = [];
  // Nobody has to wait ten minutes for the record of what was counted.
  const sleep: Clock['sleep'] = (ms, signal) =>
    ms === 600_000 ? new Promise((resolve) => wakes.push(resolve)) : systemClock.sleep(ms, signal);
  host = await openDeploymentHost({
    config: { limits: { requestsPerMinute: 1_000_000, perTenant: { recordedRefusals: 20 } } },
    host: { clock: { ...systemClock, sleep } },
  });
  const answers = [];
  for (let n = 0; n < 200; n += 1) answers.push(await move(host, '1.0.0', { by: 'reader' }));
  for (const { status, body } of answers)
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { error: 'forbidden', details: { scopeRequired: 'deploy:promote' } },
    });
  expect(answers.filter(({ body }) => 'runId' in (body.details as object))).toHaveLength(20);
  expect(await managementRuns(host)).toHaveLength(20);
  expect(await auditOf(host)).toHaveLength(20);

  // Refusals of any other kind count as well: what cannot be done, and what a scope is missing for.
  for (let n = 0; n < 30; n += 1) {
    await move(host, '1.0.0', { by: 'releaser', transition: 'rollback' });
    await readJson(host, '/v1/host/touchstone/audit', { key: 'test-key-of-acme-runner-0123456789' });
  }
  expect(await auditOf(host)).toHaveLength(60);
  for (const wake of wakes.splice(0)) wake();
  while ((await auditOf(host)).length < 63);
  const counted = (await auditOf(host)).slice(60);
  expect(
    counted.map(({ principal, action, reason }) => [principal, action, reason?.split(' since ')[0]]),
  ).toEqual([
    ['reader', 'deploy:promote', '180 more refused'],
    ['releaser', 'deploy:rollback', '10 more refused'],
    ['runner', 'audit:read', '10 more refused'],
  ]);
  await expectSoundAudit(host);
});
