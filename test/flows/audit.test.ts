import { describe, expect, it } from 'vitest';
import { queryBeside, unguardBeside } from '../setup/flow-store.js';
import {
  AGENT,
  activate,
  answer,
  askPeople,
  auditOf,
  CANARY,
  expectSoundAudit,
  keyOf,
  move,
  SUITE,
  stage,
  startDeploymentHost,
} from './deployment-host.js';
import { readJson } from './pack-host.js';
import { finish, installSuite } from './run-host.js';
import type { WholeHost } from './whole-host.js';

// Goal: who asked for what, and was let or not, is in a chain that nobody can change unseen. Method: a host that is used
// by people who may and people who may not, and then a forger who sits at the database.

/** What keeps the table as it is goes first. */
async function forge({ folder }: WholeHost, statements: string): Promise<void> {
  await unguardBeside(folder, 'audit');
  for (const statement of statements.split(';')) await queryBeside(folder, statement);
}
const verdict = async (host: WholeHost, range = '') =>
  (await readJson(host, `/v1/audit/verify${range}`)).body;

/** Some business of everyone's. */
async function busy(host: WholeHost): Promise<void> {
  await activate(host, '1.0.0', { channel: 'stable' });
  await move(host, '2.0.0', { by: 'reader' });
  await move(host, '2.0.0', { transition: 'rollback' });
  await activate(host, '2.0.0', { channel: 'stable', by: 'releaser' });
  await move(host, '2.0.0', { transition: 'rollback', reason: 'slow', by: 'roller' });
}

