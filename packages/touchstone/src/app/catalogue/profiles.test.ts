import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asId, type Digest, HOST_OWNER, type Issue, isHostError, type Owner } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checker, CheckOverLimit, type Store } from '../../ports/index.js';
import { readLock } from '../../profiles/datasets/pins.js';
import { readDefinition } from '../../profiles/definition/read-definition.js';
import { INVOICES, POLICIES } from '../../profiles/definition/testing/definitions.js';
import type { DefinitionAgent } from '../../profiles/types.js';
import { createMemoryStore } from '../../store/index.js';
import { parseConfig } from '../config/config.js';
import { systemClock } from '../system.js';
import { createProfiles, type ProfileRequest, type Profiles } from './profiles.js';
import { createSuiteCatalogue } from './suite-catalogue.js';

const ME: Owner = { tenant: 'acme', workspace: 'main' };
const LINES =
  '{"id":"inv-001","input":{"text":"PO 4471 matched, total 1299.00 EUR"},"expected":{"queue":"pay","amount_minor":129900}}\n' +
  '{"id":"inv-002","input":{"text":"Total 80.00 EUR, supplier not on file"},"expected":{"queue":"review","amount_minor":8000}}\n';
const CSV = 'id,input,reference\nleave-1,Staff get 5 days.,Five days.\n';
const agentIn = (text: string): DefinitionAgent => readDefinition(text).agents[0] as DefinitionAgent;

let folder: string;
let store: Store;
let desk: Profiles;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-profiles-'));
  for (const name of ['evals', 'bucket', 'files']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'evals/invoices.jsonl'), LINES);
  writeFileSync(join(folder, 'bucket/leave-v2.csv'), CSV);
  writeFileSync(join(folder, 'files/rows.json'), JSON.stringify([{ input: 'x', expected: 1 }]));
  store = await createMemoryStore(systemClock);
  desk = deskWith({});
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function deskWith({ maxTasks }: { readonly maxTasks?: number }): Profiles {
  const datasets = { prefixes: { 's3://hr-evals/': './bucket/' }, roots: ['./files'] };
  const config = parseConfig({ datasets }, folder);
  const suites = createSuiteCatalogue(store, systemClock);
  return createProfiles({ config, store, clock: systemClock, env: {}, suites, maxTasks });
}
const own = (agent: DefinitionAgent, more: Partial<ProfileRequest> = {}): ProfileRequest => ({
  agent,
  from: { trust: 'operator', baseDir: folder },
  ...more,
});
const withUri = (golden_dataset_uri: string): DefinitionAgent => {
  const agent = agentIn(INVOICES);
  return {
    ...agent,
    status: 'draft',
    evaluation: { ...(agent.evaluation as NonNullable<typeof agent.evaluation>), golden_dataset_uri },
  };
};
async function troubleOf(refused: Promise<unknown>) {
  const error = await refused.catch((thrown: unknown) => thrown);
  if (!isHostError(error)) throw error;
  const { code, issues = [] } = (error.details ?? {}) as { code?: string; issues?: readonly Issue[] };
  return { error: error.code, code, places: issues.map(({ pointer, line }) => [pointer, line]) };
}
const PLACE = '/evaluation/golden_dataset_uri';

