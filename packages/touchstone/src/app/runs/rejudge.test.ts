import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, isHostError, type Principal, type RunId } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../ports/index.js';
import { parseSuite } from '../../suites/parse-suite.js';
import { createTouchstone } from '../compose.js';
import { parseConfig } from '../config/config.js';
import type { LocalTouchstone } from '../parts/local-touchstone.js';

const principalOf = (tenant: string): Principal => ({
  id: 'ci',
  owner: { tenant, workspace: 'main' },
  roles: ['admin'],
  scopes: new Set(['*']),
});
const ACME = principalOf('acme');
const AGENT = 'local.test.agent';

const verdicts = (met: boolean): object => ({ verdicts: [{ criterion: 1, reason: 'so', met }] });
const JUDGES = {
  replies: [
    { when: { model: 'strict' }, json: verdicts(false) },
    { when: { model: 'mild' }, json: verdicts(true) },
  ],
};
const task = (taskId: string, criterion: string): object => ({
  taskId,
  input: { q: taskId },
  expected: { kind: 'rubric', rubric: [{ criterion, weight: 1 }] },
});
const golden = {
  taskId: 'golden',
  input: {},
  expected: { kind: 'golden', match: { strategy: 'exact', value: 'hello' } },
};
const suite = (
  name: string,
  tasks: readonly object[],
  modes: readonly string[] = ['golden', 'rubric'],
): Parameters<LocalTouchstone['suites']['install']>[1] =>
  parseSuite({ suiteId: `local.test.evals.${name}`, version: '1.0.0', modes, tasks });

let folder: string;
let house: LocalTouchstone;

async function open(more: object = {}): Promise<LocalTouchstone> {
  const input = {
    keys: ['acme', 'rival'].map((tenant) => ({ key: `key-of-${tenant}`, tenant, roles: ['admin'] })),
    providers: {
      open: { kind: 'scripted', path: 'judges.json', tenants: ['acme', 'rival'] },
      acmes: { kind: 'scripted', path: 'judges.json', tenants: ['acme'] },
      hosts: { kind: 'scripted', path: 'judges.json', tenants: [] },
    },
    judge: { model: 'hosts/strict' },
    agents: [{ agentId: AGENT, version: '1.0.0', run: { kind: 'scripted', path: 'replies.json' } }],
    ...more,
  };
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const config = parseConfig(input, folder);
  return createTouchstone({ config, dataDir: join(folder, 'data'), origin: 'host', log, env: {} });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-rejudge-'));
  writeFileSync(join(folder, 'judges.json'), JSON.stringify(JUDGES));
  writeFileSync(
    join(folder, 'replies.json'),
    JSON.stringify({ replies: [], otherwise: { output: 'hello' } }),
  );
  house = await open();
});
afterEach(async () => {
  await house.close();
  rmSync(folder, { recursive: true });
});

async function runOf(
  name: string,
  tasks: readonly object[],
  configurable: object = {},
  modes?: readonly string[],
): Promise<RunId> {
  await house.suites.install(ACME.owner, suite(name, tasks, modes));
  const created = await house.createRun(
    ACME,
    {
      mode: 'eval',
      evalSuiteRef: `local.test.evals.${name}@1.0.0`,
      agentId: AGENT,
      configurable: { ...configurable },
    },
    { start: false },
  );
  await house.engine.drive(ACME.owner, created.runId);
  return created.runId;
}

const get = async (runId: RunId): Promise<Run> => (await house.store.runs.get(ACME.owner, runId)) as Run;
async function rejudge(...[runId, wish = {}, options = {}]: Wanted): Promise<Run> {
  const run = await house.rejudge(ACME, runId, wish, { ...options, start: false });
  await house.engine.drive(ACME.owner, run.runId);
  return get(run.runId);
}
type Rejudge = Parameters<LocalTouchstone['rejudge']>;
type Wanted = [RunId, Rejudge[2]?, Rejudge[3]?];

const PROSE = [task('prose', 'It is kind.')];
const refusalOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'accepted',
    (error: unknown) =>
      isHostError(error) ? [error.code, error.details?.field, error.message] : Promise.reject(error),
  );

