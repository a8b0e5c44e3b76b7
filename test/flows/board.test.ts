import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT,
  answer,
  askPeople,
  auditOf,
  keyOf,
  managementRuns,
  move,
  openDeploymentHost,
  SIDE_KEY,
  SUITE,
  stage,
} from './deployment-host.js';
import { readJson } from './pack-host.js';
import { OTHER_KEY } from './processes.js';
import type { WholeHost } from './whole-host.js';

// Goal: people see what a host would decide before they ask for it. Method: a gate that wants evidence and two people; what the
// dry run says is held against what the move itself is answered.

const GATE = {
  gateId: 'release',
  agentId: AGENT,
  to: 'active',
  requiredEval: { suite: SUITE, requiredPassScore: 0.9, noRegression: true },
  approval: { requiredRole: 'approver', quorum: 2, excludeRequester: true, timeoutSec: 3_600 },
};

let host: WholeHost;
let proof: string;
beforeAll(async () => {
  host = await openDeploymentHost({ gates: [GATE] });
  const client = host.client();
  const agentId = `${AGENT}@1.0.0`;
  const created = await client.runs.create({ mode: 'eval', evalSuiteRef: SUITE, agentId });
  proof = created.runId;
  await client.waitForScorecard(created.runId as never);
});
afterAll(() => host.close());

const BOARD = '/v1/host/touchstone/deployments';
const board = async (key?: string) =>
  (await readJson(host, BOARD, key === undefined ? {} : { key })).body as {
    items: readonly {
      agentId: string;
      revision: number;
      versions: readonly { version: string; state: string; since?: string }[];
      channels: readonly { name: string; line: readonly object[] }[];
      pending: readonly object[];
    }[];
    nextCursor?: string;
  };
const review = (query: string, key = keyOf('lead'), agentId = AGENT) =>
  readJson(host, `/v1/host/touchstone/agents/${agentId}/gates?${query}`, { key });
const traces = async () => [(await managementRuns(host)).length, (await auditOf(host)).length];

describe('the dry run of a move', () => {
  it('names every gate on the way with its reason in words, and leaves no trace', async () => {
    const before = await traces();
    const { status, body } = await review('version=1.0.0&to=active&channel=stable');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      move: { allowed: true, scope: 'deploy:promote' },
      steps: ['test', 'staged', 'active'],
      gates: [
        {
          gateId: 'release',
          to: 'active',
          evidence: { suite: SUITE, required: 0.9, met: false, reason: 'no_eval_run' },
          approval: { role: 'approver', quorum: 2, excludeRequester: true, youMay: false },
        },
      ],
      fits: [proof],
      unmet: { reason: 'no_eval_run' },
      after: { state: 'active' },
    });
    expect(JSON.stringify(body)).toContain('Run the suite, then give its run id.');
    expect(await traces()).toEqual(before);
  });

  it('takes a run that fits as proof, with its score and interval, and says what would serve', async () => {
    const { body } = await review(`version=1.0.0&to=active&channel=stable&evalRunId=${proof}`);
    expect(body).not.toHaveProperty('unmet');
    expect(body).toMatchObject({
      gates: [{ evidence: { met: true, runId: proof, score: 1, interval: [expect.any(Number), 1] } }],
      after: {
        channels: [
          { name: 'stable', line: [{ version: '1.0.0', percent: 100 }] },
          { name: 'canary', line: [] },
          { name: 'latest', line: [{ version: '1.0.0', percent: 100 }] },
        ],
      },
    });
  });

  it('counts the asker as the requester, and says which scope the asker lacks', async () => {
    const asApprover = (await review('version=1.0.0&to=active', keyOf('ann'))).body;
    expect(asApprover).toMatchObject({
      move: { allowed: false, scope: 'deploy:promote' },
      gates: [{ approval: { youMay: false } }],
    });
    expect((await review('version=1.0.0&to=active', keyOf('promoter'))).status).toBe(403);
  });

  it('says why a move is not possible, as the move itself would', async () => {
    const { body } = await review('version=1.0.0&to=paused');
    const refused = await move(host, '1.0.0', { transition: 'pause' });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain((body.move as { issue: string }).issue);
    expect(body).not.toHaveProperty('after');
  });

  it.each([
    ['no version', 'to=active', 400],
    ['a version that is not there', 'version=9.9.9', 400],
    ['a state that nothing leads to', 'version=1.0.0&to=draft', 400],
    ['a channel that nothing is put on', 'version=1.0.0&to=active&channel=latest', 400],
    ['a share beyond all', 'version=1.0.0&canaryPercent=101', 400],
  ])('refuses %s', async (_, query, status) => {
    expect((await review(query)).status).toBe(status);
  });

  it.each([
    ['another tenant', OTHER_KEY],
    ['another workspace', SIDE_KEY],
  ])('takes a run of %s for one that is not there', async (_, key) => {
    const foreign = await review(`version=1.0.0&to=active&evalRunId=${proof}`, key);
    const absent = await review('version=1.0.0&to=active&evalRunId=run-nope', key);
    expect(foreign.body).toEqual({ ...absent.body, gates: foreign.body.gates });
    expect(foreign.body).toMatchObject({ unmet: { reason: 'not_found' }, fits: [] });
    expect((await review('version=1.0.0', key, 'local.test.nobody')).status).toBe(404);
  });
});