describe('a definition of the operator', () => {
  it('is compiled with the file beside it, whose bytes are those that it pins', async () => {
    const { suite, document, pinned, warnings, locked } = await desk.compile(own(agentIn(INVOICES)));
    expect(suite.head).toMatchObject({ taskCount: 2, thresholds: { passScore: 1, maxP95LatencyMs: 1500 } });
    expect(pinned.contract).toMatchObject({
      suiteSha256: suite.head.digest.slice('sha256:'.length),
      dataset: { uri: 'evals/invoices.jsonl', bytes: LINES.length, format: 'jsonl', rows: 2 },
    });
    expect(document).toMatchObject({ suiteId: suite.head.suiteId });
    expect({ warnings, locked }).toEqual({ warnings: [], locked: undefined });
    expect((await desk.compile(own(agentIn(INVOICES)))).pinned.digest).toBe(pinned.digest);
  });

  it('is not compiled with other bytes than those', async () => {
    writeFileSync(join(folder, 'evals/invoices.jsonl'), LINES.replace('8000', '8001'));
    expect(await troubleOf(desk.compile(own(agentIn(INVOICES))))).toEqual({
      error: 'validation_error',
      code: 'dataset_mismatch',
      places: [[PLACE, undefined]],
    });
  });

  it('is compiled with a folder that stands for a bucket, and learns what to lock', async () => {
    const agent = agentIn(POLICIES);
    const { warnings, locked, suite } = await desk.compile(own(agent));
    const sha256 = createHash('sha256').update(CSV).digest('hex');
    expect(warnings).toMatchObject([{ code: 'dataset_unpinned' }]);
    expect(locked).toEqual({ uri: 's3://hr-evals/leave-v2.csv', sha256, bytes: CSV.length });
    expect(suite.tasks).toHaveLength(1);

    const entry = { sha256, bytes: CSV.length, recordedAt: '2026-03-04T00:00:00Z' };
    const lockOf = (one: object) =>
      readLock(JSON.stringify({ lockVersion: 1, datasets: { [locked?.uri ?? '']: one } }));
    const again = await desk.compile(own(agent, { lock: lockOf(entry) }));
    expect({ warnings: again.warnings, locked: again.locked }).toEqual({ warnings: [], locked: undefined });
    const other = { ...entry, sha256: '0'.repeat(64) };
    expect(await troubleOf(desk.compile(own(agent, { lock: lockOf(other) })))).toMatchObject({
      code: 'dataset_mismatch',
    });
  });

  it('that is published pins what is fetched, unless somebody decides otherwise', async () => {
    const agent: DefinitionAgent = { ...agentIn(POLICIES), status: 'published' };
    expect(await troubleOf(desk.compile(own(agent)))).toMatchObject({ code: 'dataset_unpinned' });
    expect((await desk.compile(own(agent, { allowUnpinned: true }))).suite.tasks).toHaveLength(1);
  });

  it('reads files below the folders of the configuration, and no others', async () => {
    const allowed = withUri(`file://${join(folder, 'files/rows.json')}`);
    const { suite } = await desk.compile(own(allowed, { options: { sla: 'warn' } }));
    expect(suite.tasks).toHaveLength(1);
    expect(suite.head.thresholds).not.toHaveProperty('maxP95LatencyMs');
    const outside = withUri(`file://${join(folder, 'evals/invoices.jsonl')}`);
    expect(await troubleOf(desk.compile(own(outside)))).toEqual({
      error: 'validation_error',
      code: 'dataset_refused',
      places: [[PLACE, undefined]],
    });
  });

  it.each([
    ['a file that is not there', 'evals/none.jsonl', 'dataset_not_found', [PLACE, undefined]],
    ['a row by its line', 'evals/broken.jsonl', 'invalid_rows', ['/1', 2]],
    ['nothing at all', 'evals/empty.jsonl', 'no_tasks', [PLACE, undefined]],
  ])('is refused for %s', async (_what, uri, code, place) => {
    writeFileSync(join(folder, 'evals/broken.jsonl'), '{"input":"x","expected":1}\n{"expected":1}\n');
    writeFileSync(join(folder, 'evals/empty.jsonl'), '');
    expect(await troubleOf(desk.compile(own(withUri(uri))))).toMatchObject({ code, places: [place] });
  });

  it('is held to the most tasks that are taken, and may be sampled down to them', async () => {
    desk = deskWith({ maxTasks: 1 });
    expect(await troubleOf(desk.compile(own(agentIn(INVOICES))))).toMatchObject({ code: 'too_many_tasks' });
    const sample = { count: 1, seed: 'a' };
    const { suite, pinned } = await desk.compile(own(agentIn(INVOICES), { options: { sample } }));
    expect(suite.tasks).toHaveLength(1);
    expect(pinned.contract.dataset?.sample).toEqual({ seed: 'a', of: 2 });
  });
});

describe('writing', () => {
  it.each([
    ['a file beside the definition', 'evals/invoices.jsonl'],
    ['a file below a folder of the configuration', 'FILE'],
    ['a folder that stands for a bucket', 's3://hr-evals/invoices.jsonl'],
    ['a server', 'HTTP'],
    ['the URI itself', `data:application/x-ndjson;base64,${Buffer.from(LINES).toString('base64')}`],
  ])('passes the rows of %s through, and gives what compiling gives', async (_what, uri) => {
    writeFileSync(join(folder, 'files/invoices.jsonl'), LINES);
    writeFileSync(join(folder, 'bucket/invoices.jsonl'), LINES);
    const server = createServer((_, response) => response.end(LINES));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const place = uri
      .replace('FILE', `file://${join(folder, 'files/invoices.jsonl')}`)
      .replace('HTTP', `http://127.0.0.1:${port}/invoices.jsonl`);
    try {
      const request = own(withUri(place));
      const [texts, rows] = [{ suite: '', contract: '' }, { read: 0 }];
      const written = await desk.write(request, {
        suite(piece) {
          texts.suite += piece;
        },
        contract(piece) {
          texts.contract += piece;
        },
        row() {
          rows.read += 1;
        },
      });
      const { document, pinned, warnings, locked } = await desk.compile(request);
      expect(JSON.parse(texts.suite)).toEqual(document);
      expect(JSON.parse(texts.contract)).toEqual(pinned.contract);
      const { suiteSha256, tasks: _, ...head } = pinned.contract;
      expect(written).toEqual({ head, suiteSha256, tasks: 2, warnings, ...(locked && { locked }) });
      expect(rows.read).toBe(4);
    } finally {
      server.close();
    }
  });

  it('takes rows that somebody else has opened', async () => {
    const opened = {
      rows: async function* () {
        yield { input: { text: 'x' }, expected: { queue: 'pay', amount_minor: 1 }, at: 1 };
      },
      facts: () => ({ sha256: '0'.repeat(64), bytes: 1, format: 'jsonl' as const, rows: 1 }),
      warnings: () => [],
    };
    const sink = { suite: () => undefined, contract: () => undefined };
    const { tasks, head } = await desk.write(own(agentIn(INVOICES), { opened }), sink);
    expect([tasks, head.dataset]).toMatchObject([1, { rows: 1 }]);
    expect(head.dataset).not.toHaveProperty('uri');
  });
});