describe('judging again', () => {
  it('keeps the plan but for the judge, and needs no agent', async () => {
    const source = await runOf('tone', PROSE, { repeats: 2, concurrency: 3 });
    expect((await get(source)).headline).toMatchObject({ aggregateScore: 0, passed: false });
    await house.close();
    house = await open({ agents: [] });
    const again = await rejudge(source, { model: 'acmes/mild', votes: 3 });
    expect(again).toMatchObject({
      status: 'completed',
      origin: 'host',
      workflowId: 'local.test.evals.tone',
      headline: { aggregateScore: 1, passed: true },
    });
    const { judge: before, ...plan } = (await get(source)).plan as Extract<Run['plan'], { kind: 'eval' }>;
    const judge = { provider: 'acmes', model: 'mild', votes: 3, mock: true };
    expect(again.plan).toMatchObject({ ...plan, rejudgeOf: source, judge });
    expect(again.plan).not.toMatchObject({ judge: { digest: before?.digest } });
  });

  it('may be judged once more, by the configured judge when none is named', async () => {
    const first = await rejudge(await runOf('tone', PROSE), { model: 'acmes/mild' });
    const second = await rejudge(first.runId);
    expect(second.plan).toMatchObject({
      rejudgeOf: first.runId,
      judge: { provider: 'hosts', model: 'strict' },
    });
    expect(second.headline).toMatchObject({ aggregateScore: 0 });
  });

  it('asks the judge and not its memory, although the run remembered', async () => {
    const source = await runOf('tone', PROSE);
    const run = await get(source);
    expect(run.plan).not.toHaveProperty('cache');
    const remembering = { ...run, runId: asId<RunId>('run-remembering'), plan: { ...run.plan, cache: true } };
    await house.store.runs.create(remembering as Run);
    await house.store.runs.request(ACME.owner, remembering.runId, {
      from: ['pending'],
      status: 'completed',
      control: null,
    });
    const again = await house.rejudge(ACME, remembering.runId, {}, { start: false });
    expect(again.plan).not.toHaveProperty('cache');
  });

  it('weighs findings by the policy of today', async () => {
    const replies = { replies: [], otherwise: { output: 'Write to jane.doe@corp.example for more.' } };
    writeFileSync(join(folder, 'replies.json'), JSON.stringify(replies));
    writeFileSync(join(folder, 'policy.json'), JSON.stringify({ severities: { 'pii-email': 'ignore' } }));
    const source = await runOf('probe', PROSE, {}, ['adversarial']);
    const before = await rejudge(source, { model: 'acmes/mild' });
    expect(before.headline).toMatchObject({ aggregateScore: 0.5 });
    await house.close();
    house = await open({ safety: { policy: 'policy.json' } });
    const after = await rejudge(source, { model: 'acmes/mild' });
    expect([after.status, after.headline?.aggregateScore]).toEqual(['completed', 1]);
    expect(before.plan).not.toHaveProperty('safetyPolicy');
    expect(after.plan).toHaveProperty('safetyPolicy');
  });

  it('is refused for a run that is not there, and for one of another owner in the same words', async () => {
    const source = await runOf('tone', PROSE);
    const absent = await refusalOf(house.rejudge(ACME, asId<RunId>('run-nowhere'), {}));
    expect(absent).toEqual(['not_found', undefined, 'There is no such run.']);
    expect(await refusalOf(house.rejudge(principalOf('rival'), source, {}))).toEqual(absent);
  });

  it('is refused for a run that has not completed, with its status', async () => {
    await house.suites.install(ACME.owner, suite('tone', PROSE));
    const asked = { mode: 'eval', evalSuiteRef: 'local.test.evals.tone', agentId: AGENT } as const;
    const { runId } = await house.createRun(ACME, asked, { start: false });
    const code = ['validation_error', 'runId'];
    expect(await refusalOf(house.rejudge(ACME, runId, {}))).toEqual([
      ...code,
      expect.stringContaining('pending'),
    ]);
    await house.engine.cancel(ACME.owner, runId, 'ci');
    await house.engine.drive(ACME.owner, runId);
    expect(await refusalOf(house.rejudge(ACME, runId, {}))).toEqual([
      ...code,
      expect.stringContaining('cancelled'),
    ]);
  });

  it('is refused where no judge would be asked anything', async () => {
    const words = ['validation_error', 'runId', expect.stringContaining('needs a judge')];
    const checks = await runOf('checks', [task('check', '[check:json] JSON.'), golden]);
    expect(await refusalOf(house.rejudge(ACME, checks, {}))).toEqual(words);
    const mixed = await runOf('mixed', [...PROSE, golden], { evalModes: ['golden'] });
    expect(await refusalOf(house.rejudge(ACME, mixed, {}))).toEqual(words);
    const whole = await runOf('mixed', [...PROSE, golden], { onlyTasks: ['prose'] });
    expect(await refusalOf(house.rejudge(ACME, whole, {}, { start: false }))).toBe('accepted');
    const { runId } = await house.createRun(ACME, { agentId: AGENT, inputs: {} }, { start: false });
    await house.engine.drive(ACME.owner, runId);
    expect(await refusalOf(house.rejudge(ACME, runId, {}))).toEqual([
      'validation_error',
      'runId',
      expect.stringContaining('not an evaluation'),
    ]);
  });
});