describe('the audit log', () => {
  it('tells who asked for what, and whether it was let, in the order of things', async () => {
    const host = await startDeploymentHost();
    await busy(host);
    const told = (await auditOf(host)).map(({ principal, action, resource, allowed }) => [
      principal,
      action,
      resource,
      allowed,
    ]);
    const one = `agents/${AGENT}@1.0.0`;
    const two = `agents/${AGENT}@2.0.0`;
    const times = <T>(count: number, line: T): T[] => Array.from({ length: count }, () => line);
    expect(told).toEqual([
      ...times(6, ['lead', 'deploy:promote', one, true]),
      ['reader', 'deploy:promote', two, false],
      ['lead', 'deploy:rollback', two, false],
      ...times(6, ['releaser', 'deploy:promote', two, true]),
      ...times(2, ['roller', 'deploy:rollback', two, true]),
    ]);
    expect(await expectSoundAudit(host)).toBe(told.length);
  });

  it('tells of refusals at every entry point, and of what changes what others run', async () => {
    const host = await startDeploymentHost();
    const doors: readonly [string, string, unknown, string][] = [
      ['POST', '/v1/host/touchstone/suites', {}, 'suites:write'],
      ['POST', '/v1/webhooks', {}, 'webhooks:manage'],
      ['GET', '/v1/audit/verify', undefined, 'audit:read'],
      ['POST', '/v1/runs', {}, 'runs:create'],
    ];
    for (const [method, path, body, scope] of doors) {
      const answered = await readJson(host, path, {
        method,
        key: keyOf('pauser'),
        ...(body !== undefined && { body }),
      });
      expect(answered).toMatchObject({ status: 403, body: { details: { scopeRequired: scope } } });
    }
    await installSuite(host, {
      suiteId: `${SUITE}-new`,
      version: '1.0.0',
      modes: ['golden'],
      tasks: [
        {
          taskId: 't',
          input: CANARY,
          expected: { kind: 'golden', match: { strategy: 'exact', value: CANARY } },
        },
      ],
    });
    const lines = await auditOf(host);
    expect(lines.slice(0, 4).map(({ principal, action, allowed }) => [principal, action, allowed])).toEqual(
      doors.map(([, , , scope]) => ['pauser', scope, false]),
    );
    expect(lines.at(-1)).toMatchObject({ principal: 'lead', action: 'suites:write', allowed: true });
  });

  it('holds no key, no link and nothing that an agent read or said', async () => {
    const gates = [
      {
        gateId: 'board',
        agentId: '*',
        to: 'active',
        requiredEval: { suite: SUITE },
        approval: { requiredRole: 'approver', quorum: 2 },
      },
    ];
    const host = await startDeploymentHost({ gates });
    const evalRunId = await finish(host, SUITE, { agentId: `${AGENT}@1.0.0` });
    await stage(host, '1.0.0');
    const runId = await askPeople(host, '1.0.0', { evalRunId });
    const link = await readJson(host, `/v1/host/touchstone/runs/${runId}/interrupts/approval/tokens`, {
      method: 'POST',
      key: keyOf('ann'),
      body: {},
    });
    const token = link.body.token as string;
    const vote = { method: 'POST', key: null, body: { resumeValue: { decision: 'granted' } } };
    expect((await host.fetch(`/v1/interrupts/${token}`, vote)).status).toBe(200);
    await answer(host, runId, 'ben');
    const text = JSON.stringify(await auditOf(host));
    for (const word of [CANARY, token, keyOf('ann'), keyOf('ben'), keyOf('lead')])
      expect(text).not.toContain(word);
    for (const word of ['ann', 'ben', runId]) expect(text).toContain(word);
  });

  it('is read in pages, and refuses to be read otherwise', async () => {
    const host = await startDeploymentHost();
    await busy(host);
    const whole = await auditOf(host);
    const pages: unknown[] = [];
    for (let cursor: unknown = 0; cursor !== undefined; ) {
      const { body } = await readJson(host, `/v1/host/touchstone/audit?limit=3&cursor=${cursor}`);
      expect((body.items as unknown[]).length).toBeLessThanOrEqual(3);
      pages.push(...(body.items as unknown[]));
      cursor = body.nextCursor;
    }
    expect(pages).toEqual(whole);
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=-1', 'cursor=x'])
      expect((await host.fetch(`/v1/host/touchstone/audit?${query}`)).status).toBe(400);
  });

  it('takes everything that many say at once, one after the other', async () => {
    const host = await startDeploymentHost();
    const asked = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        move(host, '1.0.0', { by: index % 2 ? 'reader' : 'runner', reason: `try ${index}` }),
      ),
    );
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([403]));
    const lines = await auditOf(host);
    expect(lines).toHaveLength(60);
    expect(new Set(lines.map(({ runId }) => runId))).toEqual(new Set(asked.map(({ runId }) => runId)));
    expect(await expectSoundAudit(host)).toBe(60);
  });

  it('cannot be changed by plain SQL', async () => {
    const host = await startDeploymentHost();
    await busy(host);
    for (const statement of [
      "UPDATE audit SET principal = 'nobody' WHERE seq = 3",
      'DELETE FROM audit WHERE seq = 3',
      'DELETE FROM audit',
      "INSERT OR REPLACE INTO audit SELECT tenant, workspace, seq, at, 'nobody', action, resource, allowed, reason, run_id, previous, digest FROM audit WHERE seq = 3",
    ])
      await expect(queryBeside(host.folder, statement)).rejects.toThrow();
    await expectSoundAudit(host);
  });

  const FORGERIES: readonly [string, string, object][] = [
    ['another name', "UPDATE audit SET principal = 'nobody' WHERE seq = 7", { seq: 7, why: 'digest' }],
    ['a yes for a no', 'UPDATE audit SET allowed = 1 WHERE seq = 7', { seq: 7, why: 'digest' }],
    ['another reason', "UPDATE audit SET reason = 'none' WHERE seq = 8", { seq: 8, why: 'digest' }],
    ['no reason', 'UPDATE audit SET reason = NULL WHERE seq = 8', { seq: 8, why: 'digest' }],
    ['another time', 'UPDATE audit SET at = at + 1 WHERE seq = 1', { seq: 1, why: 'digest' }],
    ['another run', "UPDATE audit SET run_id = 'run-else' WHERE seq = 4", { seq: 4, why: 'digest' }],
    ['no run', 'UPDATE audit SET run_id = NULL WHERE seq = 4', { seq: 4, why: 'digest' }],
    ['a record gone', 'DELETE FROM audit WHERE seq = 7', { seq: 8, why: 'gap' }],
    ['no beginning', 'DELETE FROM audit WHERE seq = 1', { seq: 2, why: 'gap' }],
    [
      'a record gone and the rest moved up',
      'DELETE FROM audit WHERE seq = 7; UPDATE audit SET seq = seq - 1 WHERE seq > 7',
      { seq: 7, why: 'previous' },
    ],
    [
      'two records in each other’s place',
      'UPDATE audit SET seq = 99 WHERE seq = 7; UPDATE audit SET seq = 7 WHERE seq = 8; UPDATE audit SET seq = 8 WHERE seq = 99',
      { seq: 7, why: 'previous' },
    ],
  ];
  describe('with a forged file', () => {
    it.each(FORGERIES)('forged by hand is found out: %s', async (_, statement, trouble) => {
      const host = await startDeploymentHost();
      await busy(host);
      await forge(host, statement);
      const found = await verdict(host);
      expect(found).toMatchObject({ valid: false, trouble, chainValid: false });
      const [first] = found.anomalies as readonly { atSeq: number }[];
      expect(first).toEqual({
        atSeq: (trouble as { seq: number }).seq,
        expectedPrevHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        actualPrevHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    });

    it('is verified in the words of the protocol too, in parts if a caller wants that', async () => {
      const host = await startDeploymentHost();
      await busy(host);
      const { records } = await verdict(host);
      const sound = { chainValid: true, checkpoints: [], anomalies: [] };
      expect(await verdict(host)).toMatchObject({ fromSeq: 0, toSeq: records, ...sound, valid: true });
      expect(await verdict(host, '?fromSeq=0&toSeq=100')).toMatchObject({ fromSeq: 0, toSeq: 100, ...sound });
      await forge(host, "UPDATE audit SET principal = 'nobody' WHERE seq = 4");
      const inRange = await verdict(host, '?fromSeq=2&toSeq=5');
      expect(inRange).toMatchObject({ chainValid: false, anomalies: [{ atSeq: 4 }] });
      expect(await verdict(host, '?fromSeq=5&toSeq=6')).toMatchObject({ ...sound, valid: false });
      const beyond = `?fromSeq=${(records as number) + 1}`;
      for (const query of ['?fromSeq=5&toSeq=4', '?fromSeq=-1', '?toSeq=x', beyond, `${beyond}&toSeq=999`]) {
        const refused = await readJson(host, `/v1/audit/verify${query}`);
        expect(refused).toMatchObject({ status: 400, body: { error: 'validation_error' } });
      }
    });

    it('that has lost its newest records is a shorter chain with another head, for whoever has kept the old one', async () => {
      const host = await startDeploymentHost();
      await busy(host);
      const before = await verdict(host);
      await forge(host, `DELETE FROM audit WHERE seq = ${before.records}`);
      const after = await verdict(host);
      expect(after).toMatchObject({ valid: true, records: (before.records as number) - 1 });
      expect(after.head).not.toBe(before.head);
    });
  });
});