describe('the board', () => {
  it('shows versions, shares and what waits for people, to any key', async () => {
    await stage(host, '1.0.0');
    const runId = await askPeople(host, '1.0.0', { by: 'lead', evalRunId: proof, channel: 'stable' });
    await answer(host, runId, 'ann');
    const [agent] = (await board(keyOf('roller'))).items;
    expect(agent).toMatchObject({
      agentId: AGENT,
      revision: 2,
      pending: [
        {
          runId,
          version: '1.0.0',
          to: 'active',
          by: 'lead',
          gateId: 'release',
          granted: 1,
          quorum: 2,
          until: expect.any(String),
        },
      ],
    });
    expect(agent?.versions.map(({ version, state }) => [version, state])).toEqual([
      ['1.0.0', 'staged'],
      ['2.0.0', 'draft'],
      ['3.0.0', 'draft'],
    ]);
    await answer(host, runId, 'ben');
    const [after] = (await board()).items;
    expect(after?.pending).toEqual([]);
    expect(after?.versions[0]).toMatchObject({
      state: 'active',
      evalRunId: proof,
      approvalGateId: 'release',
      digest: expect.stringMatching(/^sha256:/),
      since: expect.stringMatching(/Z$/),
    });
    expect(after?.channels[0]).toEqual({ name: 'stable', line: [{ version: '1.0.0', percent: 100 }] });
  });

  it('is empty of what another tenant has moved, and is read in pages', async () => {
    const [foreign] = (await board(OTHER_KEY)).items;
    expect(foreign).toMatchObject({ revision: 0, pending: [], channels: [{ line: [] }, {}, {}] });
    const first = (await readJson(host, `${BOARD}?limit=1`)).body;
    expect(first.nextCursor).toBeUndefined();
    expect((await readJson(host, `${BOARD}?limit=0`)).status).toBe(400);
    expect((await readJson(host, `${BOARD}?cursor=${AGENT}`)).body).toEqual({ items: [] });
  });
});

describe('the dry run of a version that others share with', () => {
  it('compares with what serves, and draws shares, pauses and rollbacks before they are done', async () => {
    const client = host.client();
    const agentId = `${AGENT}@2.0.0`;
    const { runId } = await client.runs.create({ mode: 'eval', evalSuiteRef: SUITE, agentId });
    await client.waitForScorecard(runId as never);
    const promoted = await review(
      `version=2.0.0&to=active&channel=stable&canaryPercent=20&evalRunId=${runId}`,
    );
    expect(promoted.body).toMatchObject({
      gates: [{ evidence: { met: true, noRegression: true, compared: [{ version: '1.0.0', change: 0 }] } }],
      fits: [runId],
      after: {
        channels: [
          {
            name: 'stable',
            line: [
              { version: '2.0.0', percent: 20 },
              { version: '1.0.0', percent: 80 },
            ],
          },
          {},
          {},
        ],
      },
    });
    const paused = await review('version=1.0.0&to=paused');
    expect(paused.body).toMatchObject({
      move: { allowed: true, scope: 'deploy:pause' },
      gates: [],
      after: { state: 'paused', channels: [{ line: [] }, {}, { line: [] }] },
    });
    expect((await review('version=1.0.0&canaryPercent=50')).body).toMatchObject({
      steps: ['active'],
      after: { state: 'active', channels: [{ line: [{ version: '1.0.0', percent: 100 }] }, {}, {}] },
    });
    const back = await review('version=1.0.0&to=rolled-back');
    const refused = await move(host, '1.0.0', { transition: 'rollback' });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain((back.body.move as { issue: string }).issue);
  });
});

describe('the audit log', () => {
  const list = async (query: string) =>
    (await readJson(host, `/v1/host/touchstone/audit?${query}`)).body as {
      items: readonly { seq: number; resource: string; runId?: string }[];
      nextCursor?: string;
    };

  it('is read newest first, of one agent or of one run, page by page', async () => {
    const all = await auditOf(host);
    const ofAgent = await list(`order=desc&agentId=${AGENT}&limit=1000`);
    const about = all.filter(
      ({ resource }) => resource.startsWith('agents/') || resource.startsWith('runs/'),
    );
    expect(ofAgent.items.map(({ seq }) => seq)).toEqual(about.map(({ seq }) => seq).toReversed());
    const answered = all.find(({ resource }) => resource.endsWith('/interrupts/approval'));
    const ofRun = await list(`order=desc&runId=${answered?.runId}`);
    expect(ofRun.items.length).toBeGreaterThan(2);
    expect(new Set(ofRun.items.map(({ runId }) => runId))).toEqual(new Set([answered?.runId]));
    const first = await list(`order=desc&runId=${answered?.runId}&limit=2`);
    const rest = await list(`order=desc&runId=${answered?.runId}&cursor=${first.nextCursor}`);
    expect([...first.items, ...rest.items]).toEqual(ofRun.items);
    expect((await list('agentId=local.test.cler')).items).toEqual([]);
  });
});