describe('the judge of a caller', () => {
  it.each<[string, string, 'host' | 'cli', unknown]>([
    ['granted to it', 'acmes/mild', 'host', 'accepted'],
    ['the configured one, whoever may use its provider', 'hosts/strict', 'host', 'accepted'],
    ['of a provider it may not use', 'hosts/mild', 'host', ['validation_error', 'judge', expect.any(String)]],
    ['any, at the machine itself', 'hosts/mild', 'cli', 'accepted'],
    ['none that is known', 'nobody/x', 'cli', ['validation_error', 'judge', expect.any(String)]],
  ])('%s: %s over %s', async (_what, model, origin, expected) => {
    const source = await runOf('tone', PROSE);
    const before = (await house.store.runs.list(ACME.owner, { limit: 9 })).items.length;
    expect(await refusalOf(house.rejudge(ACME, source, { model }, { origin, start: false }))).toEqual(
      expected,
    );
    const after = (await house.store.runs.list(ACME.owner, { limit: 9 })).items.length;
    expect(after - before).toBe(expected === 'accepted' ? 1 : 0);
  });

  it('must be named where none is configured', async () => {
    const source = await runOf('tone', PROSE);
    await house.close();
    house = await open({ judge: undefined });
    expect(await refusalOf(house.rejudge(ACME, source, {}))).toEqual([
      'validation_error',
      'judge',
      expect.stringContaining('No judge is configured'),
    ]);
  });

  it('of a contract must be named where nobody here can be asked any more', async () => {
    const definition = {
      metadata: {
        id: '2c8f6d0e-4a51-4f57-8d3b-6f0a9b1c7e24',
        version: '1.0.0',
        name: 'Kind',
        author: 'Test',
        created_at: '2026-11-02T08:00:00Z',
      },
      capabilities: [{ name: 'say', type: 'atomic', description: 'Says it.', inputs: {}, outputs: {} }],
      config: { model_config: { model: 'small', temperature: 0 } },
      dependencies: {},
      evaluation: { grading_rubric: [{ name: 'kind', description: 'It is kind.' }] },
    };
    const wish = { definition, rows: [{ input: 'x' }], targetAgentId: AGENT, install: true };
    const { suite: compiled } = await house.compileDefinition(ACME.owner, wish);
    const { suiteId, version } = compiled.head;
    const asked = { mode: 'eval', evalSuiteRef: `${suiteId}@${version}`, agentId: AGENT } as const;
    const { runId } = await house.createRun(ACME, asked, { start: false });
    await house.engine.drive(ACME.owner, runId);
    await house.close();
    house = await open({ judge: undefined });
    await expect(house.rejudge(ACME, runId, {})).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('name a judge for this time'),
      details: { code: 'judge_unavailable', field: 'judge', issues: [{ pointer: '/judge' }] },
    });
    const wanted = { model: 'acmes/mild' };
    expect(await refusalOf(house.rejudge(ACME, runId, wanted, { start: false }))).toBe('accepted');
  });

  it('is not asked where evaluations are switched off', async () => {
    const source = await runOf('tone', PROSE);
    await house.close();
    house = await open({ evalSuite: false });
    expect(await refusalOf(house.rejudge(ACME, source, {}))).toContain('capability_not_provided');
  });
});