describe('rows of a tenant', () => {
  it('let others in when they have waited long enough', async () => {
    // Each row takes a minute by this clock.
    let now = 0;
    const clock = { ...systemClock, elapsed: () => (now += 60_000) };
    const parts = { store, clock, env: {}, suites: createSuiteCatalogue(store, clock), maxTasks: undefined };
    const slow = createProfiles({ ...parts, config: parseConfig({}, folder) });
    let isHeard = false;
    setImmediate(() => {
      isHeard = true;
    });
    const agent = { ...withUri('x'), capabilities: [] };
    const grading_rubric = [{ name: 'non_empty', description: null, threshold: null, strict: true }];
    const evaluation = { ...(agent.evaluation as NonNullable<typeof agent.evaluation>), grading_rubric };
    const request = { agent: { ...agent, evaluation }, rows: [{ input: 'a' }] };
    await slow.compile({ ...request, from: { trust: 'tenant' } });
    expect(isHeard).toBe(true);
  });
});

describe('schemas', () => {
  const SLOW = {
    type: 'array',
    items: { enum: Array.from({ length: 50 }, (_, at) => ({ at })) },
    uniqueItems: true,
  };
  it('of a tenant are looked into as long as there is time, and of the operator always', async () => {
    const checkerFor = (): Checker => () => Promise.reject(new CheckOverLimit('No time is left.'));
    const suites = createSuiteCatalogue(store, systemClock);
    const config = parseConfig({}, folder);
    const parts = { config, store, clock: systemClock, env: {}, suites, maxTasks: undefined };
    const patient = createProfiles({ ...parts, checkerFor });
    const rows = [1, 2, 3].map((at) => ({
      input: { text: `${at}` },
      expected: at,
      schema: { ...SLOW, title: `${at}` },
    }));
    const owner = { tenant: 'acme', workspace: 'main' };
    const request = (trust: 'operator' | 'tenant') => ({ agent: withUri('x'), rows, owner, from: { trust } });
    expect(await troubleOf(patient.compile(request('tenant')))).toMatchObject({ code: 'invalid_schema' });
    expect((await patient.compile(request('operator'))).suite.tasks).toHaveLength(3);
  });

  it('are used by compiling and by writing alike', async () => {
    writeFileSync(join(folder, 'evals/odd.jsonl'), '{"input":{"text":7},"expected":1}\n');
    const request = own(withUri('evals/odd.jsonl'));
    const sink = { suite: () => undefined, contract: () => undefined };
    for (const make of [() => desk.compile(request), () => desk.write(request, sink)])
      expect(await troubleOf(make())).toMatchObject({
        code: 'input_mismatch',
        places: [['/input/text', 1]],
      });
  });
});

