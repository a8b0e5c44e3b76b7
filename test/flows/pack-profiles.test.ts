import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContractReport } from '@touchstone/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { readPackFolder } from '../../packages/touchstone/src/packs/archive/pack-folder.js';
import { buildPack } from '../../packages/touchstone/src/packs/build-pack.js';
import { keyPair, options } from '../../packages/touchstone/src/packs/testing/pack-bytes.js';
import { packUrl, readJson, startModelServer } from './pack-host.js';
import { put } from './pack-publishing.js';
import { KEY } from './processes.js';
import { readContractReport } from './profile-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: an agent in a pack is held to the contract it carries, wherever the pack is run, and the gates alone decide the
// exit code. Method: one person with a folder, one host that believes one key, and a model on loopback that both ask. It
// knows three parcels of four, so a threshold of 0.75 is kept and one of 0.9 is not.
const PACK = 'vendor.tern.parcels';
const AGENT = `${PACK}.desk`;
const SUITE = 'vendor.tern.evals.parcels-desk';
const PLACES = ['shelf', 'van', 'depot', 'lost'];
const ROWS = PLACES.map((expected, parcel) =>
  JSON.stringify({ id: `p${parcel}`, input: `${parcel}`, expected }),
)
  .map((line) => `${line}\n`)
  .join('');
const manifest = (version: string): object => ({
  name: PACK,
  version,
  engines: { openwop: '>=1.0 <2.0.0' },
  runtime: { language: 'remote', entry: 'pack.json' },
  agents: [{ agentId: AGENT, persona: 'Desk', modelClass: 'general', systemPromptRef: 'prompts/desk.md' }],
});
const profile = (threshold: number, other = 'strict: false'): string =>
  [
    'golden_dataset_uri: evaluation/parcels.jsonl',
    'grading_rubric:',
    `  - { name: accuracy, threshold: ${threshold} }`,
    `  - { name: non_empty, ${other} }`,
  ].join('\n');

type Model = Awaited<ReturnType<typeof startModelServer>>;
let model: Model;
let host: WholeHost;
let desk: ReturnType<typeof openTestCli>;

const write = (name: string, content: string | object): void => {
  mkdirSync(dirname(join(desk.cwd, name)), { recursive: true });
  writeFileSync(
    join(desk.cwd, name),
    typeof content === 'string' ? content : JSON.stringify(content, null, 1),
  );
};
const models = () => ({
  providers: { local: { kind: 'openai-compatible', baseUrl: model.baseUrl, tenants: ['acme', 'local'] } },
  modelClasses: { general: 'local/small-1' },
});

beforeEach(async () => {
  model = await startModelServer(({ body }) => {
    const asked = Number(body.messages.findLast(({ role }) => role === 'user')?.content);
    return { say: asked === 3 ? 'depot' : (PLACES[asked] ?? '') };
  });
  const { privateKey, publicKey } = keyPair();
  const keys = [{ keyId: 'tern-2026', publicKey, wholePack: true }];
  const trust = { policy: 'verified', keys };
  host = await openWholeHost({ ...models(), trust });
  desk = openTestCli({ env: { TOUCHSTONE_KEY: KEY } });
  write('touchstone.config.json', { ...models(), trust });
  write('key.pem', privateKey);
  write('parcels/pack.json', manifest('1.0.0'));
  write('parcels/prompts/desk.md', 'Say where the parcel is.\n');
  write(`parcels/evaluation/${AGENT}.yaml`, profile(0.75));
  write('parcels/evaluation/parcels.jsonl', ROWS);
});
afterEach(async () => {
  desk.close();
  await host.close();
  await model.close();
});

/** The archive of the folder as it is now, signed. */
async function archiveOf(version: string): Promise<string> {
  write('parcels/pack.json', manifest(version));
  const signing = ['--key', 'key.pem', '--key-id', 'tern-2026'];
  expect(await desk.run('pack', 'build', 'parcels')).toMatchObject({ code: 0, err: '' });
  const file = `${PACK}-${version}.tgz`;
  expect(await desk.run('pack', 'sign', file, ...signing)).toMatchObject({ code: 0, err: '' });
  return file;
}

