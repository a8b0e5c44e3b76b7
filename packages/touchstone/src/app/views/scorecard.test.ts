import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, type Principal, type RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CompileOptions } from '../../profiles/compile/options.js';
import { readDefinition } from '../../profiles/definition/read-definition.js';
import { INVOICES } from '../../profiles/definition/testing/definitions.js';
import type { DefinitionAgent } from '../../profiles/types.js';
import { createTouchstone } from '../compose.js';
import { parseConfig } from '../config/config.js';
import type { LocalTouchstone } from '../parts/local-touchstone.js';

const ME: Principal = {
  id: 'me',
  owner: { tenant: 'acme', workspace: 'main' },
  roles: ['admin'],
  scopes: new Set(['*']),
};
const RIGHT = { queue: 'pay', amount_minor: 1 };
const AGENT = 'local.test.agent';

let folder: string;
let house: LocalTouchstone;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-contract-report-'));
  const replies = [{ when: { text: 'wrong' }, output: { queue: 'review', amount_minor: 1 } }];
  writeFileSync(join(folder, 'replies.json'), JSON.stringify({ replies, otherwise: { output: RIGHT } }));
  const run = { kind: 'scripted', path: 'replies.json' };
  const config = parseConfig({ agents: [{ agentId: AGENT, version: '1.0.0', run }] }, folder);
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  house = await createTouchstone({ config, dataDir: folder, origin: 'cli', log, env: {} });
});
afterEach(async () => {
  await house.close();
  rmSync(folder, { recursive: true });
});

const row = (text: string, index: number) => ({ id: `r-${index}`, input: { text }, expected: RIGHT });
type Wish = { readonly latencyMs?: number; readonly sha256?: string; readonly options?: CompileOptions };
async function compiled(texts: readonly string[], { latencyMs = 600_000, options, ...changed }: Wish) {
  const agent = readDefinition(INVOICES).agents[0] as DefinitionAgent;
  const accuracy = { name: 'accuracy', description: null, threshold: null, strict: true };
  const evaluation: DefinitionAgent['evaluation'] = {
    expected_latency_ms: latencyMs,
    golden_dataset_uri: null,
    grading_rubric: [accuracy],
    evaluator_model: null,
  };
  return house.profiles.compile({
    agent: { ...agent, evaluation, ...changed },
    rows: texts.map(row),
    from: { trust: 'operator' },
    options: { targetAgentId: AGENT, ...options },
  });
}
async function created(texts: readonly string[], wish: Wish = {}): Promise<RunId> {
  const pair = await compiled(texts, wish);
  await house.profiles.replace(ME.owner, pair);
  const body = { mode: 'eval', evalSuiteRef: pair.suite.head.suiteId, agentId: AGENT } as const;
  return (await house.createRun(ME, body, { start: false })).runId;
}
async function reported(...asked: Parameters<typeof created>) {
  const runId = await created(...asked);
  await house.engine.drive(ME.owner, runId);
  return house.contractReport(ME.owner, runId);
}

describe('the report on a contract', () => {
  it('says what became of each criterion, and of the run as a whole', async () => {
    expect(await reported(['right', 'right'])).toMatchObject({
      verdict: 'pass',
      criteria: [{ id: 'accuracy', met: 2, rate: 1, status: 'pass' }],
      sla: { policy: 'gate', status: 'pass' },
    });
    expect(await reported(['right', 'wrong'])).toMatchObject({
      verdict: 'fail',
      tasks: { total: 2, passed: 1 },
      criteria: [{ id: 'accuracy', met: 1, rate: 0.5, status: 'fail' }],
    });
  });

  it('only warns of a latency that was not made a gate', async () => {
    // No agent answers before it was asked.
    const late = await reported(['right'], { latencyMs: 0, options: { sla: 'warn' } });
    const { p95Ms = 0 } = late.sla ?? {};
    expect(late.sla).toEqual({
      expectedLatencyMs: 0,
      p95Ms,
      policy: 'warn',
      status: p95Ms > 0 ? 'warn' : 'pass',
    });
    expect(late).toMatchObject({ verdict: 'pass', summary: { passed: true } });
  });

  it('is there when the run has completed, and only for its owner', async () => {
    const runId = await created(['right']);
    await expect(house.contractReport(ME.owner, runId)).rejects.toMatchObject({ code: 'run_state_conflict' });
    await house.engine.drive(ME.owner, runId);
    const report = await house.contractReport(ME.owner, runId);
    expect(report.runId).toBe(runId);
    const stranger = { tenant: 'rival', workspace: 'main' };
    for (const asked of [
      house.contractReport(stranger, runId),
      house.contractReport(ME.owner, asId<RunId>('run-none')),
    ])
      await expect(asked).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a run stays what it was, whatever contract its suite has now', async () => {
    const runId = await created(['right', 'wrong']);
    await house.engine.drive(ME.owner, runId);
    const before = await house.contractReport(ME.owner, runId);
    const other = await compiled(['right', 'wrong'], { sha256: 'c'.repeat(64) });
    expect(other.suite.head.digest).toBe(before.suite.digest);
    await house.profiles.replace(ME.owner, other);
    expect((await house.store.suites.contractOf(ME.owner, before.suite.digest))?.digest).not.toBe(
      before.contract,
    );
    expect(await house.contractReport(ME.owner, runId)).toEqual(before);
  });
});