describe('a compiled pair', () => {
  it('for another agent is refused with what to do, and taken under a name of its own', async () => {
    const forAgent = (targetAgentId: string, name?: string) =>
      desk.compile(own(agentIn(INVOICES), { options: { targetAgentId, ...(name && { name }) } }));
    expect(await desk.install(ME, await forAgent('local.acme.a'))).toBe('created');
    const other = await desk.install(ME, await forAgent('local.acme.b')).catch((error: unknown) => error);
    expect(other).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        /for agent local\.acme\.a, and this one is for local\.acme\.b\..*"suiteName"/,
      ),
      details: { code: 'other_agent' },
    });
    expect(await desk.install(ME, await forAgent('local.acme.b', 'for-b'))).toBe('created');
  });

  it('is kept together, once, and not replaced under its version', async () => {
    const compiled = await desk.compile(own(agentIn(INVOICES)));
    const { digest } = compiled.suite.head;
    expect([await desk.install(ME, compiled), await desk.install(ME, compiled)]).toEqual(['created', 'same']);
    expect(await store.suites.contractOf(ME, digest)).toEqual(compiled.pinned);
    expect(await store.suites.contractOf({ ...ME, workspace: 'other' }, digest)).toBeUndefined();
    const other = { ...compiled, pinned: { ...compiled.pinned, digest: asId<Digest>('sha256:other') } };
    expect(await troubleOf(desk.install(ME, other))).toMatchObject({ error: 'conflict' });
    expect(await store.suites.contractOf(ME, digest)).toEqual(compiled.pinned);
  });

  it('of the host cannot be given another contract by a tenant, nor one where it has none', async () => {
    const strict = await desk.compile(own(agentIn(INVOICES)));
    const lax = { ...strict, pinned: { ...strict.pinned, digest: asId<Digest>('sha256:lax') } };
    await desk.replace(HOST_OWNER, strict);
    expect(await troubleOf(desk.install(ME, lax))).toMatchObject({ error: 'conflict' });
    expect(await desk.install(ME, strict)).toBe('same');
    await desk.replacePlain(HOST_OWNER, strict.suite);
    expect(await troubleOf(desk.install(ME, lax))).toMatchObject({ error: 'conflict' });
    expect(await store.suites.contractOf(ME, strict.suite.head.digest)).toBeUndefined();
  });

  it('that somebody else installs at the same moment with another contract, or other rows, is one of them', async () => {
    const first = await desk.compile(own(agentIn(INVOICES)));
    const second = await desk.compile(own({ ...agentIn(INVOICES), sha256: 'b'.repeat(64) }));
    const third = await desk.compile(own(agentIn(INVOICES), { options: { sla: 'warn' } }));
    expect(new Set([first, second, third].map(({ pinned }) => pinned.digest)).size).toBe(3);
    const outcomes = await Promise.allSettled([first, second, third].map((one) => desk.install(ME, one)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const won = [first, second, third][outcomes.findIndex(({ status }) => status === 'fulfilled')];
    const { suiteId, version } = first.suite.head;
    const head = await store.suites.get(ME, suiteId, version);
    expect(head?.digest).toBe(won?.suite.head.digest);
    expect((await store.suites.contractOf(ME, head?.digest as Digest))?.digest).toBe(won?.pinned.digest);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'conflict' });
  });

  it('of a tenant that would not fit in memory is refused before it is made', async () => {
    const agent = agentIn(INVOICES);
    const description = 'x'.repeat(100_000);
    const evaluation = agent.evaluation as NonNullable<typeof agent.evaluation>;
    const grading_rubric = Array.from({ length: 20 }, (_, at) => ({
      name: `c${at}`,
      description,
      threshold: null,
      strict: true,
    }));
    const request = {
      agent: { ...agent, evaluation: { ...evaluation, grading_rubric } },
      rows: Array.from({ length: 10_000 }, (_, at) => ({ input: { text: `${at}` } })),
      from: { trust: 'tenant' as const },
    };
    expect(await troubleOf(desk.compile(request))).toEqual({
      error: 'validation_error',
      code: 'suite_too_large',
      places: [['/evaluation/grading_rubric/0/description', undefined]],
    });
  });

  it('without rows is blamed on the list that was handed over', async () => {
    const request = { agent: agentIn(INVOICES), rows: [], from: { trust: 'tenant' as const } };
    expect(await troubleOf(desk.compile(request))).toEqual({
      error: 'validation_error',
      code: 'no_tasks',
      places: [['/rows', undefined]],
    });
  });

  it('of rows with one id names the earlier one by where it stands', async () => {
    const row = { id: 'a', input: { text: 'x' }, expected: 1 };
    const request = { agent: withUri('x'), rows: [row, row], from: { trust: 'tenant' as const } };
    const error = await desk.compile(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      details: {
        issues: [{ pointer: '/rows/1/id', message: expect.stringContaining('the row at /rows/0') }],
      },
    });
  });

  it('of a draft is replaced, and the earlier contract can still be read by its digest', async () => {
    const first = await desk.compile(own(agentIn(INVOICES)));
    const second = await desk.compile(own({ ...agentIn(INVOICES), sha256: 'b'.repeat(64) }));
    expect(second.suite.head.digest).toBe(first.suite.head.digest);
    await desk.replace(ME, first);
    await desk.replace(ME, second);
    expect((await store.suites.contractOf(ME, first.suite.head.digest))?.digest).toBe(second.pinned.digest);
    expect(await store.suites.contract(ME, first.pinned.digest)).toEqual(first.pinned);
  });

  it('that was not compiled together is kept by nobody', async () => {
    const invoices = await desk.compile(own(agentIn(INVOICES)));
    const { pinned } = await desk.compile(own(agentIn(INVOICES), { options: { sla: 'warn' } }));
    for (const keep of [desk.install, desk.replace])
      expect(await troubleOf(keep(ME, { ...invoices, pinned }))).toMatchObject({
        error: 'validation_error',
        code: 'contract_mismatch',
      });
    expect(await store.suites.byDigest(ME, invoices.suite.head.digest)).toBeUndefined();
  });
});