type InstallResult = {
  readonly runId: string;
  readonly contract: ContractReport;
  readonly summary: { passed: boolean };
};
const run = async (...argv: string[]): Promise<InstallResult & { readonly code: number }> => {
  const { code, out, err } = await desk.run('run', ...argv, '--json');
  expect(err).toBe('');
  const [told] = JSON.parse(out) as readonly InstallResult[];
  if (!told) throw new Error('Expected a run.');
  return { ...told, code };
};
const gatesOf = ({ criteria }: ContractReport) =>
  criteria.map(({ id, met, applicable, status }) => [id, met, applicable, status]);

describe('a pack with an agent, its profile and its dataset', () => {
  it('is built, signed, verified, installed by HTTP, and run here and there to the same verdict', async () => {
    const file = await archiveOf('1.0.0');
    const verified = await desk.run('pack', 'verify', file);
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('is verified') });
    expect(verified.out).toContain('2 criteria, 1 strict; 4 tasks of 4 rows in evaluation/parcels.jsonl');

    const bytes = readFileSync(join(desk.cwd, file));
    expect(await put(host, bytes, packUrl(PACK, '1.0.0'))).toMatchObject({
      status: 201,
      body: {
        signedBy: 'tern-2026',
        filesSigned: true,
        agents: [{ agentId: AGENT, suiteRef: `${SUITE}@1.0.0` }],
        suites: [{ suiteRef: `${SUITE}@1.0.0` }],
        warnings: [],
      },
    });

    const gates = [
      ['accuracy', 3, 4, 'pass'],
      ['non-empty', 4, 4, 'pass'],
    ];
    // As the file that is sent along, and by the name of what is installed there.
    for (const argument of [file, `${PACK}@1.0.0`]) {
      const there = await run(argument, '--host', host.url);
      expect([there.code, there.contract.verdict, gatesOf(there.contract)]).toEqual([0, 'pass', gates]);
      expect(there.contract).toEqual(await readContractReport(host, there.runId));
    }
    const here = await run(file);
    expect([here.code, here.contract.verdict, gatesOf(here.contract)]).toEqual([0, 'pass', gates]);
    expect(here.contract.contract).toBe((await run(file, '--host', host.url)).contract.contract);
  });

  it('that breaks its contract ends with 1, here and there, with the gate that it missed', async () => {
    // Two of four may say nothing, and all do say something: the mean is well above what the suite asks for.
    write(`parcels/evaluation/${AGENT}.yaml`, profile(0.9, 'threshold: 0.5'));
    const file = await archiveOf('1.1.0');
    for (const where of [[], ['--host', host.url]]) {
      const told = await run(file, ...where);
      expect([told.code, told.contract.verdict, told.summary.passed]).toEqual([1, 'fail', true]);
      expect(gatesOf(told.contract)[0]).toEqual(['accuracy', 3, 4, 'fail']);
    }
  });

  it('with a mistake in its dataset is refused by the host, by file, line and agent, and leaves nothing', async () => {
    const file = await archiveOf('1.2.0');
    // Whoever signs vouches for files, not for their sense.
    const lines = ROWS.split('\n');
    write('parcels/evaluation/parcels.jsonl', [lines[0], '{"id":"p1"}', ...lines.slice(2)].join('\n'));
    const signing = ['--key', 'key.pem', '--key-id', 'tern-2026'];
    const built = await desk.run('pack', 'build', 'parcels', '--force', ...signing);
    const place = 'evaluation/parcels.jsonl:2:1 /1';
    expect([built.code, built.err]).toEqual([2, expect.stringContaining(`Agent ${AGENT}: ${place}`)]);

    const broken = await buildPack(await readPackFolder(join(desk.cwd, 'parcels')), {
      ...options,
      signing: { keyId: 'tern-2026', privateKey: readFileSync(join(desk.cwd, 'key.pem'), 'utf8') },
    });
    expect(await put(host, broken.archive, packUrl(PACK, '1.2.0'))).toMatchObject({
      status: 400,
      body: {
        error: 'validation_error',
        message: expect.stringContaining(place),
        details: {
          agentId: AGENT,
          file: 'evaluation/parcels.jsonl',
          issues: [{ file: 'evaluation/parcels.jsonl', line: 2, pointer: '/1' }],
        },
      },
    });
    for (const shelf of ['packs', 'suites'])
      expect((await readJson(host, `/v1/host/touchstone/${shelf}`)).body.items).toEqual([]);
    // The sound archive of the same version still gets in.
    const sound = readFileSync(join(desk.cwd, file));
    expect((await put(host, sound, packUrl(PACK, '1.2.0'))).status).toBe(201);
  });
});
