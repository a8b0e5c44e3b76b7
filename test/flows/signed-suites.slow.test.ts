import { afterEach, expect, it } from 'vitest';
import { keyPair } from '../../packages/touchstone/src/cli/testing/pack-cli.js';
import { openTestCli, type TestCli } from '../../packages/touchstone/src/cli/testing/test-cli.js';
import { suiteIntegrity } from '../../packages/touchstone/src/packs/index.js';
import { AGENT, clerkSuite, move, peopled, SUITE, stage } from './deployment-host.js';
import { readJson } from './pack-host.js';
import { KEY } from './processes.js';
import { finish } from './run-host.js';
import { openWholeHost, type WholeHost } from './whole-host.js';

// Goal: a suite that was signed on one machine is held to the trust of the host it comes to, and a gate can ask for it.
// Method: a command line signs, whole hosts under every policy get it over HTTP, run it, and promote on it.

const alice = keyPair();
const FILE = `${SUITE}-1.0.0.suite.json`;
const open: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function signer(): Promise<TestCli> {
  const desk = openTestCli({ env: { TOUCHSTONE_KEY: KEY } });
  open.push(desk);
  desk.write('alice.pem', alice.privateKey);
  desk.write('clerk.suite.json', clerkSuite({}, 4));
  const signed = await desk.run(
    'suite',
    'sign',
    'clerk.suite.json',
    '--key',
    'alice.pem',
    '--key-id',
    'alice',
  );
  expect([signed.code, signed.err]).toEqual([0, '']);
  return desk;
}

const KEYS = [{ keyId: 'alice', publicKey: alice.publicKey, names: [SUITE] }];
const AGENT_FILES = { 'clerk.mjs': 'export default ({ say }) => say;' };

async function host(trust: object, gate: object = {}): Promise<WholeHost> {
  const run = { kind: 'module', path: 'clerk.mjs' };
  const requiredEval = { suite: SUITE, signedSuite: true, requiredPassScore: 0, ...gate };
  const config = peopled({
    agents: [{ agentId: AGENT, version: '1.0.0', run }],
    gates: [{ agentId: '*', to: 'active', requiredEval }],
    trust,
  });
  const opened = await openWholeHost(config, { files: AGENT_FILES });
  open.push(opened);
  return opened;
}

const integrityOf = (desk: TestCli): Promise<string> =>
  desk.run('suite', 'verify', FILE, '--json').then(({ out }) => JSON.parse(out).integrity);
const install = async (desk: TestCli, { url }: WholeHost, ...argv: readonly string[]) => {
  const { code, out } = await desk.run('suite', 'install', FILE, '--host', url, '--json', ...argv);
  return { code, document: JSON.parse(out) };
};
const offer = async (at: WholeHost) => {
  await stage(at, '1.0.0');
  const evalRunId = await finish(at, SUITE, { agentId: `${AGENT}@1.0.0` });
  return { evalRunId, answer: await move(at, '1.0.0', { toState: 'active', channel: 'stable', evalRunId }) };
};

it('is let in by each policy that names it or its key, and counts for a gate', async () => {
  const desk = await signer();
  const integrity = await integrityOf(desk);
  const policies = {
    open: {},
    allowlist: { packs: [SUITE] },
    pinned: { packs: [{ name: SUITE, version: '1.0.0', integrity }] },
    verified: {},
  };
  for (const [policy, more] of Object.entries(policies)) {
    const there = await host({ policy, keys: KEYS, ...more });
    const { code, document } = await install(desk, there);
    expect([policy, code, document.signedBy, document.outcome]).toEqual([policy, 0, 'alice', 'created']);
    expect((await install(desk, there)).document.outcome).toBe('same');
    const { evalRunId, answer } = await offer(there);
    expect([policy, answer.status]).toEqual([policy, 200]);
    const { body: snapshot } = await readJson(there, `/v1/runs/${evalRunId}`);
    expect(snapshot).toMatchObject({ touchstone: { suite: { signature: { keyId: 'alice' } } } });
    const { body: kept } = await readJson(there, `/v1/host/touchstone/suites/${SUITE}/signature`);
    expect(kept).toMatchObject({
      keyId: 'alice',
      trusted: true,
      envelope: JSON.parse(desk.read(`${FILE}.dsse`)),
    });
  }
});

it('is refused by each policy that does not, and leaves nothing behind', async () => {
  const desk = await signer();
  const cases: readonly (readonly [object, string])[] = [
    [{ policy: 'verified' }, 'pack_signature_invalid'],
    [{ policy: 'verified', keys: [{ ...KEYS[0], names: ['vendor.other.*'] }] }, 'pack_signature_invalid'],
    [{ policy: 'open', keys: [{ ...KEYS[0], publicKey: keyPair().publicKey }] }, 'pack_signature_invalid'],
    [{ policy: 'allowlist', packs: ['vendor.other.*'] }, 'forbidden'],
    [
      {
        policy: 'pinned',
        packs: [
          {
            name: SUITE,
            version: '1.0.0',
            integrity: suiteIntegrity({ digest: `sha256:${'0'.repeat(64)}` as never }),
          },
        ],
      },
      'pack_integrity_failure',
    ],
  ];
  for (const [trust, code] of cases) {
    const there = await host(trust);
    const answer = await install(desk, there);
    expect([answer.code, answer.document.error.code]).toEqual([2, code]);
    expect((await there.client().suites.list()).items).toEqual([]);
  }
});

it('without its envelope it is its sender\u2019s own, unless every suite is held to the policy; and it passes no such gate', async () => {
  const desk = await signer();
  const there = await host({ policy: 'verified', keys: KEYS });
  const suite = JSON.parse(desk.read(FILE));
  await there.client().suites.install(suite);
  const unsigned = await offer(there);
  expect(unsigned.answer.body).toMatchObject({
    error: 'eval_gate_unmet',
    details: { reason: 'suite_not_signed' },
  });
  // Signing it afterwards does not change what was run.
  expect((await install(desk, there)).code).toBe(0);
  const later = await move(there, '1.0.0', {
    toState: 'active',
    channel: 'stable',
    evalRunId: unsigned.evalRunId,
  });
  expect(later.body).toMatchObject({ details: { reason: 'suite_not_signed' } });
  const strict = await host({ policy: 'verified', keys: KEYS, everySuite: true });
  await expect(strict.client().suites.install(suite)).rejects.toMatchObject({
    code: 'pack_signature_invalid',
  });
  expect((await install(desk, strict)).document.signedBy).toBe('alice');
});

it('an envelope that is no base64 is refused as what it is', async () => {
  const desk = await signer();
  const there = await host({ policy: 'open' });
  const answer = await there.fetch('/v1/host/touchstone/suites', {
    method: 'POST',
    body: JSON.parse(desk.read(FILE)),
    headers: { 'touchstone-suite-envelope': '{}' },
  });
  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, 'invalid_body']);
});
